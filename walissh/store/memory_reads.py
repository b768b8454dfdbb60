"""What somebody may see of the memory: each query names the reader in its SQL."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from walissh.clock import utc_now
from walissh.memory import naming, settle
from walissh.memory.entry import Hit, Memory, MemoryType, Place
from walissh.memory.recall.values import Query
from walissh.store import memory_index, memory_rows, memory_sight
from walissh.store.database import looking, reading
from walissh.store.memory_rows import Seen
from walissh.store.memory_sight import Wish
from walissh.store.models import MemoryRow


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories, newest first, and before which number the next page begins."""

    items: tuple[Memory, ...]
    next: int | None


def recent(owner_id: str, limit: int = 50, *, type: MemoryType | None = None) -> list[Memory]:
    """Return what counts of this person's own, newest first."""
    now = utc_now()
    with reading() as session:
        asked = _of_type(memory_sight.wish(None, now), type)
        found = memory_sight.own(session.connection(), owner_id, asked, order="newest", limit=limit)
    return [memory_rows.memory(seen, owner_id, now) for seen in found]


def newest(
    owner_id: str,
    subject: str,
    *,
    type: MemoryType = MemoryType.USER_PREFERENCE,
    host_id: str | None = None,
) -> Memory | None:
    """Return the newest of this person's own that counts of exactly this subject.

    With *host_id* only of that host.
    """
    now = utc_now()
    asked = _of_type(memory_sight.wish(None, now), type).also("of_subject", subject)
    asked = _of_host(asked, host_id)
    with reading() as session:
        found = memory_sight.own(session.connection(), owner_id, asked, order="latest", limit=1)
    return memory_rows.memory(found[0], owner_id, now) if found else None


def taught_by(owner_id: str, message_id: str) -> list[Memory]:
    """Return what counts of that which this message of theirs taught, oldest first."""
    now = utc_now()
    asked = memory_sight.wish(None, now).also("of_message", message_id)
    with reading() as session:
        found = memory_sight.own(session.connection(), owner_id, asked)
    return [memory_rows.memory(seen, owner_id, now) for seen in found]


def get(memory_id: str, reader_id: str) -> Memory | None:
    """Return one memory in any state; None if it is gone, another's or out of reach."""
    found = of_ids([memory_id], reader_id)
    return found[0] if found else None


def of_ids(ids: Sequence[str], reader_id: str) -> list[Memory]:
    """Return those that are there and within reach, in the order of *ids*, in any state."""
    if not ids:
        return []
    with reading() as session:
        asked = memory_sight.wish("all", utc_now()).also("ids", list(ids))
        found = memory_sight.seen(session.connection(), reader_id, asked)
    by_id = {memory.id: memory for memory in _values(found, reader_id)}
    return [by_id[each] for each in ids if each in by_id]


def page(
    reader_id: str,
    *,
    type: MemoryType | None = None,
    host_id: str | None = None,
    host_ids: Sequence[str] | None = None,
    state: str | None = None,
    limit: int,
    before: int | None = None,
) -> Page:
    """Return what the reader may see before number *before*, newest first.

    *state* None gives all that counts; else superseded, withdrawn, expired, wrong or all.
    With *host_id*, or *host_ids*, only what is bound to these: to none, if there are none.
    Raises InvalidError for another state.
    """
    now = utc_now()
    asked = _of_host(_of_type(memory_sight.wish(state, now), type), host_id)
    if host_ids is not None:
        asked = asked.also("of_hosts", [*host_ids])
    if before is not None:
        asked = asked.also("before", before)
    with reading() as session:
        found = memory_sight.seen(
            session.connection(), reader_id, asked, order="newest", limit=limit + 1
        )
    items = tuple(memory_rows.memory(seen, reader_id, now) for seen in found[:limit])
    return Page(items, items[-1].number if items and len(found) > limit else None)


def versions(memory_id: str, reader_id: str) -> list[Memory]:
    """Return all that was ever said of the subject of this memory, newest first.

    Withdrawals too; of a fact what was found out about the same host. [] if it is gone or
    out of reach.
    """
    with reading() as session:
        every = memory_sight.wish("all", utc_now())
        one = memory_sight.seen(session.connection(), reader_id, every.also("ids", [memory_id]))
        alike = [_alike(every, seen.row) for seen in one]
        found = memory_sight.seen(session.connection(), reader_id, alike[0]) if alike else []
    if one and one[0].row.type == MemoryType.USER_PREFERENCE:
        key = naming.key(one[0].row.subject)
        found = [seen for seen in found if naming.key(seen.row.subject) == key]
    return sorted(_values(found, reader_id), key=lambda each: -each.number)


def in_force(reader_id: str, place: Place, *, types: Collection[MemoryType]) -> list[Memory]:
    """Return the winner of each subject at *place* (``settle.standing``), oldest first."""
    now = utc_now()
    asked = memory_sight.wish(None, now).also("of_types", sorted(types))
    with reading() as session:
        found = memory_sight.seen(session.connection(), reader_id, asked)
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
    asked = _of_host(_of_type(memory_sight.wish(None, now).also("lasting"), type), host_id)
    with looking(patience_ms=patience_ms) as connection:
        found = memory_index.search(connection, reader_id, query, asked, k=k)
    return [
        Hit(memory_rows.memory(seen, reader_id, now), scored.score, scored.reasons)
        for seen, scored in found
    ]


def _values(found: Sequence[Seen], reader_id: str) -> list[Memory]:
    now = utc_now()
    return [memory_rows.memory(seen, reader_id, now) for seen in found]


def _of_type(asked: Wish, type: MemoryType | None) -> Wish:
    return asked if type is None else asked.also("of_type", type.value)


def _of_host(asked: Wish, host_id: str | None) -> Wish:
    return asked if host_id is None else asked.also("of_host", host_id)


def _alike(asked: Wish, row: MemoryRow) -> Wish:
    """Ask for all of the owner and type, and but for preferences of subject and host."""
    alike = asked.also("of_owner", row.user_id).also("of_type", row.type)
    if row.type == MemoryType.USER_PREFERENCE:
        return alike
    return alike.also("of_subject", row.subject).also("bound_to", row.host_id or "")
