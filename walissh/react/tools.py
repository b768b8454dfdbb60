"""The tools of the model, and what each call comes to: commands to judge, or an answer."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from walissh.errors import (
    BadPlanError,
    ConflictError,
    InvalidError,
    NotFoundError,
    WalisshError,
)
from walissh.memory.entry import Proposed
from walissh.memory.working import TaskState
from walissh.react import flagging, plan
from walissh.react.followed import Asked
from walissh.react.host import Host
from walissh.react.needs import Commands, Gate, Mind
from walissh.react.offered import ASK_USER, MAX_LINES, RUN_COMMAND, RUN_PLAYBOOK, every
from walissh.react.turn import (
    CommandRun,
    CommandStatus,
    Decision,
    DynamicContext,
    Message,
    Proposal,
    ToolCall,
)
from walissh.safety import condense, placeholders, purify

MAX_HOSTS = 50
MAX_PAGE_CHARS = 12_000
MAX_COMMAND_CHARS = 100_000
MAX_SAID_CHARS = 600
MAX_GOAL_CHARS = 500
MAX_ASKED_CHARS = 2_000
MAX_CHOICES = 10
MAX_CHOICE_CHARS = 200
STARTED = "[playbook started"
"""How the answer to a call of run_playbook begins, unless it is an error."""


class BadCallError(WalisshError):
    """The call cannot be carried out; its text goes back to the model."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where the calls of one reply are carried out; *playbooks* are titles by name."""

    context: DynamicContext
    gate: Gate
    commands: Commands
    mind: Mind
    limit_s: int
    playbooks: Mapping[str, str] = field(default_factory=dict)

    @property
    def user_id(self) -> str:
        """Whose turn it is."""
        return self.context.turn.user_id


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the calls of one reply come to.

    *answers* holds, by call id, the text for each call that is not a command. With *asked*
    nothing is run: the turn ends, and the person's next message goes on from there.
    """

    proposals: tuple[Proposal, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    plan: TaskState | None = None
    asked: Asked | None = None


def carry_out(calls: Sequence[ToolCall], room: Room) -> Outcome:
    """Return the judged commands, the answers of all other calls, and what else they change."""
    outcome = Outcome(plan=room.context.tracked.plan)
    # questions first: what is asked decides whether anything is run
    for call in sorted(calls, key=lambda each: each.name != ASK_USER.name):
        try:
            if outcome.asked is not None and call.name in (RUN_COMMAND.name, RUN_PLAYBOOK):
                raise BadCallError("not run: the person is asked first")
            outcome = _one(call, room, outcome)
        except (BadCallError, BadPlanError, InvalidError, ConflictError, NotFoundError) as error:
            outcome = _answered(outcome, call, f"[error: {error}]")
    return outcome


def _answered(outcome: Outcome, call: ToolCall, text: str) -> Outcome:
    return replace(outcome, answers={**outcome.answers, call.id: text})


def _one(call: ToolCall, room: Room, outcome: Outcome) -> Outcome:
    arguments = _arguments(call)
    match call.name:
        case "run_command":
            found = _commands(call, arguments, room)
            return replace(outcome, proposals=(*outcome.proposals, *found))
        case "read_output":
            return _answered(outcome, call, _output(arguments, room))
        case "search_history":
            return _answered(outcome, call, _search(arguments, room))
        case "remember":
            return _answered(outcome, call, _remember(arguments, room))
        case "update_plan":
            return _planned(call, arguments, outcome, room)
        case "ask_user":
            return _asked(call, arguments, outcome)
        case "run_playbook" if room.playbooks:
            return _answered(outcome, call, _start_playbook(arguments, room))
    names = ", ".join(tool.name for tool in every(room.playbooks))
    raise BadCallError(f"there is no tool {call.name!r}; use one of: {names}")


def ran_playbook(context: DynamicContext) -> bool:
    """Tell whether this turn ran a playbook: its brain then sends less than it is given."""
    return any(
        call.name == RUN_PLAYBOOK
        for message in context.history
        if message.turn_id == context.turn.id
        for call in message.tool_calls
    )


def _start_playbook(arguments: Mapping[str, Any], room: Room) -> str:
    """Take the call; the brain that offered it asks for the commands, step by step."""
    name = _text(arguments, "name")
    if name not in room.playbooks:
        raise BadCallError(
            f"there is no playbook {name!r}; use one of: {', '.join(room.playbooks)}"
        )
    hosts = ", ".join(host.name for host in _hosts(arguments, room.context.hosts))
    return f"{STARTED}: {name} on {hosts}; its commands follow]"


def _planned(call: ToolCall, arguments: Mapping[str, Any], outcome: Outcome, room: Room) -> Outcome:
    goal = purify.clean(_text(arguments, "goal")).strip()[:MAX_GOAL_CHARS]
    old = outcome.plan or TaskState()
    state = plan.updated(old, arguments.get("items", arguments), goal or room.context.tracked.goal)
    following = plan.next_step(state)
    told = f"next: {following.id} {following.title}" if following else "nothing is left to do"
    return _answered(replace(outcome, plan=state), call, f"[the plan is kept; {told}]")


def _asked(call: ToolCall, arguments: Mapping[str, Any], outcome: Outcome) -> Outcome:
    """Take the question; of several, the first is asked."""
    if outcome.asked is not None:
        raise BadCallError("one question at a time: this one was not asked")
    question = purify.clean(_text(arguments, "question")).strip()[:MAX_ASKED_CHARS]
    if not question:
        raise BadCallError("question is empty")
    asked = Asked(question, _choices(arguments))
    told = "[asked; the person's next message is the answer]"
    return _answered(replace(outcome, asked=asked), call, told)


def _choices(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    given = arguments.get("choices", arguments.get("options", []))
    if not isinstance(given, list):
        raise BadCallError("choices must be a list of texts")
    sound = (str(each).encode("utf-8", "replace").decode() for each in given)
    texts = (purify.clean(each).replace("\0", "").strip() for each in sound)
    return tuple(dict.fromkeys(each[:MAX_CHOICE_CHARS] for each in texts if each))[:MAX_CHOICES]


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
    given = room.context
    verdict = room.gate.judge(command, host, given.turn.language, given.circumstances)
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
    page = condense.page(lines, max_chars=MAX_PAGE_CHARS, language=room.context.turn.language)
    head = f"[output of {run.id} on {run.host}: {run.output_lines} lines in all]"
    if notice := flagging.notice(run, room.context.turn.language):
        head = f"{head}\n{notice}"
    more = f"\n[not all of these lines fit; go on from line {page.next_line}]"
    return f"{head}\n{_fenced(page.text)}{more if page.next_line else ''}"


def _search(arguments: Mapping[str, Any], room: Room) -> str:
    query = _text(arguments, "query")
    if not query.strip():
        raise BadCallError("query is empty")
    found = room.mind.search(room.user_id, query)
    if not found:
        return "[nothing was said about that in earlier talks]"
    told = "\n\n".join(_said(each) for each in found)
    return f"[said in earlier talks, best match first]\n{_fenced(placeholders.plain(told))}"


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
    # another session's output has its own numbers of secrets, and its orders bind that session
    if run is None or run.user_id != room.user_id or run.session_id != room.context.session.id:
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
