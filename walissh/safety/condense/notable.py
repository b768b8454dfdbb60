"""Lines that tell of an error, with their neighbours and the trace that follows them."""

import re
from collections import deque
from dataclasses import dataclass, field
from functools import cache

from walissh.safety import lists
from walissh.safety.condense.repeats import Run

WEIGHTS = {"heavy": 3, "plain": 2, "light": 1}

_TROUBLE = r"(?:error|err|failure|failed|fail|warning|warn|exception|timeout|retry|retrie|critical)"
_HARMLESS = re.compile(
    rf"\b(?:0|no|zero|without(?: any)?|non)[ -](?:\w+ )?{_TROUBLE}s?\b"
    rf"|\b{_TROUBLE}s?(?:[_ -]?(?:count|total|rate))?\"?(?:\s*[=:：]\s*|\s+)\"?"
    r"(?:0(?:\.0+)?(?:\s*%|(?![\w.]))|none\b|null\b|false\b|off\b|\"\")"
    r"|\b\w*timeout\w*\"?\s*[=: ]\s*\"?\d+|\blog_errors\b|\berrordocument\b|-werror\b"
    r"|\berror-budget\b|\b(?:fail|error)[ _-]?(?:over|safe|fast|log|page|2ban)\w*"
    r"|(?:没有|无|未发现|0 ?个)\s*(?:任何)?(?:错误|异常|失败|告警|警告)"
    r"|(?:错误|异常|失败|告警|警告)\s*(?:数量?|次数)?\s*[:：]?\s*0(?!\w)"
)
_CONTINUES = re.compile(
    r"[ \t]|\.\.\.|at \S|caused by|during handling|the above exception|goroutine \d|\)$",
    re.IGNORECASE,
)

BEFORE = 2
AFTER = 3
TRACE_END = 6
MAX_KINDS = 120
MAX_KEPT_CHARS = 2_000


@dataclass(slots=True)
class Excerpt:
    """The first line of a kind of trouble with its neighbours; *count* lines were of it."""

    weight: int
    run: Run
    before: list[Run]
    after: list[Run] = field(default_factory=list)
    tail: deque[Run] = field(default_factory=lambda: deque(maxlen=TRACE_END))
    in_trace: bool = True
    count: int = 1
    last: int = 0

    def take(self, run: Run) -> bool:
        """Add what follows; False once it is complete."""
        if self.in_trace and _CONTINUES.match(run.opening):
            (self.after if len(self.after) < TRACE_END else self.tail).append(run)
            return True
        ends_trace = self.in_trace and (self.after or self.tail)
        self.in_trace = False
        if ends_trace:  # the line after a trace names the exception
            self.tail.append(run)
            return False
        self.after.append(run)
        return len(self.after) < AFTER

    @property
    def runs(self) -> list[Run]:
        """The line first, then its trace or what stands beside it."""
        beside = [*self.after, *self.tail]
        return [self.run, *beside, *reversed(self.before)]


class Notables:
    """Gathers one excerpt of each kind of trouble, in bounded memory."""

    def __init__(self) -> None:
        self._kinds: dict[bytes, Excerpt] = {}
        self._open: list[Excerpt] = []
        self._before: deque[Run] = deque(maxlen=BEFORE)
        self._lightest = 0

    def take(self, run: Run, weight: int) -> None:
        """Look at the next run; *weight* is that of its first line."""
        if self._open:
            self._open = [each for each in self._open if each.take(run)]
        if weight:
            self._note(run, weight)
        self._before.append(run)

    def _note(self, run: Run, weight: int) -> None:
        key = run.skeleton[:MAX_KEPT_CHARS]
        known = self._kinds.get(key)
        if known is not None:
            known.count += run.last - run.first + 1
            known.last = run.last
        elif weight > self._lightest and _is_trouble(run.opening):
            found = Excerpt(weight, run, list(self._before))
            found.count, found.last = run.last - run.first + 1, run.last
            self._kinds[key] = found
            self._open.append(found)
            self._make_room()

    def _make_room(self) -> None:
        """Let the lightest kind go once there are too many; as light a one is not taken again."""
        if len(self._kinds) > MAX_KINDS:
            kinds = self._kinds
            least = min(kinds, key=lambda key: (kinds[key].weight, -kinds[key].run.first))
            self._lightest = self._kinds.pop(least).weight

    def ranked(self) -> list[Excerpt]:
        """Return the excerpts: heavy ones first, then rare ones, then early ones."""
        return sorted(self._kinds.values(), key=lambda e: (-e.weight, e.count, e.run.first))


@cache
def stems() -> dict[str, int]:
    """Return the pieces of lower-case text that tell of trouble, with their weights."""
    listed = lists.load(__package__, "trouble.yaml")
    return {piece: WEIGHTS[kind] for kind, pieces in listed.items() for piece in pieces}


def weights(lines: list[str]) -> dict[int, int]:
    """Return the weight of each line (by its place in *lines*) that may tell of trouble."""
    lower = "\n".join(lines).lower()
    found: dict[int, int] = {}
    for piece, heavy in stems().items():
        for place in _places(piece, lower):
            found[place] = max(found.get(place, 0), heavy)
    return found


def weight(line: str) -> int:
    """Return the weight of one line, 0 if it cannot tell of trouble."""
    return weights([line]).get(0, 0)


def tells_of_trouble(line: str) -> bool:
    """Tell whether *line* reports that something went wrong."""
    return bool(weight(line)) and _is_trouble(line)


def stem(line: str) -> str:
    """Return the heaviest piece of *line* that tells of trouble, "" if none."""
    lower, known = line.lower(), stems()
    return max((each for each in known if each in lower), key=known.__getitem__, default="")


def _places(piece: str, lower: str) -> list[int]:
    places: list[int] = []
    line, counted, at = 0, 0, lower.find(piece)
    while at >= 0:
        line += lower.count("\n", counted, at)
        places.append(line)
        counted = lower.find("\n", at)
        if counted < 0:
            break
        at = lower.find(piece, counted)
    return places


def _is_trouble(line: str) -> bool:
    start = line[:8_000].lower()
    if not _HARMLESS.search(start):
        return True
    rest = _HARMLESS.sub("", start)
    return any(piece in rest for piece in stems())
