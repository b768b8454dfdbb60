"""The timeline of a session (ancestor: MilestoneTracker's table)."""

from dataclasses import dataclass

from sqlalchemy import select

from walissh.memory.entry import Milestone
from walissh.store.database import reading
from walissh.store.models import MilestoneRow


@dataclass(frozen=True, slots=True)
class Page:
    """Some marks, oldest first, and after which number the next page begins."""

    items: tuple[Milestone, ...]
    next: int | None


def page(session_id: str, user_id: str, *, limit: int, after: int = 0) -> Page:
    """Return the marks of this session and owner after number *after*, oldest first."""
    found = (
        select(MilestoneRow)
        .where(
            MilestoneRow.session_id == session_id,
            MilestoneRow.user_id == user_id,
            MilestoneRow.number > after,
        )
        .order_by(MilestoneRow.number)
        .limit(limit + 1)
    )
    with reading() as session:
        got = list(session.scalars(found))
    items = tuple(
        Milestone(row.id, row.kind, row.text, row.payload, row.turn_id, row.at)
        for row in got[:limit]
    )
    return Page(items, got[limit - 1].number if len(got) > limit else None)
