"""Tell a message that reports trouble from one that gives rules.

A person who describes an incident says what has always, never or ever since been so; that
is no standing instruction. In such a message only what is plainly said to the agent for
good ("from now on …", "以后都…") counts.
"""

import re
from functools import cache
from pathlib import Path

import yaml

_MANY = 3
"""So many different words of trouble make a report of an incident."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    text = (Path(__file__).parent / "incidents.yaml").read_text("utf-8")
    return re.compile("|".join(yaml.safe_load(text)[name]), re.IGNORECASE)


def reports_trouble(text: str) -> bool:
    """Tell whether *text* asks what is behind something, or describes trouble at length."""
    if _pattern("asks").search(text):
        return True
    return len(set(_pattern("trouble").findall(text))) >= _MANY


def is_order(said: str) -> bool:
    """Tell whether *said* is plainly an order for good, whatever stands around it."""
    return bool(_pattern("orders").search(said.strip()))
