"""What the messages of the present turn say: the question, and the results so far."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from walissh.brain.diagnose import Result
from walissh.react.turn import Message, ToolCall

RUN_COMMAND = "run_command"


class Observed(Protocol):
    """One block of a tool message: ``react.observation.Observation``."""

    @property
    def command_id(self) -> str:
        """The run's id."""

    @property
    def host(self) -> str:
        """The host's name."""

    @property
    def state(self) -> str:
        """How it ended, in words."""

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None if it did not end by itself."""

    @property
    def text(self) -> str:
        """The visible part of its output."""


Read = Callable[[str], Sequence[Observed]]
Results = Mapping[tuple[str, str], Result]
"""Results by (host, command as it was asked for)."""


@dataclass(frozen=True, slots=True)
class Round:
    """The last question and what has been run for it."""

    question: str
    results: Results


@dataclass(frozen=True, slots=True)
class _Asked:
    command: str
    hosts: tuple[str, ...]


def current(messages: Sequence[Message], read: Read) -> Round:
    """Return the round that began with the last user message; "" if there is none."""
    start = max((i for i, each in enumerate(messages) if each.role == "user"), default=-1)
    if start < 0:
        return Round("", {})
    tail = messages[start + 1 :]
    asked = {
        call.id: order
        for message in tail
        for call in message.tool_calls
        if (order := _asked(call)) is not None
    }
    results: dict[tuple[str, str], Result] = {}
    for message in tail:
        order = asked.get(message.tool_call_id or "") if message.role == "tool" else None
        if order is not None:
            results |= _results(order, message.content, read)
    return Round(messages[start].content, results)


def of_host(results: Results, host: str) -> dict[str, Result]:
    """Return the results of *host* by command."""
    return {command: result for (name, command), result in results.items() if name == host}


def _asked(call: ToolCall) -> _Asked | None:
    if call.name != RUN_COMMAND:
        return None
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("command"), str):
        return None
    return _Asked(given["command"], _host_names(given.get("host"), given.get("hosts")))


def _host_names(host: object, hosts: object) -> tuple[str, ...]:
    many: Iterable[object] = hosts if isinstance(hosts, list) else [host]
    return tuple(each for each in many if isinstance(each, str))


def _results(order: _Asked, content: str, read: Read) -> dict[tuple[str, str], Result]:
    """Read one tool message; a host without a block there has the text as its state."""
    seen = {
        (each.host, order.command): Result(each.command_id, each.state, each.exit_code, each.text)
        for each in read(content)
    }
    words = " ".join(content.split())[:300]
    lost = {(host, order.command): Result("", words, None, "") for host in order.hosts}
    return lost | seen
