"""The plan of a task as the model keeps it: what `update_plan` makes of the one there was.

Models write the same thing in several ways, so the keys and the states are read widely; the
moves themselves are those of `memory.working`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from walissh.errors import InvalidError
from walissh.memory.working import (
    StepStatus,
    SubTask,
    TaskState,
    moved,
    next_steps,
    planned,
    resumed,
    rolled_back,
)

MAX_ITEMS = 50
MAX_TITLE_CHARS = 300
MAX_RESULT_CHARS = 500

_TITLES = ("title", "step", "task", "content", "text", "description", "name")
_STATES = ("status", "state")
_AFTER = ("after", "depends_on", "needs", "dependencies")
_RESULTS = ("result", "note", "outcome")
_STATUS: Mapping[str, StepStatus] = {
    "todo": StepStatus.PENDING,
    "open": StepStatus.PENDING,
    "waiting": StepStatus.PENDING,
    "not_started": StepStatus.PENDING,
    "in_progress": StepStatus.RUNNING,
    "doing": StepStatus.RUNNING,
    "active": StepStatus.RUNNING,
    "started": StepStatus.RUNNING,
    "completed": StepStatus.DONE,
    "complete": StepStatus.DONE,
    "finished": StepStatus.DONE,
    "success": StepStatus.DONE,
    "error": StepStatus.FAILED,
    "canceled": StepStatus.CANCELLED,
    "dropped": StepStatus.CANCELLED,
    **{each.value: each for each in StepStatus},
}


def updated(plan: TaskState, items: object, goal: str) -> TaskState:
    """Return *plan* as the *items* of a call want it.

    An item is a text, or an object with a title and, if it says more, an id, a status, what
    it comes after and a result. The list is the whole plan: steps that are not in it any
    more are given up, but what was done stays. Raises InvalidError or ConflictError in
    words for the model.
    """
    wanted = _steps(items, plan)
    known = {each.id: each for each in plan.steps}
    shared = any(each.id in known for each in wanted)
    begun = [replace(each, status=StepStatus.PENDING, result={}) for each in wanted]
    fresh = [
        replace(known[each.id], title=each.title, after=each.after) if each.id in known else each
        for each in begun
    ]
    given = {each.id for each in wanted}
    kept = [
        replace(each, after=())
        for each in plan.steps
        if shared and each.id not in given and each.status is StepStatus.DONE
    ]
    state = planned(goal if not shared else plan.goal or goal, [*kept, *fresh], plan.notes)
    for each in wanted:
        state = _brought(state, each)
    return state


def next_step(plan: TaskState) -> SubTask | None:
    """Return the step to go on with: the one under way, else the first that can start.

    Failed steps, and what waits for them, are tried again.
    """
    for each in plan.steps:
        if each.status is StepStatus.RUNNING:
            return each
    ready = next_steps(resumed(plan))
    return ready[0] if ready else None


def _brought(state: TaskState, wanted: SubTask) -> TaskState:
    """Return *state* with one step as wanted; a model may leave out what lies between."""
    now = state.step(wanted.id).status
    if now is wanted.status:
        return _with_result(state, wanted)
    if wanted.status is StepStatus.PENDING and now is StepStatus.DONE:
        return rolled_back(state, wanted.id)
    for status in _way(now, wanted.status):
        state = moved(state, wanted.id, status)
    return _with_result(state, wanted)


def _way(now: StepStatus, wanted: StepStatus) -> tuple[StepStatus, ...]:
    if wanted in (StepStatus.DONE, StepStatus.FAILED) and now is not StepStatus.RUNNING:
        return (*_to_pending(now), StepStatus.RUNNING, wanted)
    if wanted is StepStatus.RUNNING:
        return (*_to_pending(now), wanted)
    return (wanted,)


def _to_pending(now: StepStatus) -> tuple[StepStatus, ...]:
    return (StepStatus.PENDING,) if now in (StepStatus.FAILED, StepStatus.SKIPPED) else ()


def _with_result(state: TaskState, wanted: SubTask) -> TaskState:
    if not wanted.result:
        return state
    steps = (
        replace(each, result={**each.result, **wanted.result}) if each.id == wanted.id else each
        for each in state.steps
    )
    return replace(state, steps=tuple(steps))


# --- what the model wrote -------------------------------------------------------------


def _steps(items: object, plan: TaskState) -> list[SubTask]:
    if not isinstance(items, list) or not items:
        raise InvalidError("items must be a list with one entry for each step of the plan")
    if len(items) > MAX_ITEMS:
        raise InvalidError(f"a plan has at most {MAX_ITEMS} steps; sum some of them up")
    steps: list[SubTask] = []
    for item in items:
        steps.append(_step(item, plan, [each.id for each in steps]))
    return steps


def _step(item: object, plan: TaskState, taken: Sequence[str]) -> SubTask:
    fields = {"title": item} if isinstance(item, str) else item
    if not isinstance(fields, dict):
        raise InvalidError("each item must be a text or an object with a title")
    title = _text(fields, _TITLES)[:MAX_TITLE_CHARS]
    step_id = str(fields.get("id") or "").strip()[:40] or _id_of(title, plan, taken)
    known = next((each for each in plan.steps if each.id == step_id), None)
    title = title or (known.title if known else "")
    if not title:
        raise InvalidError("each item needs a title")
    result = _text(fields, _RESULTS)[:MAX_RESULT_CHARS]
    return SubTask(
        id=step_id,
        title=title,
        status=_status(fields, known),
        after=_after(fields, known),
        result={"text": result} if result else {},
    )


def _id_of(title: str, plan: TaskState, taken: Sequence[str]) -> str:
    """Return the id of the step of that title, else the next free number."""
    same = (each.id for each in plan.steps if each.title == title and each.id not in taken)
    used = {*taken, *(each.id for each in plan.steps)}
    free = (str(number) for number in range(1, len(used) + 2) if str(number) not in used)
    return next(same, None) or next(free)


def _status(fields: Mapping[str, object], known: SubTask | None) -> StepStatus:
    word = _text(fields, _STATES).lower().replace(" ", "_").replace("-", "_")
    if not word:
        return known.status if known else StepStatus.PENDING
    if word not in _STATUS:
        names = ", ".join(each.value for each in StepStatus)
        raise InvalidError(f"there is no status {word!r}; use one of: {names}")
    return _STATUS[word]


def _after(fields: Mapping[str, object], known: SubTask | None) -> tuple[str, ...]:
    for name in _AFTER:
        value = fields.get(name)
        if isinstance(value, list):
            return tuple(str(each) for each in value)
        if isinstance(value, str | int) and str(value).strip():
            return (str(value).strip(),)
    return known.after if known else ()


def _text(fields: Mapping[str, object], names: Sequence[str]) -> str:
    found = (fields[name] for name in names if isinstance(fields.get(name), str))
    return " ".join(str(next(found, "")).replace("\0", "").split())
