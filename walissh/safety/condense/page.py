"""Numbered lines that were asked for, from the first one as far as the budget goes."""

from collections.abc import Sequence
from dataclasses import dataclass

from walissh.react.turn import Language
from walissh.safety.condense import entries, repeats
from walissh.safety.condense.repeats import Run
from walissh.safety.condense.source import Block

WIDE_SHARE = 4


@dataclass(frozen=True, slots=True)
class Page:
    """The text shown, and the number of the first line that did not fit (0: all did)."""

    text: str
    next_line: int


def page(lines: Sequence[tuple[int, str]], *, max_chars: int, language: Language = "en") -> Page:
    """Return *lines* under their numbers, the same line again and what is no text as a note.

    At most *max_chars* characters; a line that is wider than a quarter of it is cut, or
    less if there are fewer lines.
    """
    room = max_chars // min(max(len(lines), 1), WIDE_SHARE) - 120
    shown: list[str] = []
    left = max_chars
    for run in _runs(lines):
        text = "".join(f"{e.numbered()}\n" for e in entries.of_run(run, max(room, 40), language))
        left -= len(text)
        if left < 0:
            return Page("".join(shown), run.first)
        shown.append(text)
    return Page("".join(shown), 0)


def _runs(lines: Sequence[tuple[int, str]]) -> list[Run]:
    """Return the runs; lines that do not follow each other (found by grep) are never one."""
    found: list[Run] = []
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at][0] != lines[at - 1][0] + 1:
            block = Block(lines[start][0], [text for _, text in lines[start:at]])
            found += repeats.runs([block], pressed=False)
            start = at
    return found
