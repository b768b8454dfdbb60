"""Named groups of people, with whom facts of hosts may be shared."""

import re
import unicodedata

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from walissh.errors import InvalidError, NotFoundError
from walissh.store import audit
from walissh.store.database import changed, reading, writing
from walissh.store.models import GroupRow, PersonRow

NAME = re.compile(r"[\w][\w.@+-]{0,63}")


def join(name: str, person_id: str) -> None:
    """Put a person into the group, which is there as soon as somebody is in it."""
    name = _checked(name)
    with writing() as session:
        if session.get(PersonRow, person_id) is None:
            raise NotFoundError("There is no such person. Nobody was put into the group.")
        if _is_new(session, name, person_id):
            audit.append(session, actor=person_id, kind="group_joined", subject=person_id)


def leave(name: str, person_id: str) -> bool:
    """Take a person out of the group; False if they were not in it.

    What they share with it is out of its sight at once, until they come back.
    """
    name = spelled(name)
    with writing() as session:
        left = changed(
            session,
            delete(GroupRow).where(GroupRow.name == name, GroupRow.person_id == person_id),
        )
        if left:
            audit.append(session, actor=person_id, kind="group_left", subject=person_id)
        return bool(left)


def members(name: str) -> list[str]:
    """Return the ids of the people in a group, by name; [] if there is no such group."""
    name = spelled(name)
    found = (
        select(GroupRow.person_id)
        .join(PersonRow, PersonRow.id == GroupRow.person_id)
        .where(GroupRow.name == name)
        .order_by(PersonRow.name)
    )
    with reading() as session:
        return list(session.scalars(found))


def of_person(person_id: str) -> list[str]:
    """Return the names of the groups that a person is in."""
    found = select(GroupRow.name).where(GroupRow.person_id == person_id).order_by(GroupRow.name)
    with reading() as session:
        return list(session.scalars(found))


def every() -> dict[str, list[str]]:
    """Return the names of the people of each group, by name."""
    found = (
        select(GroupRow.name, PersonRow.name)
        .join(PersonRow, PersonRow.id == GroupRow.person_id)
        .order_by(GroupRow.name, PersonRow.name)
    )
    people: dict[str, list[str]] = {}
    with reading() as session:
        for name, person in session.execute(found):
            people.setdefault(name, []).append(person)
    return people


def require(session: Transaction, name: str, person_id: str) -> None:
    """Raise NotFoundError unless the person is in the group."""
    name = spelled(name)
    if not name or session.get(GroupRow, (name, person_id)) is None:
        raise NotFoundError(
            f"You are in no group named {name}. Nothing was shared. An administrator adds"
            " people with: walissh group add NAME PERSON"
        )


def spelled(name: str) -> str:
    """Return a group's name in its one spelling: accents may be typed in two ways."""
    return unicodedata.normalize("NFC", name)


def _is_new(session: Transaction, name: str, person_id: str) -> bool:
    """Add the row, and tell whether it was not there: two may join somebody at once."""
    if session.get(GroupRow, (name, person_id)) is not None:
        return False
    try:
        with session.begin_nested():
            session.add(GroupRow(name=name, person_id=person_id))
    except IntegrityError:
        return False
    return True


def _checked(name: str) -> str:
    name = spelled(name)
    if not NAME.fullmatch(name):
        raise InvalidError(
            f"{name!r} is not a group's name: use up to 64 letters, digits and . _ @ + -",
            field="group",
        )
    return name
