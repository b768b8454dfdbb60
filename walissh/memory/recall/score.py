"""How much a text bears on what is sought: BM25 over words and what widens them."""

import math
from collections.abc import Mapping

from walissh.memory.recall.sought import Unit
from walissh.memory.recall.values import Matches
from walissh.memory.units import Phrase

K1 = 1.2
B = 0.4
LEAST_TEXTS = 40

Counts = Mapping[int, int]
"""How often something stands in which text."""


def counts(unit: Unit, matches: Matches) -> Counts:
    """Return how often *unit* stands in which text, by its best phrase."""
    if len(unit.phrases) == 1:
        return _phrase(unit.phrases[0], matches)
    there = (phrase for phrase in unit.phrases if phrase[0] in matches.held)
    found = [*filter(None, (_phrase(phrase, matches) for phrase in there))]
    if len(found) < 2:
        return found[0] if found else {}
    best = {**found[0]}
    for each in found[1:]:
        for doc, times in each.items():
            if best.get(doc, 0) < times:
                best[doc] = times
    return best


def _phrase(phrase: Phrase, matches: Matches) -> Counts:
    if len(phrase) == 1:
        return matches.held.get(phrase[0], {})
    lists = [matches.held.get(term, {}) for term in phrase]
    if not all(lists):
        return {}
    rarest, *rest = sorted(lists, key=len)
    return {
        doc: min([times, *(each[doc] for each in rest)])
        for doc, times in rarest.items()
        if all(doc in each for each in rest)
    }


def rarity(texts: int, total: int) -> float:
    """Return the weight of a word by how few of *total* texts it stands in.

    A collection counts as having so many texts at least: in one of two or three no word is
    rare, yet what is asked for should be found from the first memory on.
    """
    total = max(total, LEAST_TEXTS)
    return math.log(1 + (total - min(texts, total) + 0.5) / (texts + 0.5))


def fullness(times: float, length: float = 1.0) -> float:
    """Return what *times* occurrences count; *length* is that of the text to the mean one."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length))


def damping(matches: Matches) -> dict[int, float]:
    """Return for each text what ``fullness`` adds below, which grows with its length."""
    mean = max(matches.mean_length, 1.0)
    places = matches.places.items()
    return {doc: K1 * (1 - B + B * (place.length / mean)) for doc, place in places}


def highest(totals: Mapping[int, float]) -> list[int]:
    """Return the texts by their totals, the highest first; of equal ones the newer."""
    newest = sorted(totals, reverse=True)
    return sorted(newest, key=totals.__getitem__, reverse=True)
