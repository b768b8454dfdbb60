"""The last task, when its turn ended without an answer: what was run for it, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from walissh.react import attempts, rounds
from walissh.react.followed import Intended, Intent
from walissh.react.turn import DynamicContext, Message

MOST_RUNS = 12
MOST_ROUNDS = 4
_READERS = frozenset({"read_output", "search_history", "search_knowledge"})


@dataclass(frozen=True, slots=True)
class Ran:
    """One command and what its result says of its end."""

    host: str
    command: str
    state: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """*question* is the request that was cut off; *earlier* counts runs that are not listed."""

    question: str
    ran: tuple[Ran, ...]
    earlier: int


def of(context: DynamicContext) -> Unfinished | None:
    """Return the task that was cut off before this turn; None if the last one was answered.

    Turns that only went on with it belong to it.
    """
    told = _rounds(_before(context), context.tracked.intents[1:])
    if not told:
        return None
    messages = [message for each in told for message in rounds.repaired(each)]
    runs = [_ran(each) for each in attempts.of(messages) if each.host not in _READERS]
    return Unfinished(told[0][0].content, tuple(runs[-MOST_RUNS:]), max(len(runs) - MOST_RUNS, 0))


def is_cut_off(context: DynamicContext) -> bool:
    """Tell whether the last round before this turn has no answer."""
    before = _before(context)
    return bool(before) and not is_answered(before[-1])


def is_answered(messages: Sequence[Message]) -> bool:
    """Tell whether a round ended in words of the agent, not in the middle of its work."""
    last = messages[-1]
    return last.role == "assistant" and not last.tool_calls and not last.meta.get("partial")


def _before(context: DynamicContext) -> list[list[Message]]:
    turn_id = context.turn.id
    return rounds.split([each for each in context.history if each.turn_id != turn_id])


def _rounds(talk: Sequence[list[Message]], intents: Sequence[Intended]) -> list[list[Message]]:
    """Return the rounds of the unanswered task, oldest first; *intents* newest first."""
    found: list[list[Message]] = []
    for at, each in enumerate(reversed(talk[-MOST_ROUNDS:])):
        if is_answered(each):
            break
        found.insert(0, each)
        goes_on = at < len(intents) and intents[at].intent is Intent.CONTINUE
        if not goes_on:
            break
    return found


def _ran(attempt: attempts.Attempt) -> Ran:
    state = attempt.state or attempt.text.strip(" []")
    return Ran(attempt.host, attempt.command, state)
