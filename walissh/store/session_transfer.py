"""A session as lines of JSON, out and in again: first the session, then its messages.

What comes in is a talk to read and to go on with, and no more: its commands are in no
journal here, it teaches memory nothing, and it has no hosts until somebody chooses them.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import TalkFileError
from walissh.react import language, texts
from walissh.react.turn import Message, Session, TurnStatus
from walissh.safety import purify
from walissh.store import audit, history, history_lines, rows
from walissh.store.database import new_id, writing
from walissh.store.history_file import SESSION_KIND
from walissh.store.history_lines import Line
from walissh.store.models import MessageRow, SessionRow, TurnRow
from walissh.store.sessions import MAX_TITLE_CHARS

FORMAT: Final = 1
AT_ONCE: Final = 500
NOTHING: Final = "Nothing was taken in."
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


# --- out ------------------------------------------------------------------------------


def export(talk: Session) -> Iterator[str]:
    """Yield the lines of a session, its messages oldest first and as they are stored."""
    about = {
        "kind": SESSION_KIND,
        "format": FORMAT,
        "id": talk.id,
        "title": talk.title,
        "created_at": talk.created_at.isoformat(),
    }
    yield json.dumps(about, ensure_ascii=False)
    after: int | None = 0
    while after is not None:
        page = history.page(talk.id, talk.user_id, limit=AT_ONCE, after=after)
        for message in page.items:
            yield history_lines.written(Line(talk.id, talk.user_id, message))
        after = page.next


# --- in -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Read:
    """What the lines of a file hold."""

    id: str = ""
    title: str = ""
    created_at: datetime | None = None
    messages: list[Message] = field(default_factory=list)


def take_in(user_id: str, lines: Iterable[bytes], say: Callable[[str], object]) -> Session:
    """Store the session that *lines* hold as this person's own, whole or not at all.

    Its ids stay unless they are in use here. Raises TalkFileError with the number of the
    first line that is wrong; *say* is told of a last line that is torn.
    """
    read = _read(lines, say)
    if not read.messages:
        raise TalkFileError(f"The file holds no messages. {NOTHING}")
    with writing() as session:
        read = _with_free_ids(session, read)
        talk = _session(user_id, read)
        session.add(talk)
        session.flush()
        messages = _in_turns(session, talk, read.messages)
        history.put_messages(session, talk, messages)
        count = len(messages)
        audit.append(
            session, actor=user_id, kind="session_imported", subject=talk.id, messages=count
        )
        return rows.session(talk)


def _read(lines: Iterable[bytes], say: Callable[[str], object]) -> _Read:
    read, seen = _Read(), set[str]()
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            _take(read, seen, text)
        except TalkFileError as error:
            if not text.endswith(b"\n"):
                say(f"Line {number} was left out: it is torn, and the last one.")
                continue
            raise TalkFileError(f"Line {number}: {error}. {NOTHING}") from error
    return read


def _take(read: _Read, seen: set[str], text: bytes) -> None:
    stored = history_lines.parsed(text)
    if stored.get("kind") == SESSION_KIND:
        _take_session(read, stored)
        return
    message = history_lines.read(text).message
    if message.id in seen:
        raise TalkFileError(f"the message {message.id} comes twice")
    if not _ID.fullmatch(message.id) or not _ID.fullmatch(message.turn_id or "none"):
        raise TalkFileError("its ids may hold letters, digits, - and _ only", field="id")
    seen.add(message.id)
    if message.role != "user":  # what came out of a host or a model enters by the one mouth
        message = replace(message, content=purify.clean(message.content))
    read.messages.append(message)


def _take_session(read: _Read, stored: Mapping[str, Any]) -> None:
    if read.id or read.messages:
        raise TalkFileError("a second session begins here; a file holds one")
    read.id, read.title = str(stored.get("id", "")), str(stored.get("title", ""))
    if not _ID.fullmatch(read.id):
        raise TalkFileError("its id may hold letters, digits, - and _ only", field="id")
    try:
        read.created_at = datetime.fromisoformat(str(stored.get("created_at")))
    except ValueError as error:
        raise TalkFileError("its created_at is no time", field="created_at") from error


def _session(user_id: str, read: _Read) -> SessionRow:
    asked = next((each.content for each in read.messages if each.role == "user"), "")
    title = " ".join((read.title.replace("\0", "") or texts.title(asked)).split())
    return SessionRow(
        id=read.id,
        user_id=user_id,
        title=title[:MAX_TITLE_CHARS],
        created_at=read.created_at or read.messages[0].created_at,
    )


# --- ids that are free here -----------------------------------------------------------


def _with_free_ids(session: Transaction, read: _Read) -> _Read:
    """Return it with ids of our own where one of its ids is in use."""
    if not read.id or _is_used(session, SessionRow.id == read.id):
        read.id = new_id()
    ids = [each.id for each in read.messages]
    turns = [*dict.fromkeys(each.turn_id for each in read.messages if each.turn_id)]
    new_ids = _renamed(session, ids, MessageRow.id)
    new_turns = _renamed(session, turns, TurnRow.id)
    read.messages = [
        replace(each, id=new_ids[each.id], turn_id=new_turns.get(each.turn_id, ""))
        for each in read.messages
    ]
    return read


def _renamed(
    session: Transaction, ids: Sequence[str], column: InstrumentedAttribute[str]
) -> dict[str, str]:
    parts = (ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE))
    used = any(_is_used(session, column.in_(part)) for part in parts)
    return {each: new_id() if used else each for each in ids}


def _is_used(session: Transaction, condition: ColumnElement[bool]) -> bool:
    return bool(session.scalar(select(exists().where(condition))))


# --- turns ----------------------------------------------------------------------------


def _in_turns(session: Transaction, talk: SessionRow, messages: Sequence[Message]) -> list[Message]:
    """Store the turns that the messages belong to; return the messages with their turns.

    Where a file names no turn, each question begins one.
    """
    placed, unnamed = list[Message](), ""
    for each in messages:
        if not each.turn_id and each.role == "user":
            unnamed = new_id()
        placed.append(each if each.turn_id else replace(each, turn_id=unnamed))
    by_turn: dict[str, list[Message]] = {}
    for each in placed:
        by_turn.setdefault(each.turn_id, []).append(each)
    by_turn.pop("", None)
    session.add_all(_turn(talk, turn_id, said) for turn_id, said in by_turn.items())
    session.flush()
    return placed


def _turn(talk: SessionRow, turn_id: str, said: Sequence[Message]) -> TurnRow:
    question = next((each.content for each in said if each.role == "user"), "")
    last = said[-1]
    is_answer = last.role == "assistant" and not last.tool_calls and not last.meta.get("partial")
    return TurnRow(
        id=turn_id,
        session_id=talk.id,
        user_id=talk.user_id,
        status=TurnStatus.DONE if is_answer else TurnStatus.INTERRUPTED,
        language=language.detect(question, "en"),
        question=question,
        answer=last.content if is_answer else "",
        asked=_asked(last),
        created_at=said[0].created_at,
        finished_at=last.created_at,
        settled_at=utc_now(),
    )


def _asked(message: Message) -> dict[str, object]:
    asked = message.meta.get("asked")
    match asked:
        case {"text": str(text), "choices": list(choices)}:
            return {"text": text, "choices": [str(each) for each in choices]}
    return {}
