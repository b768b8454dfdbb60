"""A talk with the offline brain: plays the agent and the host."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from walissh.brain import playbook
from walissh.brain.offline import OfflineBrain
from walissh.react.turn import Language, Message, Reply, Request, Tool

MACHINES = Path(__file__).parent / "data" / "offline"
RUN_COMMAND = Tool("run_command", "Run one command.", {"type": "object"})
BRAIN = OfflineBrain(playbook.built_in())


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, or the words of another state, and its output."""

    exit_code: int | None
    output: str
    state: str = ""


Machine = Callable[[str], Ended]


def this_machine(command: str) -> Ended:
    """Run *command* for real, both streams together."""
    ran = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )
    return Ended(ran.returncode, ran.stdout)


def machine(name: str, more: Mapping[str, Ended] | None = None) -> Machine:
    """Return the recorded machine *name*; what it does not know is not installed."""
    known = yaml.safe_load((MACHINES / f"{name}.yaml").read_text("utf-8")) if name else []

    def run(command: str) -> Ended:
        for part, ended in (more or {}).items():
            if part in command:
                return ended
        for each in sorted(known, key=lambda each: -len(each["command"])):
            if each["command"] in command:
                return Ended(each.get("exit", 0), each.get("output", ""))
        tool = command.removeprefix("LC_ALL=C ").split()[0]
        return Ended(127, f"bash: line 1: {tool}: command not found\n")

    return run


@dataclass
class Talk:
    """One question put to the brain, on hosts that are played by *machines*."""

    machines: Mapping[str, Machine]
    language: Language = "en"
    steps: list[Reply] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)
    messages: list[Message] = field(default_factory=lambda: [Message("system", "You help.")])
    said: list[str] = field(default_factory=list)

    def ask(self, question: str, max_steps: int = 12) -> str:
        """Play rounds until the brain answers; return the answer."""
        self.messages.append(Message("user", question))
        for _ in range(max_steps):
            reply = self.next_reply()
            self.steps.append(reply)
            self.messages.append(Message("assistant", reply.text, reply.tool_calls))
            if not reply.tool_calls:
                return reply.text
            self._run(reply)
        raise AssertionError("the brain does not come to an end")

    def next_reply(self, tools: Sequence[Tool] = (RUN_COMMAND,)) -> Reply:
        """Ask the brain once, with the messages so far."""
        request = Request(tuple(self.messages), tuple(tools), tuple(self.machines), self.language)
        return BRAIN.complete(request, on_text=self.said.append, cancelled=lambda: False)

    def _run(self, reply: Reply) -> None:
        for call in reply.tool_calls:
            given = json.loads(call.arguments)
            hosts = given.get("hosts") or [given["host"]]
            blocks = [self._block(host, given["command"]) for host in hosts]
            self.messages.append(Message("tool", "\n\n".join(blocks), tool_call_id=call.id))

    def _block(self, host: str, command: str) -> str:
        self.commands.append((host, command))
        ended = self.machines[host](command)
        count = len(ended.output.splitlines())
        size = f"{count} lines" if count else "no output"
        state = f"exit {ended.exit_code}, {size}" if ended.exit_code is not None else ended.state
        header = f"[command {self.command_id()} on {host}: {state}]"
        output = ended.output.removesuffix("\n")
        fence = f"\n<<<output 8b1c\n{output}\noutput 8b1c>>>" if output else ""
        return header + fence

    def command_id(self) -> str:
        """Return the id of the last command: its number in the talk, in hexadecimal."""
        return f"c0de{len(self.commands):04x}"

    def cited(self, text: str) -> str:
        """Return the command that the first citation in *text* points at."""
        number = text.partition("[[c0de")[2][:4]
        return self.commands[int(number, 16) - 1][1]


def line_with(answer: str, words: str) -> str:
    """Return the line of *answer* that holds *words*."""
    found = [line for line in answer.splitlines() if words in line]
    assert found, f"no line with {words!r} in:\n{answer}"
    return found[0]
