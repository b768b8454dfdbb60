"""Whether the newest line of an output, alone or with those before it, gives an order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from walissh.react.circumstances import Flag
from walissh.safety import decode
from walissh.safety.inject import signs, views

MAX_CHARS = 300
LINES, SHORT_LINES = 3, 12
SHORT_LINE, WINDOW_CHARS = 40, 600
"""An order is at most so many lines long, or so many short ones, and so many characters."""

MAX_COLUMNS = 8
LEAST_CELLS = 3
_CELLS = re.compile(r"\s*[|│┃]\s*|\t+|\s{2,}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is shown, as it is read, and what it says where it hides something."""

    shown: str
    read: str
    is_hidden: bool
    said: tuple[str, ...]
    weight: float

    @property
    def is_short(self) -> bool:
        """Tell whether it may be a mere word of an order."""
        return len(self.shown) <= SHORT_LINE


@lru_cache(maxsize=64)
def line_of(text: str, coded: bool) -> Line:
    """Return *text* read; *coded*: it may be written in a code."""
    shown = (text if decode.is_plain(text) else decode.plain_line(text)).strip()
    read, hidden = views.bare(views.folded(shown)), views.hides(shown)
    said = tuple(views.decoded(shown, coded=coded))
    return Line(shown, read, hidden, said, signs.weigh(read, hidden=hidden).weight)


def order(lines: Sequence[tuple[str, bool]]) -> Flag | None:
    """Return the order that the last of *lines* gives or completes, None if it does not.

    Each line comes with whether it may be written in a code.
    """
    newest = line_of(*lines[-1])
    return _of_one(newest) or _of_several([line_of(*each) for each in window(lines)])


def _of_one(line: Line) -> Flag | None:
    found = signs.weigh(line.read, hidden=line.is_hidden)
    if found.is_order:
        return Flag(found.kind, _cut(line.shown, MAX_CHARS))
    for said in line.said:
        found = signs.weigh(said, hidden=True)
        if found.is_order:
            return Flag(found.kind, _explained(line.shown, said))
    return None


def _explained(shown: str, said: str) -> str:
    """Return what stands there and what it says."""
    half = MAX_CHARS // 2 - 2
    return f"{_cut(shown, half)} → {_cut(' '.join(said.split()), half)}"


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"


def window(lines: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return the last lines that may be one order, oldest first."""
    chosen: list[tuple[str, bool]] = []
    room = WINDOW_CHARS
    for text, coded in reversed(lines):
        room -= len(text)
        if chosen and (room < 0 or (len(chosen) >= LINES and len(text) > SHORT_LINE)):
            break
        chosen.append((text, coded))
    return chosen[::-1]


def _of_several(lines: Sequence[Line]) -> Flag | None:
    """Return the order that the newest lines give together: of the fewest that do."""
    if len(lines) < 2:
        return None
    tells = any(line.weight > 0 for line in lines) or all(line.is_short for line in lines)
    if tells and _weighed(lines) is not None:
        for count in range(2, len(lines) + 1):
            found = _weighed(lines[-count:])
            if found is not None:
                shown = "\n".join(line.shown for line in lines[-count:])
                return Flag(found.kind, _cut(shown, MAX_CHARS))
    return _of_codes(lines) or _of_columns(lines)


def _weighed(lines: Sequence[Line]) -> signs.Weighed | None:
    """Weigh lines as one sentence, and as the lines that they are; None if it is no order."""
    for between in (" ", "\n"):
        found = signs.weigh(between.join(line.read for line in lines))
        if found.is_order:
            return found
    return None


def _of_codes(lines: Sequence[Line]) -> Flag | None:
    """Return the order in a code that goes on over the last lines."""
    if not (lines[-1].said and lines[-2].said):
        return None
    for between in (" ", ""):
        said = between.join(line.said[0].strip() for line in lines if line.said)
        found = signs.weigh(said, hidden=True)
        if found.is_order:
            return Flag(found.kind, _explained(" ".join(line.shown for line in lines), said))
    return None


def _of_columns(lines: Sequence[Line]) -> Flag | None:
    """Return the order that stands in one column of the last lines, read downwards."""
    if len(lines) < LEAST_CELLS or not _CELLS.search(lines[-1].shown):
        return None
    rows = [_CELLS.split(line.read) for line in lines]
    if len({len(row) for row in rows[-LEAST_CELLS:]}) > 1:
        return None
    for text in _columns(rows):
        found = signs.weigh(text)
        if found.is_order:
            return Flag(found.kind, _cut(text, MAX_CHARS))
    return None


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for column in range(min(len(rows[-1]), MAX_COLUMNS)):
        yield " ".join(row[column] for row in rows if column < len(row))
