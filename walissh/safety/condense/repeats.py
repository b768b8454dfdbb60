"""Lines that say the same again become one run."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from walissh.safety.condense import shape
from walissh.safety.condense.source import Block

Alike = Literal["same", "numbers", "base64", "binary"]

NOTE_CHARS = 60
"""About the length of the note that stands for a run: a shorter run is shown as it is."""

LEAST: dict[Alike, int] = {"same": 3, "numbers": 4, "base64": 6, "binary": 3}
LEAST_UNPRESSED = 20
"""Lines that differ in numbers are told apart from here on even if all would fit."""

SHORT_CHARS = 12


class Run(NamedTuple):
    """Lines *first* to *last*; *is_narrowed* if their texts have been cut already.

    A tuple, for each line of a big output makes one.
    """

    first: int
    last: int
    opening: str
    closing: str
    skeleton: bytes
    alike: Alike
    is_narrowed: bool = False


def runs(source: Iterable[Block], *, pressed: bool) -> Iterator[Run]:
    """Yield all lines in order, those that repeat as one run.

    If not *pressed* (all would fit), rows of figures are never put together.
    """
    gatherer = _Gatherer(pressed)
    for block in source:
        number = block.first
        for line, skeleton in zip(block.lines, shape.skeletons(block.lines), strict=True):
            if line == gatherer.closing and gatherer.counts_only:
                gatherer.count += 1
            elif not (gatherer.may_take(line, skeleton) and gatherer.takes(line)):
                yield from gatherer.ended()
                gatherer.begin(number, line, skeleton)
            number += 1
    yield from gatherer.ended()


class _Gatherer:
    """The run that is being read."""

    def __init__(self, pressed: bool) -> None:
        self._pressed = pressed
        self._alike: Alike = "same"
        self._skeleton = b""
        self.count = 0
        self.closing = ""
        self.counts_only = False

    def begin(self, number: int, line: str, skeleton: bytes) -> None:
        self._first, self._opening, self._skeleton = number, line, skeleton
        self.closing, self.count = line, 1
        self.counts_only = False
        self._held, self._held_chars = [line], len(line) + 1
        self._alike = _kind(line)

    def may_take(self, line: str, skeleton: bytes) -> bool:
        """Tell quickly whether *line* could go with the run: most do not."""
        if self._alike in ("base64", "binary"):
            return True
        return skeleton == self._skeleton and self.count > 0

    def takes(self, line: str) -> bool:
        """Add *line* if it goes with the run; False if it begins another."""
        alike = self._relation(line)
        if alike is None:
            return False
        self._alike, self.closing = alike, line
        self.count += 1
        if not self.counts_only:
            self._hold(line)
        return True

    def _relation(self, line: str) -> Alike | None:
        kind = self._alike
        if kind == "base64":
            shorter = len(line) < len(self.closing) and shape.ends_base64(line)
            return kind if shorter or shape.is_base64(line) else None
        if kind == "binary":
            return kind if len(line) <= SHORT_CHARS or "\ufffd" in line else None
        if line == self.closing:
            return kind
        settled = kind == "same" and self.count >= LEAST["same"]
        if settled or not (self._pressed or shape.is_prose(line)):
            return None
        return "numbers" if shape.differ_in_numbers(self.closing, line) else None

    def _hold(self, line: str) -> None:
        self._held.append(line)
        self._held_chars += len(line) + 1
        if self._is_worth_a_note():
            self.counts_only, self._held = True, []

    def _is_worth_a_note(self) -> bool:
        least = LEAST[self._alike]
        if self._alike == "numbers" and not self._pressed:
            least = LEAST_UNPRESSED
        shown = 0 if self._alike in ("base64", "binary") else len(self._opening) + 1
        if self._alike == "numbers":
            shown += len(self.closing) + 1
        return self.count >= least and self._held_chars > shown + NOTE_CHARS

    def ended(self) -> Iterator[Run]:
        """Yield the run, or its lines one by one if they are too few."""
        if not self.count:
            return
        if self.counts_only:
            last = self._first + self.count - 1
            yield Run(self._first, last, self._opening, self.closing, self._skeleton, self._alike)
            return
        for number, line in enumerate(self._held, self._first):
            yield Run(number, number, line, line, self._skeleton, "same")


def _kind(line: str) -> Alike:
    if len(line) >= shape.BASE64_CHARS and shape.is_base64(line):
        return "base64"
    return "binary" if "\ufffd" in line and shape.is_binary(line) else "same"
