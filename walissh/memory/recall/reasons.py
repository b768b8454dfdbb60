"""Say why a memory was found, in the words and the language of the question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from walissh.memory import synonyms, words
from walissh.memory.recall.values import Query

MOST = 4

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is written, with what stands around it: each piece with its terms."""

    language: Language
    pieces: Sequence[tuple[str, frozenset[str]]]

    @classmethod
    def of(cls, query: Query) -> "Asked":
        """Cut *query* once, for all that it found."""
        texts = (query.text, *(text for text, _ in query.context), *query.hosts)
        pieces = (piece for text in texts for piece in words.pieces(text))
        return cls(_language(query.text), [(each, frozenset(words.terms(each))) for each in pieces])

    def reasons(self, parts: Mapping[str, float], concepts: Mapping[str, float]) -> tuple[str, ...]:
        """Return at most four reasons, what counts most first.

        *parts* are the terms that were found with what each counts: they are told as the
        question writes them. *concepts* are what these may also be called.
        """
        worth: dict[str, float] = {}
        for word, counts in _as_written(self.pieces, parts):
            worth[word] = max(worth.get(word, 0.0), counts)
        for name, counts in concepts.items():
            title = synonyms.title(name, self.language)
            worth[title] = max(worth.get(title, 0.0), counts)
        worth = worth or dict(parts)  # lone characters, if there is nothing else
        return tuple(sorted(worth, key=lambda word: -worth[word])[:MOST])


def _language(text: str) -> Language:
    return "zh" if any(map(words.is_han, words.pieces(text))) else "en"


def _as_written(
    pieces: Sequence[tuple[str, frozenset[str]]], parts: Mapping[str, float]
) -> Iterator[tuple[str, float]]:
    told: set[str] = set()
    for piece, has in pieces:
        terms = has.intersection(parts) - told
        if terms and words.is_han(piece):
            yield from _runs(piece, terms, parts)
        elif terms:
            yield _in_short(piece, terms), sum(parts[term] for term in sorted(terms))
        told |= terms


def _in_short(piece: str, terms: frozenset[str]) -> str:
    """Return *piece*, or the one part of it that was found."""
    if len(terms) > 1:
        return piece
    inner = [part for part, has in _inside(piece) if not terms.isdisjoint(has)]
    return inner[0] if len(inner) == 1 else piece


@lru_cache(maxsize=2048)
def _inside(piece: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((part, frozenset(words.terms(part))) for part in words.parts(piece))


def _runs(
    piece: str, terms: frozenset[str], parts: Mapping[str, float]
) -> Iterator[tuple[str, float]]:
    """Join the pairs that overlap into the words they are of; a lone character is no word."""
    begin, end, worth = 0, 0, 0.0
    for at in range(len(piece)):
        pair = piece[at : at + 2]
        if len(pair) == 2 and pair in terms:
            if at >= end:
                if worth:
                    yield piece[begin:end], worth
                begin, worth = at, 0.0
            end, worth = at + 2, worth + parts[pair]
    if worth:
        yield piece[begin:end], worth
