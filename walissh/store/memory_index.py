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
from walissh.store.memory_rows import Seen, Visible
from walissh.store.models import MemoryRow, ShelfRow
from walissh.store.postings import Line


def put(session: Transaction, row: MemoryRow) -> None:
    """Index an entry by all that it says."""
    line = Line(row.number, " \n".join(_texts(row)), cluster=row.host, at=row.proved_at)
    postings.put(session, row.user_id, "memory", line)


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
    seen: dict[int, Seen] = {}

    def features(session: Transaction, docs: Collection[int]) -> Mapping[int, Features]:
        numbered = MemoryRow.number.in_(list(docs))
        got = {e.row.number: e for e in memory_rows.every(session, visible, numbered, *where)}
        seen.update(got)
        return {number: _features(each) for number, each in got.items()}

    scored = postings.search(
        session,
        reader_id,
        "memory",
        query,
        k=k,
        features=features,
        also_of=_sharers(session, reader_id) if len(visible) > 1 else (),
    )
    return [(seen[each.doc], each) for each in scored]


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


def _features(seen: Seen) -> Features:
    row = seen.row
    return Features(
        type=MemoryType(row.type),
        host=seen.host or row.host,
        subject=row.subject,
        at=row.proved_at,
        confidence=row.confidence,
        recalled_times=row.recalled_times,
        helped_times=row.helped_times,
    )
