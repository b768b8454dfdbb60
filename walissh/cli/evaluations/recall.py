"""``walissh eval recall``: add memories and messages, and ask for them.

The database is the product's own, made anew in memory and gone at the end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from walissh.cli.evaluations import fields
from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Features, Query
from walissh.store import postings
from walissh.store.database import Base
from walissh.store.models import PersonRow
from walissh.store.postings import Kind, Line

MESSAGE = "MESSAGE"


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Answer each line: None for ``op: add``, ``id`` and ``hits`` for ``op: query``."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        people = _People(session)
        for line in lines:
            if fields.text(line, "op") == "query":
                yield people.ask(line)
            else:
                people.add(line)
                yield None
    engine.dispose()


class _People:
    """The people of a run and what they have said and learned."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ids: list[str] = []
        self._features: dict[int, Features] = {}
        self._waiting: dict[tuple[str, Kind], list[Line]] = defaultdict(list)
        self._lengths: dict[tuple[str, str], int] = defaultdict(int)
        self._known: set[str] = set()

    def add(self, line: Mapping[str, object]) -> None:
        """Keep a line until the next question; texts are indexed many at a time."""
        doc, user = len(self._ids), fields.text(line, "user")
        self._ids.append(fields.text(line, "id"))
        if fields.text(line, "type") == MESSAGE:
            self._waiting[user, "message"].append(self._message(doc, user, line))
        else:
            self._waiting[user, "memory"].append(self._memory(doc, line))

    def ask(self, line: Mapping[str, object]) -> dict[str, object]:
        """Return the ids of what was found, best first."""
        self._index()
        user, k = fields.text(line, "user"), fields.whole(line, "k", 5)
        query = Query(fields.text(line, "text"), at=fields.optional_instant(line, "at"))
        connection = self._session.connection()
        found = postings.search(connection, user, "memory", query, k=k, features=self._load)
        found += postings.search(connection, user, "message", query, k=k)
        hits = [self._ids[each.doc] for each in found[:k]]
        return {"id": fields.text(line, "id"), "hits": hits}

    def _message(self, doc: int, user: str, line: Mapping[str, object]) -> Line:
        talk = fields.optional_text(line, "session") or fields.text(line, "id")
        position = self._lengths[user, talk]
        self._lengths[user, talk] += 1
        return Line(
            doc,
            fields.text(line, "text"),
            talk,
            position,
            fields.optional_instant(line, "at"),
            fields.optional_text(line, "speaker") or "",
        )

    def _memory(self, doc: int, line: Mapping[str, object]) -> Line:
        host, at = fields.optional_text(line, "host") or "", fields.optional_instant(line, "at")
        kind = fields.one_of(line, "type", {each.value: each for each in MemoryType})
        self._features[doc] = Features(kind, host, at=at)
        return Line(doc, fields.text(line, "text"), host, 0, at)

    def _index(self) -> None:
        for (user, kind), lines in self._waiting.items():
            if user not in self._known:
                self._known.add(user)
                self._session.add(PersonRow(id=user, name=user, role="member"))
            postings.put_many(self._session, user, kind, lines)
        self._waiting.clear()

    def _load(self, docs: Collection[int]) -> Mapping[int, Features]:
        return {doc: self._features[doc] for doc in docs}
