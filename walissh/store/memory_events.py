"""What changed in memory, when and through which channel: one row for each change.

A row is written in the transaction of its change and never holds the text of a memory, so
that what is deleted is gone. Those which change a preference are an outbox too: running
tasks are told of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Table, insert, select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.memory.entry import Channel, MemoryType, Origin
from walissh.store.database import changed, new_id, reading, writing
from walissh.store.models import MemoryEventRow, MemoryRow

Kind = Literal[
    "profile_update",
    "preference_set",
    "preference_noted",
    "feedback_given",
    "document_access",
    "fact_observed",
    "case_closed",
    "memory_deleted",
    "memory_restored",
    "memory_shared",
]
Outcome = Literal[
    "added",
    "refreshed",
    "superseded",
    "removed",
    "kept",
    "edited",
    "imported",
    "reworded",
    "merged",
    "doubted",
]
ProfileChange = Literal["changed", "proposed", "confirmed", "rejected", "erased"]


class Payload(BaseModel):
    """What every payload is: of fixed fields, and nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Written(Payload):
    """An entry was written or said again; *superseded* are the ids of those it overtook."""

    type: MemoryType
    outcome: Outcome
    origin: Origin
    host_id: str | None = None
    superseded: tuple[str, ...] = ()


class Feedback(Payload):
    """A person, or an answer that used it, judged an entry."""

    type: MemoryType
    verdict: Literal["wrong", "helped"]


class Deleted(Payload):
    """Entries are gone; *type* is None if they were of several types."""

    type: MemoryType | None
    count: int = Field(ge=1)


class Restored(Payload):
    """An entry counts again, instead of those in *superseded*."""

    type: MemoryType
    superseded: tuple[str, ...] = ()


class Shared(Payload):
    """A fact is shown to a group, "" to its owner alone."""

    type: MemoryType
    group: str


class Profile(Payload):
    """A version of a block of core memory was written, decided on or erased."""

    block: str
    version: int = Field(ge=1)
    by: str
    outcome: ProfileChange = "changed"


class Access(Payload):
    """A document of the knowledge base was read or found."""

    document_id: str


SCHEMAS: dict[Kind, type[Payload]] = {
    "profile_update": Profile,
    "preference_set": Written,
    "preference_noted": Written,
    "feedback_given": Feedback,
    "document_access": Access,
    "fact_observed": Written,
    "case_closed": Written,
    "memory_deleted": Deleted,
    "memory_restored": Restored,
    "memory_shared": Shared,
}
"""Each kind and its payload; ``preference_noted`` is one said again, or one that lost."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change; *memory_id* is None for one of many memories or of none.

    *payload* has the fields of its kind in ``SCHEMAS``.
    """

    number: int
    id: str
    user_id: str
    kind: Kind
    channel: Channel
    memory_id: str | None
    payload: Mapping[str, object]
    changes_preference: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """Some events, newest first, and before which number the next page begins."""

    items: tuple[Event, ...]
    next: int | None


def page(user_id: str, limit: int, before: int | None = None, memory_id: str | None = None) -> Page:
    """Return this person's events before number *before*, newest first; of one memory."""
    where = [] if before is None else [MemoryEventRow.number < before]
    if memory_id is not None:
        where.append(MemoryEventRow.memory_id == memory_id)
    found = _newest(user_id, limit + 1, *where)
    items = found[:limit]
    return Page(tuple(items), items[-1].number if len(found) > limit else None)


def latest(user_id: str, limit: int = 100) -> list[Event]:
    """Return the newest events of this person, newest first."""
    return _newest(user_id, limit)


def preference_version(user_id: str) -> int:
    """Return the number of the newest event that changed a preference of theirs, or 0."""
    newest = (
        select(MemoryEventRow.number)
        .where(MemoryEventRow.user_id == user_id, MemoryEventRow.changes_preference.is_(True))
        .order_by(MemoryEventRow.number.desc())
        .limit(1)
    )
    with reading() as session:
        return session.scalar(newest) or 0


def preference_changes(user_id: str, since: int) -> frozenset[Kind]:
    """Return the kinds of events after number *since* that changed a preference of theirs."""
    kinds = select(MemoryEventRow.kind).where(
        MemoryEventRow.user_id == user_id,
        MemoryEventRow.changes_preference.is_(True),
        MemoryEventRow.number > since,
    )
    with reading() as session:
        return frozenset(cast("Sequence[Kind]", session.scalars(kinds.distinct()).all()))


def unpublished(limit: int) -> list[Event]:
    """Return the oldest changes of preferences that running tasks were not told of."""
    found = (
        select(*_COLUMNS)
        .where(MemoryEventRow.published_at.is_(None))
        .order_by(MemoryEventRow.number)
        .limit(limit)
    )
    with reading() as session:
        return [Event(*row) for row in session.execute(found)]


def mark_published(ids: list[str]) -> int:
    """Take events out of the outbox; returns how many were still in it."""
    if not ids:
        return 0
    with writing() as session:
        return changed(
            session,
            update(MemoryEventRow)
            .where(MemoryEventRow.id.in_(ids), MemoryEventRow.published_at.is_(None))
            .values(published_at=utc_now()),
        )


# --- inside the caller's transaction --------------------------------------------------


def append(
    session: Transaction,
    user_id: str,
    kind: Kind,
    channel: Channel,
    payload: Payload,
    *,
    memory_id: str | None = None,
    changes_preference: bool = False,
) -> None:
    """Add one event; a payload that is not of its kind is a TypeError."""
    add_all(session, [_row(user_id, kind, channel, payload, memory_id, changes=changes_preference)])


def written(
    row: MemoryRow, outcome: Outcome, channel: Channel, superseded: tuple[str, ...] = ()
) -> dict[str, object]:
    """Return the event of a written entry, its kind told by its type, for ``add_all``."""
    payload = Written(
        type=MemoryType(row.type),
        outcome=outcome,
        origin=Origin(row.origin),
        host_id=row.host_id,
        superseded=superseded,
    )
    kind = _kind(payload)
    return _row(row.user_id, kind, channel, payload, row.id, changes=kind == "preference_set")


def add_all(session: Transaction, events: Sequence[Mapping[str, object]]) -> None:
    """Add events in their order."""
    if events:
        # the table itself: the mapper would take twice as long
        session.connection().execute(_INSERT, events)


_INSERT = insert(cast(Table, MemoryEventRow.__table__))


def _row(
    user_id: str,
    kind: Kind,
    channel: Channel,
    payload: Payload,
    memory_id: str | None,
    *,
    changes: bool,
) -> dict[str, object]:
    if type(payload) is not SCHEMAS[kind]:
        raise TypeError(f"{kind} takes {SCHEMAS[kind].__name__}, not {type(payload).__name__}")
    now = utc_now()
    return {
        "id": new_id(),
        "user_id": user_id,
        "kind": kind,
        "channel": channel,
        "memory_id": memory_id,
        "payload": payload.model_dump(mode="json"),
        "changes_preference": changes,
        "at": now,
        "published_at": None if changes else now,
    }


def _kind(payload: Written) -> Kind:
    match payload.type:
        case MemoryType.USER_PREFERENCE:
            quiet = payload.outcome in ("refreshed", "kept")
            return "preference_noted" if quiet else "preference_set"
        case MemoryType.TROUBLESHOOTING_CASE:
            return "case_closed"
    return "fact_observed"


_COLUMNS = (
    MemoryEventRow.number,
    MemoryEventRow.id,
    MemoryEventRow.user_id,
    MemoryEventRow.kind,
    MemoryEventRow.channel,
    MemoryEventRow.memory_id,
    MemoryEventRow.payload,
    MemoryEventRow.changes_preference,
    MemoryEventRow.at,
)
"""The columns of an Event, in its order."""


def _newest(user_id: str, limit: int, *where: ColumnElement[bool]) -> list[Event]:
    found = (
        select(*_COLUMNS)
        .where(MemoryEventRow.user_id == user_id, *where)
        .order_by(MemoryEventRow.number.desc())
        .limit(limit)
    )
    with reading() as session:
        return [Event(*row) for row in session.execute(found)]
