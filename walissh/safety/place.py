"""Where a part of a command line stands."""

import re
from dataclasses import dataclass, field, replace

from walissh.safety import words
from walissh.safety.shell import Dialect

_STANDARD_DIRS = re.compile(r"/(usr/(local/)?)?s?bin/([\w.+-]+)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands.

    *depth* inside wrappers; *starts*: where relative paths may begin; *values* of the
    line's variables as in ``Line``; *dialect*: what reads the line; *quiet*: the whole line
    does no more than open something and say whether that went well.
    """

    depth: int = 0
    starts: tuple[str, ...] = ()
    values: words.Values = field(default_factory=dict)
    dialect: Dialect = "bash"
    quiet: bool = False

    def deeper(self, dialect: Dialect, given: tuple[str, ...] = ()) -> "Place":
        """Return where a script stands that is started from here with the words *given*."""
        values = {str(at): (text,) for at, text in enumerate(given)}
        return Place(self.depth + 1, self.starts, values, dialect)

    def inside(self) -> "Place":
        """Return where a command stands that a wrapper starts from here."""
        return replace(self, depth=self.depth + 1)


def program_of(word: str) -> str:
    """Return the program's name without the folder, if that is one of the system's."""
    found = _STANDARD_DIRS.fullmatch(word)
    return found[3] if found else word
