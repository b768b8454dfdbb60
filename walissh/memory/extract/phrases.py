"""The phrases of ``preferences.yaml`` and ``standing.yaml``, compiled when first asked for.

In the files ``<name>`` stands for any of the ``words`` of that name, and an apostrophe in
"don't" may be missing from what a person writes.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml


@cache
def pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of all lines under *path* (``scope.group``), any of them matching."""
    entry: Any = _data()
    for name in path.split("."):
        entry = entry[name]
    return re.compile("|".join(f"(?:{_expanded(line)})" for line in entry), re.IGNORECASE)


def found(path: str, text: str) -> bool:
    """Tell whether a phrase under *path* is in *text*."""
    return pattern(path).search(text) is not None


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
_NOT: Final = re.compile(r"(?<=(?:do|ca|es|is|re|as|ld|id|wo|st))n't")
_WORDS: Final = re.compile(r"(?<!\?P)(?<!\(\?)<([a-z_]+)>")
