"""Which entries are about the same thing, and which of them stand in a new one's way.

The same owner, type, scope and subject; for facts and cases the same host too. A case is of
the same incident only with the same cause: two causes of one symptom do not contradict.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import BigInteger, Select, String, bindparam, func, select
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.memory import naming
from walissh.memory.entry import MemoryType, Op, Origin
from walissh.memory.settle import SWEEPING
from walissh.store import lookup, memory_rows, memory_sight
from walissh.store.memory_drafts import Draft, same_value
from walissh.store.memory_rows import Seen
from walissh.store.memory_sight import Visible
from walissh.store.models import MemoryRow

FOR_ALL = ("global", SWEEPING)
CASE = MemoryType.TROUBLESHOOTING_CASE
PREFERENCE = MemoryType.USER_PREFERENCE
REUSED = 100
"""So many of the last numbers are read again: SQLite gives that of a deleted row once more."""
SUBJECTS = 500
"""So many subjects are looked up at once."""

_Key = tuple[MemoryType, str, str]
"""What entries of any scope and cause have in common: type, subject, and host of a fact."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What an entry is about; only entries of one topic overtake each other."""

    type: MemoryType
    scope: str
    subject: str
    host_id: str | None = None
    cause: str = ""

    @classmethod
    def of_draft(cls, draft: Draft) -> "Topic":
        """Return what *draft* is about."""
        found = draft.found
        return cls(found.type, found.scope, found.subject, draft.host_id, found.cause)

    @classmethod
    def of_row(cls, row: MemoryRow) -> "Topic":
        """Return what a stored entry is about."""
        cause = str(row.payload.get("cause", ""))
        return cls(MemoryType(row.type), row.scope, row.subject, row.host_id, cause)

    def key(self) -> _Key:
        """Return what it shares with the same of other scopes."""
        if self.type is PREFERENCE:
            return self.type, naming.key(self.subject), ""
        return self.type, self.subject, self.host_id or ""


class Wordings:
    """How a person calls what their preferences are about, by ``naming.key``.

    It may outlive a transaction: entries are only added, and what is gone is not found.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, set[str]] = defaultdict(set)
        self._until: int | None = None

    def of(self, session: Transaction, owner_id: str, keys: Iterable[str]) -> list[str]:
        """Return the wordings of *keys*, those of entries up to this moment too."""
        named: dict[str, object] = {"reader": owner_id, "type": PREFERENCE.value}
        query = _wordings() if self._until is None else _later_wordings()
        connection = session.connection()
        for subject in connection.execute(query, named | {"until": self._until}).scalars():
            self._by_key[naming.key(subject)].add(subject)
        self._until = max(0, (connection.execute(_last_number(), named).scalar() or 0) - REUSED)
        return [subject for key in keys for subject in sorted(self._by_key.get(key, ()))]


class Families:
    """What is there of each topic, as one transaction sees it.

    Many are read at a time. What the transaction adds and overtakes is told with ``add`` and
    ``overtaken``; after any other change all is forgotten, and read again when asked for.
    """

    def __init__(self, session: Transaction, owner_id: str, wordings: Wordings) -> None:
        self._session = session
        self._owner_id = owner_id
        self._wordings = wordings
        self._known: dict[_Key, list[Seen]] = {}

    def read(self, topics: Iterable[Topic]) -> None:
        """Read what is not known yet of *topics*: one statement for each type and host."""
        new = {topic.key() for topic in topics} - self._known.keys()
        self._known |= {key: [] for key in new}
        for seen in self._read(new):
            self._known[Topic.of_row(seen.row).key()].append(seen)

    def _read(self, keys: Iterable[_Key]) -> Iterator[Seen]:
        """Yield all of the type and subject, and but for preferences of the host, of *keys*."""
        wanted: dict[tuple[MemoryType, str], set[str]] = defaultdict(set)
        for kind, subject, host in keys:
            wanted[kind, host].add(subject)
        for (kind, host), names in wanted.items():
            named: dict[str, object] = {"reader": self._owner_id, "type": kind.value}
            if kind is PREFERENCE:
                # two wordings of a preference have one key: "RAM", "内存"
                alike = self._wordings.of(self._session, self._owner_id, names)
                yield from _named(self._session, _of_subjects(), named, alike)
            else:
                named["host"] = host
                yield from _named(self._session, _of_host(), named, sorted(names))

    def entries(self, topic: Topic) -> list[Seen]:
        """Return all entries about *topic*, in any state, oldest first."""
        alike = [seen for seen in self._alike(topic) if seen.row.scope == topic.scope]
        if topic.type is not CASE:
            return alike
        return [
            seen
            for seen in alike
            if same_value(str(seen.row.payload.get("cause", "")), topic.cause)
        ]

    def narrower(self, topic: Topic) -> list[Seen]:
        """Return what counts of the subject for some hosts or groups only."""
        now = utc_now()
        return [
            seen
            for seen in self._alike(topic)
            if seen.row.scope not in FOR_ALL
            and not seen.row.scope.startswith("task:")
            and is_current(seen, now)
        ]

    def add(self, topic: Topic, seen: Seen) -> None:
        """Take in a new entry; its topic was asked for before."""
        self._known[topic.key()].append(seen)

    def overtaken(self, seen: Seen, by: MemoryRow) -> None:
        """Take in that *by* took the place of an entry."""
        alike = self._known.get(Topic.of_row(seen.row).key(), [])
        alike[:] = [behind(each, by) if each.row is seen.row else each for each in alike]

    def forget_all(self) -> None:
        """Read every topic anew when it is asked for."""
        self._known.clear()

    def _alike(self, topic: Topic) -> list[Seen]:
        self.read([topic])
        return self._known[topic.key()]


def behind(seen: Seen, by: MemoryRow) -> Seen:
    """Return an entry whose place *by* took."""
    return seen._replace(later_op=by.op, later_expires_at=by.expires_at)


def is_current(seen: Seen, now: datetime) -> bool:
    """Tell whether nothing overtook an entry and it is not over: it counts or withdraws."""
    row = seen.row
    if row.wrong_at is not None or (row.expires_at is not None and row.expires_at <= now):
        return False
    ended = seen.later_expires_at is not None and seen.later_expires_at <= now
    return row.superseded_by is None or ended


def same_evidence(family: Sequence[Seen], draft: Draft) -> Seen | None:
    """Return the entry that this very message or command gave before: a job may come twice."""
    source = draft.source
    if source.message_id is None and source.command_id is None:
        return None
    return next(
        (
            seen
            for seen in family
            if memory_rows.source(seen.row) == source
            and seen.row.op == draft.found.op
            and same_value(seen.row.value, draft.found.value)
        ),
        None,
    )


def says_the_same(seen: Seen, draft: Draft) -> bool:
    """Tell whether an entry holds all that *draft* says."""
    row, found = seen.row, draft.found
    if row.op == Op.REMOVE or not same_value(row.value, found.value):
        return False
    if found.type is CASE and found.fix:
        return same_value(str(row.payload.get("fix", "")), found.fix)
    return True


def vetoed(family: Sequence[Seen], draft: Draft) -> Seen | None:
    """Return the entry that a person called wrong and that would be learned anew as it was.

    Only the newest stands in the way: a value that came after it may change back.
    """
    if not family or draft.source.origin is Origin.USER:
        return None
    last = family[-1]
    wrong = last.row.wrong_at is not None
    return last if wrong and same_value(last.row.value, draft.found.value) else None


def _named(
    session: Transaction, query: Visible, named: dict[str, object], names: Sequence[str]
) -> Iterator[Seen]:
    for some in lookup.chunks(names, SUBJECTS):
        yield from (Seen(*row) for row in session.execute(query, named | {"subjects": some}))


# queries are made once: to make one takes longer than to run it


@cache
def _wordings() -> Select[str]:
    mine = MemoryRow.user_id == memory_sight.READER, MemoryRow.type == bindparam("type")
    return select(MemoryRow.subject).where(*mine).distinct()


@cache
def _later_wordings() -> Select[str]:
    return _wordings().where(MemoryRow.number > bindparam("until", type_=BigInteger))


@cache
def _last_number() -> Select[int | None]:
    return select(func.max(MemoryRow.number)).where(MemoryRow.user_id == memory_sight.READER)


@cache
def _of_subjects() -> Visible:
    return (
        memory_sight.of_owner()
        .where(
            MemoryRow.type == bindparam("type"),
            MemoryRow.subject.in_(bindparam("subjects", expanding=True)),
        )
        .order_by(MemoryRow.number)
    )


@cache
def _of_host() -> Visible:
    host = func.coalesce(MemoryRow.host_id, "") == bindparam("host", type_=String)
    return _of_subjects().where(host)
