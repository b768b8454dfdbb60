"""Say why a memory was found, in the words and the language of the question."""

from collections.abc import Iterator, Mapping
from typing import Literal

from walissh.memory import synonyms, words
from walissh.memory.recall.values import Query

MOST = 4

Language = Literal["zh", "en"]


def tell(
    query: Query, parts: Mapping[str, float], concepts: Mapping[str, float]
) -> tuple[str, ...]:
    """Return at most four reasons, what counts most first.

    *parts* are the terms that were found with what each counts: they are told as the
    question writes them. *concepts* are what these may also be called.
    """
    language = _language(query.text)
    worth: dict[str, float] = {}
    texts = (query.text, *(text for text, _ in query.context), *query.hosts)
    for word, counts in _as_written(texts, parts):
        worth[word] = max(worth.get(word, 0.0), counts)
    for name, counts in concepts.items():
        title = synonyms.title(name, language)
        worth[title] = max(worth.get(title, 0.0), counts)
    worth = worth or dict(parts)  # lone characters, if there is nothing else
    return tuple(sorted(worth, key=lambda word: -worth[word])[:MOST])


def _language(text: str) -> Language:
    return "zh" if any(map(words.is_han, words.pieces(text))) else "en"


def _as_written(texts: tuple[str, ...], parts: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    told: set[str] = set()
    for piece in (piece for text in texts for piece in words.pieces(text)):
        terms = {term for term in words.terms(piece) if term in parts} - told
        if terms and words.is_han(piece):
            yield from _runs(piece, terms, parts)
        elif terms:
            yield _in_short(piece, terms), sum(parts[term] for term in terms)
        told |= terms


def _in_short(piece: str, terms: set[str]) -> str:
    """Return *piece*, or the one part of it that was found."""
    inner = [part for part in words.parts(piece) if terms.intersection(words.terms(part))]
    return inner[0] if len(terms) == 1 and len(inner) == 1 else piece


def _runs(piece: str, terms: set[str], parts: Mapping[str, float]) -> Iterator[tuple[str, float]]:
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
