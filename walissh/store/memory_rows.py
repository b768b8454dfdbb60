"""Rows of memory as values, for one reader."""

from datetime import datetime, timedelta
from typing import NamedTuple

from walissh.memory.entry import (
    FACTS,
    Channel,
    Memory,
    MemoryState,
    MemoryType,
    Op,
    Origin,
    Source,
)
from walissh.memory.settle import Claim
from walissh.store.models import MemoryRow

STALE_DAYS = 90
"""After so many days a fact without a time of its own should be measured again."""

# to call an enumeration takes far longer than to look up, and a page makes hundreds
_TYPES = {each.value: each for each in MemoryType}
_OPS = {each.value: each for each in Op}
_ORIGINS = {each.value: each for each in Origin}


class Seen(NamedTuple):
    """A row as one reader sees it: with their host, and what became of it."""

    row: MemoryRow
    host_id: str | None
    host: str | None
    later_op: str | None
    later_expires_at: datetime | None


# --- values ---------------------------------------------------------------------------


def memory(seen: Seen, reader_id: str, now: datetime) -> Memory:
    """Return the value of a row for *reader_id*, who learns nothing of another's messages."""
    row = seen.row
    mine = row.user_id == reader_id
    return Memory(
        number=row.number,
        id=row.id,
        owner_id=row.user_id,
        type=_TYPES[row.type],
        scope=row.scope,
        host_id=seen.host_id if row.host_id else None,
        host=seen.host or row.host,
        subject=row.subject,
        value=row.value,
        content=row.content,
        payload=row.payload,
        op=_OPS[row.op],
        confidence=row.confidence,
        source=source(row) if mine else Source(_ORIGINS[row.origin], _channel(row)),
        state=_state(seen, now),
        at=row.at,
        proved_at=row.proved_at,
        expires_at=row.expires_at,
        stale_days=row.stale_days,
        superseded_by=row.superseded_by,
        shared_with=row.shared_with,
        recalled_at=row.recalled_at,
        recalled_times=row.recalled_times,
        helped_times=row.helped_times,
    )


def source(row: MemoryRow) -> Source:
    """Return what proves an entry."""
    return Source(_ORIGINS[row.origin], _channel(row), row.source_message_id, row.source_command_id)


def claim(seen: Seen) -> Claim:
    """Return an entry as ``memory.settle`` weighs it; its key is the entry as seen.

    Its time is when it was last said or measured.
    """
    row = seen.row
    return Claim(
        op=_OPS[row.op],
        at=row.proved_at,
        type=_TYPES[row.type],
        origin=_ORIGINS[row.origin],
        text=row.content,
        subject=row.subject,
        value=row.value,
        host=seen.host or row.host or None,
        scope=row.scope,
        expires_at=row.expires_at,
        key=seen,
    )


def _channel(row: MemoryRow) -> Channel:
    channel: Channel = row.channel  # type: ignore[assignment]  # written from a Channel only
    return channel


def _state(seen: Seen, now: datetime) -> MemoryState:
    row = seen.row
    if row.wrong_at is not None:
        return MemoryState.WRONG
    hidden = row.superseded_by is not None and not _is_past(seen.later_expires_at, now)
    if row.op == Op.REMOVE or (hidden and seen.later_op == Op.REMOVE):
        return MemoryState.WITHDRAWN
    if hidden:
        return MemoryState.SUPERSEDED
    if _is_past(row.expires_at, now):
        return MemoryState.EXPIRED
    return MemoryState.STALE if _is_stale(row, now) else MemoryState.VALID


def _is_past(instant: datetime | None, now: datetime) -> bool:
    return instant is not None and instant <= now


def _is_stale(row: MemoryRow, now: datetime) -> bool:
    days = row.stale_days or (STALE_DAYS if row.type in FACTS else None)
    return days is not None and row.proved_at + timedelta(days=days) < now
