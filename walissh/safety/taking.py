"""Flags parted from the rest of an argument list, as a rule of the list names them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from walissh.react.turn import Risk
from walissh.safety.listed import Rule

UNKNOWN = "\0"
"""Stands in an argument for what is only known when the line runs."""
GLOB = "\1"
"""Stands before an argument that begins with a file pattern: it may become a flag."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How an argument list stands to the rule.

    *code*: "" when it only reads; else what is in the way (``flag``, ``argument``,
    ``missing``, ``subcommand``, ``script``, ``endless``, ``terminal``, ``stdin``, ``effect``);
    *word* is the part that decided. *shown*: files whose content would be printed. *risk*:
    what it does instead of reading, None if the list does not tell. *scripts*: what it
    would hand to a shell.
    """

    code: str = ""
    word: str = ""
    works: str = ""
    shown: tuple[str, ...] = ()
    risk: Risk | None = None
    scripts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """The flags of an argument list with their values ("" for none), and the other words."""

    flags: tuple[tuple[str, str], ...]
    rest: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.flags)


def first(args: tuple[str, ...]) -> str:
    """Return the first word, "" of none."""
    return args[0] if args else ""


def free(rule: Rule, args: tuple[str, ...]) -> Reading:
    """Hold the arguments of a program that knows no flags to its rule."""
    if not rule.unknown and any(UNKNOWN in arg for arg in args):
        return Reading("argument", UNKNOWN)
    if rule.match is not None and not re.fullmatch(rule.match, " ".join(args), re.S):
        return Reading("argument", first(args))
    return Reading()


def take(rule: Rule, args: tuple[str, ...]) -> Taken | Reading:
    """Part flags from the rest; a Reading when a flag is not on the list."""
    flags: list[tuple[str, str]] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--" and rule.style == "gnu":
            rest += words
        elif UNKNOWN in word and not (rule.unknown and not rule.prints):
            if not word.startswith("/") and (word[0] in {UNKNOWN, "-"} or not rule.unknown):
                return Reading("argument", word)
            rest.append(word)
        elif len(word) < 2 or not word.startswith(("-", "+") if rule.numbers else "-"):
            rest.append(word)
        else:
            found = _read_flag(rule, word, words)
            if found is None:
                return Reading("flag", word)
            flags += found
    return Taken(tuple(flags), tuple(rest))


def _read_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    if rule.numbers and re.fullmatch(r"[-+]\d+", word):
        return [(word, "")]
    if word.startswith("+"):
        return None
    if rule.style == "single" or (word in rule.flags and not word.startswith("--")):
        return _whole_flag(rule, word, words)
    if word.startswith("--"):
        return _long_flag(rule, word, words)
    return _bundle(rule, word, words)


def _whole_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    name, equals, value = word.partition("=")
    if word not in rule.flags and name.startswith("--"):
        name = name[1:]  # what takes whole words after one dash takes them after two as well
    if equals and word not in rule.flags:
        return allowed(rule, name, value) if rule.flags.get(name) else None
    name = word if word in rule.flags else name
    kind = rule.flags.get(name)
    if kind is None:
        return None
    return _valued(rule, name, words) if kind == "=" else [(name, "")]


def _long_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    name, equals, value = word.partition("=")
    kind = rule.flags.get(name)
    if name in {"--help", "--version"} and not equals:
        return [(name, "")]
    if kind is None:
        name, kind = _shortened(rule, name)
    if kind is None or (equals and kind == ""):
        return None
    if equals:
        return allowed(rule, name, value)
    return _valued(rule, name, words) if kind == "=" else [(name, "")]


def _shortened(rule: Rule, name: str) -> tuple[str, str | None]:
    """Return the flag that *name* may be short for, if that one does more than read."""
    for full in sorted(rule.commands | rule.writes | rule.effects.keys()):
        if len(name) > 4 and full.startswith(name):
            return full, rule.flags[full]
    return name, None


def _bundle(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    for at, letter in enumerate(word[1:], 2):
        name, value = f"-{letter}", word[at:]
        kind = rule.flags.get(name)
        if kind is None:
            return None
        if kind and value:
            last = allowed(rule, name, value)
        elif kind == "=":
            last = _valued(rule, name, words)
        else:
            found.append((name, ""))
            continue
        return None if last is None else found + last
    return found


def _valued(rule: Rule, name: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    value = next(words, None)
    return None if value is None else allowed(rule, name, value)


def allowed(rule: Rule, name: str, value: str) -> list[tuple[str, str]] | None:
    pattern = rule.values.get(name)
    # behind a fixed beginning it is one file of a folder; a pattern is held to it anyway
    if UNKNOWN in value and not rule.unknown and not value.startswith("/"):
        return None
    fits = pattern is None or re.fullmatch(pattern, value, re.S)
    return [(name, value)] if fits or name in rule.commands else None
