"""Plans that were left for another task: kept with the present one, the newest first.

They are notes of the plan, as plain data, so they are stored wherever it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from walissh.errors import WalisshError
from walissh.memory.working import StepStatus, SubTask, TaskState, is_open, planned

NOTE = "paused"
MOST = 3
"""An older one is dropped when another is left: nobody goes on with the fourth."""


def of(plan: TaskState) -> tuple[TaskState, ...]:
    """Return the plans that were left, the newest first."""
    kept = plan.notes.get(NOTE)
    found = [_state(each) for each in kept] if isinstance(kept, list | tuple) else []
    return tuple(each for each in found if each is not None)


def left(plan: TaskState) -> TaskState:
    """Return an empty plan beside which *plan* waits, if anything of it is left to do."""
    others = of(plan)
    return _with((alone(plan), *others) if is_open(plan) else others)


def taken(plan: TaskState, place: int) -> TaskState:
    """Return the paused plan at *place*, beside which the others and *plan* wait."""
    others = of(plan)
    waiting = [each for at, each in enumerate(others) if at != place]
    if is_open(plan):
        waiting.insert(0, alone(plan))
    chosen = others[place]
    return replace(chosen, notes={**chosen.notes, **_with(waiting).notes})


def alone(plan: TaskState) -> TaskState:
    """Return *plan* without those that wait beside it."""
    return replace(plan, notes={name: each for name, each in plan.notes.items() if name != NOTE})


def _with(others: Sequence[TaskState]) -> TaskState:
    return TaskState(notes={NOTE: [_data(each) for each in others[:MOST]]} if others else {})


def _data(plan: TaskState) -> dict[str, object]:
    return {"goal": plan.goal, "steps": [_row(each) for each in plan.steps]}


def _row(step: SubTask) -> dict[str, object]:
    return {
        "id": step.id,
        "title": step.title,
        "status": step.status.value,
        "after": list(step.after),
        "result": dict(step.result),
    }


def _state(data: object) -> TaskState | None:
    """Read one back; None if it is not what was written."""
    if not isinstance(data, Mapping):
        return None
    try:
        return planned(str(data["goal"]), [_step(each) for each in data["steps"]])
    except (KeyError, TypeError, ValueError, WalisshError):
        return None  # an older release wrote it otherwise: the rest of the thread still stands


def _step(row: Mapping[str, object]) -> SubTask:
    after, result = row["after"], row["result"]
    return SubTask(
        id=str(row["id"]),
        title=str(row["title"]),
        status=StepStatus(str(row["status"])),
        after=tuple(map(str, after)) if isinstance(after, list | tuple) else (),
        result=dict(result) if isinstance(result, Mapping) else {},
    )
