"""A database in the memory of this process alone: whatever ends the process, it is gone."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from walissh.config import Settings
from walissh.react.followed import Tracked
from walissh.react.turn import Session
from walissh.store import database, rows, tracked
from walissh.store.database import Base, db, writing
from walissh.store.models import PersonRow, SessionRow
from walissh.store.people import Person


@dataclass(frozen=True, slots=True)
class _Nowhere(Settings):
    @property
    def sqlalchemy_url(self) -> str:
        """The name of a database that the connections of this process share."""
        return f"sqlite:///file:{self.home}?vfs=memdb&uri=true"


@contextmanager
def opened() -> Iterator[Flask]:
    """Enter the context of an application on new, empty tables; they go with the block."""
    app = Flask("walissh-throwaway")
    database.init_app(app, _Nowhere(home=Path(f"/walissh-{secrets.token_hex(8)}")))
    with app.app_context(), db.engine.connect():  # the last connection to close ends it
        Base.metadata.create_all(db.engine)
        try:
            yield app
        finally:
            db.engine.dispose()


def begin(person: Person, session_id: str, host_ids: list[str]) -> Session:
    """Make the rows that a talk stands on; its hosts are elsewhere and not looked for."""
    with writing() as session:
        session.add(PersonRow(id=person.id, name=person.name, role=person.role))
        session.flush()
        row = SessionRow(id=session_id, user_id=person.id, host_ids=host_ids)
        session.add(row)
        session.flush()
        return rows.session(row)


class SnapshotThreads:
    """`react.needs.Threads` on the tables alone, with no copy in Redis."""

    def load(self, session_id: str, user_id: str) -> Tracked | None:
        """Return the thread as it was kept last; None if it never was."""
        return tracked.snapshot(session_id, user_id)

    def save(self, session_id: str, user_id: str, tracked_now: Tracked) -> Tracked:
        """Keep it; return it with its new version."""
        return tracked.keep(session_id, user_id, tracked_now) or tracked_now

    def cache(self, session_id: str, user_id: str, tracked_now: Tracked) -> None:
        """Copy it nowhere."""

    def forget(self, session_id: str, user_id: str) -> None:
        """Drop nothing: it goes with the tables."""
