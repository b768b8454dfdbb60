"""An import of memory as a person gives it: bytes, of which one bad line spoils no other."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from walissh.memory.entry import Channel, Memory

AT_ONCE = 200
NO_TEXT = "it is not text in UTF-8."
_REFUSED = "not UTF-8"
"""What stands in the place of a line that is no text: no line of an export, so it is refused."""


class Page(Protocol):
    """Some memories, newest first, and before which number the next ones are."""

    @property
    def items(self) -> Sequence[Memory]:
        """Return the memories."""

    @property
    def next(self) -> int | None:
        """Return where the next page begins."""


class Memories(Protocol):
    """``store.memories`` as an import uses it."""

    def take_in(
        self, owner_id: str, lines: Iterable[str], channel: Channel
    ) -> tuple[int, list[str]]:
        """Take in lines; return how many were taken, and why others were not."""

    def page(
        self, reader_id: str, *, state: str | None = None, limit: int, before: int | None = None
    ) -> Page:
        """Return what the reader may see before a number, newest first."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What an import came to: *known* lines said what was there already."""

    taken: int
    known: int
    refused: tuple[str, ...]


def take_in(memories: Memories, owner_id: str, lines: Iterable[bytes], channel: Channel) -> Intake:
    """Take in the lines of an export; a line that is no text is refused, and the rest goes on."""
    newest = next(_since(memories, owner_id, 0), None)
    mark, bad = newest.number if newest else 0, set[int]()
    fitted, refused = memories.take_in(owner_id, _decoded(lines, bad), channel)
    new = sum(each.owner_id == owner_id for each in _since(memories, owner_id, mark))
    taken = min(new, fitted)
    return Intake(taken, fitted - taken, tuple(_told(refused, bad)))


def _since(memories: Memories, owner_id: str, number: int) -> Iterator[Memory]:
    before: int | None = None
    while True:
        page = memories.page(owner_id, state="all", limit=AT_ONCE, before=before)
        for each in page.items:
            if each.number <= number:
                return
            yield each
        before = page.next
        if before is None:
            return


def _decoded(lines: Iterable[bytes], bad: set[int]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8-sig")
        except UnicodeDecodeError:
            bad.add(number)
            yield _REFUSED


def _told(refused: Iterable[str], bad: set[int]) -> Iterator[str]:
    for why in refused:
        head = why.partition(":")[0]
        number = head.removeprefix("Line ")
        yield f"{head}: {NO_TEXT}" if number.isdecimal() and int(number) in bad else why
