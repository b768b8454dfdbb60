"""The talks of a person: the sidebar."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, tuple_, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react.followed import Tracked
from walissh.react.turn import Session
from walissh.safety import redact
from walissh.store import audit, rows, said
from walissh.store.database import changed, empty_log, overwrite_deleted, reading, writing
from walissh.store.models import CommandRow, HostRow, MessageRow, SessionRow, TurnRow

MAX_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Page:
    """Some sessions, and where the next page begins (None at the end)."""

    items: tuple[Session, ...]
    next: tuple[datetime, str] | None


def create(
    user_id: str, title: str = "", host_ids: Sequence[str] = (), *, read_only: bool = False
) -> Session:
    """Begin a talk; raises InvalidError for an unknown host or a title too long."""
    with writing() as session:
        _check_hosts(session, user_id, host_ids)
        row = SessionRow(
            user_id=user_id,
            title=_title(title),
            host_ids=list(dict.fromkeys(host_ids)),
            read_only=read_only,
        )
        session.add(row)
        session.flush()
        return rows.session(row)


def get(session_id: str, user_id: str) -> Session | None:
    """Return the session if it is this person's."""
    with reading() as session:
        row = session.get(SessionRow, session_id)
        return rows.session(row) if row is not None and row.user_id == user_id else None


def page(
    user_id: str,
    *,
    query: str = "",
    limit: int = 50,
    after: tuple[datetime, str] | None = None,
    archived: bool | None = False,
) -> Page:
    """Return this person's sessions, the last active first.

    *query* must stand in the title or in a message, without regard to case. *archived*
    None means both kinds.
    """
    found = select(SessionRow).where(SessionRow.user_id == user_id)
    if archived is not None:
        found = found.where(SessionRow.archived == archived)
    if query:
        found = found.where(_mentions(query))
    if after is not None:
        found = found.where(tuple_(SessionRow.active_at, SessionRow.id) < after)
    found = found.order_by(SessionRow.active_at.desc(), SessionRow.id.desc()).limit(limit + 1)
    with reading() as session:
        items = [rows.session(row) for row in session.scalars(found)]
    more = len(items) > limit
    last = items[limit - 1] if more else None
    return Page(tuple(items[:limit]), (last.active_at, last.id) if last else None)


def change(
    session_id: str,
    user_id: str,
    *,
    title: str | None = None,
    pinned: bool | None = None,
    archived: bool | None = None,
    host_ids: Sequence[str] | None = None,
    read_only: bool | None = None,
) -> Session:
    """Rename, pin, archive, choose other hosts, only read; None leaves a thing as it is."""
    with writing() as session:
        row = _row(session, session_id, user_id)
        if title is not None:
            row.title = _title(title)
        if pinned is not None:
            row.pinned = pinned
        if archived is not None:
            row.archived = archived
        if host_ids is not None:
            _check_hosts(session, user_id, host_ids)
            row.host_ids = list(dict.fromkeys(host_ids))
        if read_only is not None and read_only != row.read_only:
            row.read_only = read_only
            kind = "session_read_only" if read_only else "session_writable"
            audit.append(session, actor=user_id, kind=kind, subject=session_id)
        session.flush()
        return rows.session(row)


def remove(session_id: str, user_id: str) -> None:
    """Delete the talk with all that hangs on it; its open turn must have ended before."""
    with writing() as session:
        _row(session, session_id, user_id, lock=True)
        busy = session.scalar(
            select(TurnRow.id).where(
                TurnRow.session_id == session_id, TurnRow.finished_at.is_(None)
            )
        )
        if busy is not None:
            raise ConflictError("A turn is still ending in this session. Try again in a moment.")
        overwrite_deleted(session)
        said.forget(session, session_id, user_id)
        session.execute(delete(MessageRow).where(MessageRow.session_id == session_id))
        session.execute(delete(SessionRow).where(SessionRow.id == session_id))
        audit.append(session, actor=user_id, kind="session_removed", subject=session_id)
    empty_log()


def name_if_unnamed(session_id: str, title: str) -> None:
    """Give an untitled session its title."""
    with writing() as session:
        changed(
            session,
            update(SessionRow)
            .where(SessionRow.id == session_id, SessionRow.title == "")
            .values(title=title[:MAX_TITLE_CHARS]),
        )


def waiting(user_id: str) -> dict[str, int]:
    """Return how many commands wait for this person, by session id."""
    with reading() as session:
        found = session.execute(
            select(CommandRow.session_id, func.count())
            .where(CommandRow.status == "awaiting_approval", CommandRow.user_id == user_id)
            .group_by(CommandRow.session_id)
        )
        return {row[0]: row[1] for row in found}


def busy(user_id: str) -> dict[str, str]:
    """Return the status of the open turns of this person, by session id."""
    with reading() as session:
        found = session.execute(
            select(TurnRow.session_id, TurnRow.status).where(
                TurnRow.user_id == user_id, TurnRow.finished_at.is_(None)
            )
        )
        return {row[0]: row[1] for row in found}


def touch(session: Transaction, session_id: str) -> None:
    """Put the session on top of the list, inside the caller's transaction."""
    changed(
        session,
        update(SessionRow).where(SessionRow.id == session_id).values(active_at=utc_now()),
    )


def track(session: Transaction, session_id: str, user_id: str, tracked: Tracked) -> bool:
    """Keep the thread of this person's session, inside the caller's transaction.

    False if there is no such session any more.
    """
    mine = update(SessionRow).where(SessionRow.id == session_id, SessionRow.user_id == user_id)
    return bool(changed(session, mine.values(tracked=asdict(tracked))))


def _mentions(query: str) -> ColumnElement[bool]:
    like = "%" + query.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_") + "%"
    said = exists().where(
        MessageRow.session_id == SessionRow.id,
        MessageRow.role.in_(("user", "assistant")),
        MessageRow.content.ilike(like, escape="\\"),
    )
    return or_(SessionRow.title.ilike(like, escape="\\"), said)


def _row(session: Transaction, session_id: str, user_id: str, *, lock: bool = False) -> SessionRow:
    row = session.get(SessionRow, session_id, with_for_update=lock or None)
    if row is None or row.user_id != user_id:
        raise NotFoundError("There is no such session.")
    return row


def _title(title: str) -> str:
    clean = redact.redact(" ".join(title.replace("\0", "").split()))
    if len(clean) > MAX_TITLE_CHARS:
        raise InvalidError(f"A title has at most {MAX_TITLE_CHARS} characters.", field="title")
    return clean


def _check_hosts(session: Transaction, user_id: str, host_ids: Sequence[str]) -> None:
    mine = set(
        session.scalars(
            select(HostRow.id).where(HostRow.owner_id == user_id, HostRow.id.in_(host_ids))
        )
    )
    missing = [each for each in host_ids if each not in mine]
    if missing:
        raise InvalidError(f"There is no host with id {missing[0]}.", field="host_ids")
