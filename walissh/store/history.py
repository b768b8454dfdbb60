"""The messages of a talk (ancestor: IChatHistoryRepository).

Satisfies `history_lines.HistoryStore`, as do the stores in files and in memory.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Transaction

from walissh.errors import NotFoundError
from walissh.react.turn import Message, Reply
from walissh.store import history_lines, history_memory, rows
from walissh.store.database import reading, writing
from walissh.store.models import MessageRow, SessionRow, TurnRow

IDS_AT_ONCE = 500
"""Databases limit how many values a statement may hold."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some messages, oldest first, and after which number the next page begins."""

    items: tuple[Message, ...]
    next: int | None


def get_recent_messages(
    session_id: str, limit: int, *, user_id: str, before_turn: str | None = None
) -> list[Message]:
    """Return the last *limit* messages of this session and owner, oldest first."""
    found = select(MessageRow).where(
        MessageRow.session_id == session_id, MessageRow.user_id == user_id
    )
    if before_turn is not None:
        first = select(func.min(MessageRow.number)).where(MessageRow.turn_id == before_turn)
        found = found.where(MessageRow.number < first.scalar_subquery())
    with reading() as session:
        newest = session.scalars(found.order_by(MessageRow.number.desc()).limit(limit))
        return [rows.message(row) for row in newest][::-1]


def of_turn(turn_id: str) -> list[Message]:
    """Return the messages of one turn, oldest first."""
    with reading() as session:
        found = session.scalars(
            select(MessageRow).where(MessageRow.turn_id == turn_id).order_by(MessageRow.number)
        )
        return [rows.message(row) for row in found]


def since(
    session_id: str,
    after_id: str,
    *,
    user_id: str,
    limit: int,
    before_turn: str | None = None,
) -> list[Message]:
    """Return the newest *limit* messages after that one, oldest first; "" means all."""
    mine = [MessageRow.session_id == session_id, MessageRow.user_id == user_id]
    found = select(MessageRow).where(*mine)
    if after_id:
        place = select(MessageRow.number).where(MessageRow.id == after_id, *mine)
        found = found.where(MessageRow.number > place.scalar_subquery())
    if before_turn is not None:
        first = select(func.min(MessageRow.number)).where(MessageRow.turn_id == before_turn)
        found = found.where(MessageRow.number < first.scalar_subquery())
    with reading() as session:
        newest = session.scalars(found.order_by(MessageRow.number.desc()).limit(limit))
        return [rows.message(row) for row in newest][::-1]


def add(session_id: str, messages: Sequence[Message], *, user_id: str) -> list[Message]:
    """Store *messages* at the end of a session, all or none; return them as stored."""
    sound = [history_lines.checked(each) for each in messages]
    with writing() as session:
        talk = session.get(SessionRow, session_id, with_for_update=True)
        if talk is None or talk.user_id != user_id:
            raise NotFoundError("There is no such session.")
        put_messages(session, talk, sound)
    return sound


def place(message_id: str, session_id: str, user_id: str) -> int:
    """Return how many messages of the session end with this one; 0 if it is not there."""
    mine = (MessageRow.session_id == session_id, MessageRow.user_id == user_id)
    number = select(MessageRow.number).where(MessageRow.id == message_id, *mine).scalar_subquery()
    with reading() as session:
        return session.scalar(select(func.count()).where(*mine, MessageRow.number <= number)) or 0


def find(message_id: str, user_id: str) -> Message | None:
    """Return this message of this person, None if it is gone or another's.

    Its ``turn_id`` says where in which talk it stands.
    """
    with reading() as session:
        row = session.scalar(
            select(MessageRow).where(MessageRow.id == message_id, MessageRow.user_id == user_id)
        )
        return None if row is None else rows.message(row)


def page(session_id: str, user_id: str, *, limit: int, after: int = 0) -> Page:
    """Return the messages after number *after*, oldest first."""
    found = (
        select(MessageRow)
        .where(
            MessageRow.session_id == session_id,
            MessageRow.user_id == user_id,
            MessageRow.number > after,
        )
        .order_by(MessageRow.number)
        .limit(limit + 1)
    )
    with reading() as session:
        got = list(session.scalars(found))
    items = tuple(rows.message(row) for row in got[:limit])
    return Page(items, got[limit - 1].number if len(got) > limit else None)


# --- inside the caller's transaction --------------------------------------------------


def put_messages(session: Transaction, talk: SessionRow, messages: Sequence[Message]) -> None:
    """Store checked messages with the ids and times that they have; ConflictError if known."""
    ids = [each.id for each in messages]
    known: set[str] = set()
    for at in range(0, len(ids), IDS_AT_ONCE):
        some = MessageRow.id.in_(ids[at : at + IDS_AT_ONCE])
        known.update(session.scalars(select(MessageRow.id).where(some)))
    history_memory.refuse_known(known, ids)
    for each in messages:
        session.add(
            MessageRow(
                id=each.id,
                session_id=talk.id,
                user_id=talk.user_id,
                turn_id=each.turn_id or None,
                role=each.role,
                content=each.content,
                tool_calls=[asdict(call) for call in each.tool_calls],
                tool_call_id=each.tool_call_id,
                meta=dict(each.meta),
                created_at=each.created_at,
            )
        )
        session.flush()  # one by one, so that numbers follow the order of the talk


def put_question(session: Transaction, turn: TurnRow) -> None:
    """Store the user's message of *turn*, once."""
    _add(session, turn, role="user", content=turn.question)


def put_reply(session: Transaction, turn: TurnRow, reply: Reply, **meta: object) -> None:
    """Store the assistant's message with its tool calls."""
    calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in reply.tool_calls]
    _add(session, turn, role="assistant", content=reply.text, tool_calls=calls, meta=meta)


def put_results(session: Transaction, turn: TurnRow, results: Sequence[tuple[str, str]]) -> None:
    """Store tool messages: pairs of call id and text."""
    for call_id, content in results:
        _add(session, turn, role="tool", content=content, tool_call_id=call_id)


def _add(session: Transaction, turn: TurnRow, **columns: object) -> None:
    session.add(
        MessageRow(session_id=turn.session_id, user_id=turn.user_id, turn_id=turn.id, **columns)
    )
    session.flush()  # one by one, so that numbers follow the order of the talk
