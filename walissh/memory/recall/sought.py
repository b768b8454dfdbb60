"""What a question looks for: its words, and what else these may be called."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from walissh.memory import words
from walissh.memory.recall.values import Query
from walissh.memory.synonyms import Concept, Synonyms
from walissh.memory.units import Phrase

MAX_TERMS = 400
HAN_CHARACTER = 0.5
"""A single character of Chinese says less than a pair."""


class Unit(NamedTuple):
    """One thing that is looked for: any of *phrases*, each by all its terms.

    *said* are the question's own terms that it widens; empty for a term itself.
    """

    name: str
    phrases: tuple[Phrase, ...]
    weight: float
    said: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sought:
    """The units of a question, its own words apart from what widens them."""

    words: tuple[Unit, ...]
    concepts: tuple[Unit, ...]

    def terms(self) -> frozenset[str]:
        """Return every term to be looked up in the index."""
        units = (*self.words, *self.concepts)
        return frozenset(term for unit in units for phrase in unit.phrases for term in phrase)


def seek(query: Query, synonyms: Synonyms) -> Sought:
    """Return what *query* looks for; a word said twice counts once, at its best weight."""
    texts = [(query.text, 1.0), *query.context, *((host, 1.0) for host in query.hosts)]
    weights: dict[str, float] = {}
    concepts: dict[str, Unit] = {}
    for text, weight in texts:
        for term in words.terms(text):
            if len(weights) < MAX_TERMS or term in weights:
                weights[term] = max(weights.get(term, 0.0), weight * _own_weight(term))
        for unit in _widened(text, weight, synonyms):
            concepts.setdefault(unit.name, unit)
    found = tuple(Unit(term, ((term,),), weight) for term, weight in weights.items())
    return Sought(found, tuple(concepts.values()))


def _own_weight(term: str) -> float:
    return HAN_CHARACTER if len(term) == 1 and words.is_han(term) else 1.0


def _widened(text: str, weight: float, synonyms: Synonyms) -> Iterator[Unit]:
    for concept in _concepts(text, synonyms):
        yield Unit(concept.name, concept.phrases, weight * concept.weight, concept.said)


@lru_cache(maxsize=256)
def _concepts(text: str, synonyms: Synonyms) -> tuple[Concept, ...]:
    """Return what *text* speaks of: the last rounds of a talk come with each of its questions."""
    return tuple(synonyms.concepts(text))
