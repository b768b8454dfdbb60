"""The signs of an order, read from ``signs.yaml``, and what a passage comes to by them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

ORDER = 1.0
HIDDEN = 0.3
"""An order that somebody took pains to hide needs less to be one."""

_NUMBERS = re.compile(r"\d")
Sign = tuple[float, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of order: its signs, and the pieces without which there is none of them.

    *sieve* are the rarer ones, of which a passage worth a look has one of this or another kind.
    """

    name: str
    pieces: tuple[str, ...]
    sieve: tuple[str, ...]
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a passage weighs; *kind* is the heaviest kind, "" if there is no sign at all."""

    weight: float
    kind: str

    @property
    def is_order(self) -> bool:
        """Tell whether it gives an order."""
        return self.weight >= ORDER - 1e-9


NOTHING = Weighed(0.0, "")


def weigh(passage: str, *, hidden: bool = False) -> Weighed:
    """Return what a folded *passage* weighs; *hidden*: it had to be decoded first."""
    found = _weighed(_NUMBERS.sub("0", passage))
    if hidden and found.kind:
        return Weighed(found.weight + HIDDEN, found.kind)
    return found


@lru_cache(maxsize=4096)
def _weighed(passage: str) -> Weighed:
    """Lines of a log differ in their numbers, which say nothing here."""
    weights = {kind.name: _of_kind(kind, passage) for kind in kinds()}
    total = sum(weights.values())
    if not total:
        return NOTHING
    total += sum(weight for weight, sign in _data().beside if sign.search(passage))
    return Weighed(total, max(weights, key=weights.__getitem__))


def _of_kind(kind: Kind, passage: str) -> float:
    if not any(piece in passage for piece in kind.pieces):
        return 0.0
    return sum(weight for weight, sign in kind.signs if sign.search(passage))


def kinds() -> tuple[Kind, ...]:
    """Return the kinds of orders."""
    return _data().kinds


@cache
def sieve() -> tuple[str, ...]:
    """Return the pieces of all kinds, of which an order has one at least."""
    return tuple(dict.fromkeys(piece for kind in kinds() for piece in kind.sieve))


@dataclass(frozen=True, slots=True)
class _Data:
    kinds: tuple[Kind, ...]
    beside: tuple[Sign, ...]


@cache
def _data() -> _Data:
    text = (files("walissh.safety.inject") / "signs.yaml").read_text("utf-8")
    data: Mapping[str, Any] = yaml.safe_load(text)
    words: Mapping[str, str] = data["words"]
    found = tuple(
        Kind(name, tuple(each["pieces"]), tuple(each["sieve"]), tuple(_signs(each["signs"], words)))
        for name, each in data["kinds"].items()
    )
    return _Data(found, tuple(_signs(data["beside"], words)))


def _signs(given: list[tuple[float, str]], words: Mapping[str, str]) -> Iterator[Sign]:
    for weight, pattern in given:
        for name, word in words.items():
            pattern = pattern.replace(f"{{{name}}}", word)
        yield weight, re.compile(pattern.replace("{{", "{"))
