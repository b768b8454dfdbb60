"""Turns: every move is one transaction under a guard, so two movers never both win.

`turn.attempt` is the fencing token: a worker that was taken for dead and comes back finds
another attempt in the row, and its reply is not stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Exists, Update, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, NotFoundError
from walissh.react.followed import Asked, Intended, Tracked
from walissh.react.turn import (
    OPEN_COMMAND,
    OPEN_TURN,
    Citation,
    CommandRun,
    CommandStatus,
    Language,
    Proposal,
    Remembrance,
    Reply,
    Turn,
    TurnStatus,
    Usage,
)
from walissh.store import (
    audit,
    commands,
    diagnoses,
    history,
    questions,
    rows,
    secrets,
    sessions,
)
from walissh.store.database import MEMORY_PATIENCE_MS, changed, new_id, reading, writing
from walissh.store.models import CommandRow, SessionRow, TurnRow

ACTING = (TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL)


def ask(
    session_id: str, user_id: str, content: str, language: Language, *, key: str | None = None
) -> Turn:
    """Store the message and open its turn.

    The same idempotency *key* gives the turn it gave before. Raises NotFoundError for an
    unknown session, ConflictError while a turn is open, InvalidError for a bad text.
    """
    content = secrets.hidden_talk(session_id, questions.checked(content))
    try:
        with writing() as session:
            talk = session.get(SessionRow, session_id)
            if talk is None or talk.user_id != user_id:
                raise NotFoundError("There is no such session.")
            before = questions.repeated(session, session_id, key, content)
            if before is not None:
                return before
            row = TurnRow(
                id=new_id(),
                session_id=session_id,
                user_id=user_id,
                status=TurnStatus.QUEUED,
                language=language,
                question=content,
                idempotency_key=key,
            )
            session.add(row)
            session.flush()
            history.put_question(session, row)
            sessions.touch(session, session_id)
            return rows.turn(row)
    except IntegrityError as error:
        # the unique index, not a look before, decides between two posts at once
        with reading() as session:
            before = questions.repeated(session, session_id, key, content)
        if before is not None:
            return before
        raise ConflictError(
            "A turn is open in this session. Wait for its end, decide what waits, or stop it."
        ) from error


def get(turn_id: str) -> Turn | None:
    """Return the turn, None if it is gone."""
    with reading() as session:
        row = session.get(TurnRow, turn_id)
        return None if row is None else rows.turn(row)


def of_session(session_id: str) -> list[Turn]:
    """Return the turns of a session, oldest first."""
    with reading() as session:
        found = session.scalars(
            select(TurnRow)
            .where(TurnRow.session_id == session_id)
            .order_by(TurnRow.created_at, TurnRow.id)
        )
        return [rows.turn(row) for row in found]


def claim(turn_id: str, step: int, worker: str) -> Turn | None:
    """Move queued -> thinking for *worker*; None if another had it or it moved on."""
    now = utc_now()
    guard = (
        update(TurnRow)
        .where(
            TurnRow.id == turn_id,
            TurnRow.step == step,
            TurnRow.status == TurnStatus.QUEUED,
            TurnRow.cancel_requested_at.is_(None),
            (TurnRow.not_before.is_(None)) | (TurnRow.not_before <= now),
        )
        .values(
            status=TurnStatus.THINKING, worker=worker, attempt=TurnRow.attempt + 1, queued_at=now
        )
    )
    with writing() as session:
        if not changed(session, guard):
            return None
        return rows.turn(session.get_one(TurnRow, turn_id))


def record_reply(
    turn: Turn,
    reply: Reply,
    proposals: Sequence[Proposal],
    answers: Mapping[str, str],
    tracked: Tracked | None = None,
) -> list[CommandRun] | None:
    """Store the assistant's message, its commands and the ready *answers* to its calls."""
    with writing() as session:
        waits = all(p.status is CommandStatus.AWAITING_APPROVAL for p in proposals)
        status = TurnStatus.AWAITING_APPROVAL if proposals and waits else TurnStatus.ACTING
        if not _take_reply(session, turn, reply, status=status):
            return None
        row = session.get_one(TurnRow, turn.id)
        history.put_reply(session, row, reply)
        history.put_results(session, row, list(answers.items()))
        if tracked is not None:
            sessions.track(session, turn.session_id, turn.user_id, tracked)
        return [commands.put(session, row, each) for each in proposals]


def record_answer(turn: Turn, reply: Reply, citations: Sequence[Citation]) -> bool:
    """Store the final message and close the turn as done; False if it moved on."""
    told = [asdict(each) for each in citations]
    found = [diagnoses.stored(each) for each in reply.diagnosed]
    with writing() as session:
        moved = _take_reply(
            session,
            turn,
            reply,
            status=TurnStatus.DONE,
            answer=reply.text,
            citations=told,
            diagnosed=found,
            finished_at=utc_now(),
        )
        if not moved:
            return False
        more = {"diagnosed": found} if found else {}
        row = session.get_one(TurnRow, turn.id)
        history.put_reply(session, row, reply, citations=told, **more)
        sessions.touch(session, turn.session_id)
        return True


def record_question(
    turn: Turn, reply: Reply, asked: Asked, answers: Mapping[str, str], tracked: Tracked
) -> bool:
    """Store the reply and what it asks the person, and close the turn as done."""
    told = asdict(asked)
    with writing() as session:
        moved = _take_reply(
            session,
            turn,
            reply,
            status=TurnStatus.DONE,
            answer=asked.text,
            asked=told,
            finished_at=utc_now(),
        )
        if not moved:
            return False
        row = session.get_one(TurnRow, turn.id)
        if reply.tool_calls:
            history.put_reply(session, row, reply)
            history.put_results(session, row, list(answers.items()))
        history.put_reply(session, row, Reply(asked.text), asked=told)
        sessions.track(session, turn.session_id, turn.user_id, tracked)
        sessions.touch(session, turn.session_id)
        return True


def record_failure(turn: Turn, error: str, partial: str) -> bool:
    """Close the turn as failed, keeping *partial* text as a marked message."""
    with writing() as session:
        failed = {"status": TurnStatus.FAILED, "error": error, "finished_at": utc_now()}
        if not changed(session, _thinking(turn).values(**failed)):
            return False
        if partial:
            row = session.get_one(TurnRow, turn.id)
            history.put_reply(session, row, Reply(partial), partial=True, error=error)
        sessions.touch(session, turn.session_id)
        return True


def break_off(turn_id: str, step: int, worker: str, error: str) -> bool:
    """Close as failed the step that *worker* claimed; False if it is no longer its own."""
    guard = update(TurnRow).where(
        TurnRow.id == turn_id,
        TurnRow.step == step,
        TurnRow.worker == worker,
        TurnRow.status == TurnStatus.THINKING,
    )
    failed = {"status": TurnStatus.FAILED, "error": error, "finished_at": utc_now()}
    with writing() as session:
        return bool(changed(session, guard.values(**failed)))


def postpone(turn: Turn, until: datetime, note: str) -> bool:
    """Move thinking -> queued, not to be claimed before *until*; *note* says why."""
    later = {"status": TurnStatus.QUEUED, "not_before": until, "error": note, "queued_at": until}
    with writing() as session:
        return bool(changed(session, _thinking(turn).values(**later)))


def remember(turn: Turn, given: Remembrance) -> bool:
    """Note what a thinking or just recorded turn was given out of memory."""
    mine = update(TurnRow).where(TurnRow.id == turn.id, TurnRow.settled_at.is_(None))
    with writing(patience_ms=MEMORY_PATIENCE_MS) as session:
        return bool(changed(session, mine.values(remembrance=rows.kept(given))))


def note_intent(turn: Turn, intended: Intended) -> bool:
    """Note what the message of a turn was taken for; False if another step has it by now."""
    mine = update(TurnRow).where(
        TurnRow.id == turn.id, TurnRow.step == turn.step, TurnRow.attempt == turn.attempt
    )
    with writing() as session:
        return bool(changed(session, mine.values(intended=asdict(intended))))


def resume(turn_id: str, step: int, results: Mapping[str, str]) -> Turn | None:
    """Store tool messages and move acting -> queued, once no command is open."""
    guard = (
        update(TurnRow)
        .where(
            TurnRow.id == turn_id,
            TurnRow.step == step,
            TurnRow.status.in_((TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL)),
            TurnRow.cancel_requested_at.is_(None),
            ~has_open_command(),
        )
        .values(status=TurnStatus.QUEUED, queued_at=utc_now(), not_before=None, attempt=0)
    )
    with writing() as session:
        if not changed(session, guard):
            return None
        row = session.get_one(TurnRow, turn_id)
        history.put_results(session, row, list(results.items()))
        return rows.turn(row)


def close(turn_id: str, status: TurnStatus, error: str, results: Mapping[str, str]) -> bool:
    """End an open turn as cancelled, interrupted or failed, with its tool messages."""
    ended = {"status": status, "error": error, "finished_at": utc_now()}
    mine = update(TurnRow).where(TurnRow.id == turn_id, ~has_open_command()).values(**ended)
    with writing() as session:
        # a queued or thinking turn has its results already: `resume` stored them
        acted = changed(session, mine.where(TurnRow.status.in_(ACTING)))
        if not acted and not changed(session, mine.where(TurnRow.status.in_(OPEN_TURN))):
            return False
        row = session.get_one(TurnRow, turn_id)
        if acted:
            history.put_results(session, row, list(results.items()))
        sessions.touch(session, row.session_id)
        return True


def refresh(turn_id: str) -> Turn | None:
    """Set acting or awaiting_approval by which commands are open; return the turn."""
    busy = exists().where(
        CommandRow.turn_id == TurnRow.id,
        CommandRow.status.in_(OPEN_COMMAND - {CommandStatus.AWAITING_APPROVAL}),
    )
    acting = (TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL)
    with writing() as session:
        for status, condition in ((acting[0], busy), (acting[1], ~busy & has_open_command())):
            changed(
                session,
                update(TurnRow)
                .where(TurnRow.id == turn_id, TurnRow.status.in_(acting), condition)
                .values(status=status),
            )
        row = session.get(TurnRow, turn_id)
        return None if row is None else rows.turn(row)


def request_cancel(turn_id: str, user_id: str) -> Turn:
    """Note that its person wants it stopped; NotFoundError for a stranger's turn."""
    with writing() as session:
        # locked, so that no answer is stored between this look and the mark
        row = session.get(TurnRow, turn_id, with_for_update=True)
        if row is None or row.user_id != user_id:
            raise NotFoundError("There is no such turn.")
        if row.status not in OPEN_TURN:
            raise ConflictError("The turn has ended already.")
        if row.cancel_requested_at is None:
            row.cancel_requested_at = utc_now()
            session.flush()
            commands.cancel_waiting(session, turn_id)
        return rows.turn(row)


def is_cancelled(turn_id: str) -> bool:
    """Tell whether its person asked to stop it, or it is gone."""
    with reading() as session:
        found = session.execute(
            select(TurnRow.cancel_requested_at, TurnRow.status).where(TurnRow.id == turn_id)
        ).one_or_none()
    return found is None or found[0] is not None or found[1] not in OPEN_TURN


def add_usage(turn_id: str, usage: Usage) -> None:
    """Count with the turn what was spent for it beside its answer."""
    spent = {
        "prompt_tokens": TurnRow.prompt_tokens + usage.prompt_tokens,
        "completion_tokens": TurnRow.completion_tokens + usage.completion_tokens,
    }
    with writing() as session:
        changed(session, update(TurnRow).where(TurnRow.id == turn_id).values(**spent))


def settle(turn_id: str) -> bool:
    """Put the end of a turn into the audit trail, once; False if that was done before."""
    guard = (
        update(TurnRow)
        .where(
            TurnRow.id == turn_id, TurnRow.settled_at.is_(None), TurnRow.finished_at.is_not(None)
        )
        .values(settled_at=utc_now())
    )
    with writing() as session:
        if not changed(session, guard):
            return False
        row = session.get_one(TurnRow, turn_id)
        audit.append(
            session,
            actor=row.user_id,
            kind=f"turn_{row.status}",
            subject=row.id,
            steps=row.step,
            prompt_tokens=row.prompt_tokens,
            completion_tokens=row.completion_tokens,
        )
        return True


# --- inside ---------------------------------------------------------------------------


def _thinking(turn: Turn) -> Update:
    return update(TurnRow).where(
        TurnRow.id == turn.id,
        TurnRow.step == turn.step,
        TurnRow.attempt == turn.attempt,
        TurnRow.status == TurnStatus.THINKING,
    )


def _take_reply(session: Transaction, turn: Turn, reply: Reply, **moved: object) -> bool:
    guard = _thinking(turn).where(TurnRow.cancel_requested_at.is_(None))
    return bool(
        changed(
            session,
            guard.values(
                step=TurnRow.step + 1,
                attempt=0,
                error="",
                prompt_tokens=TurnRow.prompt_tokens + reply.usage.prompt_tokens,
                completion_tokens=TurnRow.completion_tokens + reply.usage.completion_tokens,
                **moved,
            ),
        )
    )


def has_open_command() -> Exists:
    return exists().where(CommandRow.turn_id == TurnRow.id, CommandRow.status.in_(OPEN_COMMAND))
