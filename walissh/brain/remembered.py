"""What the offline brain does with memory: tell what was recalled, with its mark.

It reads the section of long-term memory in the system message, as a model would.
"""

import re
from collections.abc import Sequence
from typing import Final

from walissh.react.turn import Message

SHOWN: Final = 3

_FENCED = re.compile(
    r"^<<<memory (?P<border>[0-9a-f]+)$(?P<inside>.*?)^memory (?P=border)>>>$", re.M | re.S
)
_ENTRY = re.compile(r"\[(?P<mark>m\d+)\] (?P<kind>[^·:]+?)(?: · [^:]*)?: .+")
_CASES: Final = ("troubleshooting case", "故障案例")
_PAST = re.compile(
    r"上次|上回|之前|以前|当时|那次|那回|怎么(解决|修|处理|恢复)(的|好的|掉的)"
    r"|\blast time\b|\bpreviously\b|\bback then\b"
    r"|\b(did|have) (we|you|i)\b.*\b(fix|solve|resolve|handle)|\bwas (it|that|this) (fixed|solved)",
    re.I,
)


def entries(messages: Sequence[Message]) -> list[str]:
    """Return the recalled memories as Markdown lines, best first, each with its mark."""
    return [f"- {_body(line)} [{mark}]" for mark, line in _entries(messages)]


def cases(messages: Sequence[Message]) -> list[str]:
    """Return those of the entries that tell of an incident and its outcome."""
    return [
        f"- {_body(line)} [{mark}]"
        for mark, line in _entries(messages)
        if any(kind in line for kind in _CASES)
    ]


def is_about_the_past(question: str) -> bool:
    """Tell whether the question asks how something was, not how it is."""
    return bool(_PAST.search(question))


def _entries(messages: Sequence[Message]) -> list[tuple[str, str]]:
    found = []
    for line in _section(messages[0].content if messages else ""):
        entry = _ENTRY.fullmatch(line)
        if entry:
            found.append((entry["mark"], line))
    return found[:SHOWN]


def _section(system: str) -> Sequence[str]:
    """Return the lines between the borders of the recalled memories."""
    found = _FENCED.search(system)
    return found["inside"].splitlines() if found else []


def _body(line: str) -> str:
    return line.partition("] ")[2]
