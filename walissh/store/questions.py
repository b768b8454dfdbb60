"""What a person may send as a question, and the repeat of one by its idempotency key."""

from sqlalchemy import select
from sqlalchemy.orm import Session as Transaction

from walissh.errors import ConflictError, InvalidError
from walissh.react.turn import Turn
from walissh.store import rows
from walissh.store.models import TurnRow

MAX_CHARS = 200_000


def checked(content: str) -> str:
    """Return the text as it is stored; raises InvalidError for an empty or too long one."""
    clean = content.replace("\0", "").replace("\r\n", "\n")
    if not clean.strip():
        raise InvalidError("The message is empty. Write a question.", field="content")
    if len(clean) > MAX_CHARS:
        raise InvalidError(
            f"The message has {len(clean):,} characters; at most {MAX_CHARS:,} are"
            " taken. Send the part that matters, or put the file on a host and ask about it.",
            field="content",
        )
    try:
        clean.encode()
    except UnicodeEncodeError as error:
        raise InvalidError("The message is not valid Unicode text.", field="content") from error
    return clean


def repeated(session: Transaction, session_id: str, key: str | None, content: str) -> Turn | None:
    """Return the turn that the same *key* opened before, None if there is none.

    Raises ConflictError if that was for another message.
    """
    if key is None:
        return None
    row = session.scalar(
        select(TurnRow).where(TurnRow.session_id == session_id, TurnRow.idempotency_key == key)
    )
    if row is not None and row.question != content:
        raise ConflictError("This Idempotency-Key was used for another message. Use a new one.")
    return None if row is None else rows.turn(row)
