"""How much a text bears on what is sought: BM25 over words and what widens them."""

import math
from collections.abc import Mapping

from walissh.memory.recall.sought import Unit
from walissh.memory.recall.values import Matches
from walissh.memory.units import Phrase

K1 = 1.2
GAIN = K1 + 1
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
    best: dict[int, int] = {}
    for each in found:
        less = [doc for doc in each.keys() & best.keys() if each[doc] < best[doc]]
        best = {**best, **each, **{doc: best[doc] for doc in less}}
    return best


def _phrase(phrase: Phrase, matches: Matches) -> Counts:
    if len(phrase) == 1:
        return matches.held.get(phrase[0], {})
    lists = [matches.held.get(term, {}) for term in phrase]
    if not all(lists):
        return {}
    rarest, *rest = sorted(lists, key=len)
    there = rarest.keys() & rest[0].keys()
    for each in rest[1:]:
        there &= each.keys()
    # in the order of the index: sums over the lines of a talk depend on it
    return {doc: min([each[doc] for each in lists]) for doc in rarest if doc in there}


def rarity(texts: int, total: int) -> float:
    """Return the weight of a word by how few of *total* texts it stands in.

    A collection counts as having so many texts at least: in one of two or three no word is
    rare, yet what is asked for should be found from the first memory on.
    """
    total = max(total, LEAST_TEXTS)
    return math.log(1 + (total - min(texts, total) + 0.5) / (texts + 0.5))


def fullness(times: float, length: float = 1.0) -> float:
    """Return what *times* occurrences count; *length* is that of the text to the mean one."""
    return times * GAIN / (times + K1 * (1 - B + B * length))


def damping(matches: Matches) -> dict[int, float]:
    """Return for each text what ``fullness`` adds below, which grows with its length."""
    mean = max(matches.mean_length, 1.0)
    lengths = matches.lengths.items()
    return {doc: K1 * (1 - B + B * (length / mean)) for doc, length in lengths}


def highest(totals: Mapping[int, float], most: int | None = None) -> list[int]:
    """Return the texts (at most *most*) by their totals, the highest first.

    Of equal ones the newer.
    """
    if most is not None and len(totals) > most:
        least = sorted(totals.values(), reverse=True)[most - 1]
        totals = {doc: total for doc, total in totals.items() if total >= least}
    newest = sorted(totals, reverse=True)
    return sorted(newest, key=totals.__getitem__, reverse=True)[:most]
