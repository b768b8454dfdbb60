"""Choose what is shown of an output: both ends, and what tells of trouble between them."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from walissh.react.turn import Language
from walissh.safety.condense import entries, notable, repeats, wide
from walissh.safety.condense.choice import Choice, widest
from walissh.safety.condense.entries import Entry
from walissh.safety.condense.notable import Notables
from walissh.safety.condense.repeats import Run
from walissh.safety.condense.source import Block, blocks


@dataclass(frozen=True, slots=True)
class Condensed:
    """What is shown of an output of *lines* lines; *whole* if that is all of it, as it is."""

    entries: tuple[Entry, ...]
    lines: int
    whole: bool

    @property
    def text(self) -> str:
        """The lines as they are if whole; else under their numbers, with notes between."""
        if self.whole:
            return "".join(f"{each.text}\n" for each in self.entries)
        return "".join(f"{each.numbered()}\n" for each in self.entries)

    @property
    def shown(self) -> int:
        """How many lines are shown."""
        return sum(1 for each in self.entries if each.number)

    @property
    def next_unseen(self) -> int:
        """The first line that is not shown as it is; 1 if there is none."""
        seen = {each.number for each in self.entries if each.number and each.whole}
        return next((n for n in range(1, self.lines + 1) if n not in seen), 1)


def condense(pieces: Iterable[str], *, max_chars: int, language: Language = "en") -> Condensed:
    """Return what is shown of the text that *pieces* make, in at most *max_chars* characters.

    Reads *pieces* once and keeps little of them, wherever they are cut. A text that fits is
    shown as it is, but for long repeats and for what is no text. Numbers count the newlines
    before a line, from 1.
    """
    held, rest = _begin(iter(pieces), max_chars)
    if rest is None:
        small = _as_it_is(held, max_chars, language)
        if small is not None:
            return small
    gathered = _Ends(max_chars, language)
    source = blocks(chain(held, rest or ()))
    weighed = _Weighed(source)
    for run in repeats.runs(weighed, pressed=True):
        gathered.take(run, weighed.weight(run))
    return _chosen(gathered, max_chars, language)


def _begin(pieces: Iterator[str], max_chars: int) -> tuple[list[str], Iterator[str] | None]:
    """Read on until it cannot fit any more; no rest means that it does."""
    held, chars = [], 0
    for piece in pieces:
        held.append(piece)
        chars += len(piece)
        if chars > max_chars:
            return held, pieces
    return held, None


def _as_it_is(held: list[str], max_chars: int, language: Language) -> Condensed | None:
    found = list(repeats.runs(blocks(held), pressed=False))
    shown = [each for run in found for each in entries.of_run(run, max_chars, language)]
    lines = found[-1].last if found else 0
    whole = len(shown) == lines and all(each.number and each.whole for each in shown)
    text = Condensed(tuple(shown), lines, whole)
    return text if len(text.text) <= max_chars + whole else None


class _Weighed:
    """Hands blocks on, and knows the weights of the lines of the last one."""

    def __init__(self, source: Iterable[Block]) -> None:
        self._source = source
        self._first = 0
        self._weights: dict[int, int] = {}

    def __iter__(self) -> Iterator[Block]:
        for block in self._source:
            self._first, self._weights = block.first, notable.weights(block.lines)
            yield block

    def weight(self, run: Run) -> int:
        """Return the weight of the run's first line, which may be from a block before."""
        if run.first >= self._first:
            return self._weights.get(run.first - self._first, 0)
        return notable.weight(run.opening)


class _Ends:
    """The first and the last runs, and the excerpts, in bounded memory."""

    def __init__(self, max_chars: int, language: Language) -> None:
        self.head: list[Run] = []
        self.tail: deque[Run] = deque()
        self.notables = Notables()
        self.runs = self.lines = 0
        self._max_chars, self._language = max_chars, language
        self._head_room = self._tail_room = max_chars
        self._widest = widest(max_chars)

    def take(self, run: Run, weight: int) -> None:
        self.runs += 1
        self.lines = run.last
        self.notables.take(self._narrow(run, weight), weight)
        if self._head_room > 0:
            self.head.append(run)
            self._head_room -= _size(run)
            return
        self.tail.append(run)
        self._tail_room -= _size(run)
        while self._tail_room < 0 and len(self.tail) > 1:
            self._tail_room += _size(self.tail.popleft())

    def _narrow(self, run: Run, weight: int) -> Run:
        if len(run.opening) <= self._widest and len(run.closing) <= self._widest:
            return run
        focus = notable.stem(run.opening) if weight else ""
        opening = wide.cut(run.opening, self._widest, self._language, focus)
        closing = wide.cut(run.closing, self._widest, self._language)
        return run._replace(opening=opening, closing=closing, is_narrowed=True)


def _size(run: Run) -> int:
    return (
        len(run.opening) + len(run.closing) + 2 if run.first != run.last else len(run.opening) + 1
    )


def _chosen(ends: _Ends, max_chars: int, language: Language) -> Condensed:
    choice = Choice(max_chars, ends.lines, ends.runs, language)
    ranked = ends.notables.ranked()
    choice.take_ends(ends.head, list(ends.tail), share=0.3 if ranked else 0.5)
    choice.take_excerpts(ranked)
    choice.take_ends(ends.head, list(ends.tail), share=0.5)
    return Condensed(tuple(choice.entries()), ends.lines, whole=False)
