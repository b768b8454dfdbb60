"""Pieces of text, cut anywhere, to blocks of whole numbered lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from walissh.safety import decode

WINDOW_CHARS = 65_536
LONGEST_CHARS = 2 * WINDOW_CHARS
END_CHARS = 4_096
"""So much of either end is kept of a line that is longer than any stored one."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines; *first* is the number (from 1) of the first one."""

    first: int
    lines: list[str]


def blocks(pieces: Iterable[str]) -> Iterator[Block]:
    """Yield the lines of the joined *pieces*, counted by newlines as the store counts them.

    Lines are as a person would have seen them (``decode.plain_line``), which changes
    nothing in what comes from the store.
    """
    number, rest = 1, _Rest()
    for window in _windows(pieces):
        begun, *lines = window.split("\n")
        rest.add(begun)
        if lines:
            last = lines.pop()
            whole = _plain([rest.take(), *lines])
            rest.add(last)
            yield Block(number, whole)
            number += len(whole)
    if not rest.is_empty:
        yield Block(number, _plain([rest.take()]))


def _windows(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the text in parts of about one size: each is looked at as a whole."""
    gathered: list[str] = []
    chars = 0
    for piece in pieces:
        for at in range(0, len(piece), WINDOW_CHARS):
            gathered.append(piece[at : at + WINDOW_CHARS])
            chars += len(gathered[-1])
            if chars >= WINDOW_CHARS:
                yield "".join(gathered)
                gathered, chars = [], 0
    if gathered:
        yield "".join(gathered)


def _plain(lines: list[str]) -> list[str]:
    if decode.is_plain("\n".join(lines)):
        return lines
    return [line if decode.is_plain(line) else decode.plain_line(line) for line in lines]


class _Rest:
    """The line that has not ended yet, in bounded memory."""

    def __init__(self) -> None:
        self._head, self._lost = "", 0
        self._parts: list[str] = []
        self._chars = 0

    @property
    def is_empty(self) -> bool:
        return not self._chars and not self._head

    def add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._chars += len(text)
        if self._chars > LONGEST_CHARS:
            self._shorten()

    def take(self) -> str:
        """Return the line and begin the next one."""
        text = "".join(self._parts)
        if self._lost:
            text = self._shortened(text)
        if self._lost:
            text = f"[... {self._lost} characters left out ...]{text}"
        line = self._head + text
        self._head, self._lost, self._parts, self._chars = "", 0, [], 0
        return line

    def _shorten(self) -> None:
        text = self._shortened("".join(self._parts))
        self._parts, self._chars = [text], len(text)

    def _shortened(self, text: str) -> str:
        """Return what is kept of *text*: a line drawn anew is its last state."""
        redrawn = text.rstrip("\r").rfind("\r")
        if redrawn >= 0:
            self._head, self._lost, text = "", 0, text[redrawn + 1 :]
        if not self._lost and len(text) <= LONGEST_CHARS:
            return text
        if not self._lost:
            self._head, text = text[:END_CHARS], text[END_CHARS:]
        self._lost += max(len(text) - END_CHARS, 0)
        return text[-END_CHARS:]
