"""The hours of a rule, as people write them: "mon-fri 9:00-18:00 Asia/Shanghai", 周一至周五."""

import re
from datetime import UTC, datetime
from functools import lru_cache

from walissh.errors import InvalidError
from walissh.memory.rules import hours

MAX_CHARS = 200
_REST = re.compile(
    r"(?:[\s,，、;；。.和与]|and\b|daily\b|days?\b|each\b|every\b|[每天日])*", re.IGNORECASE
)
"""What may stand between hours, or say that they are those of every day."""


def checked(text: str, zone: str = "") -> str:
    """Return *text* as it is kept: with *zone*, if it names none; "" for "".

    Raises InvalidError unless every word of it is understood.
    """
    text = " ".join(text.split())
    if not text:
        return ""
    read = _read(text) if len(text) <= MAX_CHARS else None
    if read is None or not read.windows or not read.known or not _REST.fullmatch(read.rest):
        raise InvalidError(
            f"The hours {text[:MAX_CHARS]!r} were not understood. Write them like: mon-fri"
            " 9:00-18:00 Asia/Shanghai",
            field="hours",
        )
    return text if read.zone or not zone else f"{text} {zone}"


def hold(text: str, at: datetime) -> bool | None:
    """Tell whether *at* lies within the hours; always for "", None if they cannot be read."""
    if not text:
        return True
    read = _read(text)
    zone = hours.zone_of(read.zone) if read.zone else UTC
    if not read.windows or zone is None:
        return None
    there = at.astimezone(zone)
    return any(window.holds(there) for window in read.windows) is not read.outside


@lru_cache(maxsize=256)
def _read(text: str) -> hours.Hours:
    return hours.take(text)
