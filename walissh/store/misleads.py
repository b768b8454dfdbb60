"""What was misunderstood, per person: rows that lower a rule, and can be taken back.

Satisfies `react.misled.Misleads`. A row goes with its turn, and so with its session and
with its person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.exc import IntegrityError

from walissh.clock import utc_now
from walissh.errors import NotFoundError
from walissh.react import intent, misled
from walissh.react.followed import Intent
from walissh.react.misled import Misled, Sign
from walissh.safety import purify
from walissh.store.database import (
    MEMORY_PATIENCE_MS,
    changed,
    overwrite_deleted,
    reading,
    writing,
)
from walissh.store.models import MisleadRow

MODEL = "model"
"""What stands for a rule where the model decided, which has none."""
TEXT_CHARS = 300
READ_CHARS = 4_000
"""So much of a message is looked at for secrets, before it is cut."""
RECENT = 300
"""Of so many signs the rules' trust is made up; the older ones hardly count."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some signs, the newest first; *next* is where the older ones begin, None if none are."""

    items: tuple[Misled, ...]
    next: int | None


def note(found: Misled) -> bool:
    """Keep it, its text redacted and cut; False if it is known, or the turn is gone."""
    row = MisleadRow(
        user_id=found.user_id,
        turn_id=found.turn_id,
        rule=found.rule,
        taken=found.taken.value,
        meant=found.meant.value if found.meant else "",
        text=_short(found.text),
        sign=found.sign.value,
        created_at=found.at,
    )
    try:
        with writing(patience_ms=MEMORY_PATIENCE_MS) as session:
            session.add(row)
    except IntegrityError:
        return False
    return True


def recent(user_id: str, *, now: datetime) -> list[Misled]:
    """Return this person's signs that still count, the newest first."""
    since = now - timedelta(days=misled.FORGOTTEN_DAYS)
    query = (
        select(MisleadRow)
        .where(MisleadRow.user_id == user_id, MisleadRow.created_at >= since)
        .order_by(MisleadRow.number.desc())
        .limit(RECENT)
    )
    with reading(patience_ms=MEMORY_PATIENCE_MS) as session:
        return [_value(row) for row in session.scalars(query)]


def trust(user_id: str, *, now: datetime | None = None) -> Mapping[str, float]:
    """Return how far each rule that misled this person is trusted, 0.3 to 1."""
    at = now or utc_now()
    return misled.trust(recent(user_id, now=at), at)


def page(user_id: str, *, limit: int, before: int | None = None) -> Page:
    """Return *limit* signs of this person, the newest first, older than *before*."""
    query = select(MisleadRow).where(MisleadRow.user_id == user_id)
    if before is not None:
        query = query.where(MisleadRow.number < before)
    with reading() as session:
        rows = session.scalars(query.order_by(MisleadRow.number.desc()).limit(limit + 1)).all()
    shown = rows[:limit]
    following = shown[-1].number if len(rows) > limit else None
    return Page(tuple(_value(row) for row in shown), following)


def forget(user_id: str, turn_id: str, sign: str) -> None:
    """Take one sign back; raises NotFoundError if there is none, or it is another person's."""
    if not _remove(user_id, MisleadRow.turn_id == turn_id, MisleadRow.sign == sign):
        raise NotFoundError("There is no such entry. It may have been taken back already.")


def forget_rule(user_id: str, rule: str) -> int:
    """Trust a rule (MODEL: the model) fully again; return how many signs were taken back.

    Raises NotFoundError for a name that no rule has, and no sign of this person.
    """
    removed = _remove(user_id, MisleadRow.rule == ("" if rule == MODEL else rule))
    if not removed and rule not in (*intent.RULE_NAMES, MODEL):
        raise NotFoundError("There is no such rule. Nothing was taken back.")
    return removed


def forget_all(user_id: str) -> int:
    """Trust every rule fully again; return how many signs were taken back."""
    return _remove(user_id)


def _remove(user_id: str, *which: ColumnElement[bool]) -> int:
    with writing() as session:
        overwrite_deleted(session)
        return changed(session, delete(MisleadRow).where(MisleadRow.user_id == user_id, *which))


def _short(text: str) -> str:
    clean = " ".join(purify.clean(text[:READ_CHARS]).split())
    return clean if len(clean) <= TEXT_CHARS else clean[: TEXT_CHARS - 1] + "…"


def _value(row: MisleadRow) -> Misled:
    return Misled(
        user_id=row.user_id,
        turn_id=row.turn_id,
        sign=Sign(row.sign),
        rule=row.rule,
        taken=Intent(row.taken),
        meant=Intent(row.meant) if row.meant else None,
        text=row.text,
        at=row.created_at,
    )
