"""People and the tokens that let them in; only digests of tokens are stored."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Select, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from walissh.clock import utc_now
from walissh.config import Lang
from walissh.errors import ConflictError, DeniedError, InvalidError
from walissh.react.circumstances import ADMIN, OPERATOR, ROLES
from walissh.store import audit
from walissh.store.database import changed, reading, writing
from walissh.store.models import PersonRow, TokenRow
from walissh.store.password_hashes import hashed, is_right

TokenKind = Literal["link", "web", "api"]
Scope = Literal["all", "read"]
LINK_TTL_S = 15 * 60
WEB_TTL_S = 14 * 24 * 3600
WEB_IDLE_S = 3 * 24 * 3600
"""A browser that was not used for so long must sign in again; the settings may say otherwise."""

READ = "read"
"""The scope of an API token that only looks; "" in the table is all that its person may."""

MIN_PASSWORD_CHARS = 8
NAME = re.compile(r"[\w][\w.@+-]{0,63}")
WRONG = "The name or the password is wrong."


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who signs in; *lang* is None until they chose one.

    Who *is_disabled* is let in by nothing.
    """

    id: str
    name: str
    role: str
    lang: Lang | None
    has_password: bool
    is_disabled: bool = False


def first_admin() -> Person:
    """Return the first administrator, made now if there is none."""
    with reading() as session:
        row = session.scalar(_admins())
        if row is not None:
            return person_of(row)
    try:
        return _create(ADMIN, role=ADMIN)
    except IntegrityError:
        # two processes at their first start: the other one made it
        with reading() as session:
            return person_of(session.scalars(_admins()).one())


def named(name: str) -> Person:
    """Return the person of that name, made now (an operator) if new."""
    check_name(name)
    found = find(name)
    if found is not None:
        return found
    if name == ADMIN:
        return first_admin()
    return _create(name, role=OPERATOR)


def add(name: str, *, role: str, actor: str = "", oidc_subject: str | None = None) -> Person:
    """Make a person; raises ConflictError if somebody has the name."""
    check_name(name)
    check_role(role)
    try:
        return _create(name, role=role, actor=actor, oidc_subject=oidc_subject)
    except IntegrityError as error:
        raise ConflictError(f"There is a person named {name} already.") from error


def check_name(name: str) -> None:
    """Raise InvalidError unless *name* may be one."""
    if not NAME.fullmatch(name):
        raise InvalidError(
            f"{name!r} is not a name: use up to 64 letters, digits and . _ @ + -", field="name"
        )


def check_role(role: str) -> None:
    """Raise InvalidError unless *role* is one."""
    if role not in ROLES:
        raise InvalidError(f"{role!r} is no role: use one of {', '.join(ROLES)}.", field="role")


def find(name: str) -> Person | None:
    """Return the person of that name; what is no name is nobody's."""
    with reading() as session:
        row = session.scalar(_by_name(name))
        return None if row is None else person_of(row)


def get(person_id: str) -> Person | None:
    """Return the person with that id."""
    with reading() as session:
        row = session.get(PersonRow, person_id)
        return None if row is None else person_of(row)


def set_password(person_id: str, password: str) -> None:
    """Store the argon2 hash of a new password, and sign the person out of every browser.

    Whoever got in with the old one is out. Raises InvalidError if it is too short.
    """
    if len(password) < MIN_PASSWORD_CHARS:
        raise InvalidError(
            f"The password needs at least {MIN_PASSWORD_CHARS} characters.", field="password"
        )
    kept = hashed(password)
    with writing() as session:
        session.execute(
            update(PersonRow).where(PersonRow.id == person_id).values(password_hash=kept)
        )
        session.execute(
            update(TokenRow)
            .where(
                TokenRow.person_id == person_id,
                TokenRow.kind == "web",
                TokenRow.revoked_at.is_(None),
            )
            .values(revoked_at=utc_now())
        )
        audit.append(session, actor=person_id, kind="password_set", subject=person_id)


def set_language(person_id: str, lang: Lang) -> None:
    """Remember the language of the page."""
    with writing() as session:
        session.execute(update(PersonRow).where(PersonRow.id == person_id).values(lang=lang))


def welcomed(person_id: str) -> bool:
    """Tell whether the person has been asked what to remember, or was never made."""
    with reading() as session:
        row = session.get(PersonRow, person_id)
        return row is None or row.welcomed_at is not None


def mark_welcomed(person_id: str) -> None:
    """Note that the person was asked; the first time counts."""
    with writing() as session:
        session.execute(
            update(PersonRow)
            .where(PersonRow.id == person_id, PersonRow.welcomed_at.is_(None))
            .values(welcomed_at=utc_now())
        )


def check_password(name: str, password: str) -> Person:
    """Return the person whose password this is.

    Raises DeniedError, the same for all causes, and BusyError if too many ask at once.
    """
    with reading() as session:
        row = session.scalar(_by_name(name))
    right = is_right(password, None if row is None else row.password_hash)
    if row is None or not right or row.disabled_at is not None:
        raise DeniedError(WRONG)
    return person_of(row)


def issue_token(
    person_id: str,
    kind: TokenKind,
    *,
    label: str = "",
    ttl_s: int | None = None,
    scope: Scope = "all",
    actor: str = "",
) -> str:
    """Return a new plain token; only its digest is kept. Links and cookies always expire.

    *actor* is who made it, when that is not its owner. Raises ConflictError for a person
    who is disabled.
    """
    plain = new_plain()
    lifetime_s = ttl_s or {"link": LINK_TTL_S, "web": WEB_TTL_S, "api": None}[kind]
    expires = None if lifetime_s is None else utc_now() + timedelta(seconds=lifetime_s)
    with writing() as session:
        refuse_disabled(session.get_one(PersonRow, person_id))
        row = TokenRow(
            person_id=person_id,
            kind=kind,
            digest=digest_of(plain),
            label=label,
            scope=READ if scope == READ else "",
            expires_at=expires,
        )
        session.add(row)
        session.flush()
        facts = {"scope": scope, "of": person_id} if kind == "api" else {"of": person_id}
        _note(session, actor or person_id, f"{kind}_token_issued", row.id, facts)
    return plain


def new_plain() -> str:
    """Return a secret that cannot be guessed."""
    return secrets.token_urlsafe(32)


def refuse_disabled(row: PersonRow) -> None:
    """Raise ConflictError if the person is let in by nothing."""
    if row.disabled_at is not None:
        raise ConflictError(
            f"{row.name} is disabled. An admin can enable them again on the page People, or:"
            f" walissh person enable {row.name}"
        )


def _note(session: Session, actor: str, kind: str, subject: str, facts: dict[str, str]) -> None:
    audit.append(session, actor=actor, kind=kind, subject=subject, **facts)


def use_link(plain: str) -> Person | None:
    """Return whose one-time link this is, and spend it; None if spent, expired or wrong."""
    now = utc_now()
    with writing() as session:
        row = session.scalar(live("link", plain, now))
        if row is None:
            return None
        spent = changed(
            session,
            update(TokenRow)
            .where(TokenRow.id == row.id, TokenRow.revoked_at.is_(None))
            .values(revoked_at=now),
        )
        if not spent:
            return None
        audit.append(session, actor=row.person_id, kind="link_used", subject=row.id)
        return person_of(session.get_one(PersonRow, row.person_id))


def by_token(kind: TokenKind, plain: str, *, idle_s: int = WEB_IDLE_S) -> Person | None:
    """Return whose live cookie or API token this is."""
    with reading() as session:
        row = session.scalar(live(kind, plain, utc_now(), idle_s))
        return None if row is None else person_of(session.get_one(PersonRow, row.person_id))


def revoke(kind: TokenKind, plain: str) -> None:
    """End a token's life (sign-out), however long it lay idle."""
    with writing() as session:
        row = session.scalar(
            select(TokenRow).where(
                TokenRow.kind == kind,
                TokenRow.digest == digest_of(plain),
                TokenRow.revoked_at.is_(None),
            )
        )
        if row is not None:
            row.revoked_at = utc_now()
            audit.append(session, actor=row.person_id, kind=f"{kind}_token_ended", subject=row.id)


def live(kind: TokenKind, plain: str, now: datetime, idle_s: int = WEB_IDLE_S) -> Select[TokenRow]:
    """Select the token *plain* if it lets in: not ended, too old, idle or of a disabled person."""
    return (
        alive(now, idle_s)
        .join(PersonRow, PersonRow.id == TokenRow.person_id)
        .where(
            TokenRow.kind == kind,
            TokenRow.digest == digest_of(plain),
            PersonRow.disabled_at.is_(None),
        )
    )


def alive(now: datetime, idle_s: int = WEB_IDLE_S) -> Select[TokenRow]:
    """Select the tokens whose life has not ended; idleness ends that of a browser only."""
    seen = func.coalesce(TokenRow.last_used_at, TokenRow.created_at)
    return select(TokenRow).where(
        TokenRow.revoked_at.is_(None),
        (TokenRow.expires_at.is_(None)) | (TokenRow.expires_at > now),
        (TokenRow.kind != "web") | (seen > now - timedelta(seconds=idle_s)),
    )


def _by_name(name: str) -> Select[PersonRow]:
    """Select by a name that may come from a stranger: PostgreSQL takes no NUL, for one."""
    asked = name if NAME.fullmatch(name) else ""
    return select(PersonRow).where(PersonRow.name == asked)


def _admins() -> Select[PersonRow]:
    admins = select(PersonRow).where(PersonRow.role == ADMIN, PersonRow.disabled_at.is_(None))
    return admins.order_by(PersonRow.created_at).limit(1)


def _create(name: str, *, role: str, actor: str = "", oidc_subject: str | None = None) -> Person:
    with writing() as session:
        row = PersonRow(name=name, role=role, oidc_subject=oidc_subject)
        session.add(row)
        session.flush()
        _note(session, actor or row.id, "person_created", row.id, {"role": role})
        return person_of(row)


def person_of(row: PersonRow) -> Person:
    """Return what a row says of its person."""
    lang: Lang | None = row.lang if row.lang in ("zh", "en") else None  # type: ignore[assignment]
    return Person(
        row.id,
        row.name,
        row.role,
        lang,
        row.password_hash is not None,
        row.disabled_at is not None,
    )


def digest_of(plain: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
