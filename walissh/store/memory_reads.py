"""What somebody may see of the memory: each query names the reader in its SQL."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import ColumnElement, String, bindparam

from walissh.clock import utc_now
from walissh.memory import settle, subjects
from walissh.memory.entry import Hit, Memory, MemoryType, Place
from walissh.memory.recall.values import Query
from walissh.store import memory_index, memory_rows
from walissh.store.database import UtcDateTime, reading
from walissh.store.memory_rows import Seen
from walissh.store.models import MemoryRow


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories, newest first, and before which number the next page begins."""

    items: tuple[Memory, ...]
    next: int | None


def recent(owner_id: str, limit: int = 50, *, type: MemoryType | None = None) -> list[Memory]:
    """Return what counts of this person's own, newest first."""
    now = utc_now()
    where = [memory_rows.counts(now), *_of_type(type)]
    with reading() as session:
        found = memory_rows.newest(session, [memory_rows.own(owner_id)], *where, limit=limit)
    return [memory_rows.memory(seen, owner_id, now) for seen in found]


def newest(
    owner_id: str, subject: str, *, type: MemoryType = MemoryType.USER_PREFERENCE
) -> Memory | None:
    """Return the newest of this person's own that counts of exactly this subject."""
    now = utc_now()
    named = {"owner": owner_id, "type": type.value, "subject": subject, "now": now}
    with reading() as session:
        row = session.execute(_newest(), named).first()
    return None if row is None else memory_rows.memory(Seen(*row), owner_id, now)


@cache
def _newest() -> memory_rows.Visible:
    """Return the query, made once: to make it takes longer than to run it."""
    return (
        memory_rows.own(bindparam("owner", type_=String))
        .where(
            MemoryRow.type == bindparam("type"),
            MemoryRow.subject == bindparam("subject"),
            memory_rows.counts(bindparam("now", type_=UtcDateTime)),
        )
        .order_by(MemoryRow.at.desc(), MemoryRow.number.desc())
        .limit(1)
    )


def get(memory_id: str, reader_id: str) -> Memory | None:
    """Return one memory in any state; None if it is gone, another's or out of reach."""
    found = of_ids([memory_id], reader_id)
    return found[0] if found else None


def of_ids(ids: Sequence[str], reader_id: str) -> list[Memory]:
    """Return those that are there and within reach, in the order of *ids*, in any state."""
    if not ids:
        return []
    with reading() as session:
        visible = memory_rows.visible(session, reader_id)
        found = memory_rows.every(session, visible, MemoryRow.id.in_(list(ids)))
    by_id = {memory.id: memory for memory in _values(found, reader_id)}
    return [by_id[each] for each in ids if each in by_id]


def page(
    reader_id: str,
    *,
    type: MemoryType | None = None,
    host_id: str | None = None,
    state: str | None = None,
    limit: int,
    before: int | None = None,
) -> Page:
    """Return what the reader may see before number *before*, newest first.

    *state* None gives all that counts; else superseded, withdrawn, expired, wrong or all.
    Raises InvalidError for another.
    """
    now = utc_now()
    where = [memory_rows.in_state(state, now), *_of_type(type)]
    if before is not None:
        where.append(MemoryRow.number < before)
    with reading() as session:
        visible = memory_rows.visible(session, reader_id, host_id=host_id)
        found = memory_rows.newest(session, visible, *where, limit=limit + 1)
    items = tuple(memory_rows.memory(seen, reader_id, now) for seen in found[:limit])
    return Page(items, items[-1].number if items and len(found) > limit else None)


def versions(memory_id: str, reader_id: str) -> list[Memory]:
    """Return all that was ever said of the subject of this memory, newest first.

    Withdrawals too; of a fact what was found out about the same host. [] if it is gone or
    out of reach.
    """
    with reading() as session:
        visible = memory_rows.visible(session, reader_id)
        one = memory_rows.every(session, visible, MemoryRow.id == memory_id)
        found = memory_rows.every(session, visible, *_alike(one[0].row)) if one else []
    if one and one[0].row.type == MemoryType.USER_PREFERENCE:
        key = subjects.key(one[0].row.subject)
        found = [seen for seen in found if subjects.key(seen.row.subject) == key]
    return sorted(_values(found, reader_id), key=lambda each: -each.number)


def in_force(reader_id: str, place: Place, *, types: Collection[MemoryType]) -> list[Memory]:
    """Return the winner of each subject at *place* (``settle.standing``), oldest first."""
    now = utc_now()
    where = [memory_rows.counts(now), MemoryRow.type.in_(sorted(types))]
    with reading() as session:
        found = memory_rows.every(session, memory_rows.visible(session, reader_id), *where)
    winners = settle.standing([memory_rows.claim(seen) for seen in found], place, now=now)
    seen = [winner.key for winner in winners if isinstance(winner.key, Seen)]
    return [memory_rows.memory(each, reader_id, now) for each in seen]


def recall(
    reader_id: str,
    query: Query,
    *,
    k: int,
    host_id: str | None = None,
    type: MemoryType | None = None,
    patience_ms: int | None = None,
) -> list[Hit]:
    """Return at most *k* memories that count and bear on *query*, best first, with why.

    What is for one task only is left out: it is in force there, or nowhere. [] if nothing
    is relevant. Raises StoreError if the database does not answer.
    """
    now = utc_now()
    where = [memory_rows.counts(now), ~MemoryRow.scope.startswith("task:"), *_of_type(type)]
    with reading(patience_ms=patience_ms) as session:
        visible = memory_rows.visible(session, reader_id, host_id=host_id)
        found = memory_index.search(session, reader_id, query, visible, where, k=k)
    return [
        Hit(memory_rows.memory(seen, reader_id, now), scored.score, scored.reasons)
        for seen, scored in found
    ]


def _values(found: Sequence[Seen], reader_id: str) -> list[Memory]:
    now = utc_now()
    return [memory_rows.memory(seen, reader_id, now) for seen in found]


def _of_type(type: MemoryType | None) -> list[ColumnElement[bool]]:
    return [] if type is None else [MemoryRow.type == type.value]


def _alike(row: MemoryRow) -> list[ColumnElement[bool]]:
    where = [MemoryRow.user_id == row.user_id, MemoryRow.type == row.type]
    if row.type != MemoryType.USER_PREFERENCE:
        where += [MemoryRow.subject == row.subject, MemoryRow.host_id == row.host_id]
    return where
