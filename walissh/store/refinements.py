"""What a model made of freshly learned memories: one call for each turn, and its changes.

A change is a new entry that overtakes the ones it stands for; each of them can be restored.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Update, update
from sqlalchemy.exc import IntegrityError

from walissh.clock import utc_now
from walissh.memory.entry import Found, Memory, MemoryType, Op
from walissh.memory.refinement import Refined
from walissh.react.turn import Usage
from walissh.store import (
    memory_drafts,
    memory_events,
    memory_family,
    memory_rows,
    memory_work,
    memory_writes,
)
from walissh.store.database import changed, reading, writing
from walissh.store.memory_drafts import Draft
from walissh.store.memory_events import Written
from walissh.store.memory_models import RefinementRow
from walissh.store.memory_rows import Seen
from walissh.store.memory_sight import of_owner
from walissh.store.memory_work import Writing
from walissh.store.models import MemoryRow, TurnRow


def claim(turn_id: str, reserved: Usage) -> bool:
    """Take the one call of a turn and count *reserved* with it; False if it was taken."""
    try:
        with writing() as session:
            session.add(RefinementRow(turn_id=turn_id))
            session.flush()
            changed(session, _counting(turn_id, reserved))
    except IntegrityError:
        return False  # another has it, or the turn is gone
    return True


def correct(turn_id: str, reserved: Usage, spent: Usage) -> None:
    """Count *spent* with a turn instead of what was reserved."""
    difference = Usage(
        spent.prompt_tokens - reserved.prompt_tokens,
        spent.completion_tokens - reserved.completion_tokens,
    )
    with writing() as session:
        changed(session, _counting(turn_id, difference))


def beside(owner_id: str, memory: Memory, limit: int) -> list[Memory]:
    """Return what else counts of this type, scope, host and subject, newest first."""
    query = (
        of_owner()
        .where(
            MemoryRow.id != memory.id,
            MemoryRow.type == memory.type.value,
            MemoryRow.scope == memory.scope,
            MemoryRow.subject == memory.subject,
            MemoryRow.superseded_by.is_(None),
            MemoryRow.op != Op.REMOVE.value,
        )
        .order_by(MemoryRow.number.desc())
        .limit(limit)
    )
    now = utc_now()
    with reading() as session:
        found = [Seen(*row) for row in session.execute(query, {"reader": owner_id})]
    values = [memory_rows.memory(seen, owner_id, now) for seen in found]
    return [each for each in values if each.host_id == memory.host_id]


def apply(owner_id: str, changes: Sequence[Refined]) -> list[Memory]:
    """Write what still fits, in one transaction; return the new entries.

    What was changed, deleted or overtaken meanwhile stays as it is now.
    """
    with memory_work.opened(owner_id) as work:
        rows = [_applied(work, each) for each in changes]
        return [memory_writes.value_of(work, row) for row in rows if row is not None]


# --- inside ---------------------------------------------------------------------------


def _counting(turn_id: str, usage: Usage) -> Update:
    return (
        update(TurnRow)
        .where(TurnRow.id == turn_id)
        .values(
            prompt_tokens=TurnRow.prompt_tokens + usage.prompt_tokens,
            completion_tokens=TurnRow.completion_tokens + usage.completion_tokens,
        )
    )


def _applied(work: Writing, change: Refined) -> MemoryRow | None:
    found = [_unchanged(work, each) for each in change.gone]
    gone = [each for each in found if each is not None]
    base = next((each for each in gone if each.row.id == change.base.id), None)
    if base is None or len(gone) < len(found):
        return None
    row = _like(work, base.row, change)
    work.store(row)
    superseded = memory_writes.overtake(work, row, gone)
    _tell(work, row, change, superseded)
    return row


def _unchanged(work: Writing, memory: Memory) -> Seen | None:
    """Return the entry if it counts and reads as the model saw it."""
    query = of_owner().where(MemoryRow.id == memory.id)
    found = work.session.execute(query, {"reader": work.owner_id}).first()
    seen = None if found is None else Seen(*found)
    if seen is None or not memory_family.is_current(seen, utc_now()):
        return None
    same = (seen.row.content, seen.row.scope) == (memory.content, memory.scope)
    return seen if same else None


def _like(work: Writing, base: MemoryRow, change: Refined) -> MemoryRow:
    """Return an entry like *base* that says it in other words: same proof, same dates."""
    source = replace(memory_rows.source(base), channel="agent")
    found = memory_drafts.checked(_found(base, change), source)
    row = memory_writes.new_row(
        work.owner_id,
        Draft(
            found=found,
            source=source,
            at=base.at,
            host_id=base.host_id,
            host=base.host,
            expires_at=base.expires_at,
            shared_with=base.shared_with,
        ),
    )
    row.payload, row.proved_at = dict(base.payload), base.proved_at
    row.recalled_at, row.recalled_times = base.recalled_at, base.recalled_times
    row.helped_times = base.helped_times
    return row


def _found(base: MemoryRow, change: Refined) -> Found:
    return Found(
        type=MemoryType(base.type),
        subject=base.subject,
        value=base.value,
        content=change.content,
        scope=base.scope,
        op=Op(base.op),
        confidence=change.confidence,
        stale_days=base.stale_days,
    )


def _tell(work: Writing, row: MemoryRow, change: Refined, superseded: tuple[str, ...]) -> None:
    # a preference keeps its value: no running task need start afresh for other words
    if row.type == MemoryType.USER_PREFERENCE:
        memory_events.append(
            work.session,
            work.owner_id,
            "preference_noted",
            "agent",
            Written(
                type=MemoryType.USER_PREFERENCE,
                outcome=change.kind,
                origin=memory_rows.source(row).origin,
                superseded=superseded,
            ),
            memory_id=row.id,
        )
    else:
        work.tell(row, change.kind, "agent", superseded)
