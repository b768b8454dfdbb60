"""Orders that were found in outputs: noted with their command, and called harmless by a person."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import select, update

from walissh.errors import ConflictError, NotFoundError
from walissh.react.circumstances import Flag
from walissh.react.turn import CommandRun
from walissh.safety.inject import MAX_CHARS, MAX_FLAGS
from walissh.store import audit, rows
from walissh.store.database import changed, writing
from walissh.store.models import CommandRow


def note(command_id: str, found: Sequence[Flag]) -> None:
    """Add what was found in the output of a command, up to MAX_FLAGS in all."""
    with writing() as session:
        row = session.scalar(select(CommandRow).where(CommandRow.id == command_id))
        if row is None:
            return
        room = MAX_FLAGS - len(row.flags)
        new = [asdict(Flag(each.kind, each.text[:MAX_CHARS])) for each in found[: max(room, 0)]]
        if not new:
            return
        # a new list: a change inside the old one would not be seen
        row.flags = [*row.flags, *new]
        audit.append(
            session, actor=row.worker, kind="output_flagged", subject=row.id,
            host=row.host_id, identity=row.host_identity, command=audit.digest_of(row.command),
            kinds=sorted({each["kind"] for each in new}), count=len(row.flags),
        )  # fmt: skip


def call_harmless(command_id: str, user_id: str) -> CommandRun:
    """Let the orders in this person's command no longer bind the session.

    Raises NotFoundError for another's command, ConflictError if it holds no orders or was
    called harmless before.
    """
    guard = update(CommandRow).where(
        CommandRow.id == command_id, CommandRow.user_id == user_id, CommandRow.unflagged_by == ""
    )
    with writing() as session:
        row = session.scalar(select(CommandRow).where(CommandRow.id == command_id))
        if row is None or row.user_id != user_id:
            raise NotFoundError("There is no such command.")
        if not row.flags or not changed(session, guard.values(unflagged_by=user_id)):
            raise ConflictError(
                "No orders are marked in this output (any more). Nothing was changed."
            )
        session.refresh(row)
        audit.append(
            session, actor=user_id, kind="output_called_harmless", subject=row.id,
            host=row.host_id, identity=row.host_identity, command=audit.digest_of(row.command),
            count=len(row.flags),
        )  # fmt: skip
        return rows.command(row)
