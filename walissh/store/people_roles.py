"""What an admin decides about people: their role, and whether they are let in at all."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from walissh.clock import utc_now
from walissh.errors import ConflictError, NotFoundError
from walissh.react.circumstances import ADMIN, VIEWER
from walissh.react.turn import OPEN_TURN
from walissh.store import audit, commands, people, people_passes
from walissh.store.database import reading, writing
from walissh.store.models import PersonRow, TurnRow
from walissh.store.people import Person


@dataclass(frozen=True, slots=True)
class Member:
    """A person as an admin sees them; *seen_at* is when they last did anything."""

    person: Person
    has_oidc: bool
    created_at: datetime
    seen_at: datetime | None


def everyone() -> list[Member]:
    """Return all people by name."""
    seen = people_passes.last_seen()
    with reading() as session:
        rows = session.scalars(select(PersonRow).order_by(PersonRow.name))
        return [
            Member(
                people.person_of(row),
                row.oidc_subject is not None,
                row.created_at,
                seen.get(row.id),
            )
            for row in rows
        ]


def change_role(person_id: str, role: str, *, actor: str) -> Person:
    """Give a person another role, from their next request on; a viewer's turns are stopped.

    Raises ConflictError rather than leave the installation without an admin.
    """
    people.check_role(role)
    with writing() as session:
        row = _locked(session, person_id)
        if row.role == role:
            return people.person_of(row)
        _keep_an_admin(session, row)
        before, row.role = row.role, role
        if role == VIEWER:
            _stop_turns(session, person_id, actor)
        _note(session, actor, "person_role_changed", row, before=before, role=role)
        return people.person_of(row)


def disable(person_id: str, *, actor: str) -> Person:
    """Let a person in no more: browsers, tokens and links end, and what they had running.

    Nothing of theirs is deleted.
    """
    with writing() as session:
        row = _locked(session, person_id)
        if row.disabled_at is not None:
            return people.person_of(row)
        _keep_an_admin(session, row)
        row.disabled_at = utc_now()
        ended = people_passes.end_all(session, person_id)
        _stop_turns(session, person_id, actor)
        _note(session, actor, "person_disabled", row, ended=ended)
        return people.person_of(row)


def enable(person_id: str, *, actor: str) -> Person:
    """Let a person in again; they sign in anew, and old tokens stay worth nothing."""
    with writing() as session:
        row = _locked(session, person_id)
        if row.disabled_at is not None:
            row.disabled_at = None
            _note(session, actor, "person_enabled", row)
        return people.person_of(row)


def _locked(session: Session, person_id: str) -> PersonRow:
    """Return the person, with every admin held: two demotions at once see each other."""
    # key_share: rows that name a person go on being stored, so that nothing waits in a circle
    admins = select(PersonRow).where(PersonRow.role == ADMIN).order_by(PersonRow.id)
    session.scalars(admins.with_for_update(key_share=True)).all()
    row = session.get(PersonRow, person_id)
    if row is None:
        raise NotFoundError("There is no such person.")
    return row


def _keep_an_admin(session: Session, row: PersonRow) -> None:
    others = select(PersonRow.id).where(
        PersonRow.role == ADMIN, PersonRow.disabled_at.is_(None), PersonRow.id != row.id
    )
    if row.role == ADMIN and row.disabled_at is None and session.scalar(others.limit(1)) is None:
        raise ConflictError(f"{row.name} is the last admin. Make somebody else an admin first.")


def _stop_turns(session: Session, person_id: str, actor: str) -> None:
    """Stop what the person has open: what runs is ended by its worker, what waits is over.

    Every turn is locked before any of its commands, as where a person stops one.
    """
    mine = select(TurnRow).where(TurnRow.user_id == person_id, TurnRow.status.in_(OPEN_TURN))
    found = session.scalars(mine.order_by(TurnRow.id).with_for_update()).all()
    for row in found:
        row.cancel_requested_at = row.cancel_requested_at or utc_now()
    session.flush()
    commands.cancel_waiting(session, *(row.id for row in found), actor=actor)


def _note(session: Session, actor: str, kind: str, row: PersonRow, **facts: str | int) -> None:
    audit.append(session, actor=actor, kind=kind, subject=row.id, **facts)
