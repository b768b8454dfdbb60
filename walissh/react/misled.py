"""What a person's reactions tell of the rules: which ones misled, and how far to trust them.

Ancestor: the feedback loop of the understanding stage. A sign never proves that a rule is
wrong, so it lowers it for this person alone, a little, and for a time.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from walissh.react.followed import Intent
from walissh.react.turn import Turn

T = TypeVar("T")


class Sign(StrEnum):
    """How it showed that a message was taken wrongly."""

    CORRECTION = "correction"
    CANCELLED = "cancelled"
    DENIED = "denied"
    REWORDED = "reworded"


WEIGHTS: Final[Mapping[Sign, float]] = {
    Sign.CORRECTION: 1.0,
    Sign.CANCELLED: 0.5,
    Sign.DENIED: 0.5,
    Sign.REWORDED: 0.5,
}
PER_SIGN: Final = 0.85
"""What a whole sign leaves of the trust: one correction makes most rules unsure (0.87)."""
LEAST: Final = 0.3
MOST_OF_WEAK: Final = 1.5
"""So much all weak signs together count: who denies often may only be careful."""
HALF_LIFE_DAYS: Final = 30
FORGOTTEN_DAYS: Final = 12 * HALF_LIFE_DAYS
"""An older sign counts less than 1 in 4,000: it is not read any more."""


@dataclass(frozen=True, slots=True)
class Misled:
    """One sign about one turn: *taken* by *rule* ("" for the model); *meant* if it was told."""

    user_id: str
    turn_id: str
    sign: Sign
    rule: str
    taken: Intent
    meant: Intent | None
    text: str
    at: datetime


class Misleads(Protocol):
    """``store.misleads``: the signs of a person; no call waits long for the database."""

    def note(self, misled: Misled) -> bool:
        """Keep it, its text redacted and cut; False if this turn and sign were noted."""

    def recent(self, user_id: str, *, now: datetime) -> list[Misled]:
        """Return this person's signs that still count, the newest first."""


class Aside(Protocol):
    """``memory.sidepath``: runs what a turn can do without."""

    def attempt(self, what: str, work: Callable[[], T], otherwise: T) -> T:
        """Return what *work* gives, or *otherwise* if it fails in any way."""


def of(turn: Turn, sign: Sign, *, at: datetime, meant: Intent | None = None) -> Misled | None:
    """Return what *sign* tells of *turn*; None if it says nothing of how it was taken.

    What was taken for unsafe was misread only if the person says so: who stops it agrees, and
    who words it otherwise only tries again. A second correction blames no rule for the first.
    """
    intended = turn.intended
    if intended is None:
        return None
    if intended.intent is Intent.UNSAFE and sign is not Sign.CORRECTION:
        return None
    if intended.intent is Intent.CORRECT and sign is Sign.CORRECTION:
        return None
    rule = intended.rule if intended.by == "rule" else ""
    right = None if meant is intended.intent else meant
    return Misled(turn.user_id, turn.id, sign, rule, intended.intent, right, turn.question, at)


def trust(signs: Iterable[Misled], now: datetime) -> dict[str, float]:
    """Return how far each rule that misled is to be trusted, from LEAST up to 1."""
    strong: dict[str, float] = {}
    weak: dict[str, float] = {}
    for each in signs:
        if each.rule:
            counts = strong if each.sign is Sign.CORRECTION else weak
            counts[each.rule] = counts.get(each.rule, 0.0) + _weight(each, now)
    return {
        rule: max(LEAST, PER_SIGN ** (strong.get(rule, 0) + min(weak.get(rule, 0), MOST_OF_WEAK)))
        for rule in {**strong, **weak}
    }


def _weight(misled: Misled, now: datetime) -> float:
    age_days = max(0.0, (now - misled.at).total_seconds() / 86_400)
    return WEIGHTS[misled.sign] * math.pow(0.5, age_days / HALF_LIFE_DAYS)
