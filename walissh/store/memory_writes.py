"""How an entry is written: append-only, settled against what counts of its topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from sqlalchemy import Table, bindparam, select, update

from walissh.clock import utc_now
from walissh.errors import InvalidError, NotFoundError
from walissh.memory.entry import FACTS, Found, Memory, MemoryType, Op, Source
from walissh.memory.settle import outranks
from walissh.react.host import Host
from walissh.store import groups, memory_drafts, memory_family, memory_rows
from walissh.store.database import new_id
from walissh.store.memory_drafts import Draft
from walissh.store.memory_events import Outcome
from walissh.store.memory_family import Topic
from walissh.store.memory_rows import Seen
from walissh.store.memory_sight import Later
from walissh.store.memory_work import Writing
from walissh.store.models import CommandRow, HostRow, MemoryRow

HOST = cast(Table, HostRow.__table__)
# made once: to make it takes longer than to run it
_HOST = select(HOST.c.name).where(
    HOST.c.id == bindparam("host"), HOST.c.owner_id == bindparam("owner")
)
Written = Literal["added", "refreshed", "superseded", "removed", "kept"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a write came to, and the entry it wrote or met; None if there is none.

    ``kept``: it lost against what counts, and is kept as superseded. ``nothing``: there was
    nothing to withdraw; or this very message or command was read before; or a person has
    called just this wrong.
    """

    memory: Memory | None
    kind: Written | Literal["nothing"]


@dataclass(frozen=True, slots=True)
class Settled:
    """What a write came to, before its row has a number; *seen* is None if there is none."""

    seen: Seen | None
    kind: Written | Literal["nothing"]


def drafted(
    work: Writing,
    found: Found,
    source: Source,
    *,
    host: Host | None = None,
    at: datetime | None = None,
    expires_at: datetime | None = None,
    shared_with: str = "",
) -> Draft:
    """Return what is to be written of what was ``memory_drafts.checked``.

    Raises NotFoundError for a foreign host or group, InvalidError for what cannot be shared.
    """
    if host is not None:
        require_host(work, host)
    if shared_with:
        require_shareable(work, found.type, host.id if host else None, shared_with)
    return Draft(
        found=found,
        source=source,
        at=at or utc_now(),
        host_id=host.id if host else None,
        host=host.name if host else "",
        command=_command(work, found.type, source),
        expires_at=expires_at,
        shared_with=shared_with,
    )


def require_host(work: Writing, host: Host) -> None:
    """Raise NotFoundError unless the host is the person's own."""
    if host.id in work.hosts:
        return
    wanted = {"host": host.id, "owner": work.owner_id}
    row = work.session.connection().execute(_HOST, wanted).first()
    if row is None:
        raise NotFoundError(f"{host.name} is not within reach. Nothing was kept of it.")
    work.hosts[host.id] = row[0]


def require_shareable(work: Writing, kind: MemoryType, host_id: str | None, group: str) -> None:
    """Raise InvalidError unless it is a fact of a host, NotFoundError for a foreign group."""
    if kind not in FACTS or host_id is None:
        raise InvalidError(
            "Only what was found out about a host can be shared. Nothing was shared.",
            field="group",
        )
    groups.require(work.session, group, work.owner_id)


def put(work: Writing, draft: Draft) -> Change:
    """Write *draft* as the rules say."""
    return put_all(work, [draft])[0]


def put_all(work: Writing, drafts: Sequence[Draft]) -> list[Change]:
    """Write *drafts* in their order, each settled against those before it too."""
    work.families.read(Topic.of_draft(draft) for draft in drafts)
    settled = [settle(work, draft) for draft in drafts]
    work.write()
    return [Change(_value(work, each.seen), each.kind) for each in settled]


def settle(work: Writing, draft: Draft, *, outcome: Outcome | None = None) -> Settled:
    """Write *draft* as the rules say; *outcome* names it in its event, if it was added."""
    family = work.families.entries(Topic.of_draft(draft))
    known = memory_family.same_evidence(family, draft)
    if known is not None:
        return Settled(known, "nothing")
    now = utc_now()
    living = [seen for seen in family if memory_family.is_current(seen, now)]
    if draft.found.op is Op.REMOVE:
        return _withdraw(work, draft, living)
    again = next((seen for seen in living if memory_family.says_the_same(seen, draft)), None)
    if again is not None:
        return _refresh(work, again, draft)
    wrong = memory_family.vetoed(family, draft)
    if wrong is not None:
        return Settled(wrong, "nothing")
    return _append(work, draft, living, outcome)


def overtake(work: Writing, row: MemoryRow, losers: Sequence[Seen]) -> tuple[str, ...]:
    """Mark *losers* as superseded by *row*, and return their ids.

    What waits behind one of them for its end is hidden by *row* if that lasts longer.
    """
    lost = [seen for seen in losers if seen.row.id != row.id]
    for each in lost:
        each.row.superseded_by = row.id
        work.families.overtaken(each, row)
    ending = [each.row.id for each in lost if _ends_sooner(each.row, row)]
    if ending:
        work.flush()
        work.session.execute(
            update(MemoryRow)
            .where(
                MemoryRow.superseded_by.in_(ending),
                MemoryRow.user_id == row.user_id,
                MemoryRow.id != row.id,
            )
            .values(superseded_by=row.id),
            execution_options={"synchronize_session": "fetch"},
        )
    return tuple(each.row.id for each in lost)


def new_row(owner_id: str, draft: Draft) -> MemoryRow:
    """Return the row of *draft*, which belongs to no session."""
    found, source = draft.found, draft.source
    row = MemoryRow()
    # past the mapper, which nobody asks what became of a row that is not there yet
    vars(row).update(
        id=new_id(),
        user_id=owner_id,
        type=found.type.value,
        scope=found.scope,
        host_id=draft.host_id,
        host=draft.host,
        subject=found.subject,
        value=found.value,
        content=found.content,
        payload=draft.payload(),
        op=found.op.value,
        origin=source.origin.value,
        channel=source.channel,
        confidence=found.confidence,
        source_message_id=source.message_id,
        source_command_id=source.command_id,
        shared_with=draft.shared_with,
        superseded_by=None,
        at=draft.at,
        proved_at=draft.at,
        stale_days=found.stale_days,
        expires_at=draft.expires_at,
        wrong_at=None,
        recalled_at=None,
        recalled_times=0,
        helped_times=0,
    )
    return row


def value_of(work: Writing, row: MemoryRow) -> Memory:
    """Return the value of a row for its owner."""
    work.write()
    host = work.session.get(HostRow, row.host_id) if row.host_id else None
    seen = Seen(row, row.host_id, host.name if host is not None else None, None, None)
    return memory_rows.memory(_with_later(work, seen), row.user_id, utc_now())


# --- the ways a write may go ----------------------------------------------------------


def _append(
    work: Writing, draft: Draft, living: Sequence[Seen], outcome: Outcome | None
) -> Settled:
    topic, row = Topic.of_draft(draft), new_row(work.owner_id, draft)
    stronger = [seen for seen in living if not outranks(draft.claim(), memory_rows.claim(seen))]
    if stronger:
        return _keep(work, draft, row, stronger[-1])
    held = [seen for seen in living if seen.row.op != Op.REMOVE]
    if not row.shared_with and held:
        row.shared_with = held[-1].row.shared_with  # a group that saw the old one sees the new
    work.store(row)
    seen = _fresh(work, draft, row)
    work.families.add(topic, seen)
    ids = overtake(work, row, living)
    kind: Written = "superseded" if held else "added"
    work.tell(row, outcome or kind, draft.source.channel, ids)
    return Settled(seen, kind)


def _keep(work: Writing, draft: Draft, row: MemoryRow, stronger: Seen) -> Settled:
    """Keep what lost, as superseded by what is stronger."""
    row.superseded_by = stronger.row.id
    work.store(row)
    seen = memory_family.behind(_fresh(work, draft, row), stronger.row)
    work.families.add(Topic.of_draft(draft), seen)
    work.tell(row, "kept", draft.source.channel)
    return Settled(seen, "kept")


def _refresh(work: Writing, seen: Seen, draft: Draft) -> Settled:
    """Keep the newer proof of the same; a weaker or an older one changes nothing."""
    row = seen.row
    if outranks(draft.claim(), memory_rows.claim(seen)):
        if row.expires_at is not None:
            work.flush()  # others wait for its end
        row.proved_at = max(row.proved_at, draft.at)
        row.confidence = max(row.confidence, draft.found.confidence)
        row.origin, row.channel = draft.source.origin.value, draft.source.channel
        row.source_message_id = draft.source.message_id
        row.source_command_id = draft.source.command_id
        row.payload = {**row.payload, **_known(draft.payload())}
        row.stale_days = draft.found.stale_days or row.stale_days
        row.expires_at = _later(row.expires_at, draft.expires_at)
        row.shared_with = draft.shared_with or row.shared_with
    work.tell(row, "refreshed", memory_rows.source(row).channel)
    return Settled(seen, "refreshed")


def _withdraw(work: Writing, draft: Draft, living: Sequence[Seen]) -> Settled:
    topic = Topic.of_draft(draft)
    held = [seen for seen in living if seen.row.op != Op.REMOVE]
    if not held and topic.scope in memory_family.FOR_ALL:
        held = [seen for seen in work.families.narrower(topic) if seen.row.op != Op.REMOVE]
    if not held:
        return Settled(None, "nothing")
    row = new_row(work.owner_id, draft)
    weaker = [seen for seen in held if outranks(draft.claim(), memory_rows.claim(seen))]
    if not weaker:
        return _keep(work, draft, row, held[-1])
    work.store(row)
    seen = _fresh(work, draft, row)
    work.families.add(topic, seen)
    ids = overtake(work, row, weaker)
    work.tell(row, "removed", draft.source.channel, ids)
    return Settled(seen, "removed")


def _fresh(work: Writing, draft: Draft, row: MemoryRow) -> Seen:
    return Seen(row, draft.host_id, work.hosts.get(draft.host_id or ""), None, None)


def _value(work: Writing, seen: Seen | None) -> Memory | None:
    if seen is None:
        return None
    return memory_rows.memory(_with_later(work, seen), work.owner_id, utc_now())


def _with_later(work: Writing, seen: Seen) -> Seen:
    """Return *seen* with what took its place, as that is now."""
    by = seen.row.superseded_by
    if by is None:
        return seen
    if by in work.stored:
        return memory_family.behind(seen, work.stored[by])
    query = select(Later.op, Later.expires_at).where(Later.id == by)
    found = work.session.execute(query).first()
    return seen if found is None else seen._replace(later_op=found[0], later_expires_at=found[1])


def _command(work: Writing, kind: MemoryType, source: Source) -> str:
    if kind is MemoryType.USER_PREFERENCE or source.command_id is None:
        return ""
    if source.command_id not in work.commands:
        work.commands[source.command_id] = _command_text(work, source.command_id)
    return work.commands[source.command_id]


def _command_text(work: Writing, command_id: str) -> str:
    text = work.session.scalar(
        select(CommandRow.command).where(
            CommandRow.id == command_id, CommandRow.user_id == work.owner_id
        )
    )
    hidden = memory_drafts.hide_secrets(memory_drafts.plain(text or ""))
    return hidden[: memory_drafts.VALUE_CHARS]


def _known(payload: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in payload.items() if value not in ("", None)}


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)


def _ends_sooner(one: MemoryRow, other: MemoryRow) -> bool:
    if one.expires_at is None:
        return False
    return other.expires_at is None or one.expires_at <= other.expires_at
