"""The runs that are shown, chosen by weight until the budget is spent."""

from collections.abc import Iterable, Sequence

from walissh.react.turn import Language
from walissh.safety.condense import entries, notes
from walissh.safety.condense.entries import Entry
from walissh.safety.condense.notable import Excerpt
from walissh.safety.condense.repeats import Run

FEW_LINES = 4
NARROWEST = 40
OVERHEAD_CHARS = 360
"""What the notes and the numbers may take beside a few wide lines."""

DOCUMENT_SHARE = 0.4
"""Cutting a document at a border may cost so much of each end."""


def widest(max_chars: int, runs: int = FEW_LINES) -> int:
    """Return how wide a line may be shown of an output of so many *runs*."""
    return max((max_chars - OVERHEAD_CHARS) // min(max(runs, 1), FEW_LINES), NARROWEST)


class Choice:
    """What fits into *max_chars* of an output of *lines* lines in *runs* runs."""

    def __init__(self, max_chars: int, lines: int, runs: int, language: Language) -> None:
        self._language: Language = language
        self._lines = lines
        self._runs: dict[int, Run] = {}
        self._remarks: dict[int, Entry] = {}
        self._gap_chars = len(notes.gap(lines, 2 * lines, language)) + 1
        self._max_chars = max_chars
        self._is_few = runs < FEW_LINES
        # one gap is certain; each excerpt may open one more
        self._left = max_chars - self._gap_chars
        self._room = widest(max_chars, runs)

    def take_ends(self, head: Sequence[Run], tail: Sequence[Run], *, share: float) -> None:
        """Add from both ends up to *share* of the budget for each, at borders of elements."""
        limit = self._max_chars if self._is_few else int(self._max_chars * share)
        if not tail:
            middle = (len(head) + 1) // 2
            head, tail = head[:middle], head[middle:]
        first = self._fitting(head, limit)
        last = list(reversed(self._fitting(list(reversed(tail)), limit)))
        if head and tail and _is_document(head[0], tail[-1]):
            first, last = _to_border(first), _from_border(last)
        self._add_all(first)
        self._add_all(reversed(last))

    def _fitting(self, runs: Sequence[Run], limit: int) -> list[Run]:
        found: list[Run] = []
        for run in runs:
            limit -= self._chars(run)
            if limit < 0:
                break
            found.append(run)
        return found

    def _add_all(self, runs: Iterable[Run]) -> None:
        for run in runs:
            if not self._add(run):
                return

    def take_excerpts(self, ranked: Sequence[Excerpt]) -> None:
        """Add the lines that tell of trouble with what stands around them, as far as it goes."""
        for excerpt in ranked:
            if self._add(excerpt.run, spare=self._gap_chars):
                self._left -= self._gap_chars
                self._remark(excerpt)
                self._add_all(excerpt.runs)

    def _add(self, run: Run, spare: int = 0) -> bool:
        if run.first in self._runs:
            return True
        chars = self._chars(run)
        if chars + spare > self._left:
            return False
        self._left -= chars
        self._runs[run.first] = run
        return True

    def _remark(self, excerpt: Excerpt) -> None:
        more = excerpt.count - (excerpt.run.last - excerpt.run.first + 1)
        if more < 1:
            return
        text = notes.more_like(excerpt.run.first, more, excerpt.last, self._language)
        if len(text) < self._left:
            self._left -= len(text) + 1
            self._remarks[excerpt.run.first] = Entry(0, text)

    def _chars(self, run: Run) -> int:
        return entries.chars(entries.of_run(run, self._room, self._language))

    def entries(self) -> list[Entry]:
        """Return the chosen lines in order, with a note in each gap; [] if not even that fits."""
        while entries.chars(shown := self._shown()) > self._max_chars:
            if not self._runs:
                return []
            self._runs.popitem()
        return shown

    def _shown(self) -> list[Entry]:
        shown: list[Entry] = []
        expected = 1
        for first in sorted(self._runs):
            run = self._runs[first]
            if first > expected:
                shown.append(entries.gap(expected, first - 1, self._language))
            shown += entries.of_run(run, self._room, self._language)
            if first in self._remarks:
                shown.append(self._remarks[first])
            expected = run.last + 1
        if expected <= self._lines:
            shown.append(entries.gap(expected, self._lines, self._language))
        return shown


def _is_document(first: Run, last: Run) -> bool:
    return first.opening.lstrip()[:1] in ("{", "[") and last.closing.strip()[:1] in ("}", "]")


def _to_border(head: list[Run]) -> list[Run]:
    """Cut the head after the outermost element that ends late in it."""
    least = int(len(head) * (1 - DOCUMENT_SHARE))
    ends = [at for at in range(max(least, 1), len(head)) if _ends_element(head[at])]
    best = min(ends, key=lambda at: (_indent(head[at]), -at), default=len(head) - 1)
    return head[: best + 1]


def _from_border(tail: list[Run]) -> list[Run]:
    """Begin the tail with the outermost element that begins early in it."""
    most = int(len(tail) * DOCUMENT_SHARE)
    begins = [at for at in range(1, most + 1) if _ends_element(tail[at - 1])]
    best = min(begins, key=lambda at: (_indent(tail[at - 1]), at), default=0)
    return tail[best:]


def _ends_element(run: Run) -> bool:
    return run.closing.rstrip().endswith(",")


def _indent(run: Run) -> int:
    return len(run.closing) - len(run.closing.lstrip())
