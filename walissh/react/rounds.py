"""Rounds of a talk: a question with all that follows it. The model gets whole ones only."""

from collections.abc import Sequence
from dataclasses import replace

from walissh.react.turn import Message

INTERRUPTED = "[interrupted, outcome unknown: the command may or may not have run]"


def split(messages: Sequence[Message]) -> list[list[Message]]:
    """Return the rounds; what comes before the first question is left out."""
    rounds: list[list[Message]] = []
    for message in messages:
        if message.role == "user":
            rounds.append([message])
        elif rounds:
            rounds[-1].append(message)
    return rounds


def whole(messages: Sequence[Message]) -> list[Message]:
    """Return a round as a server takes it, whatever is stored: `repaired`, and more.

    No system message, calls by the assistant only, no call id twice in one reply.
    """
    return repaired([_plain(each) for each in messages if each.role != "system"])


def _plain(message: Message) -> Message:
    calls = {each.id: each for each in reversed(message.tool_calls)}
    kept = tuple(reversed(calls.values())) if message.role == "assistant" else ()
    of = message.tool_call_id if message.role == "tool" else None
    if kept == message.tool_calls and of == message.tool_call_id:
        return message
    return replace(message, tool_calls=kept, tool_call_id=of)


def repaired(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with each tool call answered right after it, and no stray answer.

    A call without a result (a process died) gets one that says so: a server refuses the
    whole request otherwise, and the model must not take silence for success.
    """
    clean: list[Message] = []
    for message, results in _with_results(messages):
        clean.append(message)
        for call in message.tool_calls:
            lost = Message("tool", INTERRUPTED, tool_call_id=call.id)
            clean.append(results.get(call.id, lost))
    return clean


def _with_results(
    messages: Sequence[Message],
) -> list[tuple[Message, dict[str | None, Message]]]:
    """Pair each message with the results that follow it: call ids repeat between replies."""
    pairs: list[tuple[Message, dict[str | None, Message]]] = []
    for message in messages:
        if message.role != "tool":
            pairs.append((message, {}))
        elif pairs:
            pairs[-1][1].setdefault(message.tool_call_id, message)
    return pairs
