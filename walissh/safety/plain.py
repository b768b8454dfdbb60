"""Plain reading: what neither changes anything nor asks another machine for something.

A name that is looked up, a page that is fetched: each carries words of ours away. While an
output gives orders, nothing of that kind runs unasked.
"""

import re
from functools import cache

from walissh.react.turn import Risk
from walissh.safety import lists, risk
from walissh.safety.risk import Judgement


def is_plain(command: str, judgement: Judgement) -> bool:
    """Tell whether *command*, so judged, only reads on its own machine."""
    return judgement.risk is Risk.READ_ONLY and not reaches_out(command)


def reaches_out(command: str) -> bool:
    """Tell whether some part of *command* may reach another machine over the network."""
    if "/dev/tcp" in command or "/dev/udp" in command:
        return True
    return any(_network().match(text) for text in risk.simple_texts(command))


@cache
def _network() -> re.Pattern[str]:
    known: dict[str, list[str]] = lists.load("walissh.safety", "plain.yaml")
    programs = "|".join(
        map(re.escape, (word for line in known["programs"] for word in line.split()))
    )
    lines = "|".join(f"(?:{line})" for line in known["lines"])
    return re.compile(rf"(?:\S*/)?(?:(?:{programs})(?:\s|$)|{lines})")
