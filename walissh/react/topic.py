"""Whether two texts are about the same thing, told by the words of weight that they share."""

from functools import lru_cache

from walissh.memory import words

MAX_CHARS = 600
ALIKE = 0.6
"""Of the words of both, so many are shared by two wordings of one thing."""
BEARS_ON = 0.34
"""Of the words of the shorter one, so many are shared by a text that is about the other."""


@lru_cache(maxsize=512)
def terms(text: str) -> frozenset[str]:
    """Return the words of weight: stems, and pairs of Chinese characters."""
    cut = words.terms(text[:MAX_CHARS])
    return frozenset(each for each in cut if not _is_one_han(each)) - words.asking()


def _is_one_han(term: str) -> bool:
    return len(term) == 1 and words.is_han(term)


def likeness(text: str, other: str) -> float:
    """Return which part of the words of both the two share, from 0 to 1."""
    mine, others = terms(text), terms(other)
    return len(mine & others) / len(mine | others) if mine and others else 0.0


def overlap(text: str, other: str) -> float:
    """Return which part of the words of the shorter one the two share, from 0 to 1."""
    mine, others = terms(text), terms(other)
    return len(mine & others) / min(len(mine), len(others)) if mine and others else 0.0


def same(text: str, other: str) -> bool:
    """Tell whether both are one wording, but for spaces, capitals and full stops."""
    return plain(text) == plain(other) != ""


def alike(text: str, other: str) -> bool:
    """Tell whether both say one thing in other words."""
    return same(text, other) or likeness(text, other) >= ALIKE


def plain(text: str) -> str:
    """Return *text* as it is compared: small letters, single spaces, no mark at its ends."""
    return " ".join(text.lower().split()).strip(" .。,，;；:：!！?？`'\"")
