"""Who is let in by what: signing in, the browsers and tokens of a person, and their end."""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from walissh.clock import utc_now
from walissh.errors import NotFoundError, StoreError
from walissh.store import audit, people
from walissh.store.database import changed, reading, writing
from walissh.store.models import PersonRow, TokenRow
from walissh.store.people import Person, Scope, TokenKind

logger = logging.getLogger(__name__)

How = Literal["password", "link", "oidc"]
LOOKS_EVERY_S = 60
"""When a pass was used is written at most so often."""

TOUCH_PATIENCE_MS = 50
MAX_AGENT_CHARS = 300


@dataclass(frozen=True, slots=True)
class Pass:
    """A live browser or API token of a person; *used_at* is None if it was never used."""

    id: str
    kind: str
    label: str
    scope: Scope
    agent: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Admission:
    """Who was let in, and by which pass."""

    person: Person
    by: Pass


@dataclass(frozen=True, slots=True)
class Arrival:
    """How somebody came in: by what, from which address, with which browser.

    *replaces* is the cookie that the browser had before; it is worth nothing afterwards.
    """

    how: How
    address: str = ""
    agent: str = ""
    replaces: str = ""


def admitted(kind: TokenKind, plain: str, *, idle_s: int = people.WEB_IDLE_S) -> Admission | None:
    """Return whom *plain* lets in and note that it was used; None for a stranger."""
    now = utc_now()
    with reading() as session:
        row = session.scalar(people.live(kind, plain, now, idle_s))
        if row is None:
            return None
        person = people.person_of(session.get_one(PersonRow, row.person_id))
    if row.last_used_at is None or now - row.last_used_at > timedelta(seconds=LOOKS_EVERY_S):
        _touch(row.id, now)
    return Admission(person, _pass(row))


def _touch(token_id: str, now: datetime) -> None:
    """Note the use; a database that is busy just now does not turn anybody away."""
    try:
        with writing(patience_ms=TOUCH_PATIENCE_MS) as session:
            session.execute(
                update(TokenRow).where(TokenRow.id == token_id).values(last_used_at=now)
            )
    except StoreError as error:
        logger.info("use of a pass not noted token=%s: %s", token_id, error)


def sign_in(person_id: str, arrival: Arrival, *, ttl_s: int = people.WEB_TTL_S) -> str:
    """Return a new cookie, in the place of the one that the browser had."""
    plain = people.new_plain()
    now = utc_now()
    with writing() as session:
        people.refuse_disabled(session.get_one(PersonRow, person_id))
        if arrival.replaces:
            _end(session, TokenRow.digest == people.digest_of(arrival.replaces), kind="web")
        row = TokenRow(
            person_id=person_id,
            kind="web",
            digest=people.digest_of(plain),
            agent=arrival.agent[:MAX_AGENT_CHARS],
            last_used_at=now,
            expires_at=now + timedelta(seconds=ttl_s),
        )
        session.add(row)
        session.flush()
        facts = {"how": arrival.how, "address": arrival.address, "browser": row.id}
        audit.append(session, actor=person_id, kind="signed_in", subject=person_id, **facts)
    return plain


def note_failure(name: str, how: How, address: str) -> None:
    """Put a failed sign-in on the audit trail; a name that nobody has is kept as its digest.

    People type passwords into the wrong field.
    """
    known = people.find(name)
    subject = known.id if known else hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    with writing() as session:
        audit.append(
            session,
            actor="",
            kind="sign_in_failed",
            subject=subject,
            how=how,
            address=address,
            known=known is not None,
        )


def of(person_id: str, kind: TokenKind, *, idle_s: int = people.WEB_IDLE_S) -> list[Pass]:
    """Return the live passes of a person, the newest first."""
    with reading() as session:
        rows = session.scalars(
            people.alive(utc_now(), idle_s)
            .where(TokenRow.person_id == person_id, TokenRow.kind == kind)
            .order_by(TokenRow.created_at.desc(), TokenRow.id)
        )
        return [_pass(row) for row in rows]


def revoke(token_id: str, person_id: str, *, actor: str = "") -> None:
    """End one pass of a person; raises NotFoundError if they have no such one."""
    with writing() as session:
        row = session.get(TokenRow, token_id)
        if row is None or row.person_id != person_id or row.revoked_at is not None:
            raise NotFoundError("There is no such browser or token; it may have ended already.")
        _end(session, TokenRow.id == token_id)
        audit.append(
            session,
            actor=actor or person_id,
            kind=f"{row.kind}_token_revoked",
            subject=token_id,
            of=person_id,
        )


def revoke_browsers(person_id: str, *, keep: str = "", actor: str = "") -> int:
    """Sign a person out of every browser but that with the id *keep*; return how many."""
    with writing() as session:
        theirs = TokenRow.person_id == person_id
        count = _end(session, theirs & (TokenRow.id != keep), kind="web")
        audit.append(
            session,
            actor=actor or person_id,
            kind="browsers_revoked",
            subject=person_id,
            count=count,
        )
        return count


def end_all(session: Session, person_id: str) -> int:
    """End every pass of a person inside the caller's transaction: cookies, tokens, links."""
    return _end(session, TokenRow.person_id == person_id)


def _end(session: Session, which: ColumnElement[bool], *, kind: TokenKind | None = None) -> int:
    found = update(TokenRow).where(which, TokenRow.revoked_at.is_(None))
    if kind is not None:
        found = found.where(TokenRow.kind == kind)
    return changed(session, found.values(revoked_at=utc_now()))


def last_seen() -> dict[str, datetime]:
    """Return when each person last used a browser or a token, for those who ever did."""
    newest = func.max(TokenRow.last_used_at)
    with reading() as session:
        rows = session.execute(select(TokenRow.person_id, newest).group_by(TokenRow.person_id))
        return {person_id: at for person_id, at in rows if at is not None}


def _pass(row: TokenRow) -> Pass:
    scope: Scope = "read" if row.scope == people.READ else "all"
    return Pass(
        row.id,
        row.kind,
        row.label,
        scope,
        row.agent,
        row.created_at,
        row.last_used_at,
        row.expires_at,
    )
