"""The heartbeats of worker processes."""

from datetime import datetime, timedelta

from sqlalchemy import delete, select, update

from walissh.clock import utc_now
from walissh.store.database import changed, reading, writing
from walissh.store.models import WorkerRow

DEAD_AFTER_S = 12
"""A worker that has not been seen for so long is dead; it beats every 3 s."""

FORGOTTEN_AFTER_S = 3600


def beat(name: str, kind: str) -> None:
    """Say that the worker process *name* (kind turns, commands or upkeep) lives."""
    now = utc_now()
    with writing() as session:
        known = changed(
            session, update(WorkerRow).where(WorkerRow.name == name).values(seen_at=now)
        )
        if not known:
            session.add(WorkerRow(name=name, kind=kind, started_at=now, seen_at=now))


def seen(name: str) -> datetime | None:
    """Return when the worker process *name* said last that it lives."""
    with reading() as session:
        return session.scalar(select(WorkerRow.seen_at).where(WorkerRow.name == name))


def leave(name: str) -> None:
    """Say that the worker process ends in good order."""
    with writing() as session:
        session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def alive(kind: str, now: datetime) -> bool:
    """Tell whether at least one worker of this kind has been seen lately."""
    since = now - timedelta(seconds=DEAD_AFTER_S)
    with reading() as session:
        found = session.scalar(
            select(WorkerRow.name)
            .where(WorkerRow.kind == kind, WorkerRow.seen_at >= since)
            .limit(1)
        )
    return found is not None


def forget_old(now: datetime) -> None:
    """Remove the rows of workers that died long ago."""
    before = now - timedelta(seconds=FORGOTTEN_AFTER_S)
    with writing() as session:
        session.execute(delete(WorkerRow).where(WorkerRow.seen_at < before))
