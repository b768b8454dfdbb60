"""Take a command line apart into every simple command that it holds.

Plain lines are read directly (``plain``); all others by the ``shfmt`` binary that comes
with a Python package. Without it, or when it fails in any way, the line is unparseable and
nobody may call it safe.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from walissh.safety import refuse
from walissh.safety.refuse import Fault

Dialect = Literal["bash", "sh"]
"""Who reads the line: ``sh`` is any POSIX shell, so only what all of them agree on counts."""

SPLIT = "\2"
"""Stands in a text for what is only known later and, unquoted, may become several words."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word.

    *kind*: ``text``; ``var`` (the value of *text*); ``cut`` (some piece of that value);
    ``number`` (digits, from a count or a calculation; *text* is "-" if it may be below
    zero); ``either`` (one of *words*); ``many`` (each element of the array *text*, a word
    of its own); ``unknown``.
    """

    kind: Literal["text", "var", "cut", "number", "either", "many", "unknown"]
    text: str
    quoted: bool
    words: tuple["Word", ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quotes are gone. *glob*: it names files by pattern."""

    parts: tuple[Part, ...]
    glob: bool = False

    @property
    def literal(self) -> str | None:
        """The text, None when any of it is only known when the line runs."""
        if all(part.kind == "text" for part in self.parts):
            return "".join(part.text for part in self.parts)
        return None


@dataclass(frozen=True, slots=True)
class Assign:
    """``NAME=value``; *plain* is false for subscripts and what sets the name otherwise."""

    name: str
    value: Word | None
    plain: bool


@dataclass(frozen=True, slots=True)
class Redirect:
    """``2>file``: *fd* is "" when not written, *target* is None for a here-document.

    *here*: the text of a here-document or here-string.
    """

    op: str
    fd: str
    target: Word | None
    here: Word | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command; no *words*: only assignments, or redirections of a block.

    *piped*: something comes in on its standard input, from a pipe or around it. *around*:
    the redirections are those of a block. *heard*: the commands that print all that comes
    in, () where that is not sure.
    """

    words: tuple[Word, ...] = ()
    assigns: tuple[Assign, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    piped: bool = False
    around: bool = False
    heard: tuple[tuple[Word, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A whole command line, in the order written.

    *odd* names constructs whose effect the parts do not tell. *values* maps each name that
    the line sets to all texts that it may hold, with the marks of ``words``; none if that
    is not known. *outside* names the variables that it uses before it sets them, wherever:
    their values come from elsewhere. *loops*: a loop in it may never end.
    """

    commands: tuple[Simple, ...] = ()
    odd: frozenset[str] = frozenset()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    loops: bool = False
    outside: frozenset[str] = frozenset()
    fault: Fault = ""


@lru_cache(maxsize=2048)
def parse(command: str, dialect: Dialect = "bash") -> Line:
    """Return the line's parts; ``fault`` says why there are none.

    Control, bidi, invisible and look-alike characters are refused before parsing, for
    the parser and the shell read them differently. Safe to call from many threads.
    """
    from walissh.safety.syntax import plain, shfmt, walk

    fault = refuse.before_parsing(command)
    if fault:
        return Line(fault=fault)
    simple = plain.read(command)
    if simple is not None:
        return Line(simple)
    tree = shfmt.tree(command, dialect)
    if isinstance(tree, str):
        return Line(fault=tree)
    try:
        return walk.line(tree)
    except RecursionError:
        return Line(fault="too_deep")
