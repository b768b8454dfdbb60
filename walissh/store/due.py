"""What is due or left behind, for upkeep to queue again or to end."""

from datetime import datetime, timedelta

from sqlalchemy import exists, select, update

from walissh.react.turn import OPEN_TURN, CommandRun, CommandStatus, Turn, TurnStatus
from walissh.store import rows, turns
from walissh.store.database import changed, reading, writing
from walissh.store.models import CommandRow, TurnRow, WorkerRow

REQUEUE_AFTER_S = 10
"""What was queued so long ago without being claimed is queued once more."""

MODEL_CALL_LOST_S = 3600
"""A model call that takes so long has been lost by a living worker."""

OVERRUN_S = 180
"""A job that is so far past its command's limit has been lost by a living worker."""


def turns_to_queue(now: datetime) -> list[Turn]:
    """Return queued turns that should have been claimed by now, and queue-stamp them."""
    due = (
        select(TurnRow)
        .where(
            TurnRow.status == TurnStatus.QUEUED,
            (TurnRow.not_before.is_not(None) & (TurnRow.not_before <= now))
            | (TurnRow.queued_at < now - timedelta(seconds=REQUEUE_AFTER_S)),
        )
        .limit(100)
    )
    with reading() as session:
        found = [rows.turn(row) for row in session.scalars(due)]
    if found:
        with writing() as session:
            # stamped, so that the next sweep does not queue it again at once
            changed(
                session,
                update(TurnRow)
                .where(
                    TurnRow.id.in_([each.id for each in found]),
                    TurnRow.status == TurnStatus.QUEUED,
                )
                .values(queued_at=now, not_before=None),
            )
    return found


def orphaned_turns(now: datetime, dead_after_s: float) -> list[Turn]:
    """Return thinking turns whose worker has not been seen for *dead_after_s*, or too long."""
    alive = exists().where(
        WorkerRow.name == TurnRow.worker,
        WorkerRow.seen_at >= now - timedelta(seconds=dead_after_s),
    )
    with reading() as session:
        found = session.scalars(
            select(TurnRow).where(
                TurnRow.status == TurnStatus.THINKING,
                ~alive | (TurnRow.queued_at < now - timedelta(seconds=MODEL_CALL_LOST_S)),
            )
        )
        return [rows.turn(row) for row in found]


def stalled_turns() -> list[Turn]:
    """Return acting or cancelled turns that no open command holds: a step was lost."""
    acting = TurnRow.status.in_((TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL))
    stopped = TurnRow.cancel_requested_at.is_not(None) & TurnRow.status.in_(OPEN_TURN)
    with reading() as session:
        found = session.scalars(select(TurnRow).where(acting | stopped, ~turns.has_open_command()))
        return [rows.turn(row) for row in found]


def unsettled_turns(now: datetime) -> list[str]:
    """Return ended turns whose after-work is due (again), and stamp them."""
    before = now - timedelta(seconds=REQUEUE_AFTER_S)
    due = (TurnRow.finished_at < before, TurnRow.queued_at < before, TurnRow.settled_at.is_(None))
    with reading() as session:
        found = list(session.scalars(select(TurnRow.id).where(*due).limit(100)))
    if found:
        with writing() as session:
            # stamped, so that what cannot be done now is tried again later, not at once
            changed(session, update(TurnRow).where(TurnRow.id.in_(found)).values(queued_at=now))
    return found


def open_turns(user_id: str) -> list[Turn]:
    """Return the turns of this person that have not ended, oldest first."""
    with reading() as session:
        found = session.scalars(
            select(TurnRow)
            .where(TurnRow.user_id == user_id, TurnRow.finished_at.is_(None))
            .order_by(TurnRow.created_at)
        )
        return [rows.turn(row) for row in found]


def commands_to_queue(now: datetime) -> list[CommandRun]:
    """Return approved commands that should have been claimed by now, and stamp them."""
    due = (
        select(CommandRow)
        .join(TurnRow, TurnRow.id == CommandRow.turn_id)
        .where(
            CommandRow.status == CommandStatus.APPROVED,
            CommandRow.queued_at < now - timedelta(seconds=REQUEUE_AFTER_S),
        )
        .limit(100)
    )
    with reading() as session:
        found = [rows.command(row) for row in session.scalars(due)]
    if found:
        with writing() as session:
            ids = [each.id for each in found]
            changed(
                session,
                update(CommandRow)
                .where(CommandRow.id.in_(ids), CommandRow.status == CommandStatus.APPROVED)
                .values(queued_at=now),
            )
    return found


def orphaned_commands(now: datetime, dead_after_s: float) -> list[CommandRun]:
    """Return running commands whose worker is dead, or that are long past their limit."""
    alive = exists().where(
        WorkerRow.name == CommandRow.worker,
        WorkerRow.seen_at >= now - timedelta(seconds=dead_after_s),
    )
    with reading() as session:
        running = select(CommandRow, alive).where(CommandRow.status == CommandStatus.RUNNING)
        return [
            rows.command(row)
            for row, worker_alive in session.execute(running)
            if not worker_alive or _overran(row, now)
        ]


def _overran(row: CommandRow, now: datetime) -> bool:
    started = row.started_at or row.created_at
    return now - started > timedelta(seconds=row.limit_s + OVERRUN_S)


def undecided_commands(before: datetime) -> list[CommandRun]:
    """Return commands that have waited for a person since *before*."""
    with reading() as session:
        found = session.scalars(
            select(CommandRow).where(
                CommandRow.status == CommandStatus.AWAITING_APPROVAL,
                CommandRow.created_at < before,
            )
        )
        return [rows.command(row) for row in found]
