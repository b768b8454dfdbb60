"""Reading a wrapper's own words: strictly, to the point where its command begins."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.table import GLOB, UNKNOWN

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spec:
    """The words that a wrapper may have before its command; see the head of the file."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()
    script_flag: frozenset[str] = frozenset()
    first: tuple[str, ...] = ()
    numbers: bool = False
    risk: Risk = Risk.READ_ONLY


@dataclass(frozen=True, slots=True)
class Taken:
    """Flags with their values, and all that stands behind them."""

    flags: tuple[tuple[str, str], ...]
    rest: Words

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.flags)

    def value(self, *names: str) -> str | None:
        """Return the last value given for one of *names*."""
        return next((value for name, value in reversed(self.flags) if name in names), None)


def spec(flags: str = "", valued: str = "", *, numbers: bool = False) -> Spec:
    """Return a spec of flags as written in the file."""
    return Spec(frozenset(flags.split()), frozenset(valued.split()), numbers=numbers)


@cache
def listed() -> Mapping[str, Spec]:
    """Return the wrappers of the file; read at first use."""
    data: dict[str, dict[str, Any]] = lists.load(__package__, "options.yaml")
    return {name: _spec(entry) for name, entry in data.items()}


def _spec(entry: Mapping[str, Any]) -> Spec:
    sets = ("flags", "valued", "opaque", "script_flag")
    return Spec(
        **{key: frozenset(str(entry.get(key, "")).split()) for key in sets},
        first=tuple(entry.get("first", ())),
        numbers=entry.get("numbers", False),
        risk=Risk(entry.get("risk", Risk.READ_ONLY)),
    )


def take(args: Words, known: Spec) -> Taken | None:
    """Part the leading flags from the rest; None at a flag that is not known.

    A flag's value that may become several words is none: the second may be a program.
    """
    flags: list[tuple[str, str]] = []
    rest = list(args)
    while rest and len(rest[0]) > 1 and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        found = _flag(word, rest, known)
        if found is None or any(UNKNOWN * 2 in value for _, value in found):
            return None
        flags += found
    return Taken(tuple(flags), tuple(rest))


def _flag(word: str, rest: list[str], known: Spec) -> list[tuple[str, str]] | None:
    if UNKNOWN in word or GLOB in word:
        return None
    if known.numbers and re.fullmatch(r"-[-+]?\d+", word):
        return [(word, "")]
    if word in known.valued:
        return [(word, rest.pop(0))] if rest else None
    if word in known.flags | known.script_flag:
        return [(word, "")]
    name, equals, value = word.partition("=")
    if name in known.valued and equals and name.startswith("--"):
        return [(name, value)]
    return None if word.startswith("--") else _letters(word, rest, known)


def _letters(word: str, rest: list[str], known: Spec) -> list[tuple[str, str]] | None:
    """Read ``-nE -u root`` written as ``-nEuroot``."""
    found: list[tuple[str, str]] = []
    for at, letter in enumerate(word[1:], 2):
        name = f"-{letter}"
        if name in known.flags:
            found.append((name, ""))
        elif name not in known.valued:
            return None
        elif word[at:]:
            return [*found, (name, word[at:])]
        else:
            return [*found, (name, rest.pop(0))] if rest else None
    return found
