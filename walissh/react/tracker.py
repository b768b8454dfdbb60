"""ContextTracker: the thread of a session, followed from message to message.

Ancestor: ContextTracker, which was in RAM. Here its state is a value, `Tracked`; where it is
kept is the store's affair. When it was lost it is rebuilt from the messages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from walissh.memory.working import ended
from walissh.react import referent, texts
from walissh.react.needs import Threads, Turns, Understanding
from walissh.react.tools import Outcome
from walissh.react.turn import (
    DynamicContext,
    Intended,
    Intent,
    Message,
    Tracked,
)

LAST_INTENTS = 20
LAST_HOSTS = 20
MAX_GOAL_CHARS = 500

_NEW_GOAL = frozenset({Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY, Intent.UNSAFE})
_GOES_ON = frozenset({Intent.CONTINUE, Intent.CONFIRM})


@dataclass(frozen=True, slots=True)
class ContextTracker:
    """Follows the thread; *understanding* says what a message is meant to do."""

    threads: Threads
    turns: Turns
    understanding: Understanding

    def follow(self, context: DynamicContext) -> DynamicContext:
        """Return *context* with the thread, brought up to the turn's question once."""
        turn = context.turn
        kept = self.threads.load(turn.session_id, turn.user_id) or rebuilt(context)
        if kept.turn_id == turn.id:
            return replace(context, tracked=kept)
        before = replace(context, tracked=kept)
        intended = turn.intended or self.understanding.intent_of(before)
        self.turns.note_intent(turn, intended)
        tracked = self.threads.save(turn.session_id, turn.user_id, taken_up(before, intended))
        return replace(context, turn=replace(turn, intended=intended), tracked=tracked)


def open_task(tracked: Tracked) -> bool:
    """Tell whether there is a plan with something left to do."""
    return bool(tracked.plan.steps) and not ended(tracked.plan)


def taken_up(context: DynamicContext, intended: Intended) -> Tracked:
    """Return the thread after the question of this turn."""
    kept, turn = context.tracked, context.turn
    named = [host.name for host in context.hosts if texts.names(turn.question, host.name)]
    meant = None if named else referent.resolve(turn.question, kept.hosts, context.hosts)
    pointed = list(meant.hosts) if meant and len(meant.hosts) == 1 else []
    hosts = dict.fromkeys([*named, *pointed, *kept.hosts])
    goes_on = intended.intent in _GOES_ON or bool(kept.pending)
    return replace(
        kept,
        intents=(intended, *kept.intents)[:LAST_INTENTS],
        hosts=tuple(hosts)[:LAST_HOSTS],
        service=referent.service(turn.question) or kept.service,
        goal=kept.goal if kept.goal and not _begins(intended, kept) else _goal(turn.question),
        pending=None,
        answered=kept.pending,
        meant=meant,
        resume=goes_on and open_task(kept),
        turn_id=turn.id,
    )


def _begins(intended: Intended, kept: Tracked) -> bool:
    return intended.intent in _NEW_GOAL and kept.pending is None


def _goal(question: str) -> str:
    return " ".join(question[: 4 * MAX_GOAL_CHARS].split())[:MAX_GOAL_CHARS]


def acted(tracked: Tracked, outcome: Outcome) -> Tracked:
    """Return the thread after the calls of a reply: the hosts used, the plan kept."""
    used = [each.host.name for each in outcome.proposals]
    return replace(
        tracked,
        hosts=tuple(dict.fromkeys([*reversed(used), *tracked.hosts]))[:LAST_HOSTS],
        plan=tracked.plan if outcome.plan is None else outcome.plan,
        version=tracked.version + 1,
    )


def rebuilt(context: DynamicContext) -> Tracked:
    """Return the thread as the messages tell it: for a session that has none kept."""
    before = [each for each in context.history if each.turn_id != context.turn.id]
    return Tracked(hosts=_hosts_in(before, context), goal=_last_goal(before))


def _hosts_in(messages: Sequence[Message], context: DynamicContext) -> tuple[str, ...]:
    """Return the hosts that were talked about, the last one first."""
    found: dict[str, None] = {}
    for message in reversed(messages):
        if message.role == "user":
            for host in context.hosts:
                if texts.names(message.content, host.name):
                    found.setdefault(host.name)
    return tuple(found)


def _last_goal(messages: Sequence[Message]) -> str:
    asked = [each.content for each in messages if each.role == "user"]
    return _goal(asked[-1]) if asked else ""
