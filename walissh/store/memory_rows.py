"""Rows of memory as values, and the conditions in SQL of who may see which of them.

A reader sees their own entries, those of a host only while that host is theirs, and the facts
that another member of one of their groups shares of a host which they have themselves: one
with the same address and port, reached over the same hop.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import BindParameter, ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session as Transaction
from sqlalchemy.orm import aliased

from walissh.errors import InvalidError
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
from walissh.store.models import GroupRow, HostRow, MemoryRow

STALE_DAYS = 90
"""After so many days a fact without a time of its own should be measured again."""

Later = aliased(MemoryRow, name="later")
Here = aliased(HostRow, name="here")
Theirs = aliased(HostRow, name="theirs")


class Seen(NamedTuple):
    """A row as one reader sees it: with their host, and what became of it."""

    row: MemoryRow
    host_id: str | None
    host: str | None
    later_op: str | None
    later_expires_at: datetime | None


Instant = datetime | BindParameter[datetime]
Visible = Select[MemoryRow, str | None, str | None, str | None, datetime | None]


# --- who sees what --------------------------------------------------------------------


def visible(
    session: Transaction, reader_id: str, *, host_id: str | None = None
) -> Sequence[Visible]:
    """Return the queries that together give what *reader_id* may see, in any state.

    One for their own and, if they are in a group, one for what is shared with them. With
    *host_id* only what is bound to that host of theirs.
    """
    queries = [_own(reader_id, host_id)]
    if in_groups(session, reader_id):
        queries.append(_shared(reader_id, host_id))
    return queries


def own(owner_id: str | BindParameter[str]) -> Visible:
    """Return the query for the entries of *owner_id* that are within their reach."""
    return _own(owner_id, None)


def in_groups(session: Transaction, person_id: str) -> bool:
    """Tell whether somebody is in any group."""
    name = select(GroupRow.name).where(GroupRow.person_id == person_id).limit(1)
    return session.scalar(name) is not None


def newest(
    session: Transaction, queries: Sequence[Visible], *where: ColumnElement[bool], limit: int
) -> list[Seen]:
    """Return at most *limit* of what the queries give under *where*, newest first."""
    found: list[Seen] = []
    for query in queries:
        ordered = query.where(*where).order_by(MemoryRow.number.desc()).limit(limit)
        found += [Seen(*row) for row in session.execute(ordered)]
    return sorted(found, key=lambda seen: -seen.row.number)[:limit]


def every(
    session: Transaction, queries: Sequence[Visible], *where: ColumnElement[bool]
) -> list[Seen]:
    """Return all that the queries give under *where*."""
    return [Seen(*row) for query in queries for row in session.execute(query.where(*where))]


def _columns() -> Visible:
    later = Later.id == MemoryRow.superseded_by
    return select(MemoryRow, Here.id, Here.name, Later.op, Later.expires_at).outerjoin(Later, later)


def _own(owner_id: str | BindParameter[str], host_id: str | None) -> Visible:
    here = and_(Here.id == MemoryRow.host_id, Here.owner_id == MemoryRow.user_id)
    query = (
        _columns()
        .outerjoin(Here, here)
        .where(
            MemoryRow.user_id == owner_id,
            or_(MemoryRow.host_id.is_(None), Here.id.is_not(None)),
        )
    )
    return query if host_id is None else query.where(MemoryRow.host_id == host_id)


def _shared(reader_id: str, host_id: str | None) -> Visible:
    return _columns().join(Here, Here.id == _twin(reader_id, host_id)).where(shared(reader_id))


def shared(reader_id: str) -> ColumnElement[bool]:
    """Return the condition that a group both are in shares it; of its host it says nothing."""
    readers, owners = aliased(GroupRow), aliased(GroupRow)
    both = exists().where(
        readers.person_id == reader_id,
        readers.name == MemoryRow.shared_with,
        owners.name == MemoryRow.shared_with,
        owners.person_id == MemoryRow.user_id,
    )
    names = select(GroupRow.name).where(GroupRow.person_id == reader_id)
    return and_(
        MemoryRow.shared_with.in_(names),  # finds them by the index
        MemoryRow.user_id != reader_id,
        MemoryRow.type.in_(sorted(FACTS)),
        both,
    )


def _twin(reader_id: str, host_id: str | None) -> ColumnElement[str]:
    """Return the reader's own host that is the same machine as the host of the row."""
    mine, my_hop, their_hop = aliased(HostRow), aliased(HostRow), aliased(HostRow)
    twin = (
        select(mine.id)
        .join(Theirs, and_(Theirs.address == mine.address, Theirs.port == mine.port))
        .outerjoin(my_hop, my_hop.id == mine.jump_id)
        .outerjoin(their_hop, their_hop.id == Theirs.jump_id)
        .where(
            mine.owner_id == reader_id,
            Theirs.id == MemoryRow.host_id,
            Theirs.owner_id == MemoryRow.user_id,
            # a private address behind another hop is another machine
            func.coalesce(my_hop.address, "") == func.coalesce(their_hop.address, ""),
            func.coalesce(my_hop.port, 0) == func.coalesce(their_hop.port, 0),
        )
        .order_by(mine.name)
        .limit(1)
        .correlate(MemoryRow)
    )
    return (twin if host_id is None else twin.where(mine.id == host_id)).scalar_subquery()


# --- what counts ----------------------------------------------------------------------


def _hidden(now: Instant) -> ColumnElement[bool]:
    """Return the condition that another took its place, and that one has not expired."""
    gone = and_(Later.expires_at.is_not(None), Later.expires_at <= now)
    return and_(MemoryRow.superseded_by.is_not(None), ~func.coalesce(gone, False))


def _expired(now: Instant) -> ColumnElement[bool]:
    return and_(MemoryRow.expires_at.is_not(None), MemoryRow.expires_at <= now)


def current(now: Instant) -> ColumnElement[bool]:
    """Return the condition that nothing overtook a row: it counts, or is a withdrawal."""
    return and_(MemoryRow.wrong_at.is_(None), ~_hidden(now), ~_expired(now))


def counts(now: Instant) -> ColumnElement[bool]:
    """Return the condition that an entry counts: valid, be it stale."""
    return and_(current(now), MemoryRow.op != Op.REMOVE)


def in_state(state: str | None, now: datetime) -> ColumnElement[bool]:
    """Return the condition of a filter of the page; None: all that counts. InvalidError."""
    held = and_(MemoryRow.wrong_at.is_(None), MemoryRow.op != Op.REMOVE)
    withdrawn = func.coalesce(Later.op, "") == Op.REMOVE
    match state:
        case None:
            return counts(now)
        case "all":
            return MemoryRow.number > 0
        case "superseded":
            return and_(held, _hidden(now), ~withdrawn)
        case "withdrawn":
            return and_(held, _hidden(now), withdrawn)
        case "expired":
            return and_(held, ~_hidden(now), _expired(now))
        case "wrong":
            return MemoryRow.wrong_at.is_not(None)
    raise InvalidError(
        f"{state!r} is no state to look for. Use superseded, withdrawn, expired, wrong or all.",
        field="state",
    )


# --- values ---------------------------------------------------------------------------


def memory(seen: Seen, reader_id: str, now: datetime) -> Memory:
    """Return the value of a row for *reader_id*, who learns nothing of another's messages."""
    row = seen.row
    mine = row.user_id == reader_id
    return Memory(
        number=row.number,
        id=row.id,
        owner_id=row.user_id,
        type=MemoryType(row.type),
        scope=row.scope,
        host_id=seen.host_id if row.host_id else None,
        host=seen.host or row.host,
        subject=row.subject,
        value=row.value,
        content=row.content,
        payload=row.payload,
        op=Op(row.op),
        confidence=row.confidence,
        source=source(row) if mine else Source(Origin(row.origin), _channel(row)),
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
    return Source(Origin(row.origin), _channel(row), row.source_message_id, row.source_command_id)


def claim(seen: Seen) -> Claim:
    """Return an entry as ``memory.settle`` weighs it; its key is the entry as seen.

    Its time is when it was last said or measured.
    """
    row = seen.row
    return Claim(
        op=Op(row.op),
        at=row.proved_at,
        type=MemoryType(row.type),
        origin=Origin(row.origin),
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
