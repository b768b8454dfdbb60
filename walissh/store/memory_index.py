"""The words of memories: put into the index, taken out, and looked for.

What counts and who may see it is a condition in the SQL that gives the candidates their
features: what is left out there can't be ranked.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session as Transaction

from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Features, Query, Scored
from walissh.store import memory_rows, postings
from walissh.store.memory_rows import Here, Seen, Visible
from walissh.store.models import MemoryRow, ShelfRow
from walissh.store.postings import Line


def put_all(session: Transaction, owner_id: str, rows: Sequence[MemoryRow]) -> None:
    """Index entries of one owner, each by all that it says."""
    lines = [
        Line(row.number, " \n".join(_texts(row)), cluster=row.host, at=row.proved_at)
        for row in rows
    ]
    if lines:
        postings.put_many(session, owner_id, "memory", lines)


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
    session: Transaction,
    reader_id: str,
    query: Query,
    visible: Sequence[Visible],
    where: Sequence[ColumnElement[bool]],
    *,
    k: int,
) -> list[tuple[Seen, Scored]]:
    """Return at most *k* entries that *visible* gives under *where*, best first."""

    def features(session: Transaction, docs: Collection[int]) -> Mapping[int, Features]:
        wanted = [MemoryRow.number.in_(list(docs)), *where]
        return {
            number: Features(MemoryType(kind), host or was or "", *rest)
            for query in visible
            for number, kind, host, was, *rest in session.execute(
                query.with_only_columns(*_FEATURES).where(*wanted)
            )
        }

    scored = postings.search(
        session,
        reader_id,
        "memory",
        query,
        k=k,
        features=features,
        also_of=_sharers(session, reader_id) if len(visible) > 1 else (),
    )
    if not scored:
        return []
    numbered = MemoryRow.number.in_([each.doc for each in scored])
    # the same conditions again: nothing is shown that ceased to count in between
    seen = {e.row.number: e for e in memory_rows.every(session, visible, numbered, *where)}
    return [(seen[each.doc], each) for each in scored if each.doc in seen]


_FEATURES = (
    MemoryRow.number,
    MemoryRow.type,
    Here.name,
    MemoryRow.host,
    MemoryRow.subject,
    MemoryRow.proved_at,
    MemoryRow.confidence,
    MemoryRow.recalled_times,
    MemoryRow.helped_times,
)
"""The columns of ``Features``, in its order; the host's name now, and as it was."""


def _sharers(session: Transaction, reader_id: str) -> list[str]:
    owners = select(MemoryRow.user_id).where(memory_rows.shared(reader_id)).distinct()
    return list(session.scalars(owners))


def _texts(row: MemoryRow) -> Iterator[str]:
    """Yield the content, and of the rest what it does not say."""
    told = row.content
    yield told
    more = [row.subject, row.value, *(row.payload.get(n) for n in ("symptom", "cause", "fix"))]
    for each in more:
        if isinstance(each, str) and each and each not in told:
            told = f"{told}\n{each}"
            yield each
