"""The audit trail: filtered, paged, with all that the chain needs."""

from datetime import datetime
from typing import Any

from flask import Blueprint
from pydantic import Field

from walissh.errors import InvalidError
from walissh.react.turn import Risk
from walissh.store import audit_reads
from walissh.store.audit_reads import Event as Link
from walissh.store.audit_reads import Names
from walissh.web import auditing, auth
from walissh.web.api import cursor, shapes
from walissh.web.api.contract import declares
from walissh.web.api.reading import PageQuery, Text
from walissh.web.api.shape import Shape

blueprint = Blueprint("audit", __name__)


class Event(Shape):
    """One link of the chain: *digest* covers the other fields and the digest before it.

    *actor* is a person's id or a part of ours, *who* and *host* are names. *facts* hold ids,
    names and digests: host, identity, command (the SHA-256 of its text), risk, rule,
    decided_by, exit_code.
    """

    number: int
    at: datetime
    actor: str
    who: str
    kind: str
    subject: str
    host: str
    facts: dict[str, Any]
    previous: str
    digest: str


class AuditQuery(PageQuery):
    """Which events; *kind* is one kind, or the first word of several: command, host, rule."""

    who: Text = Field("", description="The name or id of a person, or agent, gate, upkeep.")
    host: Text = Field("", description="The name or id of a host.")
    kind: Text = ""
    risk: Risk | None = None
    since: datetime | None = Field(None, description="With its offset, such as Z.")
    until: datetime | None = Field(None, description="With its offset; events before it.")


@blueprint.get("/audit")
@declares({200: shapes.Page[Event]}, query=AuditQuery, errors=())
def list_events(query: AuditQuery) -> shapes.Page[Event]:
    """List events, the newest first: all of them, for an operator the own ones."""
    wanted = auditing.wanted(
        auth.person(),
        who=query.who,
        host=query.host,
        kind=query.kind,
        risk=query.risk.value if query.risk else "",
        since=_instant(query.since, "since"),
        until=_instant(query.until, "until"),
    )
    before = cursor.number(query.cursor) or None
    page = audit_reads.page(wanted, limit=query.limit, before=before)
    names = audit_reads.names(page.items)
    items = [_told(each, names) for each in page.items]
    return shapes.Page[Event](items=items, next=cursor.of_number(page.next))


def _instant(given: datetime | None, field: str) -> datetime | None:
    if given is not None and given.tzinfo is None:
        raise InvalidError(f"{field} needs its offset, such as Z.", field=field)
    if given is not None and not 1 < given.year < 9999:  # no zone overflows
        raise InvalidError(f"{field} must lie in the years 2 to 9998.", field=field)
    return given


def _told(event: Link, names: Names) -> Event:
    host = event.fact("host") or (event.subject if event.kind.startswith("host_") else "")
    return Event(
        number=event.number,
        at=event.at,
        actor=event.actor,
        who=names.people.get(event.actor, event.actor),
        kind=event.kind,
        subject=event.subject,
        host=names.hosts.get(host, ""),
        facts=dict(event.facts),
        previous=event.previous,
        digest=event.digest,
    )
