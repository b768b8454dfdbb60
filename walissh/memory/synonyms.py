"""Words of the field that mean the same, in both languages, from a file a person may edit.

A question is widened by them when it is asked; the index holds only what was written, so an
edited file holds at once. Its head says how it is written.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from walissh.errors import InvalidError
from walissh.memory import forms, units, words
from walissh.memory.units import Phrase

# the one written in C reads ten times as fast; not each build of the library has it
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CHINESE = re.compile(f"[{words.HAN}]")

logger = logging.getLogger(__name__)

MAX_UNITS = 10
"""A phrase has at most so many words or characters."""
SAME = 0.9
NEAR = 0.6
LOOSE = 0.85
"""What a phrase counts whose words stand apart ("the packets were all dropped")."""
REACH = 7
"""Its words stand within so many units of each other."""
MAX_QUESTION_CHARS = 2000
MAX_APART = 3
MAX_READY = 20_000
"""So many words of questions are remembered as having no phrase that waits."""
BAR = "|"
"""No name in the file has it."""


Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """What a part of a question may be called elsewhere.

    *name* is one of a kind, for ``title``; *said* are the terms of the question it stands for;
    *weight* (0 to 1) is what another name counts as against the one that was said.
    """

    name: str
    said: frozenset[str]
    phrases: tuple[Phrase, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Group:
    """One line of the file; *sought* is looked for when one of *said* is in a question."""

    said: Names
    sought: Names
    weight: float


class Synonyms:
    """The groups, ready to be met in a question.

    A phrase is cut when a question first has a word that begins like one of its own: there
    are more than ten thousand, and a question speaks of few.
    """

    def __init__(self, groups: Iterable[Group]) -> None:
        self._groups = [*groups]
        # phrases wait by their places in these two lists: to collect a tuple for each takes long
        self._said = [phrase for group in self._groups for phrase in group.said]
        self._of = [number for number, group in enumerate(self._groups) for _ in group.said]
        self._waiting: defaultdict[str, list[int]] = defaultdict(list)
        for place, phrase in enumerate(self._said):
            for key in units.beginnings(phrase):
                self._waiting[key].append(place)
        self._ready: set[str] = set()
        self._met: dict[Phrase, list[int]] = {}
        self._apart: dict[str, dict[frozenset[str], list[int]]] = {}
        self._looked_for: dict[int, tuple[str, tuple[Phrase, ...]]] = {}
        self._named: dict[str, list[Names]] = {}

    def concepts(self, text: str) -> list[Concept]:
        """Return what *text* speaks of; where phrases overlap, the longest counts."""
        cut = units.cut(text[:MAX_QUESTION_CHARS])
        for unit in set(cut) - self._ready:
            self._prepare(unit)
        found: dict[int, Concept] = {}
        for phrase in self._whole(cut):
            said = units.terms(phrase)
            for number in self._met[phrase]:
                earlier = found[number].said if number in found else frozenset()
                found[number] = self._concept(number, earlier | said, 1.0)
        for number, loose in self._loose(cut).items():
            if number not in found:
                found[number] = self._concept(number, loose, LOOSE)
        return [*(found[number] for number in sorted(found)), *_formed(text)]

    def _loose(self, cut: Phrase) -> dict[int, frozenset[str]]:
        """Return for each group the longest of its phrases that stands apart in a question."""
        met: dict[int, frozenset[str]] = {}
        for phrase, number in self._spread(cut):
            met[number] = max(met[number], phrase, key=_length) if number in met else phrase
        return met

    def _prepare(self, unit: str) -> None:
        """Cut the phrases that wait for *unit*; twice, by two threads, does no harm."""
        for key in units.keys(unit):
            for place in self._waiting.get(key, ()):
                phrase, number = self._said[place], self._of[place]
                self._met.setdefault(units.cut(phrase), []).append(number)
                self._set_apart(frozenset(units.content(phrase)), number)
            self._waiting.pop(key, None)
        if len(self._ready) < MAX_READY:
            self._ready.add(unit)

    def _set_apart(self, phrase: frozenset[str], number: int) -> None:
        if 2 <= len(phrase) <= MAX_APART:
            known = self._apart.setdefault(max(phrase, key=lambda word: (len(word), word)), {})
            known.setdefault(phrase, []).append(number)

    def _concept(self, number: int, said: frozenset[str], share: float) -> Concept:
        name, phrases = self._sought(number)
        return Concept(name, said, phrases, share * self._groups[number].weight)

    def _sought(self, number: int) -> tuple[str, tuple[Phrase, ...]]:
        """Return the name of a group and what it looks for, cut when it is first asked for."""
        if number not in self._looked_for:
            wide = self._wide(self._groups[number])
            cut = dict.fromkeys(map(units.needed, [*self._groups[number].sought, *wide]))
            self._looked_for[number] = (_name(wide, number), tuple(filter(None, cut)))
        return self._looked_for[number]

    def _wide(self, group: Group) -> Names:
        """Return what a group looks for; near words, each with the group of that behind it.

        The first in a language is what it may be shown by.
        """
        if group.weight == SAME:
            return group.sought
        if not self._named:
            self._named = _named(self._groups)
        behind = ((name, self._named.get(name, ())) for name in group.sought)
        return tuple(
            each
            for name, same in behind
            for each in (name, *(one for names in same for one in names))
        )

    def _whole(self, cut: Phrase, shorter_than: int = MAX_UNITS + 1) -> Iterator[Phrase]:
        """Find the longest phrases; and what stands in one that only leads elsewhere."""
        for begin, end in units.longest(self._spans(cut, shorter_than)):
            phrase = cut[begin:end]
            yield phrase
            if all(self._groups[number].weight == NEAR for number in self._met[phrase]):
                yield from self._whole(phrase, shorter_than=len(phrase))

    def _spans(self, cut: Phrase, shorter_than: int) -> Iterator[tuple[int, int]]:
        for begin in range(len(cut)):
            for end in range(min(begin + shorter_than - 1, len(cut)), begin, -1):
                if cut[begin:end] in self._met:
                    yield begin, end
                    break

    def _spread(self, cut: Phrase) -> Iterator[tuple[frozenset[str], int]]:
        """Find the phrases whose words stand near each other, in whatever order."""
        words_at = [units.word_at(cut, place) for place in range(len(cut))]
        for place, here in enumerate(words_at):
            for word in here:
                if known := self._apart.get(word):
                    around = words_at[max(place - REACH, 0) : place + REACH + 1]
                    near = {each for at in around for each in at}
                    for phrase, numbers in known.items():
                        if phrase <= near:
                            yield from ((phrase, number) for number in numbers)


def _formed(text: str) -> Iterator[Concept]:
    """Yield the forms that are asked for: what answers is marked with them."""
    for form in forms.asked(text):
        said = frozenset({form.mark})
        yield Concept(form.name, said, ((form.mark,),), form.weight)


def _length(phrase: frozenset[str]) -> tuple[int, list[str]]:
    return (len(phrase), sorted(phrase))


def _named(groups: Iterable[Group]) -> dict[str, list[Names]]:
    """Return the names that mean the same as a name, by it."""
    named: dict[str, list[Names]] = {}
    for group in groups:
        if group.weight == SAME:
            for name in group.said:
                named.setdefault(name, []).append(group.said)
    return named


def _name(names: Names, number: int) -> str:
    """Return a name of its own for a group: in Chinese and in English, by a bar."""
    return BAR.join((_first(names, chinese=True), _first(names, chinese=False), str(number)))


def _first(names: Names, *, chinese: bool) -> str:
    """Return the first of *names* in a language, or the first if none is in it."""
    fitting = (name for name in names if bool(_CHINESE.search(name)) is chinese)
    return next(fitting, names[0])


def title(name: str, language: str) -> str:
    """Return the name of a concept as people read it: *language* is "zh" or "en"."""
    chinese, _, rest = name.partition(BAR)
    return chinese if language == "zh" else rest.partition(BAR)[0] or chinese


# --- the file -------------------------------------------------------------------------


def read(text: str) -> list[Group]:
    """Read groups from the text of a file; raises InvalidError that names the bad line."""
    try:
        data: Any = yaml.load(text, Loader=_Loader)  # noqa: S506  a safe one
    except yaml.YAMLError as error:
        raise InvalidError(f"The synonyms are not valid YAML: {error}") from error
    if not isinstance(data, dict) or not set(data) <= {"same", "near"}:
        raise InvalidError("The synonyms need the lists 'same' and 'near', and nothing else.")
    same, near = data.get("same") or [], data.get("near") or []
    if not isinstance(same, list) or not isinstance(near, list):
        raise InvalidError("The synonyms 'same' and 'near' must be lists of lines.")
    wholes = [_same(_names(line, "one | two | ...")) for line in same]
    return wholes + [_near(*_asked_and_sought(line)) for line in near]


def _same(names: Names) -> Group:
    return Group(names, names, SAME)


def _near(said: Names, sought: Names) -> Group:
    return Group(said, sought, NEAR)


def _names(line: object, form: str) -> Names:
    names = tuple(name.strip().lower() for name in str(line).split("|"))
    if not all(names) or any(len(units.cut(name)) > MAX_UNITS for name in names):
        raise InvalidError(f"The synonyms have a line that cannot be read: {line!r}; write {form}")
    return tuple(name for name in names if units.cut(name))  # a mark alone names nothing


def _asked_and_sought(line: object) -> tuple[Names, Names]:
    asked, _arrow, sought = str(line).partition(">")
    return _names(asked, "..."), _names(sought, "asked | ... > sought | ...")


def plain(text: str) -> list[Group]:
    """Read what ``read`` reads, if it is written as the standard file is.

    One line a group, two blanks and a dash before it, " | " between names, no quotes; "near"
    stands last. Nothing is checked: reading it as YAML, with checks, takes twenty times as
    long, at each start; so a test does that.
    """
    same, _, near = text.lower().partition("\nnear:\n")
    halves = (line.split(" > ", 1) for line in _listed(near))
    return [
        *(_same(_split(line)) for line in _listed(same)),
        *(_near(_split(said), _split(sought)) for said, sought in halves),
    ]


def _split(line: str) -> Names:
    return tuple(line.split(" | "))


def _listed(part: str) -> Iterator[str]:
    return (line[4:] for line in part.split("\n") if line.startswith("  - "))


@cache
def standard() -> Synonyms:
    """Return the synonyms that come with the product."""
    return Synonyms(_standard_groups())


@cache
def _standard_groups() -> tuple[Group, ...]:
    return tuple(plain((files("walissh.memory") / "synonyms.yaml").read_text("utf-8")))


class SynonymsFile:
    """A person's own synonyms beside the standard ones, read again when the file changes.

    A broken file keeps the last good one in force.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._good: Synonyms | None = None
        self.problem = ""

    def current(self) -> Synonyms:
        """Return what holds now; *problem* says what is wrong with the file, "" if nothing."""
        try:
            stat = self._path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            if stamp != self._stamp:
                self._stamp = stamp
                self._good, self.problem = self._read(), ""
        except FileNotFoundError:
            self._stamp, self._good, self.problem = None, None, ""
        except (OSError, UnicodeDecodeError, InvalidError) as error:
            self._tell(f"{self._path}: {error} The last good synonyms stay in force.")
        return self._good or standard()

    def _read(self) -> Synonyms:
        return Synonyms([*read(self._path.read_text("utf-8")), *_standard_groups()])

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            logger.warning("%s", problem)
        self.problem = problem
