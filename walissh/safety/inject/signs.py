"""The signs of an order, read from ``signs.yaml``, and what a passage comes to by them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from walissh.safety import lists
from walissh.safety.inject import literals

ORDER = 1.0
NEARLY = 1e-9
WHOM = "address"
HIDDEN = 0.3
"""An order that somebody took pains to hide needs less to be one."""

_NUMBERS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern, its weight, and pieces of text of which a match has one ("": any text)."""

    weight: float
    pattern: re.Pattern[str]
    pieces: tuple[str, ...]

    def weight_in(self, passage: str) -> float:
        """Return the weight if *passage* shows the sign, else 0."""
        for piece in self.pieces:
            if piece in passage:
                return self.weight if self.pattern.search(passage) else 0.0
        return 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of order; *sieve*: a passage has one of these, of this or another kind."""

    name: str
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
        return self.weight >= ORDER - NEARLY


NOTHING = Weighed(0.0, "")


def weigh(passage: str, *, hidden: bool = False) -> Weighed:
    """Return what a folded *passage* weighs; *hidden*: it had to be decoded first."""
    found = _weighed(_NUMBERS.sub("0", passage.replace("127.0.0.1", "localhost")))
    if hidden and found.kind:
        return Weighed(found.weight + HIDDEN, found.kind)
    return found


@lru_cache(maxsize=4096)
def _weighed(passage: str) -> Weighed:
    """Weigh without regard to numbers: lines of a log differ in them, and they say nothing."""
    weights = {kind.name: _sum(kind.signs, passage) for kind in kinds()}
    total = sum(weights.values())
    if not total:
        return NOTHING
    if total < ORDER:
        total += _sum(_data().beside, passage)
    return Weighed(total, _heaviest(weights))


def _heaviest(weights: Mapping[str, float]) -> str:
    """Return the kind that weighs most; whom an order is for says less than what it orders."""
    others = [kind for kind, weight in weights.items() if weight > 0 and kind != WHOM]
    return max(others, key=weights.__getitem__) if others else WHOM


def _sum(signs: Sequence[Sign], passage: str) -> float:
    return sum(sign.weight_in(passage) for sign in signs)


def kinds() -> tuple[Kind, ...]:
    """Return the kinds of orders."""
    return _data().kinds


def sieve() -> tuple[str, ...]:
    """Return the pieces of all kinds, of which an order has one at least."""
    return tuple(dict.fromkeys(piece for kind in kinds() for piece in kind.sieve))


def spelled() -> tuple[str, ...]:
    """Return the words that spelled-out letters are parted into, the longest first."""
    return _data().spelled


@dataclass(frozen=True, slots=True)
class _Data:
    kinds: tuple[Kind, ...]
    beside: tuple[Sign, ...]
    spelled: tuple[str, ...]


@cache
def _data() -> _Data:
    data: Mapping[str, Any] = lists.load("walissh.safety.inject", "signs.yaml")
    words: Mapping[str, str] = data["words"]
    found = tuple(
        Kind(name, tuple(each["sieve"]), tuple(_signs(each["signs"], words)))
        for name, each in data["kinds"].items()
    )
    spelled = sorted(map(str, data["spelled"]), key=len, reverse=True)
    return _Data(found, tuple(_signs(data["beside"], words)), tuple(spelled))


def _signs(given: Sequence[tuple[float, str]], words: Mapping[str, str]) -> Iterator[Sign]:
    for weight, short in given:
        pattern = _written_out(short, words)
        yield Sign(weight, re.compile(pattern), tuple(literals.of(pattern)) or ("",))


def _written_out(pattern: str, words: Mapping[str, str]) -> str:
    """Return *pattern* with the words that its names stand for."""
    for name, word in words.items():
        pattern = pattern.replace(f"{{{name}}}", word)
    return pattern.replace("{{", "{")
