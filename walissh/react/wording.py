"""Two wordings compared: how much they share, and whether one word makes it another question."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Any, Final

import yaml

from walissh.memory import words

MAX_CHARS: Final = 2_000
ALIKE: Final = 0.5
"""How much of both texts is the same when one says the other in other words."""
FEW_TERMS: Final = 3
FEW_ALIKE: Final = 0.75
"""Of fewer terms so much must be the same: one of two says little."""
ONE_WORD: Final = 2
"""A change of so many words is one of a word; in Chinese, of twice as many characters."""

_TOKEN = re.compile(rf"[{words.HAN}]|[\w'./:@-]*[\w]")
_HAN = re.compile(f"[{words.HAN}]")


def shared(one: str, other: str) -> float:
    """Return how much of both texts is the same, from 0 to 1, whatever the order."""
    left, right = _terms(one), _terms(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def says_again(one: str, other: str) -> bool:
    """Tell whether *other* asks the same as *one*, and not in the same words."""
    before, after = _changed(_tokens(one), _tokens(other))
    if not before and not after:
        return False
    if _is_word(before) and _is_word(after) and not _same_group(before, after):
        return False
    few = min(len(_terms(one)), len(_terms(other)))
    return few > 1 and shared(one, other) >= (ALIKE if few >= FEW_TERMS else FEW_ALIKE)


def _terms(text: str) -> frozenset[str]:
    return frozenset(words.terms(text[:MAX_CHARS]))


def _tokens(text: str) -> list[str]:
    """Return words, and characters of Chinese, in small letters and without marks."""
    return _TOKEN.findall(text[:MAX_CHARS].casefold())


def _changed(one: Sequence[str], other: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what is left of both between their common beginning and their common end."""
    head = _common(one, other)
    one, other = one[head:], other[head:]
    tail = _common(one[::-1], other[::-1])
    return one[: len(one) - tail], other[: len(other) - tail]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)


def _is_word(tokens: Sequence[str]) -> bool:
    han = sum(1 for each in tokens if _HAN.match(each))
    return 0 < len(tokens) - han + han / 2 <= ONE_WORD


def _same_group(one: Sequence[str], other: Sequence[str]) -> bool:
    return bool(_groups(one) & _groups(other))


def _groups(tokens: Sequence[str]) -> frozenset[int]:
    joined = "".join(each for each in tokens if _HAN.match(each))
    return frozenset(
        number
        for number, group in enumerate(_data()["groups"])
        for word in group.split()
        if (word in joined if _HAN.match(word) else word in tokens)
    )


@cache
def _data() -> Any:
    return yaml.safe_load((files(__package__) / "wording.yaml").read_text(encoding="utf-8"))
