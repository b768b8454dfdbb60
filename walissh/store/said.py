"""What was said in a person's talks, found by words: questions and final answers."""

from collections.abc import Sequence

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session as Transaction

from walissh.memory.extract import pref_secrets
from walissh.memory.recall import Query
from walissh.react.turn import Message
from walissh.safety import redact
from walissh.store import postings, rows
from walissh.store.database import reading, writing
from walissh.store.models import LineRow, MessageRow, SessionRow, ShelfRow, TurnRow
from walissh.store.postings import Line

TEXT_CHARS = 20_000
"""So much of one message is indexed: a pasted log says what it is in its first pages."""

BLANK = " [secret] "


def index_turn(turn_id: str) -> int:
    """Make the question and the answer of an ended turn findable, once; return how many.

    Not by the secrets that they tell.
    """
    with writing() as session:
        turn = session.get(TurnRow, turn_id)
        if turn is None or not _is_there(session, turn.session_id):
            return 0
        new = [row for row in _spoken(session, turn_id) if not _is_indexed(session, row)]
        first = _next_position(session, turn.user_id, turn.session_id)
        lines = [
            Line(
                doc=row.number,
                text=_without_secrets(row.content[:TEXT_CHARS]),
                cluster=row.session_id,
                position=first + place,
                at=row.created_at,
                speaker=row.role,
            )
            for place, row in enumerate(new)
        ]
        postings.put_many(session, turn.user_id, "message", lines)
        return len(lines)


def unindexed_turns(limit: int) -> list[str]:
    """Return at most *limit* settled turns of which nothing is in the index, oldest first.

    They ended before there was an index.
    """
    indexed = exists().where(
        ShelfRow.owner_id == MessageRow.user_id,
        ShelfRow.kind == "message",
        LineRow.shelf == ShelfRow.number,
        LineRow.doc == MessageRow.number,
    )
    found = (
        select(MessageRow.turn_id)
        .join(TurnRow, TurnRow.id == MessageRow.turn_id)
        .where(
            TurnRow.settled_at.is_not(None),
            MessageRow.role == "user",
            MessageRow.content != "",
            ~indexed,
        )
        .group_by(MessageRow.turn_id)
        .order_by(func.min(MessageRow.number))
        .limit(limit)
    )
    with reading() as session:
        return [each for each in session.scalars(found) if each is not None]


def search(user_id: str, query: Query, *, k: int) -> list[Message]:
    """Return at most *k* messages of this person's talks that bear on *query*, best first."""
    with reading() as session:
        scored = postings.search(session.connection(), user_id, "message", query, k=k)
        numbers = [each.doc for each in scored]
        found = session.scalars(
            select(MessageRow).where(MessageRow.number.in_(numbers), MessageRow.user_id == user_id)
        )
        by_number = {row.number: rows.message(row) for row in found}
    return [by_number[number] for number in numbers if number in by_number]


def forget(session: Transaction, session_id: str, user_id: str) -> None:
    """Take a talk out of the index, inside the caller's transaction."""
    postings.drop_cluster(session, user_id, "message", session_id)


def _without_secrets(text: str) -> str:
    hidden = redact.redact(text)
    for secret in sorted(pref_secrets.values(text), key=len, reverse=True):
        hidden = hidden.replace(secret, BLANK)
    return hidden


def _spoken(session: Transaction, turn_id: str) -> Sequence[MessageRow]:
    return session.scalars(
        select(MessageRow)
        .where(
            MessageRow.turn_id == turn_id,
            MessageRow.role.in_(("user", "assistant")),
            MessageRow.content != "",
        )
        .order_by(MessageRow.number)
    ).all()


def _is_there(session: Transaction, session_id: str) -> bool:
    """Tell whether the talk is there, and keep it: else its words would outlive it."""
    lock = {"read": True, "key_share": True}
    return session.get(SessionRow, session_id, with_for_update=lock) is not None


def _is_indexed(session: Transaction, row: MessageRow) -> bool:
    place = (
        select(LineRow.doc)
        .join(ShelfRow, ShelfRow.number == LineRow.shelf)
        .where(
            ShelfRow.owner_id == row.user_id,
            ShelfRow.kind == "message",
            LineRow.doc == row.number,
        )
    )
    return session.scalar(place) is not None


def _next_position(session: Transaction, user_id: str, session_id: str) -> int:
    last = session.scalar(
        select(func.max(LineRow.position))
        .join(ShelfRow, ShelfRow.number == LineRow.shelf)
        .where(
            ShelfRow.owner_id == user_id,
            ShelfRow.kind == "message",
            LineRow.cluster == session_id,
        )
    )
    return 0 if last is None else last + 1
