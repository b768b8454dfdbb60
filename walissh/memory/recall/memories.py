"""Rank the memories that share something with a question; nothing relevant gives none."""

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from walissh.memory import words
from walissh.memory.entry import MemoryType
from walissh.memory.recall import aim, reasons, score
from walissh.memory.recall.aim import Aim
from walissh.memory.recall.sought import Sought, Unit
from walissh.memory.recall.values import Features, Matches, Query, Scored

HALF_LIFE_DAYS = 90
PREFERENCE_RESTS_DAYS = 365
FRESHNESS = 0.15
KIND = 0.8
OTHER_HOST = 0.25
NO_HOST = 0.75
STRANGE_HOST = 0.3
LEAST_SHARE = 0.35
LEAST_SCORE = 1.2
ALIKE = 0.5
MOST_VERSIONS = 20
HELPED = 0.05
ASKING = 0.4

Worth = Mapping[int, float]
"""What one thing counts in each memory that has it."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the matched memories have of what is sought.

    *words* is what each word counts, *concepts* what each widening counts beyond the words
    it stands for; *met* are all widenings found: each with the words it stands for and the
    memories that have it. *totals* is the sum for each memory.
    """

    words: Mapping[str, Worth]
    concepts: Mapping[str, Worth]
    met: Sequence[tuple[str, frozenset[str], Collection[int]]]
    totals: Worth


def weigh(sought: Sought, matches: Matches) -> Weighed:
    """Return what the matched texts have of what is sought."""
    damping = score.damping(matches)
    once = {doc: score.GAIN / (1 + added) for doc, added in damping.items()}
    said = _counted_once({each.name: _worth(each, matches, damping, once) for each in sought.words})
    concepts: dict[str, Worth] = {}
    met: list[tuple[str, frozenset[str], Collection[int]]] = []
    for unit in sought.concepts:
        if worth := _worth(unit, matches, damping, once):
            met.append((unit.name, _meant(unit), worth.keys()))
            concepts[unit.name] = _beyond(worth, [said[term] for term in unit.said if term in said])
    totals = _totals(said.values())
    for doc, more in _totals(concepts.values()).items():
        totals[doc] += more
    return Weighed(said, concepts, met, totals)


def _worth(unit: Unit, matches: Matches, damping: Worth, once: Worth) -> Worth:
    held = score.counts(unit, matches)
    if not held:
        return {}
    texts = matches.texts.get(unit.name, 0) if not unit.said else 0
    asked = unit.name in words.asking() or (unit.said and unit.said <= words.asking())
    rarity = score.rarity(max(texts, len(held)), matches.total)
    weight = unit.weight * (ASKING if asked else 1) * rarity
    # score.fullness, without calling it for each of a thousand places; most stand there once
    gain = score.GAIN
    return {
        doc: weight * (once[doc] if times == 1 else times * gain / (times + damping[doc]))
        for doc, times in held.items()
    }


def _counted_once(worth: Mapping[str, Worth]) -> dict[str, Worth]:
    """Leave out what a pair of Chinese or a name with marks in it counts already."""
    found = {name: docs for name, docs in worth.items() if docs}
    for name in found:
        for piece in found.keys() & _inside(name):
            found[piece] = {doc: n for doc, n in found[piece].items() if doc not in worth[name]}
    return found


@lru_cache(maxsize=4096)
def _inside(term: str) -> frozenset[str]:
    if len(term) == 1:
        return frozenset()
    return frozenset(term if words.is_han(term) else words.terms(term)) - {term}


def _meant(unit: Unit) -> frozenset[str]:
    """Return the words that a widening stands for; of several, what they mean together."""
    latin = sum(not words.is_han(term) for term in unit.said)
    if latin > 1:
        return frozenset({unit.name})
    return frozenset(term for term in unit.said if not _lone(term)) or unit.said


def _beyond(worth: Worth, said: Sequence[Worth]) -> Worth:
    """Return what a widening counts more than the words it stands for."""
    if not said:
        return worth
    if len(said) == 1:
        had = said[0]
        return {
            doc: counts for doc, all in worth.items() if (counts := all - had.get(doc, 0.0)) > 0
        }
    more = (
        (doc, counts - sum([each[doc] for each in said if doc in each]))
        for doc, counts in worth.items()
    )
    return {doc: counts for doc, counts in more if counts > 0}


def _totals(parts: Iterable[Worth]) -> dict[int, float]:
    totals: dict[int, float] = defaultdict(float)
    for part in parts:
        for doc, counts in part.items():
            totals[doc] += counts
    return totals


def best_first(weighed: Weighed) -> list[int]:
    """Return the matched memories by their words alone."""
    return score.highest(weighed.totals)


# --- the rank -------------------------------------------------------------------------


def rank(
    query: Query, weighed: Weighed, features: Mapping[int, Features], *, k: int
) -> list[Scored]:
    """Return at most *k* of the memories in *features*, best first.

    A memory's words count by how rare they are; then whether it is of the kind and the host
    that the question is after, how fresh and sure it is, and how often it helped. Of two
    versions of one fact the newer stands above. Nothing relevant gives [].
    """
    most = max(MOST_VERSIONS, 2 * k)
    scores = _best(query, weighed, features, most)
    order = score.highest(scores, most)
    _newer_first(scores, order, weighed, features)
    order = sorted(order, key=lambda doc: (-scores[doc], -doc))[:k]
    asked = reasons.Asked.of(query)
    why = (asked.reasons(_in(doc, weighed.words), _in(doc, weighed.concepts)) for doc in order)
    return [Scored(doc, scores[doc], each) for doc, each in zip(order, why, strict=True)]


def _in(doc: int, parts: Mapping[str, Worth]) -> dict[str, float]:
    return {name: worth[doc] for name, worth in parts.items() if doc in worth}


def _best(
    query: Query, weighed: Weighed, features: Mapping[int, Features], most: int
) -> dict[int, float]:
    """Return the scores of what is relevant, of the best *most* at least.

    It ends where the next one, were it of today, could not come among these.
    """
    goal = aim.take(query, {each.host for each in features.values()})
    bearing = _Bearing.on(query, goal, weighed)
    scores: dict[int, float] = {}
    highest: list[float] = []
    least = LEAST_SCORE
    for bound, doc, worth, sure in _bounds(goal, weighed, features):
        if bound < least or (len(highest) == most and bound < highest[0]):
            break
        each = features[doc]
        if not bearing.of(doc, each):
            continue
        fresh = 1 - FRESHNESS + FRESHNESS * freshness(each, query.at)
        scores[doc] = worth * (sure * fresh)
        least = max(least, scores[doc] * LEAST_SHARE)
        heapq.heappush(highest, scores[doc])
        if len(highest) > most:
            heapq.heappop(highest)
    return {doc: counts for doc, counts in scores.items() if counts >= least}


def _bounds(
    goal: Aim, weighed: Weighed, features: Mapping[int, Features]
) -> list[tuple[float, int, float, float]]:
    """Return the score that each has at most, with its parts but for its age, best first."""
    fits: dict[tuple[MemoryType, str], float] = {}
    bounds: list[tuple[float, int, float, float]] = []
    for doc, each in features.items():
        if (total := weighed.totals.get(doc)) is None:
            continue
        kind = each.type, each.host
        if kind not in fits:
            fits[kind] = _fit(goal, each)
        worth = total * fits[kind]
        sure = each.confidence
        if each.helped_times:
            sure *= 1 + min(each.helped_times, 5) * HELPED
        bounds.append((worth * sure, doc, worth, sure))
    return sorted(bounds, reverse=True)


@dataclass(frozen=True, slots=True)
class _Bearing:
    """Tells whether a memory shares something with what is asked.

    *beside* are the words that tell how or where something is asked; nor does a memory bear
    on a word because it stands in the name of its host. Of a host that the question names,
    all of the kind that is asked for does.
    """

    goal: Aim
    beside: frozenset[str]
    words: Sequence[tuple[str, Worth]]
    met: Sequence[tuple[frozenset[str], Collection[int]]]

    @classmethod
    def on(cls, query: Query, goal: Aim, weighed: Weighed) -> "_Bearing":
        beside = words.asking() | (_terms_of(*query.hosts, *goal.named) - goal.alone)
        telling = (each for each in weighed.words.items() if each[0] not in beside)
        met = [(said, docs) for _, said, docs in weighed.met if not said <= beside]
        return cls(goal, beside, [each for each in telling if not _lone(each[0])], met)

    def of(self, doc: int, features: Features) -> bool:
        own = _own(features.type, features.host, features.subject)
        for name, worth in self.words:
            if doc in worth and name not in own:
                return True
        for said, docs in self.met:
            # what is only beside the question was left out before
            if doc in docs and not (own and said <= self.beside | own):
                return True
        return features.type in self.goal.kinds and features.host.lower() in self.goal.named


def _lone(name: str) -> bool:
    """Tell whether *name* is one character of Chinese: many words have it."""
    return len(name) == 1 and words.is_han(name)


@lru_cache(maxsize=4096)
def _own(kind: MemoryType, host: str, subject: str) -> frozenset[str]:
    """Return the words of its host's name that a memory is not about for all that."""
    if subject and kind is not MemoryType.TROUBLESHOOTING_CASE:
        return _terms_of(host) - _terms_of(subject)
    return frozenset()


def _fit(goal: Aim, features: Features) -> float:
    fit = 1 + KIND * (features.type in goal.kinds)
    host = features.host.lower()
    if goal.hosts and host not in goal.hosts:
        fit *= OTHER_HOST if host else NO_HOST
    if goal.unknown and host:
        fit *= STRANGE_HOST
    return fit


def freshness(features: Features, now: datetime | None) -> float:
    """Return 1 for what is of today, half of that after 90 days.

    A preference loses nothing until it has not been recalled for a year.
    """
    if now is None or features.at is None:
        return 1.0
    wish = features.type is MemoryType.USER_PREFERENCE
    last = max(features.at, features.used_at or features.at) if wish else features.at
    days = max((now - last).total_seconds() / 86400 - PREFERENCE_RESTS_DAYS * wish, 0.0)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def _newer_first(
    scores: dict[int, float],
    order: Sequence[int],
    weighed: Weighed,
    features: Mapping[int, Features],
) -> None:
    """Put the newer of two versions of the same above the older."""
    alike: dict[tuple[MemoryType, str], list[int]] = defaultdict(list)
    for doc in order:
        if features[doc].type is not MemoryType.TROUBLESHOOTING_CASE:
            alike[features[doc].type, features[doc].host].append(doc)
    for docs in alike.values():
        for older, newer in _pairs(docs):
            if _is_newer_version(newer, older, weighed, features):
                scores[newer] = max(scores[newer], scores[older] * 1.001)


def _pairs(docs: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((one, other) for place, one in enumerate(docs) for other in docs[place + 1 :])


def _is_newer_version(
    newer: int, older: int, weighed: Weighed, features: Mapping[int, Features]
) -> bool:
    one, other = features[newer], features[older]
    if one.at is None or other.at is None or one.at <= other.at:
        return False
    if one.subject and other.subject:
        return one.subject == other.subject
    host = _terms_of(one.host)
    mine, theirs = (_matter(weighed, doc) - host for doc in (newer, older))
    if not mine and not theirs:
        return True
    return len(mine & theirs) >= ALIKE * max(min(len(mine), len(theirs)), 1)


@lru_cache(maxsize=4096)
def _terms_of(*names: str) -> frozenset[str]:
    return frozenset(term for name in names for term in words.terms(name))


def _matter(weighed: Weighed, doc: int) -> frozenset[str]:
    """Return what was found in a memory without the words of asking."""
    met = (name for name, _, docs in weighed.met if doc in docs)
    return frozenset([*_in(doc, weighed.words), *met]) - words.asking()
