"""Rank the lines of talks and the pieces of documents.

An answer often stands beside the line that has the words of the question, so a line is
scored together with its neighbourhood and with the whole talk it stands in. Then what it is
marked with bears on it: who spoke, on which day, whether it tells a time or only asks.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from walissh.memory.recall import marks, score
from walissh.memory.recall.sought import Sought, Unit
from walissh.memory.recall.values import Matches, Scored

Spot = tuple[str, int]
"""A cluster and a position in it."""

MAX_SPOTS = 300

# what each part counts
OWN = 1.0
AROUND = 2.0
CLUSTER = 0.5
CONCEPTS = 0.1
MARKS = 0.25
"""One mark, as a share of the best score."""
SPEAKER_NAME = 0.4
"""The name of one who talks stands in the other's lines, so it says little as a word."""
LEAST_SHARE = 0.15

BACKWARDS = 0.75
"""What stands after the words of the question answers it more often than what stands before."""


def _steps(reach: int, decay: float) -> tuple[tuple[int, float], ...]:
    return tuple(
        (step, decay ** abs(step) * (BACKWARDS if step < 0 else 1.0))
        for step in range(-reach, reach + 1)
    )


NEIGHBOURHOODS = (_steps(6, 0.8), _steps(2, 0.7))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A unit, where it stands, and what one full occurrence counts."""

    held: Mapping[int, int]
    weight: float
    factor: float


def spots(sought: Sought, matches: Matches) -> dict[Spot, float]:
    """Return the best places for an answer with their scores; not each one holds a text."""
    totals: dict[Spot, float] = defaultdict(float)
    units = [*_weighed(sought, matches)]
    for unit in units:
        _add_own(totals, unit, matches)
        for steps in NEIGHBOURHOODS:
            _add_around(totals, unit, matches, steps)
    worth = _clusters(units, matches)
    for spot in totals:
        totals[spot] += worth[spot[0]]
    return dict(heapq.nlargest(MAX_SPOTS, totals.items(), key=lambda each: each[1]))


def rank(
    found: Mapping[int, Spot],
    scores: Mapping[Spot, float],
    wanted: Mapping[str, float],
    marked: Mapping[str, Mapping[int, int]],
    *,
    k: int,
) -> list[Scored]:
    """Return at most *k* of the lines *found* at their spots, best first.

    *wanted* says what each mark counts, *marked* which lines have it.
    """
    best = max(scores.values(), default=0.0)
    totals = {doc: scores[spot] for doc, spot in found.items()}
    for mark, weight in wanted.items():
        for doc in marked.get(mark, {}):
            if doc in totals:
                totals[doc] += weight * MARKS * best
    kept = [doc for doc, total in totals.items() if total >= LEAST_SHARE * best]
    order = heapq.nsmallest(k, kept, key=lambda doc: (-totals[doc], -doc))
    return [Scored(doc, totals[doc]) for doc in order]


def _weighed(sought: Sought, matches: Matches) -> Iterator[_Weighed]:
    for unit in sought.words:
        named = matches.texts.get(marks.speaker(unit.name), 0) > 0
        yield from _with_weight(unit, matches, SPEAKER_NAME if named else 1.0)
    for unit in sought.concepts:
        yield from _with_weight(unit, matches, CONCEPTS)


def _with_weight(unit: Unit, matches: Matches, factor: float) -> Iterator[_Weighed]:
    held = score.counts(unit, matches)
    if held:
        texts = max(len(held), 0 if unit.said else matches.texts.get(unit.name, 0))
        factor *= unit.weight
        yield _Weighed(held, factor * score.rarity(texts, matches.total), factor)


def _add_own(totals: dict[Spot, float], unit: _Weighed, matches: Matches) -> None:
    mean = max(matches.mean_length, 1.0)
    for doc, times in unit.held.items():
        place = matches.places[doc]
        fullness = score.fullness(times, place.length / mean)
        totals[place.cluster, place.position] += OWN * unit.weight * fullness


def _add_around(
    totals: dict[Spot, float],
    unit: _Weighed,
    matches: Matches,
    steps: tuple[tuple[int, float], ...],
) -> None:
    around: dict[Spot, float] = defaultdict(float)
    for doc, times in unit.held.items():
        place = matches.places[doc]
        for step, share in steps:
            around[place.cluster, place.position + step] += times * share
    for spot, often in around.items():
        totals[spot] += AROUND * unit.weight * score.fullness(often)


def _clusters(units: list[_Weighed], matches: Matches) -> dict[str, float]:
    total = max(len({place.cluster for place in matches.places.values()}), 1)
    worth: dict[str, float] = defaultdict(float)
    for unit in units:
        inside: dict[str, float] = defaultdict(float)
        for doc, times in unit.held.items():
            inside[matches.places[doc].cluster] += times
        weight = CLUSTER * unit.factor * score.rarity(len(inside), total)
        for cluster, often in inside.items():
            worth[cluster] += weight * score.fullness(often)
    return worth
