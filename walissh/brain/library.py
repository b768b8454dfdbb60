"""The playbooks of an installation: the built-in ones, and the files in its home.

A file of a person's own that is wrong is named and left out; all others work. Names of
playbooks, probes and findings are one space: an own one cannot take the place of another.
"""

import logging
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import yaml

from walissh.brain import playbook
from walissh.brain.playbook import Catalogue, Playbook, PlaybookError

logger = logging.getLogger(__name__)

FOLDER: Final = "playbooks"
MAX_BYTES: Final = 256 * 1024
MAX_FILES: Final = 50
MAX_VALUES: Final = 20_000
"""So many values does a file come to, each alias counted with all that it stands for."""
MAX_DEPTH: Final = 40

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Own:
    """A playbook of the home, and the file it stands in."""

    path: Path
    book: Playbook


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out; *why* is a sentence with file and place."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Library:
    """What can be run, whose it is, and what was left out."""

    catalogue: Catalogue
    own: tuple[Own, ...] = ()
    problems: tuple[Problem, ...] = ()


@cache
def of(home: Path) -> Library:
    """Load the library of *home*, once in a process; what is left out is logged."""
    found = load(home / FOLDER)
    for each in found.problems:
        logger.warning("a playbook was left out: %s", each.why)
    return found


def load(folder: Path) -> Library:
    """Read the built-in playbooks and those of *folder*; raises nothing for a wrong file."""
    read: list[Own] = []
    problems: list[Problem] = []
    for path in _files(folder, problems):
        try:
            read.append(Own(path, read_file(path)))
        except PlaybookError as error:
            problems.append(Problem(path, str(error)))
    return _together(read, problems)


def check(path: Path, folder: Path) -> Playbook:
    """Read *path* as if it were in *folder*; raises PlaybookError that says what is wrong."""
    book = read_file(path)
    others = [each for each in load(folder).own if each.path.name != path.name]
    found = _together([*others, Own(path, book)], [])
    for problem in found.problems:
        if problem.path == path:
            raise PlaybookError(problem.why)
    return book


def read_file(path: Path) -> Playbook:
    """Read one file; raises PlaybookError with its name, and the line where there is one."""
    text = _text(path)
    _check_size(text, path.name)
    try:
        return playbook.read(text, path.name)
    except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        # a date that is none, a number of 5,000 digits, an expression without end
        raise PlaybookError(f"{path.name}: {type(error).__name__}: {error}") from error


def _files(folder: Path, problems: list[Problem]) -> list[Path]:
    try:
        found = sorted(each for each in folder.iterdir() if each.suffix in (".yaml", ".yml"))
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(folder, f"{folder} cannot be read: {error.strerror}"))
        return []
    if len(found) > MAX_FILES:
        why = f"{folder}: more than {MAX_FILES} files, the others are not read"
        problems.append(Problem(folder, why))
    return found[:MAX_FILES]


def _text(path: Path) -> str:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # reading a pipe would wait for its writer
            raise PlaybookError(f"{path.name}: not a file")
        if about.st_size > MAX_BYTES:
            raise PlaybookError(f"{path.name}: larger than {MAX_BYTES // 1024} KiB")
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise PlaybookError(f"{path.name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PlaybookError(f"{path.name}: not UTF-8 at byte {error.start}") from error


def _check_size(text: str, source: str) -> None:
    """Refuse what would be huge once its aliases are spelled out, or is nested without end."""
    sizes: list[int] = [0]
    anchors: dict[str, int] = {}
    names: list[str | None] = []
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent):
                # one that is not ended yet holds itself: it never ends
                sizes[-1] += anchors.get(str(event.anchor), MAX_VALUES + 1)
            elif isinstance(event, yaml.CollectionStartEvent):
                sizes.append(1)
                names.append(event.anchor)
            elif isinstance(event, yaml.CollectionEndEvent):
                size, name = sizes.pop(), names.pop()
                sizes[-1] += size
                anchors |= {name: size} if name else {}
            elif isinstance(event, yaml.ScalarEvent):
                sizes[-1] += 1
                anchors |= {event.anchor: 1} if event.anchor else {}
            _refuse(sizes, source)
    except yaml.YAMLError as error:
        raise PlaybookError(f"{source}: not YAML: {error}") from error


def _refuse(sizes: Sequence[int], source: str) -> None:
    if len(sizes) > MAX_DEPTH:
        raise PlaybookError(f"{source}: nested more than {MAX_DEPTH} deep")
    if sizes[-1] > MAX_VALUES:
        raise PlaybookError(f"{source}: more than {MAX_VALUES} values, aliases spelled out")


# --- what fits together ----------------------------------------------------------------


def _together(read: Sequence[Own], problems: list[Problem]) -> Library:
    built_in = playbook.built_in()
    fresh, taken = _without_known_names(read, built_in)
    problems += taken
    whole, own = _sound(fresh, built_in, problems)
    return Library(whole, own, tuple(sorted(problems, key=lambda each: each.path)))


def _without_known_names(
    read: Iterable[Own], built_in: Catalogue
) -> tuple[list[Own], list[Problem]]:
    """Leave out what takes a name that is there: the first file of its name has it."""
    known = dict.fromkeys(_names(built_in.playbooks), "a built-in playbook")
    fresh: list[Own] = []
    problems: list[Problem] = []
    for each in read:
        names = _names([each.book])
        twice = next((name for name in names if name in known), None)
        if twice is None:
            fresh.append(each)
            known |= dict.fromkeys(names, each.path.name)
        else:
            why = f"{each.path.name}: {twice} is there already, in {known[twice]}"
            problems.append(Problem(each.path, why))
    return fresh, problems


def _names(books: Iterable[Playbook]) -> list[str]:
    """Return what *books* give names to: themselves, their probes and their findings."""
    return [
        name
        for book in books
        for name in (
            f"the playbook {book.name}",
            *(f"the probe {each}" for each in book.probes),
            *(f"the finding {each}" for each in book.findings),
        )
    ]


def _sound(
    fresh: Iterable[Own], built_in: Catalogue, problems: list[Problem]
) -> tuple[Catalogue, tuple[Own, ...]]:
    """Leave out, one after the other, what refers to nothing; the rest may use each other."""
    own = list(fresh)
    while own:
        try:
            return _joined(built_in, own), tuple(own)
        except PlaybookError as error:
            wrong = _blamed(own, str(error))
            own.remove(wrong)
            why = f"{wrong.path.name}: {str(error).removeprefix(f'{wrong.book.name}: ')}"
            problems.append(Problem(wrong.path, why))
    return built_in, ()


def _blamed(own: Sequence[Own], why: str) -> Own:
    """Return whose fault *why* is: it begins with the playbook's name."""
    return next((each for each in own if why.startswith(f"{each.book.name}: ")), own[-1])


def _joined(built_in: Catalogue, own: Iterable[Own]) -> Catalogue:
    return playbook.catalogue([*built_in.playbooks, *(each.book for each in own)])
