"""The blocks of core memory with all their versions; every query filters by owner.

A change by the person is in force at once. One by the agent is a version that waits until
the person confirms or rejects it. No version is ever overwritten; the person may erase one.
Each change is told by a ``profile_update`` in its transaction; one of the standing rules
counts as a changed preference, so that running tasks are told of it.
"""

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction
from sqlalchemy.orm import aliased

from walissh.clock import utc_now
from walissh.errors import ConflictError, NotFoundError
from walissh.memory import core
from walissh.memory.core import Version
from walissh.memory.entry import Block, Channel
from walissh.store import audit, memory_events
from walissh.store.database import changed, empty_log, overwrite_deleted, reading, writing
from walissh.store.memory_events import Profile, ProfileChange
from walissh.store.models import CoreMemoryRow

AGENT = "agent"
RULES = "rules"
MAX_REASON_CHARS = 300


def current(user_id: str) -> list[Block]:
    """Return all blocks of this person as they are in force, in their fixed order."""
    later = aliased(CoreMemoryRow)
    newest = (
        select(func.max(later.version))
        .where(
            later.user_id == user_id,
            later.block == CoreMemoryRow.block,
            later.confirmed_at.is_not(None),
        )
        .correlate(CoreMemoryRow)
        .scalar_subquery()
    )
    found = select(CoreMemoryRow).where(
        CoreMemoryRow.user_id == user_id, CoreMemoryRow.version == newest
    )
    with reading() as session:
        rows = {row.block: row for row in session.scalars(found)}
    return [_block(name, rows.get(name)) for name in core.BLOCKS]


def get(user_id: str, block: str) -> Block:
    """Return the block as it is in force; version 0 with "" if it was never written.

    Raises NotFoundError for a name that is no block.
    """
    _check_name(block)
    with reading() as session:
        row = _in_force(session, user_id, block)
        return _block(block, row)


def put(
    user_id: str,
    block: str,
    content: str,
    *,
    by: str,
    base_version: int | None = None,
    channel: Channel = "web",
) -> Block:
    """Write the block, in force at once; the same content again changes nothing.

    Raises ConflictError if another version than *base_version* is in force (None: whatever
    it is), InvalidError for a content that may not be kept, NotFoundError for no block.
    """
    return _put(user_id, block, content, by=by, base_version=base_version, channel=channel)


def propose(
    user_id: str,
    block: str,
    content: str,
    reason: str,
    *,
    base_version: int | None = None,
    channel: Channel = "agent",
) -> Version:
    """Add a version by the agent that waits for the person; raises as `put` does.

    The same proposal again, while it waits, is returned as it is.
    """
    _check_name(block)
    text = core.checked(content)
    why = " ".join(core.checked(reason[:MAX_REASON_CHARS]).split())
    try:
        with writing() as session:
            _check_base(session, user_id, block, base_version)
            waiting = _of(user_id, block).where(
                CoreMemoryRow.confirmed_at.is_(None),
                CoreMemoryRow.rejected_at.is_(None),
                CoreMemoryRow.content == text,
            )
            row = session.scalars(waiting).first()
            if row is None:
                row = _added(session, user_id, block, text, by=AGENT, reason=why)
                _tell(session, row, AGENT, "proposed", channel)
            return _version(row)
    except IntegrityError as error:
        raise _raced() from error


def proposals(user_id: str) -> list[Version]:
    """Return what waits for this person's decision, oldest first."""
    found = (
        select(CoreMemoryRow)
        .where(
            CoreMemoryRow.user_id == user_id,
            CoreMemoryRow.confirmed_at.is_(None),
            CoreMemoryRow.rejected_at.is_(None),
        )
        .order_by(CoreMemoryRow.number)
    )
    with reading() as session:
        return [_version(row) for row in session.scalars(found)]


def confirm(user_id: str, block: str, version: int, *, channel: Channel = "web") -> Block:
    """Put a proposal in force.

    Raises ConflictError if it does not wait any more, or if the block was changed since it
    was proposed: its text would undo that change.
    """
    with writing() as session:
        row = _row(session, user_id, block, version)
        before = _in_force(session, user_id, block, lock=True)
        if before is not None and before.confirmed_at and before.confirmed_at > row.at:
            raise ConflictError(
                "The block was changed after this was proposed, and the proposal would undo"
                " that. Reject it, and make the change by hand if you want it."
            )
        _decide(session, row, confirmed_at=utc_now())
        _audit(session, row, actor=user_id, kind="confirmed")
        _tell(session, row, user_id, "confirmed", channel)
        return _block(block, _in_force(session, user_id, block))


def reject(user_id: str, block: str, version: int, *, channel: Channel = "web") -> None:
    """Turn a proposal down; raises ConflictError if it does not wait any more."""
    with writing() as session:
        row = _row(session, user_id, block, version)
        _decide(session, row, rejected_at=utc_now())
        _audit(session, row, actor=user_id, kind="rejected")
        _tell(session, row, user_id, "rejected", channel)


def versions(user_id: str, block: str) -> list[Version]:
    """Return every version of the block, the newest first."""
    _check_name(block)
    found = _of(user_id, block).order_by(CoreMemoryRow.version.desc())
    with reading() as session:
        return [_version(row) for row in session.scalars(found)]


def restore(user_id: str, block: str, version: int, *, channel: Channel = "web") -> Block:
    """Write the content of an earlier version again, as a new one.

    Raises ConflictError for one that was never in force.
    """
    with reading() as session:
        row = _row(session, user_id, block, version)
        if row.confirmed_at is None:
            raise ConflictError(f"Version {version} was never in force, so it cannot come back.")
        content = row.content
    why = f"restored version {version}"
    return _put(user_id, block, content, by=user_id, reason=why, channel=channel)


def erase_version(user_id: str, block: str, version: int, *, channel: Channel = "web") -> None:
    """Remove a version that is not in force, for good: nothing of its text stays.

    Raises ConflictError for the one in force and for one that waits for a decision.
    """
    with writing() as session:
        row = _row(session, user_id, block, version)
        now = _in_force(session, user_id, block, lock=True)
        if now is not None and now.version == version:
            raise ConflictError("This version is in force. Write the block anew, then erase it.")
        if row.confirmed_at is None and row.rejected_at is None:
            raise ConflictError("This proposal waits for your decision. Reject it, then erase it.")
        overwrite_deleted(session)
        _tell(session, row, user_id, "erased", channel)
        _audit(session, row, actor=user_id, kind="erased")
        _erase(session, row)
    empty_log()


# --- rows ---------------------------------------------------------------------------------


def _put(
    user_id: str,
    block: str,
    content: str,
    *,
    by: str,
    base_version: int | None = None,
    reason: str = "",
    channel: Channel,
) -> Block:
    _check_name(block)
    text = core.checked(content)
    try:
        with writing() as session:
            before = _check_base(session, user_id, block, base_version)
            if text == (before.content if before else ""):
                return _block(block, before)
            row = _added(session, user_id, block, text, by=by, reason=reason)
            row.confirmed_at = row.at
            session.flush()
            _audit(session, row, actor=by, kind="changed")
            _tell(session, row, by, "changed", channel)
            return _block(block, row)
    except IntegrityError as error:
        raise _raced() from error


def _added(
    session: Transaction, user_id: str, block: str, content: str, *, by: str, reason: str
) -> CoreMemoryRow:
    last = session.scalar(
        select(func.max(CoreMemoryRow.version)).where(
            CoreMemoryRow.user_id == user_id, CoreMemoryRow.block == block
        )
    )
    row = CoreMemoryRow(
        user_id=user_id,
        block=block,
        version=(last or 0) + 1,
        content=content,
        by=by,
        reason=reason,
        at=utc_now(),
    )
    session.add(row)
    session.flush()
    return row


def _erase(session: Transaction, row: CoreMemoryRow) -> None:
    """Delete the row; the newest one stays without its text, so that its number is kept.

    Else a click on an old page could confirm another proposal of the same number.
    """
    mine = CoreMemoryRow.number == row.number
    last = session.scalar(
        select(func.max(CoreMemoryRow.version)).where(
            CoreMemoryRow.user_id == row.user_id, CoreMemoryRow.block == row.block
        )
    )
    if row.version == last:
        changed(session, update(CoreMemoryRow).where(mine).values(content="", reason=""))
    else:
        changed(session, delete(CoreMemoryRow).where(mine))


def _of(user_id: str, block: str) -> Select[CoreMemoryRow]:
    return select(CoreMemoryRow).where(
        CoreMemoryRow.user_id == user_id, CoreMemoryRow.block == block
    )


def _in_force(
    session: Transaction, user_id: str, block: str, *, lock: bool = False
) -> CoreMemoryRow | None:
    found = (
        _of(user_id, block)
        .where(CoreMemoryRow.confirmed_at.is_not(None))
        .order_by(CoreMemoryRow.version.desc())
        .limit(1)
    )
    return session.scalars(found.with_for_update() if lock else found).first()


def _row(session: Transaction, user_id: str, block: str, version: int) -> CoreMemoryRow:
    row = session.scalars(_of(user_id, block).where(CoreMemoryRow.version == version)).first()
    if row is None:
        raise NotFoundError("There is no such version of this block.")
    return row


def _decide(session: Transaction, row: CoreMemoryRow, **when: object) -> None:
    """Settle a proposal once: of two clicks the second is told."""
    guarded = (
        update(CoreMemoryRow)
        .where(
            CoreMemoryRow.number == row.number,
            CoreMemoryRow.confirmed_at.is_(None),
            CoreMemoryRow.rejected_at.is_(None),
        )
        .values(**when)
    )
    if not changed(session, guarded):
        raise ConflictError("This proposal does not wait for a decision (any more).")
    session.expire(row)


def _check_base(
    session: Transaction, user_id: str, block: str, base_version: int | None
) -> CoreMemoryRow | None:
    """Return the version in force; a change on top of another one is refused."""
    row = _in_force(session, user_id, block, lock=True)
    version = row.version if row else 0
    if base_version is not None and base_version != version:
        raise ConflictError(
            "The block was changed meanwhile. Nothing was saved. Read it again, and make your"
            " change there."
        )
    return row


def _raced() -> ConflictError:
    return ConflictError(
        "The block was changed at the same moment. Nothing was saved. Read it again, and make"
        " your change there."
    )


def _audit(session: Transaction, row: CoreMemoryRow, *, actor: str, kind: str) -> None:
    audit.append(
        session,
        actor=actor,
        kind=f"core_memory_{kind}",
        subject=row.user_id,
        block=row.block,
        version=row.version,
        content=audit.digest_of(row.content),
    )


def _tell(
    session: Transaction, row: CoreMemoryRow, by: str, outcome: ProfileChange, channel: Channel
) -> None:
    in_force = outcome in ("changed", "confirmed")
    memory_events.append(
        session,
        row.user_id,
        "profile_update",
        channel,
        Profile(block=row.block, version=row.version, by=by, outcome=outcome),
        changes_preference=in_force and row.block == RULES,
    )


def _check_name(block: str) -> None:
    if block not in core.BLOCKS:
        raise NotFoundError(f"There is no such block. The blocks are {', '.join(core.BLOCKS)}.")


def _block(name: str, row: CoreMemoryRow | None) -> Block:
    return Block(name, "", 0) if row is None else Block(name, row.content, row.version, row.at)


def _version(row: CoreMemoryRow) -> Version:
    return Version(
        block=row.block,
        version=row.version,
        content=row.content,
        by=row.by,
        reason=row.reason,
        at=row.at,
        confirmed_at=row.confirmed_at,
        rejected_at=row.rejected_at,
    )
