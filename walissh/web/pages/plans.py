"""The plan of a session as its page shows it: what is settled long ago or far off is folded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from walissh.memory.working import StepStatus, TaskState, ended, progress
from walissh.react import paused, plan
from walissh.react.followed import Tracked
from walissh.web.pages import view

SHORT_STEPS = 12
"""So many steps are shown one by one."""

NEAR_STEPS = 8
"""Of a longer plan, so many after the step to go on with."""

SETTLED = frozenset({StepStatus.DONE, StepStatus.SKIPPED, StepStatus.CANCELLED})
TO_SEE = frozenset({StepStatus.RUNNING, StepStatus.FAILED})
"""A step in such a state is shown wherever it stands."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step; *number* is its place, *after* the places of those that it waits for."""

    number: int
    title: str
    status: StepStatus
    after: tuple[int, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in their order, in three parts; without steps there is no plan.

    *waiting* are the goals of plans that were left for this one.
    """

    goal: str = ""
    before: tuple[Step, ...] = ()
    near: tuple[Step, ...] = ()
    later: tuple[Step, ...] = ()
    following: Step | None = None
    settled: int = 0
    total: int = 0
    is_done: bool = False
    waiting: tuple[str, ...] = ()
    sig: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps."""
        return (*self.before, *self.near, *self.later)


def of_thread(tracked: Tracked | None) -> Plan:
    """Return the plan of a session's thread."""
    if tracked is None:
        return Plan()
    state = tracked.plan
    waiting = tuple(_name(each) for each in paused.of(state))
    steps = _steps(state)
    first, last = _near(state, steps)
    done, following = progress(state), plan.next_step(state)
    return Plan(
        goal=state.goal,
        before=steps[:first],
        near=steps[first:last],
        later=steps[last:],
        following=steps[state.steps.index(following)] if following else None,
        settled=done.settled,
        total=done.total,
        is_done=bool(steps) and ended(state),
        waiting=waiting,
        sig=view.digest(state.goal, steps, waiting) if steps or waiting else "",
    )


def _steps(state: TaskState) -> tuple[Step, ...]:
    places: Mapping[str, int] = {each.id: at for at, each in enumerate(state.steps, 1)}
    return tuple(
        Step(
            number=places[each.id],
            title=each.title or each.id,
            status=each.status,
            after=tuple(sorted(places[other] for other in each.after if other in places)),
            result=str(each.result.get("text") or each.result.get("error") or ""),
        )
        for each in state.steps
    )


def _near(state: TaskState, steps: Sequence[Step]) -> tuple[int, int]:
    """Return from where to where the steps are shown one by one; a done plan is folded whole."""
    if len(steps) <= SHORT_STEPS or ended(state):
        return 0, len(steps)
    open_steps = [each.number for each in steps if each.status not in SETTLED]
    first = open_steps[0] - 1
    return first, max(first + NEAR_STEPS, *(s.number for s in steps if s.status in TO_SEE), 0)


def _name(left: TaskState) -> str:
    return left.goal or (left.steps[0].title if left.steps else "")
