"""How a phrase is cut: into the units it is met by, and the terms a text has it by."""

import re
from collections.abc import Iterable, Iterator, Sequence

from walissh.memory import words
from walissh.memory.stem import irregular_of, stem

Phrase = tuple[str, ...]
"""The terms that must all stand in a text for a phrase to be in it."""

# the parts of "eu-db-03" speak of no database
_HOST = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*-[A-Za-z]{0,2}\d+")


def cut(text: str) -> Phrase:
    """Cut into single characters of Chinese and stemmed words."""
    units: list[str] = []
    for piece in words.pieces(text):
        if words.is_han(piece):
            units += piece
        else:
            units += [piece.lower()] if _HOST.fullmatch(piece) else _latin(piece)
    return tuple(units)


def _latin(piece: str) -> list[str]:
    return [stem(part) for part in words.parts(piece)]


def keys(unit: str) -> Sequence[str]:
    """Return under which ``beginnings`` the phrases stand that *unit* may be a part of."""
    return (unit,) if words.is_han(unit) else [each[:2] for each in (unit, *irregular_of(unit))]


def beginnings(phrase: str) -> Sequence[str]:
    """Return how *phrase* (lower case) begins: one of ``keys`` for its first unit.

    And for a word in its ``content``. A character of Chinese or two letters, for no ending
    is taken from these; mostly found without cutting, for this is done to all phrases.
    """
    if phrase.isascii() and phrase.isalnum():
        return (phrase[:2],)
    found = []
    for head in phrase.split(" "):
        if not (key := _key(head)):
            return _found_by_cutting(phrase)
        found.append(key)
        if head not in words.stopwords():
            break
    return found


def _key(head: str) -> str:
    """Return how a plain word, or Chinese, begins; "" if it takes cutting to tell."""
    if not head.isalnum():
        return ""
    if head.isascii():
        return head[:2]
    return head[0] if head > "\u3040" and head[:2] not in words.stopwords() else ""


def _found_by_cutting(phrase: str) -> Sequence[str]:
    firsts = (first[0] if words.is_han(first) else first for first in content(phrase))
    return [*{key for first in (*cut(phrase)[:1], *firsts) for key in keys(first)}]


def content(phrase: str) -> Iterator[str]:
    """Yield the words of *phrase* that may stand apart: pairs of Chinese, and a last one."""
    for piece in words.pieces(phrase):
        if words.is_han(piece):
            pairs = (piece[at : at + 2] for at in range(0, len(piece), 2))
            yield from (each for each in pairs if each not in words.stopwords())
        else:
            yield from (stem(part) for part in words.parts(piece) if part not in words.stopwords())


def word_at(units: Phrase, place: int) -> tuple[str, ...]:
    """Return the words that begin at a place: of Chinese a character and a pair."""
    unit = units[place]
    if not words.is_han(unit):
        return (unit,)
    after = units[place + 1] if place + 1 < len(units) else ""
    return (unit, unit + after) if after and words.is_han(after) else (unit,)


def longest(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leave out the spans that lie within an earlier one."""
    reached = 0
    for begin, end in spans:
        if end > reached:
            yield begin, end
            reached = end


def terms(units: Phrase) -> frozenset[str]:
    """Return the terms of what was cut into *units*."""
    latin = {unit for unit in units if not words.is_han(unit)}
    chinese = "".join(unit if words.is_han(unit) else " " for unit in units)
    return frozenset(latin | {*words.terms(chinese)})


def needed(phrase: str) -> Phrase:
    """Return the pairs and words that a text with *phrase* in it has.

    () if stopwords leave but a vague word of several, for "log in" is not a log.
    """
    found: list[str] = []
    left_out = False
    for piece in words.pieces(phrase):
        own = words.terms(piece)
        if not words.is_han(piece):
            parts = [stem(part) for part in words.parts(piece) if part not in words.stopwords()]
            left_out |= not parts
            found += parts if len(parts) > 1 or len(words.parts(piece)) == 1 else own[:1]
        else:
            found += [term for term in _pairs(piece) if term in own]
    distinct = tuple(dict.fromkeys(found))
    return () if left_out and words.vague().issuperset(distinct) else distinct


def _pairs(piece: str) -> list[str]:
    """Cut Chinese in twos, the last one whole: words that need not stand side by side."""
    starts = [*range(0, len(piece) - 1, 2)] or [0]
    if len(piece) > 1 and len(piece) % 2:
        starts.append(len(piece) - 2)
    return [piece[at : at + 2] for at in starts]
