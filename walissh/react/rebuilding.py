"""The thread of a session as its messages, commands and turns tell it, when none is kept."""

import json
from collections.abc import Iterable, Iterator, Sequence

from walissh.errors import BadPlanError, ConflictError, InvalidError, NotFoundError
from walissh.memory.working import TaskState
from walissh.react import plan, thread
from walissh.react.followed import Intent, Tracked
from walissh.react.needs import Commands, Turns
from walissh.react.turn import DynamicContext, Message, Turn

LAST_TURNS = 20
TURNS_WITH_COMMANDS = 5

_GOALS = frozenset({Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY, Intent.CORRECT})


def rebuilt(context: DynamicContext, turns: Turns, commands: Commands) -> Tracked:
    """Return the thread up to the turn before this one; an empty one before the first."""
    before = [each for each in context.history if each.turn_id != context.turn.id]
    last = _last_turns(before, turns)
    return Tracked(
        intents=tuple(each.intended for each in last if each.intended),
        hosts=tuple(dict.fromkeys(_hosts(before, context, commands)))[: thread.LAST_HOSTS],
        goal=_goal(last, before),
        plan=_plan(before),
        pending=last[0].asked if last else None,
        turn_id=last[0].id if last else "",
    )


def _last_turns(messages: Sequence[Message], turns: Turns) -> list[Turn]:
    """Return the last turns, the newest first."""
    ids = dict.fromkeys(each.turn_id for each in reversed(messages) if each.turn_id)
    found = (turns.get(each) for each in [*ids][:LAST_TURNS])
    return [each for each in found if each is not None]


def _hosts(
    messages: Sequence[Message], context: DynamicContext, commands: Commands
) -> Iterator[str]:
    """Yield the hosts that were spoken of or worked on, the last one first."""
    seen: set[str] = set()
    for message in reversed(messages):
        if message.role == "user":
            yield from thread.named(message.content, context.hosts)
        if message.turn_id not in seen and len(seen) < TURNS_WITH_COMMANDS:
            seen.add(message.turn_id)
            yield from (run.host for run in reversed(commands.of_turn(message.turn_id)))
    yield from reversed(context.summary.hosts)


def _goal(last: Sequence[Turn], messages: Sequence[Message]) -> str:
    """Return the last request that was one; of turns nobody judged, the last question."""
    begun = (t.question for t in last if t.intended is None or t.intended.intent in _GOALS)
    asked = (each.content for each in reversed(messages) if each.role == "user")
    return thread.goal_of(next(begun, None) or next(asked, ""))


def _plan(messages: Iterable[Message]) -> TaskState:
    """Return the plan that the calls of `update_plan` made."""
    state = TaskState()
    for call in (each for message in messages for each in message.tool_calls):
        if call.name == "update_plan":
            state = _applied(state, call.arguments)
    return state


def _applied(state: TaskState, written: str) -> TaskState:
    try:
        arguments = json.loads(written or "{}")
        return plan.updated(
            state, arguments.get("items", arguments), str(arguments.get("goal", ""))
        )
    except (ValueError, AttributeError, RecursionError):
        return state  # no JSON: it was refused then as well
    except (BadPlanError, InvalidError, ConflictError, NotFoundError):
        return state
