"""What was said and remembered before there was an index of words is indexed bit by bit."""

from itertools import groupby

from sqlalchemy import Select, exists, select
from sqlalchemy.exc import IntegrityError

from walissh.memory.entry import Op
from walissh.store import memory_index, said
from walissh.store.database import writing
from walissh.store.models import LineRow, MemoryRow, ShelfRow


def reindex(limit: int) -> int:
    """Index at most *limit* turns and as many memories; return how many there were.

    0 means that all is indexed: what comes is indexed as it comes, so nobody need ask again.
    To look for what is missing reads every message: not in a hurry, and not each second.
    """
    turns = said.unindexed_turns(limit)
    for turn_id in turns:
        said.index_turn(turn_id)
    return len(turns) + _reindex_memories(limit)


def _reindex_memories(limit: int) -> int:
    try:
        with writing() as session:
            rows = session.scalars(_unindexed(limit)).all()
            for owner_id, theirs in groupby(rows, key=lambda row: row.user_id):
                memory_index.put_all(session, owner_id, list(theirs))
            return len(rows)
    except IntegrityError:
        return 0  # another upkeep was first


def _unindexed(limit: int) -> Select[MemoryRow]:
    indexed = exists().where(
        ShelfRow.owner_id == MemoryRow.user_id,
        ShelfRow.kind == "memory",
        LineRow.shelf == ShelfRow.number,
        LineRow.doc == MemoryRow.number,
    )
    # locked: one that is deleted meanwhile would leave its words in the index
    return (
        select(MemoryRow)
        .where(MemoryRow.op != Op.REMOVE, ~indexed)
        .order_by(MemoryRow.user_id, MemoryRow.number)
        .limit(limit)
        .with_for_update(of=MemoryRow)
    )
