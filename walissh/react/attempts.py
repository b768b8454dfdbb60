"""What the tool messages of a talk tell of each command: where it ran and how it ended."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, Final

from walissh.react import observation
from walissh.react.turn import Message, ToolCall

RUN_COMMAND: Final = "run_command"

_ASSIGNMENT = re.compile(r"\w+=\S*")
_WRAPPERS: Final = {"sudo", "env", "nice", "nohup", "time", "stdbuf", "timeout", "ionice"}
_PREPARING: Final = {"cd", "set", "export", "umask", "echo", "true"}
_STEPS: Final = re.compile(r"&&|\|\||;")
_READERS: Final = {"read_output", "search_history", "search_knowledge"}
_FAMILIES: Final = {
    *("apt", "apt-get", "brew", "cargo", "crictl", "dnf", "docker", "git", "helm", "ip", "kubectl"),
    *("nmcli", "npm", "openssl", "pip", "podman", "redis-cli", "service", "snap", "systemctl"),
    *("yum", "zypper"),
}
"""Programs that are many: the first word after them says which is meant."""

_VALUED: Final = {"-n", "-C", "-c", "-H", "-l", "--namespace", "--context"}
"""Options of those that take the next word with them."""

_ANSWERS: Final = {
    *("[", "cmp", "command", "diff", "egrep", "fgrep", "getent", "grep", "hash", "nc", "pgrep"),
    *("pidof", "ping", "rg", "service", "systemctl", "test", "type", "which", "zgrep"),
}
"""Programs that answer a question by their exit code: another one than 0 is no failure."""

_NOT_RUN: Final = ("it never ran", "refused by the gate")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One command on one host as a tool message tells it.

    *place* is the message's place, *start* to *end* where in its text it is told. *worked* is
    None if the end says nothing (denied, cancelled, unknown, an answer by the exit code).
    """

    place: int
    start: int
    end: int
    command_id: str
    host: str
    command: str
    state: str
    text: str
    exit_code: int | None
    worked: bool | None
    is_block: bool

    @property
    def purpose(self) -> tuple[str, str]:
        """The host and the program, which make two attempts ones at the same thing."""
        return self.host, program(self.command)


def of(messages: Sequence[Message], first: int = 0) -> list[Attempt]:
    """Return the attempts that the messages from place *first* on tell of, in order."""
    found: list[Attempt] = []
    calls: dict[str, ToolCall] = {}
    for place in range(first, len(messages)):
        message = messages[place]
        if message.role != "tool":
            # ids repeat between replies: a result belongs to the reply before it
            calls = {call.id: call for call in message.tool_calls}
        elif call := calls.get(message.tool_call_id or ""):
            found += _told(place, message, call)
    return found


def _told(place: int, message: Message, call: ToolCall) -> list[Attempt]:
    arguments = _arguments(call)
    if call.name != RUN_COMMAND:
        asked = f"{call.name} {json.dumps(arguments, sort_keys=True)}"
        return [_whole(place, message, call.name, asked)] if call.name in _READERS else []
    command = " ".join(str(arguments.get("command", "")).split())
    blocks = observation.blocks(message.content)
    if blocks:
        return [_of_block(place, each, command) for each in blocks]
    hosts = arguments.get("hosts") or [arguments.get("host", "")]
    host = ",".join(map(str, hosts)) if isinstance(hosts, list) else str(hosts)
    return [_whole(place, message, host, command)]


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _of_block(place: int, block: observation.Block, command: str) -> Attempt:
    code = observation.exit_code(block.state)
    worked = False if block.state.startswith(_NOT_RUN) else _worked(command, code)
    return Attempt(
        place, block.start, block.end, block.command_id, block.host, command, block.state,
        block.shown, code, worked, is_block=True,
    )  # fmt: skip


def _whole(place: int, message: Message, host: str, command: str) -> Attempt:
    """Read a result that is plain text: how it ended stands beside it, if anywhere."""
    denied, told = message.meta.get("denied"), message.meta.get("exit_code")
    code = told if isinstance(told, int) and not denied else None
    text = "" if denied else message.content
    return Attempt(
        place, 0, len(message.content), "", host, command, "", text, code,
        _worked(command, code), is_block=False,
    )  # fmt: skip


def _worked(command: str, code: int | None) -> bool | None:
    if code is None or code == 0:
        return None if code is None else True
    last = program(command.rpartition("|")[2] or command)
    return None if last.partition(" ")[0] in _ANSWERS and code < 5 else False


def program(command: str) -> str:
    """Return the program that *command* is about, with its subcommand if it is a family."""
    step = next((each for each in _STEPS.split(command) if not _only_prepares(each)), command)
    words = step.partition("|")[0].split()
    while words and (_ASSIGNMENT.fullmatch(words[0]) or _is_wrapping(words[0])):
        words = words[1:]
    if not words:
        return ""
    name = PurePosixPath(words[0]).name
    return f"{name} {_first_operand(words)}".strip() if name in _FAMILIES else name


def _first_operand(words: Sequence[str]) -> str:
    found = (word for before, word in pairwise(words) if before not in _VALUED and word[0] != "-")
    return next(found, "")


def _is_wrapping(word: str) -> bool:
    return word in _WRAPPERS or word.startswith("-") or word.rstrip("smhd").isdigit()


def _only_prepares(step: str) -> bool:
    return not step.strip() or step.split(maxsplit=1)[0] in _PREPARING
