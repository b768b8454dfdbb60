"""Read the fields of one line; what a task does not name here is never looked at."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

from walissh.errors import InvalidError

_KINDS: dict[type, str] = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}

T = TypeVar("T")


class FieldError(InvalidError):
    """A line lacks a field or holds one of another kind."""


def text(line: Mapping[str, object], name: str, default: str | None = None) -> str:
    """Return the text *name*; an absent or null one is *default*, None: it must be there."""
    return _of(str, line, name, default)


def whole(line: Mapping[str, object], name: str, default: int | None = None) -> int:
    """Return the whole number *name*."""
    return _of(int, line, name, default)


def optional_text(line: Mapping[str, object], name: str) -> str | None:
    """Return the text *name*, None if it is absent or null."""
    return None if line.get(name) is None else _of(str, line, name, None)


def optional_whole(line: Mapping[str, object], name: str) -> int | None:
    """Return the whole number *name*, None if it is absent or null."""
    return None if line.get(name) is None else _of(int, line, name, None)


def texts(line: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return the texts of the list *name*, () if it is absent or null."""
    return tuple(str(each) for each in _of(list, line, name, []))


def objects(line: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    """Return the objects of the list *name*."""
    found: list[object] = _of(list, line, name, None)
    if not all(isinstance(each, dict) for each in found):
        raise FieldError(f'"{name}" must be a list of objects.', field=name)
    return [each for each in found if isinstance(each, dict)]


def object_(line: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return the object *name*."""
    found: dict[str, object] = _of(dict, line, name, None)
    return found


def one_of(line: Mapping[str, object], name: str, known: Mapping[str, T]) -> T:
    """Return what the text *name* stands for in *known*."""
    said = text(line, name)
    if said not in known:
        raise FieldError(f'"{name}" must be one of {", ".join(known)}.', field=name)
    return known[said]


def instant(line: Mapping[str, object], name: str) -> datetime:
    """Return the time *name*, aware; one without a zone is in UTC."""
    said = text(line, name)
    try:
        at = datetime.fromisoformat(said)
    except ValueError as error:
        example = "2025-03-01T12:00:00"
        raise FieldError(f'"{name}" must be a time such as {example}.', field=name) from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def optional_instant(line: Mapping[str, object], name: str) -> datetime | None:
    """Return the time *name*, None if it is absent or null."""
    return None if line.get(name) is None else instant(line, name)


def _of(kind: type[T], line: Mapping[str, object], name: str, default: T | None) -> T:
    value = line.get(name)
    if value is None and default is not None:
        return default
    if value is None:
        raise FieldError(f'the field "{name}" is missing.', field=name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FieldError(f'"{name}" must be {_KINDS[kind]}.', field=name)
    return value
