"""The words of faults, causes and remedies (``cases.yaml``, ``causes.yaml``), as patterns."""

import re
from functools import cache, lru_cache
from importlib.resources import files

import yaml

_LATIN = re.compile(r"[a-z]", re.I)


@lru_cache(maxsize=1024)
def says(kind: str, text: str) -> bool:
    """Tell whether *text* has a wording of *kind*, a list of ``cases.yaml``.

    Remembered: each statement of an answer is asked for the same kinds many times over.
    """
    return pattern(kind).search(text) is not None


@cache
def pattern(kind: str) -> re.Pattern[str]:
    """Return all wordings of *kind* as one pattern."""
    listed = _table()[kind]
    pieces = _acts(listed) if isinstance(listed, str) else [str(each) for each in listed]
    return re.compile("|".join(f"(?:{piece})" for piece in pieces), re.I)


@cache
def patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of *kind* of ``causes.yaml``, in the order in which to try them."""
    return tuple(re.compile(str(each), re.I) for each in _read("causes.yaml")[kind])


@cache
def words(kind: str) -> frozenset[str]:
    """Return the plain words of *kind*."""
    return frozenset(str(each) for each in _table()[kind])


def _acts(listed: str) -> list[str]:
    pieces = re.sub(r"\s+", "", listed).strip("|").split("|")
    return [rf"(?<![\w-]){p}(?![\w-])" if _LATIN.match(p) else p for p in pieces]


def _table() -> dict[str, list[object] | str]:
    return _read("cases.yaml")


@cache
def _read(name: str) -> dict[str, list[object] | str]:
    text = (files("walissh.memory.extract") / name).read_text("utf-8")
    table: dict[str, list[object] | str] = yaml.safe_load(text)
    return table
