"""The timeline of a session (ancestor: MilestoneTracker's table)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, select
from sqlalchemy.orm import Session as Transaction

from walissh.memory.entry import Milestone
from walissh.memory.milestones import Mark
from walissh.store.database import reading, writing
from walissh.store.models import MilestoneRow, SessionRow, TurnRow

PATIENCE_MS = 2_000
"""A mark is worth less than the time of a turn that waits for it."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some marks, oldest first, and after which number the next page begins."""

    items: tuple[Milestone, ...]
    next: int | None


def page(session_id: str, user_id: str, *, limit: int, after: int = 0) -> Page:
    """Return the marks of this session and owner after number *after*, oldest first."""
    found = (
        _of(session_id, user_id)
        .where(MilestoneRow.number > after)
        .order_by(MilestoneRow.number)
        .limit(limit + 1)
    )
    with reading() as session:
        got = list(session.scalars(found))
    items = tuple(_value(row) for row in got[:limit])
    return Page(items, got[limit - 1].number if len(got) > limit else None)


def recent(session_id: str, user_id: str, limit: int) -> list[Milestone]:
    """Return the last *limit* marks of this session and owner, oldest first."""
    found = _of(session_id, user_id).order_by(MilestoneRow.number.desc()).limit(limit)
    with reading() as session:
        return [_value(row) for row in session.scalars(found)][::-1]


def record(
    session_id: str,
    user_id: str,
    turn_id: str,
    marks: Sequence[Mark],
    *,
    patience_ms: int | None = PATIENCE_MS,
) -> list[Milestone]:
    """Store the marks that this turn has not yet, and return those; [] if none is new.

    Nothing is stored for a session that is gone or belongs to another person. Raises
    StoreError if the database is away or a lock is not given within *patience_ms*.
    """
    with writing(patience_ms=patience_ms) as session:
        if not _is_theirs(session, session_id, user_id, turn_id):
            return []
        known = _of(session_id, user_id).where(MilestoneRow.turn_id == turn_id)
        seen = {(row.kind, row.text) for row in session.scalars(known)}
        rows = [
            _row(session_id, user_id, turn_id, mark)
            for mark in marks
            if (mark.kind.value, mark.text) not in seen
        ]
        session.add_all(rows)
        session.flush()
        return [_value(row) for row in rows]


def _is_theirs(session: Transaction, session_id: str, user_id: str, turn_id: str) -> bool:
    """Tell whether the turn is there, and let one of two equal jobs wait for the other.

    The lock does that on PostgreSQL; SQLite has one writer anyway.
    """
    turn = (
        select(TurnRow.id)
        .join(SessionRow, SessionRow.id == TurnRow.session_id)
        .where(
            TurnRow.id == turn_id,
            TurnRow.session_id == session_id,
            TurnRow.user_id == user_id,
            SessionRow.user_id == user_id,
        )
        .with_for_update(of=TurnRow)
    )
    return session.scalar(turn) is not None


def _row(session_id: str, user_id: str, turn_id: str, mark: Mark) -> MilestoneRow:
    return MilestoneRow(
        session_id=session_id,
        user_id=user_id,
        turn_id=turn_id,
        kind=mark.kind.value,
        text=mark.text,
        payload=dict(mark.payload),
    )


def _of(session_id: str, user_id: str) -> Select[MilestoneRow]:
    return select(MilestoneRow).where(
        MilestoneRow.session_id == session_id, MilestoneRow.user_id == user_id
    )


def _value(row: MilestoneRow) -> Milestone:
    return Milestone(row.id, row.kind, row.text, row.payload, row.turn_id, row.at)
