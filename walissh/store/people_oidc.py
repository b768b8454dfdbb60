"""People whom an OpenID Connect provider names: found by its word for them, never by a name.

A name is theirs to choose at the provider; the pair of issuer and subject is not.
"""

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from walissh.errors import ConflictError, DeniedError
from walissh.store import people, people_roles
from walissh.store.database import reading
from walissh.store.models import PersonRow
from walissh.store.people import Person

logger = logging.getLogger(__name__)

PROVIDER = "provider"
"""Who acts on the audit trail when a provider's groups change a role."""

_NOT_IN_A_NAME = re.compile(r"[^\w.@+-]+")
MAX_NAME_CHARS = 57
"""Room is left for what tells two of one name apart."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a provider says of somebody.

    *names* are wishes, the best first. *role* is what their groups give, "" for nothing;
    *rules* tells whether groups decide at each sign-in, or an admin here after the first.
    """

    issuer: str
    subject: str
    names: Sequence[str]
    role: str
    rules: bool

    @property
    def key(self) -> str:
        """The word by which they are found again."""
        return f"{self.issuer}#{self.subject}"


def enter(known: Known) -> Person:
    """Return the person, made now if new and in a group that may come in.

    Raises DeniedError for who may not, and for a person who is disabled.
    """
    found = _find(known.key)
    if found is None:
        return _make(known)
    if found.is_disabled:
        raise DeniedError("Your account is disabled here. Ask an admin of this installation.")
    return _ranked(found, known) if known.rules else found


def _find(key: str) -> Person | None:
    with reading() as session:
        row = session.scalar(select(PersonRow).where(PersonRow.oidc_subject == key))
        return None if row is None else people.person_of(row)


def _ranked(person: Person, known: Known) -> Person:
    if not known.role:
        raise _no_group()
    if person.role == known.role:
        return person
    try:
        return people_roles.change_role(person.id, known.role, actor=PROVIDER)
    except ConflictError:  # somebody must be able to repair the groups
        logger.warning("the last admin keeps the role, whatever the groups say id=%s", person.id)
        return person


def _make(known: Known) -> Person:
    if not known.role:
        raise _no_group()
    for name in _candidates(known):
        try:
            return people.add(name, role=known.role, actor=PROVIDER, oidc_subject=known.key)
        except ConflictError:
            found = _find(known.key)
            if found is not None:  # two first sign-ins at once
                return found
    raise ConflictError("No name is free for your account. Ask an admin to make you one.")


def _candidates(known: Known) -> list[str]:
    """Return the names to try; the last one can only be theirs."""
    wishes = [_NOT_IN_A_NAME.sub("-", each).lstrip(".@+-")[:MAX_NAME_CHARS] for each in known.names]
    good = [each for each in wishes if people.NAME.fullmatch(each)] or ["person"]
    mark = hashlib.sha256(known.key.encode()).hexdigest()[:6]
    return [*good, f"{good[0]}-{mark}"]


def _no_group() -> DeniedError:
    return DeniedError(
        "Your account is in no group that may come in here. Ask an admin of this installation."
    )
