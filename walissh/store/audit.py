"""The audit trail: append-only rows, each chained to the one before by its digest.

Facts hold ids, names and digests; never the text of a command, output or message.
"""

import hashlib
import json
from datetime import datetime
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from walissh.clock import utc_now
from walissh.store.database import reading
from walissh.store.models import AuditRow

CHAIN_LOCK = 0x57A155  # any number, the same on every node


def digest_of(content: str) -> str:
    """Return the hexadecimal SHA-256 of *content*, by which rows name a text."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def append(session: Session, *, actor: str, kind: str, subject: str, **facts: Any) -> None:
    """Add one event inside the caller's transaction; *actor* is a person or a worker."""
    if session.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time; here the chain needs its own lock
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": CHAIN_LOCK})
    session.flush()
    last = session.scalar(select(AuditRow.digest).order_by(AuditRow.number.desc()).limit(1))
    at = utc_now()
    row = AuditRow(at=at, actor=actor, kind=kind, subject=subject, facts=facts, previous=last or "")
    row.digest = link(row.previous, at, actor, kind, subject, facts)
    session.add(row)
    session.flush()


def head() -> tuple[int, str] | None:
    """Return number and digest of the last event, None before the first.

    Kept elsewhere, they show later that no event was cut off at the end.
    """
    last = select(AuditRow.number, AuditRow.digest).order_by(AuditRow.number.desc()).limit(1)
    with reading() as session:
        row = session.execute(last).first()
        return None if row is None else (row[0], row[1])


def holds(number: int, digest: str) -> bool:
    """Tell whether the event of that number is there and has that digest."""
    with reading() as session:
        row = session.get(AuditRow, number)
        return row is not None and row.digest == digest


def first_broken() -> int | None:
    """Return the number of the first event whose digest is wrong, None if all hold."""
    previous = ""
    with reading() as session:
        for row in session.scalars(select(AuditRow).order_by(AuditRow.number)).yield_per(500):
            expected = link(previous, row.at, row.actor, row.kind, row.subject, row.facts)
            if row.previous != previous or row.digest != expected:
                return row.number
            previous = row.digest
    return None


def link(
    previous: str, at: datetime, actor: str, kind: str, subject: str, facts: dict[str, Any]
) -> str:
    """Return the digest of one event, from its own fields and the digest before it."""
    content = [previous, at.isoformat(), actor, kind, subject, facts]
    return digest_of(json.dumps(content, sort_keys=True, ensure_ascii=True))
