"""Cursors: where a next page begins, as text that means nothing to its reader."""

import base64
import json
from datetime import UTC, datetime

from walissh.errors import InvalidError


def of_number(number: int | None) -> str | None:
    """Return the cursor after a number, None at the end of the list."""
    return None if number is None else _encode([number])


def number(cursor: str) -> int:
    """Read `of_number`; 0 for "". Raises InvalidError for any other text."""
    match _decode(cursor):
        case None:
            return 0
        case [int(after)] if 0 <= after < 2**63:
            return after
    raise _invalid()


def of_name(name: str | None) -> str | None:
    """Return the cursor after a name, None at the end of the list."""
    return None if name is None else _encode([name])


def name(cursor: str) -> str:
    """Read `of_name`; "" for "". Raises InvalidError for any other text."""
    match _decode(cursor):
        case None:
            return ""
        case [str(after)]:
            return _storable(after)
    raise _invalid()


def of_moment(moment: tuple[datetime, str] | None) -> str | None:
    """Return the cursor after an instant and an id, None at the end of the list."""
    return None if moment is None else _encode([moment[0].isoformat(), moment[1]])


def moment(cursor: str) -> tuple[datetime, str] | None:
    """Read `of_moment`; None for "". Raises InvalidError for any other text."""
    match _decode(cursor):
        case None:
            return None
        case [str(at), str(last_id)]:
            return instant(at), _storable(last_id)
    raise _invalid()


def instant(text: str) -> datetime:
    """Read an instant with its offset; raises InvalidError for one that no clock shows."""
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is not None:
            return at.astimezone(UTC)
    except (ValueError, OverflowError) as error:  # the first and last days have no UTC
        raise _invalid() from error
    raise _invalid()


def _storable(text: str) -> str:
    """Return *text* if every database takes it: no NUL, no half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise _invalid()
    return text


def _encode(parts: list[object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def _decode(cursor: str) -> object:
    if not cursor:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts: object = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError) as error:
        raise _invalid() from error
    if parts is None:
        raise _invalid()
    return parts


def _invalid() -> InvalidError:
    return InvalidError("This cursor is none of ours; begin again without one.", field="cursor")
