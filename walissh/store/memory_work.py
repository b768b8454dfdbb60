"""One transaction on the memory of one person: what it added, and what is to be told of it.

It runs behind the lock of the person, so that of two writers at once the second sees what
the first wrote.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from sqlalchemy import Connection, Table, bindparam, insert, select
from sqlalchemy.orm import Session as Transaction
from sqlalchemy.orm import make_transient_to_detached

from walissh.errors import NotFoundError
from walissh.memory.entry import Channel, Op
from walissh.store import memory_events, memory_index
from walissh.store.database import writing
from walissh.store.listed import one_of
from walissh.store.memory_events import Outcome
from walissh.store.memory_family import Families, Wordings
from walissh.store.memory_sight import MEMORY
from walissh.store.models import MemoryRow, PersonRow

PERSON = cast(Table, PersonRow.__table__)


@dataclass(slots=True)
class Writing:
    """A transaction on the memory of one person.

    *stored* are the rows that it added, by their ids, *waiting* those that are not in the
    table yet, *events* what is to be told of them; *hosts* names the hosts by their ids,
    *commands* the texts of commands, as far as they were looked up.
    """

    session: Transaction
    owner_id: str
    families: Families
    stored: dict[str, MemoryRow] = field(default_factory=dict)
    waiting: list[MemoryRow] = field(default_factory=list)
    events: list[dict[str, object]] = field(default_factory=list)
    hosts: dict[str, str] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)

    def store(self, row: MemoryRow) -> None:
        """Add a row; it has its number, and its words are in the index, at the end."""
        self.stored[row.id] = row
        self.waiting.append(row)

    def write(self) -> list[MemoryRow]:
        """Have all in the tables, and return the rows that are new there, not to be changed."""
        self.session.flush()
        rows, self.waiting = self.waiting, []
        if rows:
            _insert(self.session.connection(), rows)
        self.families.forget_all()
        return rows

    def flush(self) -> None:
        """Have all in the tables, and go on: new rows may still be changed."""
        rows = self.write()
        for row in rows:
            make_transient_to_detached(row)
        self.session.add_all(rows)

    def tell(
        self,
        row: MemoryRow,
        outcome: Outcome,
        channel: Channel,
        superseded: tuple[str, ...] = (),
    ) -> None:
        """Note the event of a written entry; all of them are added at the end, in order."""
        self.events.append(memory_events.written(row, outcome, channel, superseded))


@contextmanager
def opened(
    owner_id: str, *, patience_ms: int | None = None, wordings: Wordings | None = None
) -> Iterator[Writing]:
    """Open a transaction in which no other changes the memory of this person.

    *wordings*: what was read of theirs before, for one of many transactions.
    Raises NotFoundError for an unknown person, StoreError as ``database.writing``.
    """
    with writing(patience_ms=patience_ms) as session:
        found = session.connection().execute(_PERSON, {"owner": owner_id}).first()
        if found is None:
            raise NotFoundError("There is no such person. Nothing was kept.")
        work = Writing(session, owner_id, Families(session, owner_id, wordings or Wordings()))
        yield work
        work.write()
        memory_events.add_all(session, work.events)
        said = [row for row in work.stored.values() if row.op != Op.REMOVE]
        memory_index.put_all(session, owner_id, said)


def _insert(connection: Connection, rows: Sequence[MemoryRow]) -> None:
    """Put new rows into the table, in their order; the mapper would take three times as long."""
    values = [vars(row) for row in rows]
    connection.execute(_INSERT, [{name: of[name] for name in _NAMES} for of in values])
    numbers = dict(connection.execute(_NUMBERS, {"ids": [row.id for row in rows]}).all())
    for row in rows:
        vars(row)["number"] = numbers[row.id]


_PERSON = (
    select(PERSON.c.id)
    .where(PERSON.c.id == bindparam("owner"))
    .with_for_update(key_share=True)  # rows that only name the person need not wait
)
_NAMES = tuple(name for name in MEMORY.c.keys() if name != "number")  # noqa: SIM118  no dict
_INSERT = insert(MEMORY)
_NUMBERS = select(MEMORY.c.id, MEMORY.c.number).where(one_of(MEMORY.c.id, "ids"))
