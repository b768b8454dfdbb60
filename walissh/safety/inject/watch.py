"""Watching an output for orders as it arrives: line by line, in a few lines of memory."""

import re
from collections import deque
from collections.abc import Iterator, Sequence

from walissh.react.circumstances import Flag
from walissh.safety.inject import passage, sieve

MAX_FLAGS = 20
MAX_CHARS = passage.MAX_CHARS
"""So many orders of an output are told, each in so many characters."""

MAX_LINE = 65_536
SEGMENT, OVERLAP = 1_200, 200
"""A longer line is looked at in parts that share some characters."""

AFTER = 3
"""So many lines after a suspect one may still belong to the order."""


MAX_SHAPES = 1_024
_NUMBERS = re.compile(r"[0-9]+")
_ESCAPES = frozenset("%\\&")
"""With these in it the numbers of a line may be letters in a code."""


def find(text: str) -> tuple[Flag, ...]:
    """Return the orders in *text*, at most MAX_FLAGS, in their order."""
    watch = Watch()
    return (*watch.feed(text), *watch.finish())


class Watch:
    """Finds the orders in one output; how it is cut into pieces makes no difference."""

    def __init__(self) -> None:
        self._rest = ""
        self._before: deque[tuple[str, bool]] = deque(maxlen=passage.SHORT_LINES)
        self._after = 0
        self._told: set[str] = set()
        self._harmless: set[str] = set()
        self._shape = ""

    def feed(self, text: str) -> tuple[Flag, ...]:
        """Take the next piece; return the orders in the lines that it completes."""
        if self._is_full:
            return ()
        lines = (self._rest + text).split("\n")
        rest = lines.pop()
        self._rest = rest[len(rest) - len(rest) % MAX_LINE :] if len(rest) > MAX_LINE else rest
        if len(rest) > MAX_LINE:
            lines.append(rest[: len(rest) - len(self._rest)])
        return tuple(self._look_at(lines))

    def finish(self) -> tuple[Flag, ...]:
        """Return the orders in what is left: a last line may lack its newline."""
        rest, self._rest = self._rest, ""
        return tuple(self._look_at([rest])) if rest and not self._is_full else ()

    @property
    def _is_full(self) -> bool:
        return len(self._told) >= MAX_FLAGS

    def _look_at(self, lines: Sequence[str]) -> Iterator[Flag]:
        if max(map(len, lines), default=0) > SEGMENT:
            lines = [part for line in lines for part in _parts(line)]
        worded, coded = sieve.suspects(lines)
        for number, line in enumerate(lines):
            is_coded = number in coded
            if is_coded or number in worded:
                self._after = AFTER + 1
            if line and not line.isspace():
                self._before.append((line, is_coded))
                if self._after:
                    self._after -= 1
                    yield from self._read()

    def _read(self) -> Iterator[Flag]:
        """Look at the newest line with those before it; what was told is not told again."""
        if self._is_full or self._is_known():
            return
        flag = passage.order(list(self._before))
        if flag is None:
            return
        self._harmless.discard(self._shape)
        self._before.clear()
        if flag.text not in self._told:
            self._told.add(flag.text)
            yield flag

    def _is_known(self) -> bool:
        """Tell whether lines that differ in numbers only were looked at before, and note it."""
        window = passage.window(self._before)
        self._shape = "\n".join(text for text, _coded in window)
        if any(coded for _text, coded in window) or not _ESCAPES.isdisjoint(self._shape):
            return False
        self._shape = _NUMBERS.sub("0", self._shape)
        if self._shape in self._harmless:
            return True
        if len(self._harmless) >= MAX_SHAPES:
            self._harmless.clear()
        self._harmless.add(self._shape)
        return False


def _parts(line: str) -> Iterator[str]:
    """Cut a long line; first where a longer stretch without an end was cut, too."""
    for start in range(0, len(line) or 1, MAX_LINE):
        stretch = line[start : start + MAX_LINE]
        last = max(len(stretch) - OVERLAP, 1)
        for at in range(0, last, SEGMENT - OVERLAP):
            yield stretch[at : at + SEGMENT]
