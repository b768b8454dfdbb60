"""Who sees which part of the audit trail, and what a filter means."""

from datetime import datetime

from walissh.store import audit_reads
from walissh.store.audit_reads import Wanted
from walissh.store.people import Person
from walissh.web import auth, rights


def sees_all(person: Person) -> bool:
    """Tell whether a person sees what others did."""
    return auth.may(person, rights.AUDIT_ALL)


def wanted(
    person: Person,
    *,
    who: str = "",
    host: str = "",
    kind: str = "",
    risk: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> Wanted:
    """Return what *person* is shown of what they ask for; *who* and *host* are names or ids."""
    return Wanted(
        own="" if sees_all(person) else person.id,
        who=audit_reads.person_id(who) if who else "",
        host_id=audit_reads.host_id(host) if host else "",
        kind=kind,
        risk=risk,
        since=since,
        until=until,
    )
