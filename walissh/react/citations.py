"""Marks in an answer, resolved to the command output that they rest on.

A brain writes ``[[command:first-last]]`` (lines from 1; the id may be shortened, the lines
left out), or ``[n]`` for the n-th command of the turn; a reader sees ``[1]``, ``[2]``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from walissh.react.diagnosed import Proof
from walissh.react.turn import Citation, CommandRun, CommandStatus

_MARK = re.compile(r"\[\[(?P<id>[0-9a-f]{4,40})(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?\]\]")
_NUMBER = re.compile(r"(?<![\w\]\[!])\[(?P<n>\d{1,3})\](?![\[(:])")
_RAN = (CommandStatus.FINISHED, CommandStatus.CANCELLED, CommandStatus.FAILED)


@dataclass(slots=True)
class _Table:
    """The marks given so far; equal places share a number."""

    commands: Sequence[CommandRun]
    numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def mark(self, match: re.Match[str]) -> str:
        run = self._command(match["id"])
        if run is None:
            return ""  # a source that does not exist is no source
        first = int(match["first"] or 1)
        last = int(match["last"] or match["first"] or max(run.output_lines, 1))
        return self._numbered(run, first, last)

    def number(self, match: re.Match[str]) -> str:
        n = int(match["n"])
        if not 0 < n <= len(self.commands):
            return match[0]
        run = self.commands[n - 1]
        if run.status not in _RAN:
            return ""
        return self._numbered(run, 1, max(run.output_lines, 1))

    def _numbered(self, run: CommandRun, first: int, last: int) -> str:
        place = _within(run, first, last)
        return f"[{self.numbers.setdefault(place, len(self.numbers) + 1)}]"

    def _command(self, prefix: str) -> CommandRun | None:
        return _named(prefix, self.commands)


def resolve(text: str, commands: Sequence[CommandRun]) -> tuple[str, tuple[Citation, ...]]:
    """Return the answer with numbered marks, and what each number rests on."""
    table = _Table(commands)
    marked = _MARK.search(text)
    text = _MARK.sub(table.mark, text) if marked else _NUMBER.sub(table.number, text)
    places = table.numbers.items()
    return text, tuple(Citation(n, run_id, first, last) for (run_id, first, last), n in places)


def proofs(places: Sequence[Proof], commands: Sequence[CommandRun]) -> tuple[Proof, ...]:
    """Return *places* with whole ids and within their outputs; those of no command are left out."""
    found = ((_named(each.command_id, commands), each) for each in places)
    whole = (_within(run, *each[1:]) for run, each in found if run is not None)
    return tuple(Proof(*each) for each in dict.fromkeys(whole))


def _named(prefix: str, commands: Sequence[CommandRun]) -> CommandRun | None:
    found = [run for run in commands if run.id.startswith(prefix) and run.status in _RAN]
    return found[0] if prefix and len(found) == 1 else None


def _within(run: CommandRun, first: int, last: int) -> tuple[str, int, int]:
    end = max(run.output_lines, 1)
    first = min(max(first, 1), end)
    return run.id, first, min(max(last, first), end)
