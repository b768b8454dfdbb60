"""Runs to what is shown of them: lines with their numbers, and notes."""

from dataclasses import dataclass, replace

from walissh.react.turn import Language
from walissh.safety.condense import notes, wide
from walissh.safety.condense.repeats import Run


@dataclass(frozen=True, slots=True)
class Entry:
    """A line under its number, or a note (number 0); *whole* if nothing of it is cut."""

    number: int
    text: str
    whole: bool = True

    def numbered(self) -> str:
        """Return it as it is shown among others."""
        return f"{self.number}: {self.text}" if self.number else self.text


def of_run(run: Run, room: int, language: Language) -> list[Entry]:
    """Return what is shown of *run*, each line within *room* characters."""
    shown = _of_run(run, room, language)
    return [replace(each, whole=False) for each in shown] if run.is_narrowed else shown


def _of_run(run: Run, room: int, language: Language) -> list[Entry]:
    if run.first == run.last:
        return _line(run.first, run.opening, room, language)
    if run.alike in ("base64", "binary"):
        return [Entry(0, notes.data(run.alike, run.first, run.last, language))]
    opening = _line(run.first, run.opening, room, language)
    if run.alike == "same":
        return [*opening, Entry(0, notes.same(run.first + 1, run.last, language))]
    between = Entry(0, notes.numbers(run.first + 1, run.last - 1, language))
    return [*opening, between, *_line(run.last, run.closing, room, language)]


def _line(number: int, text: str, room: int, language: Language) -> list[Entry]:
    if len(text) < wide.BLOB_CHARS and len(text) <= room:
        return [Entry(number, text)]
    short = wide.without_blobs(text, language)
    if len(short) <= room:
        return [Entry(number, short, whole=short == text)]
    small = wide.pruned(text, room)
    if small is not None:
        note = notes.pruned(number, len(text), language)
        return [Entry(number, small, whole=False), Entry(0, note)]
    return [Entry(number, wide.cut(text, room, language), whole=False)]


def gap(first: int, last: int, language: Language) -> Entry:
    """Return the note for lines that are left out."""
    return Entry(0, notes.gap(first, last, language))


def chars(entries: list[Entry]) -> int:
    """Return the length of *entries* as they are shown, each with its newline."""
    return sum(len(each.numbered()) + 1 for each in entries)
