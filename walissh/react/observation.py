"""What the model is told of a command's end, and how a brain reads it back.

A block is a line about the state, then the output between borders that no output can
forge::

    [command 3f2a on web1: exit 0, 2 lines]
    <<<output 8b1c
    ...
    output 8b1c>>>
"""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from walissh.react.turn import CommandRun, CommandStatus
from walissh.safety import purify

_HEADER = re.compile(r"\[command (?P<id>\S+) on (?P<host>\S+): (?P<state>.*)\]")
_OPEN = re.compile(r"<<<output (?P<border>[0-9a-f]+)")
_EXIT = re.compile(r"exit (?P<code>\d+)\b")
_CUT = re.compile(r"\[\.\.\. (?P<lines>\d+) lines left out \.\.\.\]")


@dataclass(frozen=True, slots=True)
class Observation:
    """One block, read back; *exit_code* is None if the command did not end by itself."""

    command_id: str
    host: str
    state: str
    exit_code: int | None
    text: str

    def numbered_lines(self) -> list[tuple[int, str]]:
        """Return the lines shown with their numbers (from 1) in the whole output."""
        lines, number = [], 0
        for text in self.text.splitlines():
            cut = _CUT.fullmatch(text)
            number += int(cut["lines"]) if cut else 1
            if not cut:
                lines.append((number, text))
        return lines


def render(run: CommandRun) -> str:
    """Return the block of one ended command."""
    shown = _shown(run)
    header = f"[command {run.id} on {run.host}: {_state(run)}]"
    return f"{header}\n{purify.fence(shown, secrets.token_hex(8))}" if shown else header


def render_call(runs: list[CommandRun]) -> str:
    """Return the tool message of one call: a block for each of its hosts."""
    return "\n\n".join(render(run) for run in runs)


def parse(content: str) -> list[Observation]:
    """Return the blocks of a tool message; text around them is passed over."""
    found: list[Observation] = []
    lines = iter(content.splitlines())
    for line in lines:
        header = _HEADER.fullmatch(line)
        opened = _OPEN.fullmatch(line)
        if header:
            found.append(_observation(header))
        elif opened and found:
            inside = _until(lines, f"output {opened['border']}>>>")
            last = found.pop()
            found.append(
                Observation(last.command_id, last.host, last.state, last.exit_code, inside)
            )
    return found


def _observation(header: re.Match[str]) -> Observation:
    code = _EXIT.match(header["state"])
    return Observation(
        header["id"], header["host"], header["state"], int(code["code"]) if code else None, ""
    )


def _until(lines: Iterator[str], closing: str) -> str:
    inside: list[str] = []
    for line in lines:
        if line == closing:
            break
        inside.append(line)
    return "\n".join(inside)


def _shown(run: CommandRun) -> str:
    whole = run.output_chars <= len(run.output_head) + len(run.output_tail)
    if whole:
        return run.output_head + run.output_tail
    head = run.output_head[: run.output_head.rfind("\n") + 1] or run.output_head + "\n"
    tail = run.output_tail[run.output_tail.find("\n") + 1 :] or run.output_tail
    # the lines that the two cuts broke are left out as well
    left_out = run.output_lines - _lines(head) - _lines(tail)
    return f"{head}[... {max(left_out, 1)} lines left out ...]\n{tail}"


def _lines(text: str) -> int:
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)


def _size(run: CommandRun) -> str:
    if not run.output_chars:
        return "no output"
    return f"{run.output_lines} {'line' if run.output_lines == 1 else 'lines'}"


def _state(run: CommandRun) -> str:
    """Say in one line, without brackets, how it ended."""
    size = _size(run)
    states = {
        CommandStatus.FINISHED: f"exit {run.exit_code}, {size}",
        CommandStatus.FAILED: f"it never ran, failed in phase {run.phase}: {run.error}",
        CommandStatus.REFUSED: f"refused by the gate, not run: {' '.join(run.reasons)}",
        CommandStatus.DENIED: f"denied by the person, not run: {run.denial or 'no reason given'}",
        CommandStatus.EXPIRED: f"not run: {run.error or 'nobody approved it in time'}",
        CommandStatus.CANCELLED: f"cancelled by the person, {size}",
        CommandStatus.UNKNOWN: f"interrupted, outcome unknown, it may have run, {size}",
    }
    if run.status is CommandStatus.FINISHED and run.ended_by == "limit":
        return f"stopped at its limit of {run.limit_s} s, {size} so far"
    if run.status is CommandStatus.FINISHED and run.ended_by == "output_limit":
        return f"stopped because of too much output, {size} so far"
    state = states.get(run.status, f"not ended, {run.status}")
    return " ".join(state.split()).replace("[", "(").replace("]", ")")
