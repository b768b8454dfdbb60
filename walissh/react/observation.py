"""What the model is told of a command's end, and how a brain reads it back.

A block is a line about the state, then the output between borders that no output can
forge::

    [command 3f2a on web1: exit 0, 2 lines]
    <<<output 8b1c
    ...
    output 8b1c>>>

What is not shown as it is has a line before the border that says so; then each line stands
under its number in the stored output (``41: ...``), and a line without one is a note.
"""

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from walissh.react import flagging
from walissh.react.turn import CommandRun, CommandStatus, Language
from walissh.safety import condense, purify
from walissh.safety.condense import Condensed

CALL_CHARS = 36_000
BLOCK_CHARS = 12_000
LEAST_BLOCK_CHARS = 800
"""A call is shown in so many characters, each of its hosts in a fair part of them."""

PAGE_CHARS = 262_144
"""So much of a stored output is in memory at a time."""

Read = Callable[[str, int, int], str]
"""Return at most so many characters (the last) of a command's output from an offset."""

_MARK = re.compile(
    r"^(?:\[command (?P<id>\S+) on (?P<host>\S+): (?P<state>.*)\]"
    r"|<<<output (?P<border>[0-9a-f]+)|\[(?:numbered lines: |行号：).*\])$",
    re.MULTILINE,
)
_LINE = re.compile(r"(?P<number>\d+): (?P<text>.*)")
_EXIT = re.compile(r"exit (?P<code>\d+)\b")


@dataclass(frozen=True, slots=True)
class Observation:
    """One block, read back; *exit_code* is None if the command did not end by itself."""

    command_id: str
    host: str
    state: str
    exit_code: int | None
    text: str


_NOT_RUN = ("it never ran", "refused by the gate", "denied by the person", "not run")


@dataclass(frozen=True, slots=True)
class Block:
    """Where a block stands in a tool message, from *start* to *end*; *shown* is its inside."""

    command_id: str
    host: str
    state: str
    start: int
    end: int
    shown: str
    is_numbered: bool


def render(
    run: CommandRun,
    read: Read,
    *,
    language: Language = "en",
    max_chars: int = BLOCK_CHARS,
) -> str:
    """Return the block of one ended command, in about *max_chars* characters at most.

    *read* gives the stored output in pages; it is not asked when the run itself carries all.
    """
    header = f"[command {run.id} on {run.host}: {_state(run)}]"
    if not run.output_chars:
        return header
    if notice := flagging.notice(run, language):
        header = f"{header}\n{notice}"
    room = max_chars - len(header) - len(_told(run, Condensed((), 0, False), language)) - 80
    shown = condense.condense(_pieces(run, read), max_chars=max(room, 0), language=language)
    told = "" if shown.whole else _told(run, shown, language) + "\n"
    return f"{header}\n{told}{_fenced(shown.text)}"


def render_call(runs: Sequence[CommandRun], read: Read, *, language: Language = "en") -> str:
    """Return the tool message of one call: a block for each of its hosts."""
    each = max(min(BLOCK_CHARS, CALL_CHARS // max(len(runs), 1)), LEAST_BLOCK_CHARS)
    return "\n\n".join(render(run, read, language=language, max_chars=each) for run in runs)


def parse(content: str) -> list[Observation]:
    """Return the blocks of a tool message; text around them is passed over."""
    return [_observation(each) for each in blocks(content)]


def blocks(content: str) -> list[Block]:
    """Return where the blocks of a tool message stand, in order."""
    found: list[Block] = []
    numbered = False
    at = _MARK.search(content)
    while at:
        end = at.end()
        if at["id"]:
            found.append(Block(at["id"], at["host"], at["state"], at.start(), end, "", False))
            numbered = False
        elif at["border"]:
            inside, end = _until(content, end + 1, f"output {at['border']}>>>")
            if found:
                last = replace(found.pop(), end=end, shown=inside, is_numbered=numbered)
                found.append(last)
        else:
            numbered = True
        at = _MARK.search(content, end)
    return found


def never_ran(state: str) -> bool:
    """Tell whether a block's state says that nothing was run."""
    return state.startswith(_NOT_RUN)


def exit_code(state: str) -> int | None:
    """Return the exit code that a block's state tells, None if it tells of none."""
    code = _EXIT.match(state)
    return int(code["code"]) if code else None


def _unnumbered(text: str) -> str:
    """Return the lines as they were, with a count where some are missing."""
    lines, expected = [], 1
    for match in filter(None, map(_LINE.fullmatch, text.split("\n"))):
        number = int(match["number"])
        if number > expected:
            lines.append(f"[... {number - expected} lines left out ...]")
        lines.append(match["text"])
        expected = number + 1
    return "\n".join(lines)


def _observation(block: Block) -> Observation:
    text = _unnumbered(block.shown) if block.is_numbered else block.shown
    code = exit_code(block.state)
    return Observation(block.command_id, block.host, block.state, code, text)


def _until(content: str, start: int, closing: str) -> tuple[str, int]:
    """Return what stands from *start* to the line *closing*, and where that line ends."""
    at = -1 if content.startswith(closing, start) else content.find(f"\n{closing}", start)
    if at < 0:
        empty = content.startswith(closing, start)
        return ("", start + len(closing)) if empty else (content[start:], len(content))
    return content[start:at], at + 1 + len(closing)


def _is_carried(run: CommandRun) -> bool:
    return run.output_chars <= len(run.output_head) + len(run.output_tail)


def _pieces(run: CommandRun, read: Read) -> Iterator[str]:
    if _is_carried(run):
        yield run.output_head + run.output_tail
        return
    at = 0
    while at < run.output_chars and (text := read(run.id, at, PAGE_CHARS)):
        yield text
        at += len(text)


def _fenced(text: str) -> str:
    return purify.fence(text, secrets.token_hex(8))


def _told(run: CommandRun, shown: Condensed, language: Language) -> str:
    """Say that not all is shown, that the numbers are the true ones, and how to read on."""
    more = f'read_output {{"command_id": "{run.id}", "from": {shown.next_unseen}}}'
    if language == "zh":
        return (
            f"[行号：共 {run.output_lines:,} 行，显示 {shown.shown:,} 行，编号即所存输出的行号；"
            f"其余用 {more} 查看]"
        )
    return (
        f"[numbered lines: {shown.shown:,} of {run.output_lines:,} shown, under their numbers"
        f" in the stored output; more with {more}]"
    )


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
    if run.status is CommandStatus.FINISHED and run.phase == "sudo":
        state += f". {run.error}"
    return " ".join(state.split()).replace("[", "(").replace("]", ")")
