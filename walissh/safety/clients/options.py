"""The options of a client: parted from the rest by the list that ``options.yaml`` holds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.safety import lists
from walissh.safety.table import GLOB, UNKNOWN


@dataclass(frozen=True, slots=True)
class Spec:
    """What one client takes.

    *names* gives for each spelling its own name and its kind ("" none, "=" a value,
    "?" a value only if attached). *meanings*: what kinds of effect an option has
    (``quits``, ``writes``, ``opaque``, ...). *early*: options end at the first other word.
    """

    names: Mapping[str, tuple[str, str]]
    meanings: Mapping[str, frozenset[str]]
    early: bool = False
    single: bool = False

    def means(self, name: str) -> frozenset[str]:
        """Return the effects that option *name* has; none: it is harmless."""
        return frozenset(each for each, names in self.meanings.items() if name in names)


@dataclass(frozen=True, slots=True)
class Options:
    """The options given as (own name, value), the other words, and the first unknown option."""

    given: tuple[tuple[str, str], ...]
    rest: tuple[str, ...]
    unknown: str = ""

    def values(self, *names: str) -> list[str]:
        """Return the values given to any of *names*, in order."""
        return [value for name, value in self.given if name in names]

    def has(self, *names: str) -> bool:
        """Tell whether any of *names* was given."""
        return any(name in names for name, _ in self.given)


_MEANINGS = frozenset(
    {"statement", "quits", "prompts", "writes", "opaque", "runs", "changes", "destroys"}
)


@cache
def spec(program: str) -> Spec:
    """Return what *program* takes; KeyError if the list does not hold it."""
    entry = _specs()[program]
    return from_entry(_specs()[entry["same"]] if "same" in entry else entry)


def from_entry(entry: Mapping[str, Any]) -> Spec:
    """Return what an entry of a list, written as ``options.yaml`` says, takes."""
    names = dict(pair for word in entry["options"].split() for pair in _spellings(word))
    meanings = {key: frozenset(value.split()) for key, value in entry.items() if key in _MEANINGS}
    return Spec(names, meanings, entry.get("early", False), entry.get("single", False))


@cache
def _specs() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = lists.load("walissh.safety.clients", "options.yaml")
    return data


def _spellings(word: str) -> Iterator[tuple[str, tuple[str, str]]]:
    kind = word[-1] if word[-1] in "=?" else ""
    names = word.rstrip("=?").split("|")
    for name in names:
        yield name, (names[-1], kind)


def read(known: Spec, args: tuple[str, ...]) -> Options:
    """Part *args* into options and the rest; the first unknown option ends the reading."""
    given: list[tuple[str, str]] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            rest += words
        elif len(word) < 2 or word[0] not in f"-{UNKNOWN}{GLOB}":
            rest.append(word)
            if known.early:
                rest += words
        else:
            found = _option(known, word, words)
            if found is None:
                return Options(tuple(given), tuple(rest), word)
            given += found
    return Options(tuple(given), tuple(rest))


def _option(known: Spec, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    if not word.startswith("-"):
        return None
    if word.startswith("--") or known.single:
        return _long(known, word, words)
    return _bundle(known, word, words)


def _long(known: Spec, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    name, equals, value = word.partition("=")
    name = name.removeprefix("-") if known.single and name.startswith("--") else name
    found = known.names.get(name) or _shortened(known, name)
    if found is None or (equals and not found[1]):
        return None
    own, kind = found
    if kind == "=" and not equals:
        following = next(words, None)
        return None if following is None else [(own, following)]
    return [(own, value)]


def _shortened(known: Spec, name: str) -> tuple[str, str] | None:
    """Return the one long option that begins with *name*."""
    if len(name) < 4 or known.single:
        return None
    name = name.replace("_", "-")
    fits = {found for full, found in known.names.items() if full.startswith(name)}
    return fits.pop() if len(fits) == 1 else known.names.get(name)


def _bundle(known: Spec, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    for at, letter in enumerate(word[1:], 2):
        option = known.names.get(f"-{letter}")
        if option is None:
            return None
        own, kind = option
        if kind and word[at:]:
            return [*found, (own, word[at:])]
        if kind == "=":
            value = next(words, None)
            return None if value is None else [*found, (own, value)]
        found.append((own, ""))
    return found
