"""What a message does to the thread: a new topic, a question aside, a way back, a going on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from walissh.memory.working import TaskState, is_open
from walissh.react import intent, paused, pointing, topic
from walissh.react.followed import Intended, Intent, Tracked
from walissh.react.host import Host

MAX_GOAL_CHARS = 500
LAST_HOSTS = 20
FEW_WORDS: Final = 3
"""A message of fewer words of weight does not stand by itself: it begins nothing."""
NEAR: Final = 0.25
"""On the host of the open task so little in common is enough to be about it."""
BACK: Final = 0.5
"""An order that shares so much with a paused task takes it up again."""

_BEGINS: Final = frozenset({Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY})
_SAYS_NO_GOAL: Final = frozenset({Intent.CHITCHAT, Intent.CONFIGURE_PREFERENCE, Intent.UNSAFE})
GOES_ON: Final = frozenset({Intent.CONTINUE, Intent.CONFIRM})


@dataclass(frozen=True, slots=True)
class Said:
    """A message as the thread takes it.

    *refers*: it points at hosts by other words; *elsewhere*: it names another host than the
    current one; *service* is what it names; *cut_off* tells that the turn before ended
    without an answer.
    """

    text: str
    intended: Intended
    refers: bool = False
    elsewhere: bool = False
    service: str = ""
    cut_off: bool = False


def turned(kept: Tracked, said: Said) -> Tracked:
    """Return the thread with the goal and the plan that stand after *said*."""
    if said.intended.intent is Intent.CONTINUE:
        return _gone_on(kept, said)
    if said.intended.intent in _BEGINS and not _leans_on(kept, said):
        return _begun(kept, said)
    sure = intent.is_sure(said.intended)  # a wish may stand beside a request
    if kept.goal or said.intended.intent in GOES_ON | (_SAYS_NO_GOAL if sure else frozenset()):
        return kept
    return replace(kept, goal=goal_of(said.text))


def goal_of(question: str) -> str:
    """Return a question as a goal: one line, of some length at most."""
    return " ".join(question[: 4 * MAX_GOAL_CHARS].split())[:MAX_GOAL_CHARS]


def named(text: str, hosts: Sequence[Host], *, negated: bool = False) -> list[str]:
    """Return the hosts that *text* names, in its order; with *negated* those it does not mean.

    In "not web1, web2" it means web2.
    """
    lower = text.lower()
    places = ((_place(lower, host.name), host.name) for host in hosts)
    found = sorted((at, name) for at, name in places if at >= 0)
    return [name for at, name in found if pointing.is_negated(lower, at) is negated]


def _place(lower: str, host: str) -> int:
    pattern = rf"(?<![a-z0-9_.-]){re.escape(host.lower())}(?![a-z0-9_-]|\.\w)"
    found = re.search(pattern, lower)
    return found.start() if found else -1


def _gone_on(kept: Tracked, said: Said) -> Tracked:
    """Go on with the plan that is named, else with the open one, else with the last paused."""
    place = _named(kept, said.text, topic.BEARS_ON)
    if place is None and not is_open(kept.plan) and not said.cut_off:
        place = 0 if paused.of(kept.plan) else None
    return kept if place is None else _back(kept, place)


def _leans_on(kept: Tracked, said: Said) -> bool:
    """Tell whether the message is understood only with what was said before it."""
    if kept.pending is not None and not intent.is_sure(said.intended):
        return True
    repeats = said.refers or said.intended.rule == intent.REPEATS
    return bool(kept.goal) and repeats and len(topic.terms(said.text)) < 2 * FEW_WORDS


def _begun(kept: Tracked, said: Said) -> Tracked:
    """Begin a task, unless it is an aside of the open one or takes a paused one up again."""
    if said.intended.intent is Intent.EXECUTE:
        place = _named(kept, said.text, BACK)
        if place is not None:
            return _back(kept, place)
    if is_open(kept.plan) and _is_aside(kept, said):
        return kept
    return replace(kept, goal=goal_of(said.text), plan=paused.left(kept.plan))


def _is_aside(kept: Tracked, said: Said) -> bool:
    """Tell whether the open task goes on around the message."""
    if said.intended.intent is Intent.QUERY or not intent.is_sure(said.intended):
        return True
    if len(topic.terms(said.text)) < FEW_WORDS or (said.service and said.service == kept.service):
        return True
    least = topic.BEARS_ON if said.elsewhere else NEAR
    return _bearing(said.text, kept.plan, kept.goal) >= least


def _named(kept: Tracked, text: str, least: float) -> int | None:
    """Return the place of the paused plan that *text* names rather than the present one."""
    here = _bearing(text, kept.plan, kept.goal)
    bearing = [_bearing(text, each, each.goal) for each in paused.of(kept.plan)]
    best = max(bearing, default=0.0)
    return bearing.index(best) if best >= least and best > here else None


def _bearing(text: str, plan: TaskState, goal: str) -> float:
    """Return how much of *text* is about a task: its goal, or one of its steps."""
    titles: Sequence[str] = [goal, plan.goal, *(each.title for each in plan.steps)]
    return max(topic.overlap(text, each) for each in titles)


def _back(kept: Tracked, place: int) -> Tracked:
    plan = paused.taken(kept.plan, place)
    return replace(kept, goal=plan.goal or kept.goal, plan=plan)
