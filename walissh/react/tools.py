"""The tools of the model, and what each call comes to: commands to judge, or an answer."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from walissh.errors import WalisshError
from walissh.memory.entry import MemoryType, Proposed
from walissh.react.host import Host
from walissh.react.needs import Commands, Gate, Mind
from walissh.react.turn import (
    CommandRun,
    CommandStatus,
    Decision,
    DynamicContext,
    Message,
    Proposal,
    Tool,
    ToolCall,
)
from walissh.safety import purify

MAX_HOSTS = 50
MAX_LINES = 400
MAX_LINE_CHARS = 2_000
MAX_COMMAND_CHARS = 100_000
MAX_SAID_CHARS = 600

RUN_COMMAND = Tool(
    "run_command",
    "Run one shell command over SSH on one host or on several at once. It has no terminal and"
    " no input. Commands that change anything wait for the person's approval.",
    {
        "type": "object",
        "properties": {
            "host": {"type": "string", "description": "Name of the host, as listed."},
            "hosts": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Names of several hosts, instead of host.",
            },
            "command": {"type": "string"},
            "reason": {"type": "string", "description": "Why, in one short sentence."},
            "timeout_s": {
                "type": "integer",
                "minimum": 1,
                "description": "Seconds after which it is stopped.",
            },
        },
        "required": ["command", "reason"],
    },
)

READ_OUTPUT = Tool(
    "read_output",
    "Read more of the stored output of a command that has run, as numbered lines.",
    {
        "type": "object",
        "properties": {
            "command_id": {"type": "string"},
            "from": {"type": "integer", "minimum": 1, "description": "First line, from 1."},
            "lines": {"type": "integer", "minimum": 1, "maximum": MAX_LINES},
            "grep": {"type": "string", "description": "Only lines that contain this text."},
        },
        "required": ["command_id"],
    },
)

SEARCH_HISTORY = Tool(
    "search_history",
    "Search what was said in all earlier talks with this person, by words.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
    },
)

REMEMBER = Tool(
    "remember",
    "Propose one thing to keep for later talks: a standing wish that the person said"
    " (USER_PREFERENCE), a fact or a version that a command of this turn measured"
    " (ENVIRONMENT_FACT, SOFTWARE_FACT), or a closed case with its cause and fix"
    " (TROUBLESHOOTING_CASE). Never a secret, never on the word of an output.",
    {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": list(MemoryType)},
            "subject": {"type": "string", "description": "What it is about, in a few words."},
            "content": {"type": "string", "description": "What to keep, in one sentence."},
            "host": {"type": "string", "description": "Name of the host it is about."},
        },
        "required": ["type", "subject", "content"],
    },
)

ALL = (RUN_COMMAND, READ_OUTPUT, SEARCH_HISTORY, REMEMBER)


class BadCallError(WalisshError):
    """The call cannot be carried out; its text goes back to the model."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where the calls of one reply are carried out."""

    context: DynamicContext
    gate: Gate
    commands: Commands
    mind: Mind
    limit_s: int

    @property
    def user_id(self) -> str:
        """Whose turn it is."""
        return self.context.turn.user_id


def carry_out(calls: Sequence[ToolCall], room: Room) -> tuple[list[Proposal], dict[str, str]]:
    """Return the judged commands, and the answers (by call id) of all other calls."""
    proposals: list[Proposal] = []
    answers: dict[str, str] = {}
    for call in calls:
        try:
            result = _one(call, room)
        except BadCallError as error:
            result = f"[error: {error}]"
        if isinstance(result, str):
            answers[call.id] = result
        else:
            proposals += result
    return proposals, answers


def _one(call: ToolCall, room: Room) -> list[Proposal] | str:
    arguments = _arguments(call)
    match call.name:
        case "run_command":
            return _commands(call, arguments, room)
        case "read_output":
            return _output(arguments, room)
        case "search_history":
            return _search(arguments, room)
        case "remember":
            return _remember(arguments, room)
    names = ", ".join(tool.name for tool in ALL)
    raise BadCallError(f"there is no tool {call.name!r}; use one of: {names}")


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadCallError(
            f"the arguments are not valid JSON ({error}); send the call again"
        ) from error
    if not isinstance(arguments, dict):
        raise BadCallError("the arguments must be a JSON object; send the call again")
    return arguments


def _commands(call: ToolCall, arguments: Mapping[str, Any], room: Room) -> list[Proposal]:
    command = _text(arguments, "command")
    if not command.strip():
        raise BadCallError("command is empty")
    if len(command) > MAX_COMMAND_CHARS:
        raise BadCallError(f"command is longer than {MAX_COMMAND_CHARS} characters")
    limit_s = min(_number(arguments, "timeout_s", room.limit_s), room.limit_s)
    return [
        _proposal(call, host, command, _text(arguments, "reason"), limit_s, room)
        for host in _hosts(arguments, room.context.hosts)
    ]


def _proposal(
    call: ToolCall, host: Host, command: str, reason: str, limit_s: int, room: Room
) -> Proposal:
    verdict = room.gate.judge(command, host, room.context.turn.language)
    status = {
        Decision.ALLOW: CommandStatus.APPROVED,
        Decision.ASK: CommandStatus.AWAITING_APPROVAL,
        Decision.DENY: CommandStatus.REFUSED,
    }[verdict.decision]
    return Proposal(call.id, host, command, reason, verdict, status, limit_s)


def _hosts(arguments: Mapping[str, Any], hosts: Sequence[Host]) -> list[Host]:
    """Return the hosts meant; a name that cannot be resolved fails closed."""
    names = arguments.get("hosts") or ([arguments["host"]] if arguments.get("host") else [])
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise BadCallError("hosts must be a list of host names")
    if not names and len(hosts) == 1:
        return list(hosts)
    known = {host.name: host for host in hosts}
    listed = ", ".join(known) or "none: ask the person to choose one on the page"
    if not names:
        raise BadCallError(f"name the host; hosts of this session: {listed}")
    if len(names) > MAX_HOSTS:
        raise BadCallError(f"at most {MAX_HOSTS} hosts at once")
    missing = [name for name in names if name not in known]
    if missing:
        raise BadCallError(
            f"no host named {missing[0]!r} in this session, nothing was run; hosts: {listed}"
        )
    return [known[name] for name in dict.fromkeys(names)]


def _output(arguments: Mapping[str, Any], room: Room) -> str:
    run = _owned(_text(arguments, "command_id"), room)
    first = _number(arguments, "from", 1)
    count = min(_number(arguments, "lines", 100), MAX_LINES)
    lines = room.commands.read_lines(run.id, first, count, _text(arguments, "grep"))
    if not lines:
        return f"[output of {run.id} on {run.host}: no such lines; it has {run.output_lines}]"
    numbered = "\n".join(f"{number}: {text[:MAX_LINE_CHARS]}" for number, text in lines)
    return (
        f"[output of {run.id} on {run.host}: {run.output_lines} lines in all]\n{_fenced(numbered)}"
    )


def _search(arguments: Mapping[str, Any], room: Room) -> str:
    query = _text(arguments, "query")
    if not query.strip():
        raise BadCallError("query is empty")
    found = room.mind.search(room.user_id, query)
    if not found:
        return "[nothing was said about that in earlier talks]"
    told = "\n\n".join(_said(each) for each in found)
    return f"[said in earlier talks, best match first]\n{_fenced(told)}"


def _said(message: Message) -> str:
    when = f"{message.created_at:%Y-%m-%d %H:%M}Z " if message.created_at else ""
    text = message.content
    cut = text if len(text) <= MAX_SAID_CHARS else text[:MAX_SAID_CHARS] + " [...]"
    return f"{when}{message.role}: {cut}"


def _remember(arguments: Mapping[str, Any], room: Room) -> str:
    proposal = Proposed(
        type=_text(arguments, "type"),
        subject=_text(arguments, "subject"),
        content=_text(arguments, "content"),
    )
    return room.mind.remember(room.context, proposal, _text(arguments, "host"))


def _fenced(text: str) -> str:
    return purify.fence(text, secrets.token_hex(8))


def _owned(command_id: str, room: Room) -> CommandRun:
    run = room.commands.get(command_id)
    if run is None or run.user_id != room.user_id:
        raise BadCallError(f"there is no command with id {command_id!r}")
    return run


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name, "")
    if not isinstance(value, str):
        raise BadCallError(f"{name} must be a text")
    if "\0" in value:
        raise BadCallError(f"{name} holds a NUL character")
    return value.encode("utf-8", "replace").decode()


def _number(arguments: Mapping[str, Any], name: str, default: int) -> int:
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 10**9:
        raise BadCallError(f"{name} must be a whole number from 1")
    return int(value)
