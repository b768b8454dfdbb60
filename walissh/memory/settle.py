"""Settle which of several writes about one thing is valid: nothing here asks a store.

Order: expired writes and those of another task do not count; a running task comes before a
host, a host before a group, a group before all; within one scope what was measured or said
firmly comes before what was guessed, and then the newest ``at``, whenever it arrived.
"""

import fnmatch
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from walissh.memory import naming
from walissh.memory.entry import FACTS, MemoryType, Op, Origin, Place

SWEEPING = "global!"
SKEW = timedelta(minutes=1)
"""How far the clocks of two machines may differ before a write counts as not yet made."""

_FIRM, _SAID, _GUESSED = 2, 1, 0
_TRUST = {
    Origin.USER: _FIRM,
    Origin.TOOL: _FIRM,
    Origin.INVENTORY: _FIRM,
    Origin.ASSISTANT: _SAID,
    Origin.DOCUMENT: _SAID,
    Origin.BEHAVIOUR: _GUESSED,
    Origin.USER_HEDGED: _GUESSED,
    Origin.ASSISTANT_HEDGED: _GUESSED,
}
_ALL, _GROUP, _SOME_HOSTS, _HOST, _TASK = range(5)


class Claim(NamedTuple):
    """One write of a memory, as far as it matters here; *key* is its writer's own id for it.

    A tuple, for hundreds are made before each prompt; no two are taken for one another.
    """

    op: Op
    at: datetime
    type: MemoryType
    origin: Origin
    text: str = ""
    subject: str = ""
    value: str = ""
    host: str | None = None
    scope: str = "global"
    expires_at: datetime | None = None
    key: object = None


def valid(claims: Sequence[Claim], place: Place, *, now: datetime, text: str = "") -> Claim | None:
    """Return the write that holds at *place*, None if none does.

    *claims* are taken to be about one thing. If their subjects differ beyond wording, those
    nearest to the question *text* are looked at; without hosts in *place*, the ones which
    *text* names count.
    """
    place = place if place.hosts else Place(_named(claims, text), place.groups, place.task)
    living = _living(claims, place, now)
    asked = _asked_about(_about_one_thing(living), text)
    standing = _not_withdrawn([each for each in asked if not _overruled(each, asked, place)])
    return max(standing, key=lambda each: _weight(each, place), default=None)


def standing(claims: Sequence[Claim], place: Place, *, now: datetime) -> list[Claim]:
    """Return the winner of each subject, oldest first; with several hosts, of each host."""
    winners: dict[int, Claim] = {}
    for host in place.hosts or ("",):
        here = Place((host,) if host else (), place.groups, place.task)
        for same in _by_subject(_living(claims, here, now)):
            alone = len(same) == 1 and same[0].op is not Op.REMOVE
            winner = same[0] if alone else valid(same, here, now=now)
            if winner is not None:
                winners[id(winner)] = winner
    return sorted(winners.values(), key=lambda each: each.at)


def outranks(new: Claim, old: Claim) -> bool:
    """Tell whether *new* takes the place of *old*, which has the same scope and subject."""
    return _rank(new) >= _rank(old)


def holds(scope: str, place: Place) -> bool:
    """Tell whether a rule of *scope* holds at *place*; an unknown kind of scope never does.

    With several hosts at hand it is enough that it holds on one of them.
    """
    kind, _, rest = scope.partition(":")
    names = [name.strip().casefold() for name in rest.split(",") if name.strip()]
    match kind.strip().casefold():
        case "global" | "global!":
            return True
        case "task":
            return bool(place.task) and place.task == rest.strip()
        case "group":
            return any(_matches(group, names) for group in place.groups)
        case "host":
            return any(_matches(host, names) for host in place.hosts)
        case "all-except":
            return _is_outside(names, place)
        case _:
            return False


def _is_outside(names: list[str], place: Place) -> bool:
    groups = [name.removeprefix("group:") for name in names]
    if any(_matches(group, groups) for group in place.groups):
        return False
    return not place.hosts or any(not _matches(host, names) for host in place.hosts)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name.casefold(), pattern) for pattern in patterns)


# --- one claim ------------------------------------------------------------------------


def _scope(claim: Claim) -> str:
    """Return the scope; a fact that names its host is of that host alone."""
    if claim.scope == "global" and claim.host and claim.type in FACTS:
        return f"host:{claim.host}"
    return claim.scope


def _living(claims: Sequence[Claim], place: Place, now: datetime) -> list[Claim]:
    """Return the claims that count at *place* now; many have one scope."""
    holding: dict[str, bool] = {}
    latest, living = now + SKEW, []
    for claim in claims:
        if claim.at > latest or (claim.expires_at is not None and claim.expires_at < now):
            continue
        scope = _scope(claim)
        if scope not in holding:
            holding[scope] = holds(scope, place)
        if holding[scope]:
            living.append(claim)
    return living


def _level(claim: Claim) -> int:
    kind, _, names = _scope(claim).partition(":")
    if kind == "host":
        return _SOME_HOSTS if "*" in names else _HOST
    return {"task": _TASK, "group": _GROUP}.get(kind, _ALL)


def _trust(claim: Claim) -> int:
    if claim.type is MemoryType.USER_PREFERENCE and claim.origin is Origin.TOOL:
        return _GUESSED  # output of a machine is not what the person wants
    return _TRUST[claim.origin]


def _rank(claim: Claim) -> tuple[int, datetime]:
    return _trust(claim), claim.at


def _weight(claim: Claim, place: Place) -> tuple[int, int, datetime, bool]:
    """Return what is compared; of two of the same instant a fact is better measured."""
    measured = claim.origin is Origin.TOOL and claim.type in FACTS
    return _level(claim), _trust(claim), claim.at, measured


# --- several claims -------------------------------------------------------------------


def _overruled(claim: Claim, claims: Sequence[Claim], place: Place) -> bool:
    """Tell whether a newer rule for all says that it includes this one's hosts too."""
    if _level(claim) == _TASK:
        return False
    return any(
        other is not claim
        and _is_sweeping(other, place)
        and not _is_sweeping(claim, place)
        and other.at > claim.at
        and _trust(other) >= _trust(claim)
        for other in claims
    )


def _is_sweeping(claim: Claim, place: Place) -> bool:
    if _level(claim) != _ALL or claim.op is Op.REMOVE:
        return claim.scope == SWEEPING
    return claim.scope == SWEEPING or any(_includes(claim.text, host) for host in place.hosts)


def _includes(text: str, host: str) -> bool:
    words = r"包括|包含|连同?|(?<!不)含|including|includes?|even(?: on)?|also on"
    return re.search(rf"(?:{words})\s*{re.escape(host)}(?![\w-])", text, re.I) is not None


def _not_withdrawn(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims without the withdrawals and without what they withdraw."""
    removals = [each for each in claims if each.op is Op.REMOVE]
    said = [each for each in claims if each.op is not Op.REMOVE]
    gone = {id(each) for removal in removals for each in _withdrawn(removal, said)}
    return [each for each in said if id(each) not in gone]


def _withdrawn(removal: Claim, claims: Sequence[Claim]) -> list[Claim]:
    """Return what *removal* withdraws: older claims of its scope, else of narrower ones."""
    older = [each for each in claims if each.at <= removal.at and _trust(each) <= _trust(removal)]
    if removal.scope == SWEEPING:
        return older
    alike = [each for each in older if _scope(each) == _scope(removal)]
    return alike or [each for each in older if _level(each) > _level(removal)]


def _by_subject(claims: Sequence[Claim]) -> list[list[Claim]]:
    gathered: dict[tuple[MemoryType, str], list[Claim]] = {}
    for claim in claims:
        gathered.setdefault((claim.type, naming.key(claim.subject)), []).append(claim)
    return list(gathered.values())


def _about_one_thing(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Gather claims by what they are about; one that changes an older one goes with it."""
    gathered: list[list[Claim]] = []
    for claim in sorted(claims, key=lambda each: each.at):
        home = _home(claim, gathered)
        if home is None:
            gathered.append([claim])
        else:
            home.append(claim)
    return gathered


def _home(claim: Claim, gathered: list[list[Claim]]) -> list[Claim] | None:
    for group in gathered:
        if any(naming.same(claim.subject, each.subject) for each in group):
            return group
    if gathered and (claim.op is not Op.ADD or _corrects(claim.text)):
        return max(gathered, key=lambda group: max(_nearness(each, claim) for each in group))
    return None


_CORRECTION = re.compile(
    r"不对|说错|写错|搞错|弄错|记错|更正|纠正|上一条|刚才(?:那|说)|口误|等等，|笔误"
    r"|\bcorrection\b|\btypo\b|\bi meant\b|\bi was wrong\b|\bmisspoke\b|\bscratch that\b"
    r"|\bno,? wait\b|\bi mis\w+|\bnot \S+[,;] but\b",
    re.I,
)


def _corrects(text: str) -> bool:
    return _CORRECTION.search(text) is not None


def _nearness(one: Claim, other: Claim) -> float:
    return naming.likeness(f"{one.subject} {one.text}", f"{other.subject} {other.text}")


def _asked_about(groups: list[list[Claim]], text: str) -> list[Claim]:
    """Return the claims of the one group that *text* asks about, or all if it does not tell.

    A group that shares nothing with the question goes; of the rest those stay which have
    most of its names (nginx, backup) for themselves.
    """
    asked = naming.pieces(text)
    if len(groups) > 1 and asked:
        groups = [each for each in groups if _pieces(each) & asked] or groups
        scores = [len(_own_names(each, groups) & asked) for each in groups]
        groups = [g for g, score in zip(groups, scores, strict=True) if score == max(scores)]
    return [claim for group in groups for claim in group]


def _own_names(group: list[Claim], groups: list[list[Claim]]) -> frozenset[str]:
    others = frozenset[str]().union(*(_pieces(each) for each in groups if each is not group))
    hosts = {(claim.host or "").lower() for claim in group}
    return frozenset(p for p in _pieces(group) - others if p.isascii() and p not in hosts)


def _pieces(group: list[Claim]) -> frozenset[str]:
    return frozenset[str]().union(*(naming.pieces(f"{c.subject} {c.text}") for c in group))


def _named(claims: Sequence[Claim], text: str) -> tuple[str, ...]:
    """Return the hosts of *claims* that *text* names."""
    hosts = dict.fromkeys(each.host for each in claims if each.host)
    return tuple(h for h in hosts if re.search(rf"(?<![\w-]){re.escape(h)}(?![\w-])", text, re.I))
