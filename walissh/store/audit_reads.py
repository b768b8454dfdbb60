"""The audit trail as people and programs read it: filtered pages, and lines to check elsewhere."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select

from walissh.errors import InvalidError
from walissh.store import audit
from walissh.store.database import reading
from walissh.store.models import AuditRow, CommandRow, HostRow, PersonRow, TurnRow

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Event:
    """One link of the chain; *facts* hold ids, names and digests, never a text."""

    number: int
    at: datetime
    actor: str
    kind: str
    subject: str
    facts: Mapping[str, Any]
    previous: str
    digest: str

    def fact(self, name: str) -> str:
        """Return one fact as text, "" if there is none such."""
        value = self.facts.get(name)
        return "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events; each field that is not empty must fit.

    *own*: only what this person did or what was done for them. *who* is a person's id, or
    agent, gate, upkeep or a worker's name. *kind* is one kind, or the first word of several.
    """

    own: str = ""
    who: str = ""
    host_id: str = ""
    kind: str = ""
    risk: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some events, the newest first, and before which number the next page begins."""

    items: tuple[Event, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class Names:
    """What people and hosts are called, by id; who is not there is gone or no person."""

    people: Mapping[str, str]
    hosts: Mapping[str, str]


def page(wanted: Wanted, *, limit: int = 50, before: int | None = None) -> Page:
    """Return the newest events that fit, those before number *before*."""
    found = _fitting(wanted)
    if before is not None:
        found = found.where(AuditRow.number < before)
    with reading() as session:
        rows = session.scalars(found.order_by(AuditRow.number.desc()).limit(limit + 1))
        items = [_event(row) for row in rows]
    more = items[limit - 1].number if len(items) > limit else None
    return Page(tuple(items[:limit]), more)


def names(events: Iterable[Event]) -> Names:
    """Return the names of those who stand in *events*; a host's as it was then, if it is gone."""
    events = list(events)
    people = {each for event in events for each in (event.actor, *_people(event))}
    hosts = {event.fact("host") or event.subject for event in events}
    journal = {each.subject for each in events if each.kind.startswith(("command_", "output_"))}
    with reading() as session:
        ran = session.execute(
            select(CommandRow.host_id, CommandRow.host).where(CommandRow.id.in_(journal))
        )
        called = {row[0]: row[1] for row in ran}
        called |= {each.fact("host"): each.fact("name") for each in events if each.fact("name")}
        now = session.execute(select(HostRow.id, HostRow.name).where(HostRow.id.in_(hosts)))
        called |= {row[0]: row[1] for row in now}
        known = session.execute(
            select(PersonRow.id, PersonRow.name).where(PersonRow.id.in_(people))
        )
        return Names({row[0]: row[1] for row in known}, called)


def person_id(name: str) -> str:
    """Return the id of the person of that name, *name* itself if there is none such."""
    with reading() as session:
        found = session.scalar(select(PersonRow.id).where(PersonRow.name == name))
        return found or name


def host_id(name: str) -> str:
    """Return the id of the host that a name or an id means; the last one of several."""
    with reading() as session:
        found = session.scalar(
            select(CommandRow.host_id)
            .where(CommandRow.host == name)
            .order_by(CommandRow.number.desc())
            .limit(1)
        )
        return found or session.scalar(select(HostRow.id).where(HostRow.name == name)) or name


def lines(since: datetime | None = None, until: datetime | None = None) -> Iterator[str]:
    """Yield the events of that time as JSON lines, oldest first, with all that the chain needs."""
    found = _fitting(Wanted(since=since, until=until)).order_by(AuditRow.number)
    with reading() as session:
        for row in session.scalars(found).yield_per(AT_ONCE):
            told = asdict(_event(row)) | {"at": row.at.isoformat()}
            yield json.dumps(told, ensure_ascii=False, sort_keys=True)


def first_broken_line(told: Iterable[str]) -> int | None:
    """Return the number of the first line, from 1, that breaks the chain; None if all hold.

    The first line may follow an event that is not among them. Raises InvalidError for a line
    that is no event.
    """
    previous: str | None = None
    for number, line in enumerate(told, 1):
        event = _read(line, number)
        expected = audit.link(
            event["previous"],
            datetime.fromisoformat(event["at"]),
            *(event[name] for name in ("actor", "kind", "subject", "facts")),
        )
        if event["digest"] != expected or event["previous"] != (previous or event["previous"]):
            return number
        previous = event["digest"]
    return None


def _read(line: str, number: int) -> dict[str, Any]:
    try:
        event: dict[str, Any] = json.loads(line)
        datetime.fromisoformat(event["at"])
        if not {"previous", "actor", "kind", "subject", "facts", "digest"} <= set(event):
            raise ValueError(line)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidError(f"Line {number} is no event of an audit trail.") from error
    return event


def _fitting(wanted: Wanted) -> Select[AuditRow]:
    found = select(AuditRow)
    for condition in _conditions(wanted):
        found = found.where(condition)
    return found


def _conditions(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.own:
        yield _own(wanted.own)
    if wanted.who:
        yield or_(AuditRow.actor == wanted.who, _fact("person") == wanted.who)
    if wanted.host_id:
        yield or_(_fact("host") == wanted.host_id, AuditRow.subject == wanted.host_id)
    if wanted.kind:
        several = AuditRow.kind.startswith(f"{wanted.kind}_", autoescape=True)
        yield or_(AuditRow.kind == wanted.kind, several)
    if wanted.risk:
        yield _fact("risk") == wanted.risk
    if wanted.since is not None:
        yield AuditRow.at >= wanted.since
    if wanted.until is not None:
        yield AuditRow.at < wanted.until


def _own(user_id: str) -> ColumnElement[bool]:
    return or_(
        AuditRow.actor == user_id,
        AuditRow.subject == user_id,
        _fact("person") == user_id,
        AuditRow.subject.in_(select(CommandRow.id).where(CommandRow.user_id == user_id)),
        AuditRow.subject.in_(select(TurnRow.id).where(TurnRow.user_id == user_id)),
    )


def _fact(name: str) -> ColumnElement[str]:
    fact: ColumnElement[str] = AuditRow.facts[name].as_string()
    return fact


def _people(event: Event) -> tuple[str, ...]:
    return (event.fact("person"), event.fact("decided_by"), event.subject)


def _event(row: AuditRow) -> Event:
    return Event(
        number=row.number,
        at=row.at,
        actor=row.actor,
        kind=row.kind,
        subject=row.subject,
        facts=row.facts,
        previous=row.previous,
        digest=row.digest,
    )
