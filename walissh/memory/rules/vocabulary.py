"""The words of standing rules, read once from the file beside this module."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.memory import tables

_VOWELS = "aeiou"
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")
_NOT_DOUBLED = (
    "open",
    "enter",
    "power",
    "alter",
    "touch",
    "edit",
    "enable",
    "inspect",
    "upload",
    "reload",
)


@dataclass(frozen=True, slots=True)
class Action:
    """Something a rule may forbid: how it is said, and how a command shows it.

    *whole* shows that it is done to all of the machine, *also* are actions that come to
    the same; *anything* means that every command that
    changes something does it; *reads* that a command which only reads may do it too.
    """

    name: str
    said_en: str
    past_en: str
    nouns: str
    said_zh: str
    shows: re.Pattern[str] | None
    needs: re.Pattern[str] | None
    whole: re.Pattern[str] | None
    also: frozenset[str]
    anything: bool
    reads: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """What a rule may speak of without a name (packages, the firewall)."""

    name: str
    said: str
    shows: re.Pattern[str] | None
    machine: bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of rules, ready to match."""

    actions: Mapping[str, Action]
    things: Mapping[str, Thing]
    aliases: Mapping[str, frozenset[str]]
    programs: frozenset[str]
    companions: frozenset[str]
    times: tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...]
    zones: tuple[tuple[re.Pattern[str], str], ...]
    places: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


@cache
def vocabulary() -> Vocabulary:
    """Return the words of ``rules.yaml``."""
    data = tables.read("walissh.memory.rules", "rules.yaml")
    return Vocabulary(
        actions={name: _action(name, each) for name, each in data["actions"].items()},
        things={name: _thing(name, each) for name, each in data["things"].items()},
        aliases=_aliases(data["aliases"]),
        programs=frozenset(data["programs"].split()),
        companions=frozenset(data["companions"].split()),
        times=tuple((re.compile(each["words"], re.I), each) for each in data["times"]),
        zones=tuple((re.compile(words), zone) for words, zone in data["zones"]),
        places=tuple(
            (re.compile(each["words"], re.I), tuple(each["hosts"].split()))
            for each in data["places"]
        ),
    )


def _action(name: str, given: Mapping[str, Any]) -> Action:
    verbs = [word.replace("_", " ") for word in given["en"].split()]
    gerunds = [_inflected(verb, "ing") for verb in verbs]
    nouns = [*map(re.escape, gerunds), *([given["nouns"]] if "nouns" in given else [])]
    return Action(
        name=name,
        said_en="|".join(map(re.escape, verbs)),
        past_en="|".join(re.escape(_inflected(verb, "ed")) for verb in verbs),
        nouns="|".join(nouns),
        said_zh=given["zh"],
        shows=re.compile(given["shows"]) if "shows" in given else None,
        needs=re.compile(given["with"]) if "with" in given else None,
        whole=re.compile(given["whole"]) if "whole" in given else None,
        also=frozenset(given.get("also", "").split()),
        anything=bool(given.get("anything")),
        reads=bool(given.get("reads")),
    )


def _thing(name: str, given: Mapping[str, Any]) -> Thing:
    shows = re.compile(given["shows"]) if "shows" in given else None
    return Thing(name, given["words"], shows, bool(given.get("machine")))


def _aliases(lines: list[str]) -> dict[str, frozenset[str]]:
    groups = [frozenset(line.split()) for line in lines]
    return {name: group for group in groups for name in group}


def alternatives(pattern: str) -> list[str]:
    """Split a pattern at its outermost bars, and nowhere inside brackets."""
    found, depth = [""], 0
    for char in pattern:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [each for each in found if each]


_ODD = {
    "put": "put",
    "read": "read",
    "run": "run",
    "write": "written",
    "overwrite": "overwritten",
    "shut": "shut",
    "send": "sent",
    "show": "shown",
    "go": "gone",
    "get": "gotten",
    "format": "formatted",
    "reformat": "reformatted",
}


def _inflected(verb: str, ending: str) -> str:
    """Return the form of *verb* with *ending* (ed, ing); only its first word changes."""
    first, _, rest = verb.partition(" ")
    if ending == "ed" and first in _ODD:
        word = _ODD[first]
    elif first.endswith("e") and ending == "ing":
        word = first[:-1] + "ing"
    elif first.endswith("e"):
        word = first + "d"
    elif first.endswith("y") and first[-2:-1] not in _VOWELS and ending == "ed":
        word = first[:-1] + "ied"
    elif _DOUBLED.search(first) and first not in _NOT_DOUBLED and len(first) < 6:
        word = first + first[-1] + ending
    else:
        word = first + ending
    return f"{word} {rest}" if rest else word
