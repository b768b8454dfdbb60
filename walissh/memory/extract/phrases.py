"""The phrases of ``preferences.yaml`` and ``standing.yaml``, compiled when first asked for.

In the files ``<name>`` stands for any of the ``words`` of that name, and an apostrophe in
"don't" may be missing from what a person writes.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import yaml

_REMEMBERED: Final = 512
"""Answers kept: the clauses of one message are asked for the same phrases several times."""


@cache
def pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of all lines under *path* (``scope.group``), any of them matching."""
    return _any_line(_lines(path))


@lru_cache(maxsize=_REMEMBERED)
def found(path: str, text: str) -> bool:
    """Tell whether a phrase under *path* is in *text*."""
    told = _latin(path) if text.isascii() else pattern(path)
    return told is not None and told.search(text) is not None


@cache
def _latin(path: str) -> re.Pattern[str] | None:
    """Return the pattern without the lines that no text in plain English can match."""
    lines = [each for each in _lines(path) if _LETTER.search(each) or not _HAN.search(each)]
    return _any_line(lines) if lines else None


def _any_line(lines: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in lines), re.IGNORECASE)


@cache
def _lines(path: str) -> Sequence[str]:
    entry: Any = _data()
    for name in path.split("."):
        entry = entry[name]
    return [_expanded(line) for line in entry]


def is_verb(word: str) -> bool:
    """Tell whether *word* is one of the verbs that orders begin with."""
    return word in _verbs()


@cache
def _verbs() -> frozenset[str]:
    return frozenset(_data()["words"]["verb"].replace("[sz]", "s").split())


@cache
def _data() -> dict[str, Any]:
    data, more = _read("preferences.yaml"), _read("standing.yaml")
    return data | more | {"words": data["words"] | more["words"]}


def _read(name: str) -> dict[str, Any]:
    text = (files("walissh.memory.extract") / name).read_text("utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=_LOADER)  # noqa: S506  either one is safe
    return data


@cache
def _any_of(name: str) -> str:
    words = _data()["words"][name]
    lines = words.split() if isinstance(words, str) else words
    return "(?:" + "|".join(_expanded(line) for line in lines) + ")"


def _expanded(line: str) -> str:
    line = _NOT.sub("n'?t", line)
    return _WORDS.sub(lambda match: _any_of(match[1]), line)


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]|\\u4e00")
_LETTER: Final = re.compile(r"(?<!\\)(?<![a-z])[a-z]{2,}|(?<![\\<\w])[a-z](?![\w<])")
_NOT: Final = re.compile(r"(?<=(?:do|ca|es|is|re|as|ld|id|wo|st))n't")
_WORDS: Final = re.compile(r"(?<!\?P)(?<!\(\?)<([a-z_]+)>")
