"""Which memory a question needs: a decision tree in a YAML file.

Ancestor: MemoryRouter of the two-layer design. A person's own file takes the place of the
built-in one and is read again when it changes; a broken one leaves the last good one in
force and says so.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

from walissh.clock import Clock
from walissh.errors import InvalidError
from walissh.memory import proposal
from walissh.memory.entry import Route, Routing
from walissh.memory.expressions import PHRASE_FIELDS, phrases, seen
from walissh.memory.tables import Place, document
from walissh.react.turn import Language

logger = logging.getLogger(__name__)

BUILT_IN: Final = Path(__file__).with_name("router.yaml")
OWN_FILE: Final = "router.yaml"
"""The name of a person's own tree in the home folder."""
LOOK_AGAIN_AFTER: Final = timedelta(seconds=1)

_MAX_DEPTH = 50
_MAX_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known when a question comes in.

    *open_task*: a task of this talk is not ended; *follows*: the talk has earlier rounds;
    *names_host*: the question names a known host.
    """

    question: str
    language: Language = "en"
    open_task: bool = False
    follows: bool = False
    names_host: bool = False


_Test = Callable[[Signals, str], bool]

_SIGNALS: Mapping[str, _Test] = {
    "open_task": lambda signals, _: signals.open_task,
    "follows": lambda signals, _: signals.follows,
    "names_host": lambda signals, _: signals.names_host,
    "in_chinese": lambda signals, _: signals.language == "zh",
    "missing": lambda signals, _: proposal.missing(signals.question) is not None,
}


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    test: _Test


@dataclass(frozen=True, slots=True)
class _Fork:
    question: _Question
    yes: "_Fork | str"
    no: "_Fork | str"


@dataclass(frozen=True, slots=True)
class Tree:
    """A loaded file: one tree for the route, one for whether knowledge is searched."""

    route: _Fork | str
    knowledge: _Fork | str

    def decide(self, signals: Signals) -> Routing:
        """Return the route; its path is "question: yes" and so on, in the order asked."""
        text = seen(signals.question)
        answers: dict[str, bool] = {}
        route = _walk(self.route, signals, text, answers)
        knowledge = _walk(self.knowledge, signals, text, answers)
        path = tuple(f"{name}: {'yes' if said else 'no'}" for name, said in answers.items())
        return Routing(Route(route), knowledge == "yes", path)


def _walk(at: _Fork | str, signals: Signals, text: str, answers: dict[str, bool]) -> str:
    while isinstance(at, _Fork):
        name = at.question.name
        if name not in answers:
            answers[name] = at.question.test(signals, text)
        at = at.yes if answers[name] else at.no
    return at


# --- the file in use ----------------------------------------------------------------------


class Router:
    """Decides by a person's own file while it is good, else by the last good one."""

    def __init__(self, own: Path, clock: Clock) -> None:
        """Take the place of the own file, which need not be there."""
        self._own, self._clock = own, clock
        self._lock = threading.Lock()
        self._tree = built_in()
        self._looked: datetime | None = None
        self._stamp: tuple[int, int] | None = None
        self._problem = ""

    def decide(self, signals: Signals) -> Routing:
        """Return the route of a question, by the file as it is now (within a second)."""
        with self._lock:
            self._look()
            tree = self._tree
        return tree.decide(signals)

    @property
    def problem(self) -> str:
        """What is wrong with the own file and which one counts instead; "" if all is well."""
        with self._lock:
            self._look()
            return self._problem

    def _look(self) -> None:
        now = self._clock()
        if self._looked is not None and timedelta() <= now - self._looked < LOOK_AGAIN_AFTER:
            return
        first = self._looked is None
        self._looked = now
        stamp = _stamp(self._own)
        if stamp != self._stamp or first:
            self._stamp = stamp
            self._read(found=stamp is not None)

    def _read(self, *, found: bool) -> None:
        try:
            self._tree = load(self._own) if found else built_in()
            self._problem = ""
        except InvalidError as error:
            self._problem = f"{error} Until then the last good routing is used."
            logger.warning("routing file not used: %s", error)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@cache
def built_in() -> Tree:
    """Return the tree of this package."""
    return load(BUILT_IN)


def load(path: Path) -> Tree:
    """Return the tree of a file; raises InvalidError with file, line and what to do."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"{path}: the file cannot be read ({error}). Make it a readable UTF-8 text."
        ) from error
    return read(text, str(path))


# --- reading a file -----------------------------------------------------------------------


def read(text: str, file: str) -> Tree:
    """Return the tree of a YAML text; *file* names it in errors."""
    root = document(text, file)
    parts = root.fields("questions", "route", "knowledge")
    for name in ("questions", "route", "knowledge"):
        if name not in parts:
            raise root.fail(f"the part {name!r} is missing. Add it.")
    questions: dict[str, _Question] = {}
    for name, place in parts["questions"].fields().items():
        questions[name] = _Question(name, _test(place, questions))
    return Tree(
        _Reader(questions, tuple(Route)).node(parts["route"]),
        _Reader(questions, ("yes", "no")).node(parts["knowledge"]),
    )


def _test(place: Place, earlier: Mapping[str, _Question]) -> _Test:
    fields = place.fields("signal", "any", *PHRASE_FIELDS)
    if "signal" in fields:
        name = fields["signal"].text()
        if name not in _SIGNALS:
            raise fields["signal"].fail(f"{name!r} is no signal. Use {', '.join(_SIGNALS)}.")
        return _SIGNALS[name]
    if "any" in fields:
        tests = [_named(each, earlier).test for each in fields["any"].items()]
        return lambda signals, text: any(test(signals, text) for test in tests)
    said = phrases(place, fields)
    return lambda _, text: said.hold(text)


def _named(place: Place, questions: Mapping[str, _Question]) -> _Question:
    name = place.text()
    if name not in questions:
        raise place.fail(f"the question {name!r} is not defined above. Define it or correct it.")
    return questions[name]


@dataclass(slots=True)
class _Reader:
    """Reads one tree; counts its nodes, for an alias in YAML can repeat without end."""

    questions: Mapping[str, _Question]
    leaves: tuple[str, ...]
    count: int = field(default=0)

    def node(self, place: Place, depth: int = 0) -> _Fork | str:
        self.count += 1
        if depth > _MAX_DEPTH or self.count > _MAX_NODES:
            raise place.fail("the tree is too large or contains itself. Make it smaller.")
        if place.is_text():
            return self._leaf(place)
        fields = place.fields("ask", "yes", "no")
        for name in ("ask", "yes", "no"):
            if name not in fields:
                raise place.fail(f"a question needs `ask`, `yes` and `no`; {name!r} is missing.")
        return _Fork(
            _named(fields["ask"], self.questions),
            self.node(fields["yes"], depth + 1),
            self.node(fields["no"], depth + 1),
        )

    def _leaf(self, place: Place) -> str:
        leaf = place.text()
        if leaf not in self.leaves:
            raise place.fail(f"{leaf!r} is no answer here. Use {', '.join(self.leaves)}.")
        return leaf
