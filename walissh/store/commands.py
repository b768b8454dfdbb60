"""The journal of commands: guarded moves, each with its row in the audit trail."""

from collections.abc import Callable, Iterable

from sqlalchemy import ColumnElement, Select, exists, select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, NotFoundError
from walissh.react import circumstances
from walissh.react.host import Host
from walissh.react.turn import (
    CommandRun,
    CommandStatus,
    Exit,
    Proposal,
    TurnStatus,
    Verdict,
)
from walissh.store import audit, outputs, rows, sudo
from walissh.store.database import changed, new_id, reading, writing
from walissh.store.models import CommandRow, TurnRow

append_output = outputs.append
read_lines = outputs.read_lines
read_text = outputs.read_text
identity_of = circumstances.identity_of


def put(session: Transaction, turn: TurnRow, proposal: Proposal) -> CommandRun:
    """Store a judged command inside the caller's transaction."""
    now = utc_now()
    row = CommandRow(
        id=new_id(),
        turn_id=turn.id,
        session_id=turn.session_id,
        user_id=turn.user_id,
        step=turn.step,
        tool_call_id=proposal.call_id,
        host_id=proposal.host.id,
        host=proposal.host.name,
        host_revision=proposal.host.revision,
        host_identity=identity_of(proposal.host),
        command=proposal.command,
        reason=proposal.reason,
        status=proposal.status,
        risk=proposal.verdict.risk,
        reasons=list(proposal.verdict.reasons),
        rule=proposal.verdict.rule,
        limit_s=proposal.limit_s,
        queued_at=now if proposal.status is CommandStatus.APPROVED else None,
    )
    session.add(row)
    session.flush()
    _audit(session, row, actor="agent", decision=proposal.verdict.decision.value)
    return rows.command(row)


def get(command_id: str) -> CommandRun | None:
    """Return the run, None if it is gone."""
    with reading() as session:
        row = session.scalar(_by_id(command_id))
        return None if row is None else rows.command(row)


def of_person(command_id: str, user_id: str) -> CommandRun:
    """Return the run if it is this person's; raises NotFoundError."""
    run = get(command_id)
    if run is None or run.user_id != user_id:
        raise NotFoundError("There is no such command.")
    return run


def of_turn(turn_id: str, step: int | None = None) -> list[CommandRun]:
    """Return the turn's runs in the order proposed, of one step if given."""
    found = select(CommandRow).where(CommandRow.turn_id == turn_id)
    if step is not None:
        found = found.where(CommandRow.step == step)
    with reading() as session:
        return [rows.command(row) for row in session.scalars(found.order_by(CommandRow.number))]


def active(user_id: str) -> list[CommandRun]:
    """Return what this person's commands do now: running, queued, then waiting."""
    found = select(CommandRow).where(
        CommandRow.user_id == user_id,
        CommandRow.status.in_(
            (CommandStatus.RUNNING, CommandStatus.APPROVED, CommandStatus.AWAITING_APPROVAL)
        ),
    )
    with reading() as session:
        return [rows.command(row) for row in session.scalars(found.order_by(CommandRow.number))]


def recent_of(user_id: str, limit: int) -> list[CommandRun]:
    """Return the last runs of this person that ended well, newest first."""
    found = (
        select(CommandRow)
        .where(
            CommandRow.user_id == user_id,
            CommandRow.status == CommandStatus.FINISHED,
            CommandRow.exit_code == 0,
        )
        .order_by(CommandRow.number.desc())
        .limit(limit)
    )
    with reading() as session:
        return [rows.command(row) for row in session.scalars(found)]


# --- decisions of a person ------------------------------------------------------------


def approve(
    command_id: str,
    actor: str,
    command: str,
    *,
    along: Callable[[Transaction], None] | None = None,
) -> CommandRun:
    """Move awaiting_approval -> approved for exactly the text *command*.

    *along* writes in the same transaction. Raises ConflictError if it was decided before,
    or edited since the person saw it.
    """
    now = utc_now()
    return _decide(
        command_id,
        actor,
        CommandRow.command == command,
        along=along,
        status=CommandStatus.APPROVED,
        decided_by=actor,
        decided_at=now,
        queued_at=now,
    )


def deny(command_id: str, actor: str, reason: str) -> CommandRun:
    """Move awaiting_approval -> denied, with the person's words for the agent."""
    now = utc_now()
    return _decide(
        command_id,
        actor,
        status=CommandStatus.DENIED,
        decided_by=actor,
        decided_at=now,
        denial=reason,
        finished_at=now,
    )


def edit(command_id: str, actor: str, command: str, verdict: Verdict) -> CommandRun:
    """Replace the text of a waiting command by the person's, judged again; it still waits.

    What the model said of its own text goes: it may not be true of this one.
    """
    return _decide(
        command_id,
        actor,
        command=command,
        reason="",
        risk=verdict.risk,
        reasons=list(verdict.reasons),
        rule=verdict.rule,
    )


def _decide(
    command_id: str,
    actor: str,
    *only_if: ColumnElement[bool],
    along: Callable[[Transaction], None] | None = None,
    **columns: object,
) -> CommandRun:
    guard = update(CommandRow).where(
        CommandRow.id == command_id,
        CommandRow.status == CommandStatus.AWAITING_APPROVAL,
        *only_if,
    )
    with writing() as session:
        if not changed(session, guard.values(**columns)):
            raise ConflictError("This command does not wait for a decision (any more).")
        if along is not None:
            along(session)
        row = session.scalars(_by_id(command_id)).one()
        if row.status == CommandStatus.DENIED:
            sudo.forget(session, command_id)
        _audit(session, row, actor=actor)
        return rows.command(row)


def cancel_waiting(session: Transaction, *turn_ids: str, actor: str = "") -> None:
    """Cancel what has not started, inside the caller's transaction.

    *actor* is who wants it, when that is not the person whose turns these are.
    """
    waiting = (CommandStatus.PROPOSED, CommandStatus.AWAITING_APPROVAL, CommandStatus.APPROVED)
    # one statement for all rows, before the chain of the audit is locked: a click or a worker
    # that moves one of them now is waited for, and what it made of it is judged again
    cancelled = session.scalars(
        update(CommandRow)
        .where(CommandRow.turn_id.in_(turn_ids), CommandRow.status.in_(waiting))
        .values(status=CommandStatus.CANCELLED, finished_at=utc_now())
        .returning(CommandRow)
    )
    ended = sorted(cancelled, key=lambda row: row.number)
    sudo.forget(session, *(row.id for row in ended))
    for row in ended:
        _audit(session, row, actor=actor or row.user_id)


def rebind(host: Host) -> None:
    """Let what waits for *host* follow it: our own part moved it, it is the same machine."""
    waiting = (CommandStatus.AWAITING_APPROVAL, CommandStatus.APPROVED)
    with writing() as session:
        changed(
            session,
            update(CommandRow)
            .where(CommandRow.host_id == host.id, CommandRow.status.in_(waiting))
            .values(host_revision=host.revision, host_identity=identity_of(host)),
        )


# --- moves of a worker ----------------------------------------------------------------


def claim(command_id: str, worker: str) -> CommandRun | None:
    """Move approved -> running; None if it is not approved (any more)."""
    stopped = exists().where(
        TurnRow.id == CommandRow.turn_id,
        TurnRow.cancel_requested_at.is_not(None)
        | TurnRow.status.not_in((TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL)),
    )
    guard = (
        update(CommandRow)
        .where(CommandRow.id == command_id, CommandRow.status == CommandStatus.APPROVED, ~stopped)
        .values(status=CommandStatus.RUNNING, worker=worker, started_at=utc_now())
    )
    with writing() as session:
        if not changed(session, guard):
            return None
        row = session.scalars(_by_id(command_id)).one()
        _audit(session, row, actor=worker)
        return rows.command(row)


def wait(command_id: str, verdict: Verdict) -> bool:
    """Move approved -> awaiting_approval what nobody decided on and now must be asked for."""
    guard = (
        update(CommandRow)
        .where(
            CommandRow.id == command_id,
            CommandRow.status == CommandStatus.APPROVED,
            CommandRow.decided_by == "",
        )
        .values(
            status=CommandStatus.AWAITING_APPROVAL,
            risk=verdict.risk,
            reasons=list(verdict.reasons),
            rule=verdict.rule,
            queued_at=None,
        )
    )
    with writing() as session:
        moved = changed(session, guard)
        if moved:
            _audit(session, session.scalars(_by_id(command_id)).one(), actor="gate")
        return bool(moved)


def finish(command_id: str, worker: str, result: Exit) -> bool:
    """Record the end: finished, or cancelled when it ended so.

    A worker that was taken for dead may still tell the end of its own run: the truth comes
    late, but it comes.
    """
    ended = CommandStatus.CANCELLED if result.ended_by == "cancelled" else CommandStatus.FINISHED
    return _end(
        command_id,
        worker,
        (CommandStatus.RUNNING, CommandStatus.UNKNOWN),
        status=ended,
        exit_code=result.exit_code,
        ended_by=result.ended_by,
        error=result.notice,
        phase="sudo" if result.ended_by == "sudo" else "",
    )


def fail(command_id: str, worker: str, error: str, phase: str) -> bool:
    """Record that it never ran."""
    return _end(
        command_id,
        worker,
        (CommandStatus.RUNNING, CommandStatus.UNKNOWN),
        status=CommandStatus.FAILED,
        error=error,
        phase=phase,
    )


def lose(command_id: str, error: str) -> bool:
    """Record that its outcome is unknown."""
    return _end(
        command_id, None, (CommandStatus.RUNNING,), status=CommandStatus.UNKNOWN, error=error
    )


def expire(command_id: str, why: str = "") -> bool:
    """Record that nobody decided in time, or that what has not begun is void: *why*."""
    waiting = [CommandStatus.AWAITING_APPROVAL] + [CommandStatus.APPROVED] * bool(why)
    return _end(command_id, None, waiting, status=CommandStatus.EXPIRED, error=why)


def _end(
    command_id: str, worker: str | None, before: Iterable[CommandStatus], **columns: object
) -> bool:
    guard = update(CommandRow).where(
        CommandRow.id == command_id, CommandRow.status.in_(list(before))
    )
    if worker is not None:
        guard = guard.where(CommandRow.worker == worker)
    with writing() as session:
        shown = outputs.summary(session, command_id)
        moved = changed(session, guard.values(finished_at=utc_now(), **shown, **columns))
        if moved:
            sudo.forget(session, command_id)
            row = session.scalars(_by_id(command_id)).one()
            _audit(session, row, actor=worker or "upkeep", exit_code=row.exit_code)
        return bool(moved)


def _by_id(command_id: str) -> Select[CommandRow]:
    return select(CommandRow).where(CommandRow.id == command_id)


def _audit(session: Transaction, row: CommandRow, *, actor: str, **facts: object) -> None:
    audit.append(
        session,
        actor=actor,
        kind=f"command_{row.status}",
        subject=row.id,
        host=row.host_id,
        identity=row.host_identity,
        command=audit.digest_of(row.command),
        risk=row.risk,
        rule=row.rule,
        person=row.user_id,
        decided_by=row.decided_by,
        **facts,
    )
