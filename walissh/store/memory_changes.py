"""What a person does to their memories, and how their use is counted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import delete as delete_rows
from sqlalchemy import select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.memory.entry import FACTS, Channel, Found, Memory, MemoryType, Op, Origin, Source
from walissh.store import (
    groups,
    memory_drafts,
    memory_events,
    memory_family,
    memory_index,
    memory_sight,
    memory_work,
    memory_writes,
)
from walissh.store.database import changed, empty_log, overwrite_deleted, writing
from walissh.store.memory_drafts import Draft
from walissh.store.memory_events import Deleted, Feedback, Restored, Shared
from walissh.store.memory_family import Topic
from walissh.store.memory_rows import Seen
from walissh.store.memory_work import Writing
from walissh.store.models import MemoryRow

PREFERENCE = MemoryType.USER_PREFERENCE


def edit(
    memory_id: str,
    owner_id: str,
    *,
    content: str | None = None,
    value: str | None = None,
    scope: str | None = None,
    channel: Channel,
) -> Memory:
    """Write what a person makes of an entry as a new one, which counts instead.

    Raises NotFoundError, ConflictError for a withdrawal, InvalidError for a bad text.
    """
    if content is value is scope is None:
        raise InvalidError("Nothing was changed: give a text, a value or a scope.")
    with memory_work.opened(owner_id) as work:
        old = _entry(work, memory_id)
        source = Source(Origin.USER, channel)
        found = memory_drafts.checked(_edited(old.row, content, value, scope), source)
        draft = _in_the_place_of(old.row, memory_writes.drafted(work, found, source))
        if _is_same(old, draft):
            return memory_writes.value_of(work, old.row)
        living = _living(work, Topic.of_draft(draft))
        row = memory_writes.new_row(owner_id, draft)
        work.store(row)
        losers = [*living, *(each for each in [old] if _stands(each))]
        superseded = memory_writes.overtake(work, row, losers)
        work.tell(row, "edited", channel, superseded)
        return memory_writes.value_of(work, row)


def delete(memory_id: str, owner_id: str, channel: Channel) -> None:
    """Remove an entry with its words: nothing of its text stays. Raises NotFoundError.

    What it superseded stays superseded, and can be restored.
    """
    with memory_work.opened(owner_id) as work:
        session = work.session
        row = session.scalar(
            select(MemoryRow).where(MemoryRow.id == memory_id, MemoryRow.user_id == owner_id)
        )
        if row is None:
            raise _no_such()
        kind = MemoryType(row.type)
        overwrite_deleted(session)
        memory_index.drop(session, row)
        session.delete(row)
        memory_events.append(
            session,
            owner_id,
            "memory_deleted",
            channel,
            Deleted(type=kind, count=1),
            memory_id=memory_id,
            changes_preference=kind is PREFERENCE,
        )
    empty_log()


def forget_all(owner_id: str, channel: Channel) -> int:
    """Remove everything of this person, in reach or not, and return how much it was."""
    with memory_work.opened(owner_id) as work:
        session = work.session
        overwrite_deleted(session)
        memory_index.drop_all(session, owner_id)
        count = changed(session, delete_rows(MemoryRow).where(MemoryRow.user_id == owner_id))
        if count:
            gone = Deleted(type=None, count=count)
            memory_events.append(
                session, owner_id, "memory_deleted", channel, gone, changes_preference=True
            )
    empty_log()
    return count


def restore(memory_id: str, owner_id: str, channel: Channel) -> Memory:
    """Let an entry that was superseded, withdrawn or called wrong count again.

    What counts now of its topic, and what took its place, is superseded by it. One that
    counts stays as it is. Raises NotFoundError, ConflictError for one that has expired.
    """
    with memory_work.opened(owner_id) as work:
        session = work.session
        old = _entry(work, memory_id)
        row, now = old.row, utc_now()
        if row.expires_at is not None and row.expires_at <= now:
            raise ConflictError("It was for a time that is over. Say it anew instead.")
        if memory_family.is_current(old, now):
            return memory_writes.value_of(work, row)
        living = [*_living(work, Topic.of_row(row)), *_superseder(session, old)]
        row.wrong_at, row.superseded_by = None, None
        if row.type not in FACTS:
            row.proved_at = now  # the person says so now; a fact is as old as its measurement
        superseded = memory_writes.overtake(work, row, living)
        memory_events.append(
            session,
            owner_id,
            "memory_restored",
            channel,
            Restored(type=MemoryType(row.type), superseded=superseded),
            memory_id=row.id,
            changes_preference=row.type == PREFERENCE,
        )
        return memory_writes.value_of(work, row)


def mark_wrong(memory_id: str, owner_id: str, channel: Channel) -> Memory:
    """Let an entry count no more, and not be learned again as it is; raises NotFoundError."""
    with memory_work.opened(owner_id) as work:
        session = work.session
        old = _entry(work, memory_id)
        if old.row.wrong_at is None:
            old.row.wrong_at = utc_now()
            _judge(
                session, old.row, channel, Feedback(type=MemoryType(old.row.type), verdict="wrong")
            )
        return memory_writes.value_of(work, old.row)


def share(memory_id: str, owner_id: str, group: str, channel: Channel) -> Memory:
    """Show a fact of a host to a group; "" makes it the owner's alone again.

    Raises NotFoundError for an unknown entry or a group without the owner, InvalidError for
    what is no fact of a host.
    """
    group = groups.spelled(group)
    with memory_work.opened(owner_id) as work:
        session = work.session
        row = _entry(work, memory_id).row
        kind = MemoryType(row.type)
        if group:
            memory_writes.require_shareable(work, kind, row.host_id, group)
        if row.shared_with != group:
            row.shared_with = group
            memory_events.append(
                session,
                owner_id,
                "memory_shared",
                channel,
                Shared(type=kind, group=group),
                memory_id=row.id,
            )
        return memory_writes.value_of(work, row)


def mark_helped(ids: Sequence[str], owner_id: str) -> None:
    """Count that an answer rested on these of the owner's own; what others share is left."""
    if not ids:
        return
    mine = select(MemoryRow).where(MemoryRow.id.in_(list(ids)), MemoryRow.user_id == owner_id)
    with writing() as session:
        for row in session.scalars(mine).all():
            row.helped_times = MemoryRow.helped_times + 1  # counted there: others count too
            _judge(session, row, "agent", Feedback(type=MemoryType(row.type), verdict="helped"))


def note_recalled(
    ids: Sequence[str], owner_id: str, at: datetime, patience_ms: int | None = None
) -> None:
    """Count that these of the owner's own were recalled."""
    if not ids:
        return
    with writing(patience_ms=patience_ms) as session:
        changed(
            session,
            update(MemoryRow)
            .where(MemoryRow.id.in_(list(ids)), MemoryRow.user_id == owner_id)
            .values(recalled_at=at, recalled_times=MemoryRow.recalled_times + 1),
        )


# --- inside ---------------------------------------------------------------------------


def _no_such() -> NotFoundError:
    return NotFoundError("There is no such memory. It may have been deleted.")


def _entry(work: Writing, memory_id: str) -> Seen:
    """Return an entry of the owner's within their reach; ConflictError for a withdrawal."""
    seen = _mine(work.session, work.owner_id, memory_id)
    if seen is None:
        raise _no_such()
    if seen.row.op == Op.REMOVE:
        raise ConflictError(
            "This entry only says that another was withdrawn. Restore that one instead."
        )
    return seen


def _edited(row: MemoryRow, content: str | None, value: str | None, scope: str | None) -> Found:
    """Return the entry with what was changed; of text and value one follows the other."""
    new_content, new_value = content, value
    if content is None:
        new_content = row.content if value is None else _with_value(row, value)
    if value is None:
        new_value = row.value
        if content is not None and row.value and row.value not in content:
            said = memory_drafts.plain(content).removeprefix(f"{row.subject}: ")
            new_value = said[: memory_drafts.VALUE_CHARS]
    cause = str(row.payload.get("cause", ""))
    if value is not None and row.type == MemoryType.TROUBLESHOOTING_CASE:
        cause = value
    return Found(
        type=MemoryType(row.type),
        subject=row.subject,
        value=new_value or "",
        content=new_content or "",
        scope=row.scope if scope is None else scope,
        op=Op.REPLACE,
        symptom=str(row.payload.get("symptom", "")),
        cause=cause,
        fix=str(row.payload.get("fix", "")),
        worked=_worked(row),
        stale_days=row.stale_days,
    )


def _with_value(row: MemoryRow, value: str) -> str:
    if row.value and row.value in row.content:
        return row.content.replace(row.value, value)
    return f"{row.subject}: {value}"


def _worked(row: MemoryRow) -> bool | None:
    worked = row.payload.get("worked")
    return worked if isinstance(worked, bool) else None


def _in_the_place_of(row: MemoryRow, draft: Draft) -> Draft:
    over = row.expires_at is not None and row.expires_at <= draft.at
    return replace(
        draft,
        host_id=row.host_id,
        host=row.host,
        expires_at=None if over else row.expires_at,
        shared_with=row.shared_with,
    )


def _is_same(old: Seen, draft: Draft) -> bool:
    row, found = old.row, draft.found
    unchanged = (row.content, row.value, row.scope) == (found.content, found.value, found.scope)
    return unchanged and memory_family.is_current(old, draft.at)


def _living(work: Writing, topic: Topic) -> list[Seen]:
    now = utc_now()
    family = work.families.entries(topic)
    return [seen for seen in family if memory_family.is_current(seen, now)]


def _stands(seen: Seen) -> bool:
    return seen.row.superseded_by is None


def _superseder(session: Transaction, old: Seen) -> list[Seen]:
    """Return what took the place of an entry, if it counts: it may be of another scope."""
    later = _mine(session, old.row.user_id, old.row.superseded_by or "")
    return [later] if later is not None and _counts(later, utc_now()) else []


def _mine(session: Transaction, owner_id: str, memory_id: str) -> Seen | None:
    query = memory_sight.of_owner().where(MemoryRow.id == memory_id)
    found = session.execute(query, {"reader": owner_id}).first()
    return None if found is None else Seen(*found)


def _counts(seen: Seen, now: datetime) -> bool:
    return seen.row.op != Op.REMOVE and memory_family.is_current(seen, now)


def _judge(session: Transaction, row: MemoryRow, channel: Channel, verdict: Feedback) -> None:
    memory_events.append(
        session,
        row.user_id,
        "feedback_given",
        channel,
        verdict,
        memory_id=row.id,
        changes_preference=row.type == PREFERENCE and verdict.verdict == "wrong",
    )
