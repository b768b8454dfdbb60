"""Weigh whether a clause gives a standing instruction, by the kinds of words in it.

Phrases that settle it alone are in ``preferences.yaml``; most people use none of them. What
they say is told by several weaker marks together: it is said to the agent (its mood), of
the agent's own doing or of a kind of thing, for a time that comes again, in some form. The
kinds of words are in ``standing.yaml``.
"""

from collections.abc import Iterable
from typing import Final

from walissh.memory.extract import phrases

ENOUGH: Final = 1.5
_FOR: Final = {
    "habit": 1.5,
    "guarded": 1.5,
    "conduct": 1.0,
    "occasion": 1.0,
    "deontic": 1.0,
    "generic": 0.5,
    "choice": 0.5,
    "ban": 0.5,
    "told_wish": 0.5,
}
"""What each kind of word adds: a marker of habit is enough, a form needs its noun."""
_ONE_THING: Final = {"pointing": -1.5, "definite": -0.5, "deed": -1.0}
"""What tells of one thing to do; behind a condition that comes again it tells nothing."""
_AGAINST: Final = {"told": -2.5, "wondering": -2.0, "asked": -0.5}
_AGAIN: Final = _FOR["occasion"]


def stands(core: str, whole: str, *, lasting: bool = False) -> bool:
    """Tell whether a clause is an order for good: its *core*, and the *whole* with lead-ins.

    *lasting* if what is before it already says that it comes again.
    """
    seen = {core, whole}
    if not any(phrases.found("weigh.mood", each) for each in seen):
        return False
    weight = _sum(seen, _FOR | _AGAINST)
    return weight + (_AGAIN if lasting else _sum([core], _ONE_THING)) >= ENOUGH


def comes_again(core: str) -> bool:
    """Tell whether *core* names an occasion that comes again ("when in doubt", "高峰期").

    What a person says of themselves lasts as well ("I'm colour-blind", "我眼神不好")."""
    if phrases.found("weigh.persona", core):
        return True
    return phrases.found("weigh.occasion", core) and not phrases.found("weigh.told", core)


def _sum(seen: Iterable[str], weights: dict[str, float]) -> float:
    return sum(
        weight
        for kind, weight in weights.items()
        if any(phrases.found(f"weigh.{kind}", each) for each in seen)
    )
