"""The ways to point at a machine, as patterns: each is compiled when it is first asked for."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.react.host import Host

_PART = re.compile(r"<(\w+)>")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9_./:-]+")
_NAME_PART = re.compile(r"[a-z]{2,}")
_WHOLE = (r"(?<![a-z0-9_])(?:", r")(?![a-z0-9_])")
NEGATION: Final = "negation"
HAN_WEIGHT: Final = 1
WORD_WEIGHT: Final = 2


def found(kind: str, text: str) -> re.Match[str] | None:
    """Return where *text* (in plain form) points in the way of *kind*, the first place."""
    return _first(text, _patterns(kind, ""))


def found_of(kind: str, word: str, text: str) -> re.Match[str] | None:
    """Return where *text* points by *word*, which stands for some of the machines."""
    return _first(text, _patterns(kind, word))


def says(name: str, text: str) -> bool:
    """Tell whether *text* holds something of the list *name*."""
    return _first(text, _patterns(name, "")) is not None


def is_negated(text: str, at: int) -> bool:
    """Tell whether what begins at *at* is what is not meant."""
    return any(
        found.end() == at for each in _patterns(NEGATION, "") for found in each.finditer(text)
    )


def weight(text: str) -> int:
    """Return how much *text* says beside words that say nothing: characters and words."""
    for each in _patterns("filler", ""):
        text = each.sub(" ", text)
    return HAN_WEIGHT * len(_HAN.findall(text)) + WORD_WEIGHT * len(_WORD.findall(text))


def classes(host: Host) -> frozenset[str]:
    """Return the words that people say for the class of *host*: stage, groups, its name."""
    told = [host.stage, *host.groups, *_NAME_PART.findall(host.name.lower())]
    own = {each.strip().lower() for each in told if each.strip()}
    lines = [line for line in (*_lines("stages"), *_lines("groups")) if own & set(line)]
    return frozenset(own.union(*lines))


def is_of_a_class(text: str) -> bool:
    """Tell whether *text* ends in a word for a class of machines ("生产环境的")."""
    return _ends_in_class().search(text) is not None


@cache
def _ends_in_class() -> re.Pattern[str]:
    known = [word for name in ("stages", "groups") for line in _lines(name) for word in line]
    words = "|".join(_bounded(word) for word in known)
    return re.compile(rf"(?:{words})(?:环境|集群|库|组|区|机房)?的?\s*$")


def _first(text: str, patterns: Sequence[re.Pattern[str]]) -> re.Match[str] | None:
    places = (place for each in patterns if (place := each.search(text)))
    return min(places, key=lambda place: (place.start(), -place.end()), default=None)


@cache
def _patterns(kind: str, word: str) -> tuple[re.Pattern[str], ...]:
    written = _data()[kind]
    zh = [re.compile(_filled(each, word)) for each in written.get("zh", ())]
    before, after = _WHOLE
    after = ")" if kind == NEGATION else after  # a name follows at once
    en = [re.compile(before + _filled(each, word) + after) for each in written.get("en", ())]
    return (*zh, *en)


def _filled(pattern: str, word: str) -> str:
    parts = _data()["parts"]
    while _PART.search(pattern.replace("(?P<", "(?P ")):
        pattern = re.sub(
            r"(?<!\?P)<(\w+)>",
            lambda part: _bounded(word) if part[1] == "word" else parts[part[1]],
            pattern,
        )
    return pattern


def _bounded(word: str) -> str:
    """Return a word as a pattern, also of several; in letters it is no part of a longer one."""
    if not word.isascii():
        return re.escape(word)
    return rf"(?<![a-z0-9_]){re.escape(word)}s?(?![a-z0-9_])\s?"


@cache
def _lines(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(each) for each in line) for line in _data()[name])


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml.safe_load(
        (files("walissh.react") / "referent.yaml").read_text("utf-8")
    )
    return data
