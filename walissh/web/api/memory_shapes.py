"""What goes out of memory: entries, hits, changes, and the blocks of core memory."""

from datetime import datetime
from typing import Any

from pydantic import Field

from walissh.memory import entry
from walissh.memory.entry import MemoryState, MemoryType, Op, Origin
from walissh.web.api.shape import Shape


class Memory(Shape):
    """One entry of long-term memory.

    *mine* is false for a fact that another person shares; *command* is the text that proved
    a fact. An edit makes a new entry: *superseded_by* leads from the old to the new.
    """

    id: str
    type: MemoryType
    scope: str
    host_id: str | None
    host: str
    subject: str
    value: str
    content: str
    symptom: str
    cause: str
    fix: str
    worked: bool | None
    command: str
    op: Op
    confidence: float
    origin: Origin
    channel: str
    message_id: str | None
    command_id: str | None
    state: MemoryState
    at: datetime
    proved_at: datetime
    expires_at: datetime | None
    stale_days: int | None
    superseded_by: str | None
    shared_with: str
    mine: bool
    recalled_at: datetime | None
    recalled_times: int
    helped_times: int


class Hit(Shape):
    """A recalled memory: the higher *score*, the better; *reasons* say why it came."""

    memory: Memory
    score: float
    reasons: list[str]


class Hits(Shape):
    """The best first; nothing relevant gives an empty list."""

    items: list[Hit]


class Change(Shape):
    """One change of memory. It never holds the text, so that deleting deletes."""

    id: str
    kind: str
    channel: str
    memory_id: str | None
    payload: dict[str, Any]
    at: datetime


class Imported(Shape):
    """How many lines were taken, and which were not, each with its number and why.

    *known* lines said what was there already: they are part of neither.
    """

    taken: int
    known: int
    refused: list[str]


class Unbound(Shape):
    """A line that could not be made into a rule: it is told to the model all the same."""

    line: str
    why: str


class Version(Shape):
    """One version of a block; it counts once it is confirmed."""

    block: str
    version: int
    content: str
    by: str
    reason: str
    at: datetime
    state: str = Field(description="confirmed, proposed or rejected")


class Block(Shape):
    """The version in force of a block; *version* 0: never written.

    *proposals* are the agent's, which wait for the person. *unbound* are the lines of the
    standing rules that could not be made into one.
    """

    block: str
    title: str
    content: str
    version: int
    at: datetime | None
    max_chars: int
    proposals: list[Version]
    unbound: list[Unbound]


def memory(each: entry.Memory, reader_id: str) -> Memory:
    """Tell a memory to *reader_id*; where it was said stays with its owner."""
    mine = each.owner_id == reader_id
    return Memory(
        id=each.id,
        type=each.type,
        scope=each.scope,
        host_id=each.host_id if mine else None,
        host=each.host,
        subject=each.subject,
        value=each.value,
        content=each.content,
        symptom=each.symptom,
        cause=each.cause,
        fix=each.fix,
        worked=_yes_or_no(each.payload.get("worked")),
        command=str(each.payload.get("command", "")),
        op=each.op,
        confidence=each.confidence,
        origin=each.source.origin,
        channel=each.source.channel,
        message_id=each.source.message_id if mine else None,
        command_id=each.source.command_id if mine else None,
        state=each.state,
        at=each.at,
        proved_at=each.proved_at,
        expires_at=each.expires_at,
        stale_days=each.stale_days,
        superseded_by=each.superseded_by,
        shared_with=each.shared_with,
        mine=mine,
        recalled_at=each.recalled_at if mine else None,
        recalled_times=each.recalled_times,
        helped_times=each.helped_times,
    )


def hit(found: entry.Hit, reader_id: str) -> Hit:
    """Tell a hit."""
    return Hit(
        memory=memory(found.memory, reader_id), score=found.score, reasons=list(found.reasons)
    )


def _yes_or_no(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
