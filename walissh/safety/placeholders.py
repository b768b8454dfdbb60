"""What stands in a secret's place: ``‹secret:1 aws key›``, one number for each value.

Within a session the number of a value never changes, so that the reader, the model too,
can tell that two places hold the same one.
"""

import re
from collections.abc import Callable, Iterator
from typing import Protocol

MARK = re.compile(r"‹secret:(?:(?P<number>[1-9]\d{0,6}) )?(?P<kind>[a-z][a-z ]{0,30})›")
"""A placeholder; without a number where none could be given."""

_LAYOUT = re.compile(r"\\n|[\s\"'`\\,]+")


class Names(Protocol):
    """Gives values their numbers; ``store.secrets`` keeps those of a session."""

    def number(self, kind: str, value: str) -> int:
        """Return the number of *value*, the same each time; 0 if it can be given none."""


class Unnumbered:
    """For texts of no session: a number would be taken for one of the session's own."""

    def number(self, kind: str, value: str) -> int:
        """Return 0."""
        return 0


class Counted:
    """Numbers in order of appearance, for one text by itself."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, kind: str, value: str) -> int:
        """Return the number of *value*, the next one if it is new."""
        return self._numbers.setdefault(canonical(kind, value), len(self._numbers) + 1)


UNNUMBERED = Unnumbered()


def canonical(kind: str, value: str) -> str:
    """Return what makes two values the same: how a key's lines are laid out does not."""
    return _LAYOUT.sub("", value) if kind == "private key" else value


def mark(kind: str, number: int = 0) -> str:
    """Return the placeholder of a secret."""
    return f"‹secret:{number} {kind}›" if number else f"‹secret:{kind}›"


def named(kind: str, value: str, names: Names) -> str:
    """Return the placeholder of *value* as *names* numbers it."""
    return mark(kind, names.number(kind, value))


def there(text: str) -> bool:
    """Tell whether *text* has a placeholder."""
    return "‹secret:" in text and MARK.search(text) is not None


def kinds(text: str) -> list[str]:
    """Return the kinds of the secrets that stood in *text*, in order."""
    return [found["kind"] for found in MARK.finditer(text)]


def numbers(text: str) -> Iterator[int]:
    """Give the numbers that *text* names, in order and as often as it does."""
    for found in MARK.finditer(text):
        if found["number"]:
            yield int(found["number"])


def exact(text: str, value_of: Callable[[int], str | None]) -> str:
    """Return *text* with its secrets in place; one that nobody knows stays as it is."""

    def put_back(found: re.Match[str]) -> str:
        value = value_of(int(found["number"])) if found["number"] else None
        return found[0] if value is None else value

    return MARK.sub(put_back, text)


def plain(text: str) -> str:
    """Return *text* without numbers: they mean nothing outside of their session."""
    return MARK.sub(lambda found: mark(found["kind"]), text) if "‹secret:" in text else text
