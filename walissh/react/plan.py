"""The plan of a task as the model keeps it: what `update_plan` makes of the one there was.

A model may change ids and wordings between two calls, send only what changed, or begin
another plan while one is open. Steps are known again by id and title; a plan that is left
waits (`react.paused`). The moves themselves are those of `memory.working`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from walissh.memory.working import (
    MAX_STEPS,
    StepStatus,
    SubTask,
    TaskState,
    is_open,
    moved,
    next_steps,
    planned,
    resumed,
    rolled_back,
)
from walissh.react import items as listed
from walissh.react import paused, topic
from walissh.react.items import Item

_OPEN = frozenset({StepStatus.PENDING, StepStatus.RUNNING, StepStatus.BLOCKED, StepStatus.FAILED})
_LOOSELY = 0.3
_CLOSELY = 0.75
"""How alike titles must be for one step, with the same id and without it."""

Matches = Mapping[int, SubTask]


def updated(plan: TaskState, items: object, goal: str) -> TaskState:
    """Return *plan* as the *items* of a call want it.

    Items that are all known change those steps and leave the others; with a new one among
    them the list is the whole plan: what was done stays, other steps left out are given
    up. Items of a paused plan take that one up again; items of neither begin a plan, and
    an open one is paused. Raises BadPlanError, InvalidError or
    ConflictError in words for the model.
    """
    wanted = listed.read(items)
    base = _meant(plan, wanted, goal)
    matches = _matched(wanted, base.steps)
    asked = _asked(wanted, matches, base)
    state = planned(base.goal or goal, _laid_out(base, asked, matches), base.notes)
    for each in _in_order(asked, state):
        state = _brought(state, each, asked)
    return _freed(state)


def next_step(plan: TaskState) -> SubTask | None:
    """Return the step to go on with: the one under way, else the first that can start.

    Failed steps, and what waits for them, are tried again; what waits for a person comes last.
    """
    under_way = next((s for s in plan.steps if s.status is StepStatus.RUNNING), None)
    ready = next_steps(resumed(plan))
    first = under_way or (ready[0] if ready else None)
    return first or next((s for s in plan.steps if s.status is StepStatus.BLOCKED), None)


# --- which plan is meant, and which of its steps ------------------------------------------


def _meant(plan: TaskState, wanted: Sequence[Item], goal: str) -> TaskState:
    """Return the plan that the items are of: the present, a paused one, or an empty one."""
    if _is_of(plan, wanted, goal):
        return plan
    for place, each in enumerate(paused.of(plan)):
        if _is_of(each, wanted, goal):
            return paused.taken(plan, place)
    return paused.left(plan)


def _is_of(plan: TaskState, wanted: Sequence[Item], goal: str) -> bool:
    if not plan.steps:
        return False
    ids = {each.id for each in plan.steps}
    titled = [each for each in wanted if each.title]
    if not titled:
        return any(each.id in ids for each in wanted)
    known = sum(any(topic.alike(item.title, step.title) for step in plan.steps) for item in titled)
    if 2 * known >= len(titled):
        return True
    return is_open(plan) and bool(goal) and topic.alike(goal, plan.goal)


def _matched(wanted: Sequence[Item], steps: Sequence[SubTask]) -> Matches:
    """Return the step that each item is, by the item's place; new ones are left out."""
    found: dict[int, SubTask] = {}

    def take(fits: float, *, same_id: bool) -> None:
        for place, item in enumerate(wanted):
            if place in found:
                continue
            taken = {each.id for each in found.values()}
            free = [s for s in steps if s.id not in taken and (s.id == item.id or not same_id)]
            best = max(free, key=lambda step: _fit(item, step), default=None)
            if best is not None and _fit(item, best) >= fits:
                found[place] = best

    take(1.0, same_id=True)
    take(1.0, same_id=False)
    take(_LOOSELY, same_id=True)
    take(_CLOSELY, same_id=False)
    take(0.0, same_id=True)
    return found


def _fit(item: Item, step: SubTask) -> float:
    """Return how well an item fits a step, from 0 to 1; below 0 it is another one.

    What is done is not taken for a step of quite another title: that one would never be done.
    """
    if not item.title:
        return 1.0 if item.id == step.id else -1.0
    if topic.same(item.title, step.title):
        return 1.0
    fit = topic.likeness(item.title, step.title)
    settled = step.status not in _OPEN and item.status is not step.status
    return -1.0 if settled and fit < _LOOSELY else min(fit, 0.99)


# --- the new list -------------------------------------------------------------------------


def _asked(wanted: Sequence[Item], matches: Matches, plan: TaskState) -> dict[str, Item]:
    """Return the items under the ids of their steps, which also their *after* names."""
    ids: dict[int, str] = {place: step.id for place, step in matches.items()}
    used = {each.id for each in plan.steps}
    for place, item in enumerate(wanted):
        if place not in ids:
            ids[place] = item.id if item.id and item.id not in used else _free(used)
            used.add(ids[place])
    names = {topic.plain(each.title): each.id for each in plan.steps}
    names |= {topic.plain(item.title): ids[place] for place, item in enumerate(wanted)}
    names |= {item.id: ids[place] for place, item in enumerate(wanted) if item.id}
    return {
        ids[place]: replace(item, id=ids[place], after=_renamed(item.after, names))
        for place, item in enumerate(wanted)
    }


def _renamed(after: tuple[str, ...] | None, names: Mapping[str, str]) -> tuple[str, ...] | None:
    if after is None:
        return None
    return tuple(names.get(each, names.get(topic.plain(each), each)) for each in after)


def _free(used: set[str]) -> str:
    return next(str(n) for n in range(1, len(used) + 2) if str(n) not in used)


def _laid_out(plan: TaskState, asked: Mapping[str, Item], matches: Matches) -> list[SubTask]:
    """Return the steps of the new list as they stand now, in its order."""
    known = {each.id: each for each in plan.steps}
    if len(matches) == len(asked):
        return [
            _as_asked(each, asked[each.id]) if each.id in asked else each for each in plan.steps
        ]
    kept = [
        replace(step, after=(), status=_given_up(step.status))
        for step in plan.steps
        if step.id not in asked and (step.status is not StepStatus.CANCELLED or step.result)
    ]
    kept = kept[max(len(kept) + len(asked) - MAX_STEPS, 0) :]
    there = {each.id for each in kept} | set(asked)
    return [
        *kept,
        *(
            _as_asked(_within(known[step_id], there), item) if step_id in known else _new(item)
            for step_id, item in asked.items()
        ),
    ]


def _given_up(status: StepStatus) -> StepStatus:
    return StepStatus.CANCELLED if status in _OPEN else status


def _within(step: SubTask, there: set[str]) -> SubTask:
    return replace(step, after=tuple(each for each in step.after if each in there))


def _as_asked(step: SubTask, item: Item) -> SubTask:
    after = step.after if item.after is None else item.after
    return replace(step, title=item.title or step.title, after=after)


def _new(item: Item) -> SubTask:
    return SubTask(item.id, item.title or item.id, after=item.after or ())


def _in_order(asked: Mapping[str, Item], state: TaskState) -> list[Item]:
    """Return the items so that each comes behind those that it waits for."""
    left, ordered = dict(asked), list[Item]()
    while left:
        ready = [
            step_id for step_id in left if not set(state.step(step_id).after) & set(left)
        ] or list(left)
        ordered += [left.pop(step_id) for step_id in ready]
    return ordered


# --- the moves ----------------------------------------------------------------------------


def _brought(state: TaskState, item: Item, asked: Mapping[str, Item]) -> TaskState:
    """Return *state* with one step as wanted; a model may leave out what lies between."""
    now = state.step(item.id).status
    wanted = now if item.status is None else item.status
    if wanted is not now and not _is_idle(state, item, asked):
        state = _on_the_way(state, item.id, wanted)
        for status in _way(state.step(item.id).status, wanted):
            state = moved(state, item.id, status)
    return _with_result(state, item)


def _is_idle(state: TaskState, item: Item, asked: Mapping[str, Item]) -> bool:
    """Tell whether a state is only copied from before: nothing moves by it."""
    now = state.step(item.id).status
    if now is StepStatus.DONE and item.status is StepStatus.PENDING:
        # a list copied from its beginning undoes nothing; one among others that stay does
        stay = any(
            each.status is StepStatus.DONE and state.step(each.id).status is StepStatus.DONE
            for each in asked.values()
        )
        return not (item.again or stay)
    if now is StepStatus.DONE:
        return item.status in (StepStatus.SKIPPED, StepStatus.CANCELLED)
    if now is StepStatus.BLOCKED and item.status is StepStatus.PENDING:
        return _waits_for_failed(state, item.id)
    return False


def _waits_for_failed(state: TaskState, step_id: str) -> bool:
    waiting, seen = [step_id], set[str]()
    while waiting:
        step = state.step(waiting.pop())
        if step.status is StepStatus.FAILED and step.id != step_id:
            return True
        waiting += [each for each in step.after if each not in seen]
        seen |= set(step.after)
    return False


def _on_the_way(state: TaskState, step_id: str, wanted: StepStatus) -> TaskState:
    """Undo what stands between a step and the wanted state: its failure, its end."""
    now = state.step(step_id).status
    undoes = wanted in (StepStatus.PENDING, StepStatus.FAILED)
    if (now is StepStatus.DONE and undoes) or now is StepStatus.FAILED:
        return rolled_back(state, step_id)
    if now is StepStatus.CANCELLED or (now is StepStatus.RUNNING and wanted is StepStatus.PENDING):
        return _put(state, replace(state.step(step_id), status=StepStatus.PENDING))
    if now is StepStatus.RUNNING and wanted is StepStatus.SKIPPED:
        return moved(state, step_id, StepStatus.BLOCKED)
    return state


def _way(now: StepStatus, wanted: StepStatus) -> tuple[StepStatus, ...]:
    if now is wanted:
        return ()
    way = (StepStatus.PENDING,) if now is StepStatus.SKIPPED else ()
    if wanted is StepStatus.PENDING:
        return way or (wanted,)
    if wanted in (StepStatus.DONE, StepStatus.FAILED) and now is not StepStatus.RUNNING:
        return (*way, StepStatus.RUNNING, wanted)
    return (*way, wanted)


def _with_result(state: TaskState, item: Item) -> TaskState:
    if not item.result:
        return state
    step = state.step(item.id)
    return _put(state, replace(step, result={**step.result, "text": item.result}))


def _freed(state: TaskState) -> TaskState:
    """Return *state* in which nothing waits for a step that was given up."""
    off = {each.id for each in state.steps if each.status is StepStatus.CANCELLED}
    for each in state.steps:
        if off & set(each.after):
            state = _put(state, replace(each, after=tuple(a for a in each.after if a not in off)))
    return state


def _put(state: TaskState, step: SubTask) -> TaskState:
    steps = tuple(step if each.id == step.id else each for each in state.steps)
    return replace(state, steps=steps)
