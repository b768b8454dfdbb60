"""Rank the memories that share something with a question; nothing relevant gives none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Tally:
    """What one memory has of what is sought.

    *parts* is what each word counts, *concepts* what each widening counts beyond the words
    it stands for, *met* are all widenings found, each with the words it stands for; *total*
    is the sum.
    """

    parts: dict[str, float] = field(default_factory=dict)
    concepts: dict[str, float] = field(default_factory=dict)
    met: dict[str, frozenset[str]] = field(default_factory=dict)
    total: float = 0.0


_Candidate = tuple[Tally, Features]


def weigh(sought: Sought, matches: Matches) -> dict[int, Tally]:
    """Return what each matched text has of what is sought."""
    tallies: dict[int, Tally] = defaultdict(Tally)
    lengths = score.relative_lengths(matches, matches.places)
    for unit in sought.words:
        for doc, worth in _worth(unit, matches, lengths).items():
            tallies[doc].parts[unit.name] = worth
    _count_once(sought, tallies)
    for unit in sought.concepts:
        said = _meant(unit)
        for doc, worth in _worth(unit, matches, lengths).items():
            tally = tallies[doc]
            tally.met[unit.name] = said
            more = worth - sum(tally.parts.get(term, 0.0) for term in unit.said)
            if more > 0:
                tally.concepts[unit.name] = more
    for tally in tallies.values():
        tally.total = sum(tally.parts.values()) + sum(tally.concepts.values())
    return tallies


def _meant(unit: Unit) -> frozenset[str]:
    """Return the words that a widening stands for; of several, what they mean together."""
    latin = sum(not words.is_han(term) for term in unit.said)
    if latin > 1:
        return frozenset({unit.name})
    return frozenset(term for term in unit.said if not _lone(term)) or unit.said


def _count_once(sought: Sought, tallies: Mapping[int, Tally]) -> None:
    """Take away what a pair of Chinese or a name with marks in it counts already."""
    asked = {unit.name for unit in sought.words}
    inner = {name: asked.intersection(_inside(name)) for name in asked if len(name) > 1}
    outer = [(name, within) for name, within in inner.items() if within]
    for tally in tallies.values():
        for name, within in outer:
            if name in tally.parts:
                for piece in within:
                    tally.parts.pop(piece, None)


def _inside(term: str) -> Iterable[str]:
    return term if words.is_han(term) else set(words.terms(term)) - {term}


def _worth(unit: Unit, matches: Matches, lengths: Mapping[int, float]) -> dict[int, float]:
    held = score.counts(unit, matches)
    if not held:
        return {}
    texts = matches.texts.get(unit.name, 0) if not unit.said else 0
    asked = unit.name in words.asking() or (unit.said and unit.said <= words.asking())
    weight = (
        unit.weight * (ASKING if asked else 1) * score.rarity(max(texts, len(held)), matches.total)
    )
    return {doc: weight * score.fullness(times, lengths[doc]) for doc, times in held.items()}


def best_first(tallies: Mapping[int, Tally]) -> list[int]:
    """Return the matched memories by their words alone."""
    return sorted(tallies, key=lambda doc: (-tallies[doc].total, -doc))


def rank(
    query: Query, tallies: Mapping[int, Tally], features: Mapping[int, Features], *, k: int
) -> list[Scored]:
    """Return at most *k* of the memories in *features*, best first.

    A memory's words count by how rare they are; then whether it is of the kind and the host
    that the question is after, how fresh and sure it is, and how often it helped. Of two
    versions of one fact the newer stands above. Nothing relevant gives [].
    """
    hosts = {each.host for each in features.values()}
    goal = aim.take(query, hosts)
    beside = words.asking() | (_terms_of(*query.hosts, *goal.named) - goal.alone)
    scores = {
        doc: tally.total
        * _aptness(goal, tally, features[doc], beside)
        * _fit(goal, features[doc])
        * _standing(features[doc], query.at)
        for doc, tally in tallies.items()
        if doc in features
    }
    best = max(scores.values(), default=0.0)
    least = max(LEAST_SCORE, best * LEAST_SHARE)
    kept = {doc: worth for doc, worth in scores.items() if worth >= least}
    order = sorted(kept, key=lambda doc: (-kept[doc], -doc))[: max(MOST_VERSIONS, 2 * k)]
    _newer_first(kept, order, tallies, features)
    order = sorted(order, key=lambda doc: (-kept[doc], -doc))[:k]
    return [
        Scored(doc, kept[doc], reasons.tell(query, tallies[doc].parts, tallies[doc].concepts))
        for doc in order
    ]


def _aptness(goal: Aim, tally: Tally, features: Features, beside: frozenset[str]) -> float:
    """Return 0 for a memory that shares nothing with what is asked, else 1.

    *beside* are the words that tell how or where something is asked; nor does a memory bear
    on a word because it stands in the name of its host. Of a host that the question names,
    all of the kind that is asked for does.
    """
    own = _terms_of(features.host) - _told(features)
    for name in tally.parts:
        if name not in beside and name not in own and not _lone(name):
            return 1.0
    for said in tally.met.values():
        if not said <= beside and not said <= beside | own:
            return 1.0
    return float(features.type in goal.kinds and features.host.lower() in goal.named)


def _lone(name: str) -> bool:
    """Tell whether *name* is one character of Chinese: many words have it."""
    return len(name) == 1 and words.is_han(name)


def _told(features: Features) -> frozenset[str]:
    """Return the words of its host's name that a memory may be about for all that."""
    if features.subject and features.type is not MemoryType.TROUBLESHOOTING_CASE:
        return _terms_of(features.subject)
    return _terms_of(features.host)


def _fit(goal: Aim, features: Features) -> float:
    fit = 1 + KIND * (features.type in goal.kinds)
    host = features.host.lower()
    if goal.hosts and host not in goal.hosts:
        fit *= OTHER_HOST if host else NO_HOST
    if goal.unknown and host:
        fit *= STRANGE_HOST
    return fit


def _standing(features: Features, now: datetime | None) -> float:
    helped = min(features.helped_times, 5) * HELPED
    return (
        features.confidence * (1 + helped) * (1 - FRESHNESS + FRESHNESS * freshness(features, now))
    )


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
    tallies: Mapping[int, Tally],
    features: Mapping[int, Features],
) -> None:
    """Put the newer of two versions of the same above the older."""
    for place, older in enumerate(order):
        for newer in order[place + 1 :]:
            one, other = (tallies[newer], features[newer]), (tallies[older], features[older])
            if _is_newer_version(one, other):
                scores[newer] = max(scores[newer], scores[older] * 1.001)


def _is_newer_version(newer: _Candidate, older: _Candidate) -> bool:
    (tally, one), (older_tally, other) = newer, older
    if one.type is MemoryType.TROUBLESHOOTING_CASE or one.type is not other.type:
        return False
    if one.host != other.host or one.at is None or other.at is None or one.at <= other.at:
        return False
    if one.subject and other.subject:
        return one.subject == other.subject
    mine, theirs = _matter(tally, one), _matter(older_tally, other)
    if not mine and not theirs:
        return True
    return len(mine & theirs) >= ALIKE * max(min(len(mine), len(theirs)), 1)


@lru_cache(maxsize=4096)
def _terms_of(*names: str) -> frozenset[str]:
    return frozenset(term for name in names for term in words.terms(name))


def _matter(tally: Tally, features: Features) -> frozenset[str]:
    """Return what was found in a memory without its host and the words of asking."""
    host = _terms_of(features.host)
    return frozenset(tally.met | tally.parts.keys()) - host - words.asking()
