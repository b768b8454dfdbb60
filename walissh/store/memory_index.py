"""The words of memories: put into the index, taken out, and looked for.

What counts and who may see it is a condition in the SQL that gives the candidates their
features: what is left out there can't be ranked.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import Connection, delete
from sqlalchemy.orm import Session as Transaction

from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Features, Query, Scored
from walissh.store import memory_sight, postings
from walissh.store.memory_rows import Seen
from walissh.store.memory_sight import MEMORY, Here, Wish
from walissh.store.models import MemoryRow, ShelfRow
from walissh.store.postings import Line


def put_all(session: Transaction, owner_id: str, rows: Sequence[MemoryRow]) -> None:
    """Index new entries of one owner, each by all that it says."""
    lines = [
        Line(row.number, " \n".join(_texts(row)), cluster=row.host, at=row.proved_at)
        for row in rows
    ]
    if lines:
        postings.put_many(session, owner_id, "memory", lines, fresh=True)


def drop(session: Transaction, row: MemoryRow) -> None:
    """Take an entry out of the index."""
    postings.drop(session, row.user_id, "memory", row.number)


def drop_all(session: Transaction, owner_id: str) -> None:
    """Take all entries of a person out of the index."""
    session.execute(
        delete(ShelfRow).where(ShelfRow.owner_id == owner_id, ShelfRow.kind == "memory"),
        execution_options={"synchronize_session": False},
    )


def search(
    connection: Connection, reader_id: str, query: Query, asked: Wish, *, k: int
) -> list[tuple[Seen, Scored]]:
    """Return at most *k* of the entries asked for that bear on *query*, best first."""
    sharers = memory_sight.sharers(connection, reader_id)

    def features(docs: Collection[int]) -> Mapping[int, Features]:
        wanted = asked.also("numbers", [*docs])
        found = memory_sight.columns(
            connection, reader_id, wanted, *_FEATURES, shared=bool(sharers)
        )
        return {
            number: Features(_TYPES[kind], host or was or "", *rest)
            for number, kind, host, was, *rest in found
        }

    scored = postings.search(
        connection, reader_id, "memory", query, k=k, features=features, also_of=sharers
    )
    if not scored:
        return []
    # the same conditions again: nothing is shown that ceased to count in between
    wanted = asked.also("numbers", [each.doc for each in scored])
    found = memory_sight.seen(connection, reader_id, wanted, shared=bool(sharers))
    seen = {each.row.number: each for each in found}
    return [(seen[each.doc], each) for each in scored if each.doc in seen]


_TYPES = {each.value: each for each in MemoryType}
_FEATURES = (
    MEMORY.c.number,
    MEMORY.c.type,
    Here.name,
    MEMORY.c.host,
    MEMORY.c.subject,
    MEMORY.c.proved_at,
    MEMORY.c.confidence,
    MEMORY.c.recalled_times,
    MEMORY.c.helped_times,
    MEMORY.c.recalled_at,
)
"""The columns of ``Features``, in its order; the host's name now, and as it was."""


def _texts(row: MemoryRow) -> Iterator[str]:
    """Yield the content, and of the rest what it does not say."""
    told = row.content
    yield told
    more = [row.subject, row.value, *(row.payload.get(n) for n in ("symptom", "cause", "fix"))]
    for each in more:
        if isinstance(each, str) and each and each not in told:
            told = f"{told}\n{each}"
            yield each
