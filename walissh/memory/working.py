"""What a task has done and has still to do; every step returns a new state.

Ancestor: WorkingMemory of the two-layer design. A task is a plan of sub-tasks, some of
which come after others, with what each has found. `walissh.store.working` keeps it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from walissh.errors import ConflictError, InvalidError, NotFoundError

MAX_STEPS = 200
"""A longer plan is no plan; it would also fill the prompt."""

PLAN = "plan"
"""The id of a session's plan: unlike a turn's task, it outlives the turn."""

_Result = Mapping[str, object]


class StepStatus(StrEnum):
    """Where a sub-task stands. ``blocked``: it waits for a person or for a failed step."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


_NEXT: Mapping[StepStatus, frozenset[StepStatus]] = {
    StepStatus.PENDING: frozenset(
        {StepStatus.RUNNING, StepStatus.BLOCKED, StepStatus.SKIPPED, StepStatus.CANCELLED}
    ),
    StepStatus.RUNNING: frozenset(
        {StepStatus.DONE, StepStatus.FAILED, StepStatus.BLOCKED, StepStatus.CANCELLED}
    ),
    StepStatus.BLOCKED: frozenset(
        {StepStatus.PENDING, StepStatus.RUNNING, StepStatus.SKIPPED, StepStatus.CANCELLED}
    ),
    StepStatus.FAILED: frozenset({StepStatus.PENDING, StepStatus.SKIPPED, StepStatus.CANCELLED}),
    StepStatus.SKIPPED: frozenset({StepStatus.PENDING}),
    StepStatus.DONE: frozenset(),  # only `roll_back` undoes it
    StepStatus.CANCELLED: frozenset(),
}

# what a person left out on purpose is not waited for
_SETTLED = frozenset({StepStatus.DONE, StepStatus.SKIPPED})
_ENDED = _SETTLED | {StepStatus.CANCELLED}


@dataclass(frozen=True, slots=True)
class SubTask:
    """One step of a plan; it may start when all that it comes *after* is settled.

    *history* holds what earlier attempts gave: ``{"status": ..., "result": {...}}``,
    oldest first.
    """

    id: str
    title: str
    status: StepStatus = StepStatus.PENDING
    after: tuple[str, ...] = ()
    result: _Result = field(default_factory=dict)
    history: tuple[_Result, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskState:
    """One task: its plan in order, and *notes*, what else is known of it by name.

    The values of *notes* and of the results are what JSON can say.
    """

    goal: str = ""
    steps: tuple[SubTask, ...] = ()
    notes: Mapping[str, object] = field(default_factory=dict)

    def step(self, step_id: str) -> SubTask:
        """Return one sub-task; raises NotFoundError that names those there are."""
        for each in self.steps:
            if each.id == step_id:
                return each
        known = ", ".join(each.id for each in self.steps) or "none"
        raise NotFoundError(f"This plan has no step {step_id!r}. Its steps are: {known}.")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task is; *total* leaves out what was cancelled."""

    settled: int
    total: int
    running: tuple[str, ...]
    failed: tuple[str, ...]
    blocked: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Tell whether nothing is left to do."""
        return self.settled == self.total


def planned(goal: str, steps: Iterable[SubTask], notes: _Result | None = None) -> TaskState:
    """Return a task with a plan in which every step can be reached.

    Raises InvalidError for an id that is empty, doubled or unknown, and for steps that
    wait for each other.
    """
    state = TaskState(goal, tuple(steps), dict(notes or {}))
    _check_ids(state.steps)
    _check_order(state.steps)
    return state


def moved(
    state: TaskState, step_id: str, status: StepStatus, result: _Result | None = None
) -> TaskState:
    """Return the task with one step in *status*; without *result* it keeps the one it has.

    What comes after a failed step is blocked. Raises ConflictError, which names both
    states, if the one cannot follow the other, or if the step has to wait for others.
    """
    step = state.step(step_id)
    if status not in _NEXT[step.status]:
        raise ConflictError(
            f"Step {step_id!r} is {step.status} and cannot become {status}. {_allowed(step)}"
        )
    if status is StepStatus.RUNNING:
        _check_ready(state, step)
    if status is StepStatus.PENDING:
        return _put(state, {step_id: _afresh(step)})
    kept = step.result if result is None else dict(result)
    changed = {step_id: replace(step, status=status, result=kept)}
    if status is StepStatus.FAILED:
        changed |= _blocked(state, step_id)
    return _put(state, changed)


def next_steps(state: TaskState) -> tuple[SubTask, ...]:
    """Return the steps that can start now, in the order of the plan."""
    return tuple(
        each
        for each in state.steps
        if each.status is StepStatus.PENDING and not _waits_for(state, each)
    )


def resumed(state: TaskState) -> TaskState:
    """Return the task ready to go on: failed steps and all that depends on them wait again.

    What is done stays done. A step that is still running is left alone, for its outcome is
    not known; `interrupted` ends it first.
    """
    failed = {each.id for each in state.steps if each.status is StepStatus.FAILED}
    reached = failed | _dependents(state, failed)
    return _put(
        state,
        {
            each.id: _afresh(each)
            for each in state.steps
            if each.id in reached and each.status in (StepStatus.FAILED, StepStatus.BLOCKED)
        },
    )


def interrupted(state: TaskState, reason: str) -> TaskState:
    """Return the task with every running step failed: whoever ran it is gone."""
    for each in state.steps:
        if each.status is StepStatus.RUNNING:
            state = moved(state, each.id, StepStatus.FAILED, {**each.result, "error": reason})
    return state


def rolled_back(state: TaskState, step_id: str) -> TaskState:
    """Return the task as before that step: it and all that depends on it wait again.

    Their results go into their history. Raises ConflictError while one of them runs, and
    if the step itself has given nothing yet.
    """
    step = state.step(step_id)
    if step.status not in (StepStatus.DONE, StepStatus.FAILED, StepStatus.SKIPPED):
        raise ConflictError(
            f"Step {step_id!r} is {step.status} and cannot become pending by a roll-back. "
            "Only a step that is done, failed or skipped can be rolled back."
        )
    touched = {step_id} | _dependents(state, {step_id})
    for each in state.steps:
        if each.id in touched and each.status is StepStatus.RUNNING:
            raise ConflictError(
                f"Step {each.id!r} is running and cannot become pending by a roll-back of "
                f"{step_id!r}. Stop it first, or wait for its end."
            )
    return _put(
        state,
        {
            each.id: _afresh(each)
            for each in state.steps
            if each.id in touched and each.status is not StepStatus.CANCELLED
        },
    )


def progress(state: TaskState) -> Progress:
    """Return how many steps are settled and which ones run, failed or are blocked."""
    counted = [each for each in state.steps if each.status is not StepStatus.CANCELLED]
    return Progress(
        settled=sum(each.status in _SETTLED for each in counted),
        total=len(counted),
        running=_in(counted, StepStatus.RUNNING),
        failed=_in(counted, StepStatus.FAILED),
        blocked=_in(counted, StepStatus.BLOCKED),
    )


def ended(state: TaskState) -> bool:
    """Tell whether no step of the plan will move again by itself."""
    return all(each.status in _ENDED for each in state.steps)


def is_open(state: TaskState) -> bool:
    """Tell whether there is a plan with something left to do."""
    return bool(state.steps) and not ended(state)


def _in(steps: Iterable[SubTask], status: StepStatus) -> tuple[str, ...]:
    return tuple(each.id for each in steps if each.status is status)


def _put(state: TaskState, changed: Mapping[str, SubTask]) -> TaskState:
    return replace(state, steps=tuple(changed.get(each.id, each) for each in state.steps))


def _afresh(step: SubTask) -> SubTask:
    if step.status is StepStatus.PENDING:
        return step
    kept = step.history
    if step.result or step.status in (StepStatus.DONE, StepStatus.FAILED):
        kept = (*kept, {"status": step.status.value, "result": dict(step.result)})
    return replace(step, status=StepStatus.PENDING, result={}, history=kept)


def _blocked(state: TaskState, failed: str) -> dict[str, SubTask]:
    waiting = _dependents(state, {failed})
    return {
        each.id: replace(each, status=StepStatus.BLOCKED)
        for each in state.steps
        if each.id in waiting and each.status is StepStatus.PENDING
    }


def _dependents(state: TaskState, roots: set[str]) -> set[str]:
    reached: set[str] = set()
    waiting = set(roots)
    while waiting:
        waiting = {each.id for each in state.steps if waiting & set(each.after)} - reached
        reached |= waiting
    return reached


def _waits_for(state: TaskState, step: SubTask) -> list[SubTask]:
    return [each for each in state.steps if each.id in step.after and each.status not in _SETTLED]


def _check_ready(state: TaskState, step: SubTask) -> None:
    waits = [f"{each.id!r} ({each.status})" for each in _waits_for(state, step)]
    if waits:
        raise ConflictError(
            f"Step {step.id!r} is {step.status} and cannot become running: it comes after "
            f"{', '.join(waits)}. Finish or skip that first."
        )


def _allowed(step: SubTask) -> str:
    allowed = sorted(_NEXT[step.status])
    if allowed:
        return f"From there it can become {', '.join(allowed)}."
    if step.status is StepStatus.DONE:
        return "Roll it back to do it again."
    return "Plan a new step instead."


def _check_ids(steps: tuple[SubTask, ...]) -> None:
    ids = [each.id for each in steps]
    if len(ids) > MAX_STEPS:
        raise InvalidError(f"The plan has {len(ids)} steps; at most {MAX_STEPS} are allowed.")
    for each in ids:
        if not each or ids.count(each) > 1:
            raise InvalidError(
                f"The plan's step id {each!r} is empty or used twice. Give each step its own.",
                field="steps",
            )


def _check_order(steps: tuple[SubTask, ...]) -> None:
    known = {each.id for each in steps}
    for each in steps:
        for other in each.after:
            if other not in known:
                raise InvalidError(
                    f"The plan's step {each.id!r} comes after {other!r}, which is not in the "
                    "plan. Add that step or leave it out of `after`.",
                    field="steps",
                )
    _check_circle(steps)


def _check_circle(steps: tuple[SubTask, ...]) -> None:
    left = list(steps)
    while left:
        waiting = {each.id for each in left}
        stuck = [each for each in left if waiting & set(each.after)]
        if len(stuck) == len(left):
            names = ", ".join(sorted(waiting))
            raise InvalidError(
                f"The plan's steps {names} wait for each other, so none could ever start. "
                "Take one out of another's `after`.",
                field="steps",
            )
        left = stuck
