"""Words of the field that mean the same, in both languages, from a file a person may edit.

A question is widened by them when it is asked; the index holds only what was written, so an
edited file holds at once. Its head says how it is written.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from walissh.errors import InvalidError
from walissh.memory import words
from walissh.memory.stem import stem

# the one written in C reads ten times as fast; not each build of the library has it
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# the parts of "eu-db-03" speak of no database
_HOST = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*-[A-Za-z]{0,2}\d+")

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
BAR = "|"
"""No name in the file has it."""

Phrase = tuple[str, ...]
"""The terms that must all stand in a text for a phrase to be in it."""


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
    """One line of the file; *phrases* are looked for when one of *said* is in a question.

    *title* are the words it may be shown by.
    """

    title: tuple[str, ...]
    said: tuple[str, ...]
    phrases: tuple[str, ...]
    weight: float


class Synonyms:
    """The groups, ready to be met in a question."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._groups = [*groups]
        self._titles = _titles(self._groups)
        self._met: dict[Phrase, list[int]] = {}
        self._apart: dict[str, dict[frozenset[str], list[int]]] = {}
        for number, group in enumerate(self._groups):
            for phrase in group.said:
                self._met.setdefault(_units(phrase), []).append(number)
                self._set_apart(frozenset(_content(phrase)), number)
        self._phrases: dict[int, tuple[Phrase, ...]] = {}

    def _set_apart(self, phrase: frozenset[str], number: int) -> None:
        if 2 <= len(phrase) <= MAX_APART:
            known = self._apart.setdefault(max(phrase, key=lambda word: (len(word), word)), {})
            known.setdefault(phrase, []).append(number)

    def concepts(self, text: str) -> list[Concept]:
        """Return what *text* speaks of; where phrases overlap, the longest counts."""
        units = _units(text[:MAX_QUESTION_CHARS])
        found: dict[int, Concept] = {}
        for begin, end in _longest(self._spans(units)):
            said = _terms(units[begin:end])
            for number in self._met[units[begin:end]]:
                earlier = found[number].said if number in found else frozenset()
                found[number] = self._concept(number, earlier | said, 1.0)
        for phrase, number in self._spread(units):
            if number not in found:
                found[number] = self._concept(number, phrase, LOOSE)
        return [*found.values()]

    def _concept(self, number: int, said: frozenset[str], share: float) -> Concept:
        weight = share * self._groups[number].weight
        return Concept(self._titles[number], said, self._sought(number), weight)

    def _sought(self, number: int) -> tuple[Phrase, ...]:
        """Return what a group looks for, cut when it is first asked for."""
        if number not in self._phrases:
            cut = dict.fromkeys(map(_needed, self._groups[number].phrases))
            self._phrases[number] = tuple(filter(None, cut))
        return self._phrases[number]

    def _spans(self, units: Phrase) -> Iterator[tuple[int, int]]:
        for begin in range(len(units)):
            for end in range(min(begin + MAX_UNITS, len(units)), begin, -1):
                if units[begin:end] in self._met:
                    yield begin, end
                    break

    def _spread(self, units: Phrase) -> Iterator[tuple[frozenset[str], int]]:
        """Find the phrases whose words stand near each other, in whatever order."""
        words_at = [_word_at(units, place) for place in range(len(units))]
        for place, here in enumerate(words_at):
            for word in here:
                if known := self._apart.get(word):
                    around = words_at[max(place - REACH, 0) : place + REACH + 1]
                    near = {each for at in around for each in at}
                    for phrase, numbers in known.items():
                        if phrase <= near:
                            yield from ((phrase, number) for number in numbers)


def _word_at(units: Phrase, place: int) -> tuple[str, ...]:
    """Return the words that begin at a place: of Chinese a character and a pair."""
    unit = units[place]
    if not words.is_han(unit):
        return (unit,)
    after = units[place + 1] if place + 1 < len(units) else ""
    return (unit, unit + after) if after and words.is_han(after) else (unit,)


def _content(phrase: str) -> Iterator[str]:
    """Yield the words of *phrase* that may stand apart: pairs of Chinese, and a last one."""
    for piece in words.pieces(phrase):
        if words.is_han(piece):
            cut = (piece[at : at + 2] for at in range(0, len(piece), 2))
            yield from (each for each in cut if each not in words.stopwords())
        else:
            yield from (stem(part) for part in words.parts(piece) if part not in words.stopwords())


def _titles(groups: Sequence[Group]) -> list[str]:
    """Return for each group a name of its own: in Chinese and in English, by a bar."""
    taken: set[str] = set()
    titles = []
    for number, group in enumerate(groups):
        title = BAR.join(_first(group.title, chinese) for chinese in (True, False))
        titles.append(title if title not in taken else f"{title}{BAR}{number}")
        taken.add(title)
    return titles


def _first(names: Sequence[str], chinese: bool) -> str:
    """Return the first of *names* in a language, or the first if none is in it."""
    fitting = (name for name in names if any(map(words.is_han, name)) is chinese)
    return next(fitting, names[0])


def title(name: str, language: str) -> str:
    """Return the name of a concept as people read it: *language* is "zh" or "en"."""
    chinese, _, rest = name.partition(BAR)
    return chinese if language == "zh" else rest.partition(BAR)[0] or chinese


def _longest(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    reached = 0
    for begin, end in spans:
        if end > reached:
            yield begin, end
            reached = end


def _units(text: str) -> Phrase:
    """Cut into single characters of Chinese and stemmed words."""
    units: list[str] = []
    for piece in words.pieces(text):
        if words.is_han(piece):
            units += piece
        else:
            units += [piece.lower()] if _HOST.fullmatch(piece) else _latin_units(piece)
    return tuple(units)


def _latin_units(piece: str) -> list[str]:
    return [stem(part) for part in words.parts(piece)]


def _terms(units: Phrase) -> frozenset[str]:
    latin = {unit for unit in units if not words.is_han(unit)}
    chinese = "".join(unit if words.is_han(unit) else " " for unit in units)
    return frozenset(latin | {*words.terms(chinese)})


def _needed(phrase: str) -> Phrase:
    """Return the pairs and words that a text with *phrase* in it has.

    () if stopwords leave but a vague word of several, for "log in" is not a log.
    """
    needed: list[str] = []
    left_out = False
    for piece in words.pieces(phrase):
        terms = words.terms(piece)
        if not words.is_han(piece):
            parts = [stem(part) for part in words.parts(piece) if part not in words.stopwords()]
            left_out |= not parts
            needed += parts if len(parts) > 1 or len(words.parts(piece)) == 1 else terms[:1]
        else:
            needed += [term for term in _pairs(piece) if term in terms]
    distinct = tuple(dict.fromkeys(needed))
    return () if left_out and words.vague().issuperset(distinct) else distinct


def _pairs(piece: str) -> list[str]:
    """Cut Chinese in twos, the last one whole: words that need not stand side by side."""
    starts = [*range(0, len(piece) - 1, 2)] or [0]
    if len(piece) > 1 and len(piece) % 2:
        starts.append(len(piece) - 2)
    return [piece[at : at + 2] for at in starts]


# --- the file -------------------------------------------------------------------------


def read(text: str, *, beside: Sequence[Group] = ()) -> list[Group]:
    """Read groups from the text of a file; raises InvalidError that names the bad line.

    What stands after ">" may name one of the groups *beside*, too.
    """
    try:
        data: Any = yaml.load(text, Loader=_Loader)  # noqa: S506  a safe one
    except yaml.YAMLError as error:
        raise InvalidError(f"The synonyms are not valid YAML: {error}") from error
    if not isinstance(data, dict) or not set(data) <= {"same", "near"}:
        raise InvalidError("The synonyms need the lists 'same' and 'near', and nothing else.")
    same, near = data.get("same") or [], data.get("near") or []
    if not isinstance(same, list) or not isinstance(near, list):
        raise InvalidError("The synonyms 'same' and 'near' must be lists of lines.")
    groups = [_same(line) for line in same]
    named: dict[str, list[Group]] = {}
    for group in (*beside, *groups):
        for phrase in group.said:
            named.setdefault(phrase, []).append(group)
    return groups + [_near(line, named) for line in near]


def _same(line: object) -> Group:
    names = _names(line, "one | two | ...")
    return Group(names, names, names, SAME)


def _near(line: object, named: dict[str, list[Group]]) -> Group:
    asked, _arrow, sought = str(line).partition(">")
    said, found = _names(asked, "..."), _names(sought, "asked | ... > sought | ...")
    # each name with its group behind it: the first in a language is what it may be shown by
    wider = [
        each
        for name in found
        for each in (name, *(other for group in named.get(name, ()) for other in group.phrases))
    ]
    return Group(tuple(wider), said, tuple(dict.fromkeys([*found, *wider])), NEAR)


def _names(line: object, form: str) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in str(line).split("|"))
    if not all(names) or any(len(_units(name)) > MAX_UNITS for name in names):
        raise InvalidError(f"The synonyms have a line that cannot be read: {line!r}; write {form}")
    return tuple(name for name in names if _units(name))  # a stopword names nothing


@cache
def standard() -> Synonyms:
    """Return the synonyms that come with the product."""
    return Synonyms(_standard_groups())


@cache
def _standard_groups() -> tuple[Group, ...]:
    return tuple(read((files("walissh.memory") / "synonyms.yaml").read_text("utf-8")))


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
        own = read(self._path.read_text("utf-8"), beside=_standard_groups())
        return Synonyms([*own, *_standard_groups()])

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            logger.warning("%s", problem)
        self.problem = problem
