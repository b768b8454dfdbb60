"""Commands known to change, destroy, show secrets or want a terminal (``known.yaml``)."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.react.turn import Risk
from walissh.safety import lists

MAX_TEXT = 2000
"""More of a command than this is not compared: it would take too long."""


@dataclass(frozen=True, slots=True)
class _Known:
    effects: tuple[tuple[Risk, re.Pattern[str]], ...]
    terminal: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _known() -> _Known:
    data: dict[str, list[Any]] = lists.load("walissh.safety", "known.yaml")
    effects = [
        (risk, re.compile("|".join(f"(?:{line})" for line in data[risk.value]), re.S))
        for risk in (Risk.DESTRUCTIVE, Risk.SECRET_EXPOSURE, Risk.MUTATING)
    ]
    terminal = [(re.compile(each["match"], re.S), each["works"]) for each in data["terminal"]]
    return _Known(tuple(effects), tuple(terminal))


def effect(text: str) -> Risk | None:
    """Return what a simple command of this *text* is known to do, None if nothing is."""
    for risk, pattern in _known().effects:
        if pattern.match(text[:MAX_TEXT]):
            return risk
    return None


def terminal(text: str) -> str | None:
    """Return the form that works if *text* wants a terminal or never ends ("": none does)."""
    for pattern, works in _known().terminal:
        if pattern.match(text[:MAX_TEXT]):
            return works
    return None
