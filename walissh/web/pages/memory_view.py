"""What the pages of memory show: an entry with where it came from, and what it lost to."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from walissh.errors import NotFoundError
from walissh.memory.entry import Hit, Memory, MemoryState, Op
from walissh.store import commands, groups, history, hosts, memories, people, turns

RESTORABLE = frozenset({MemoryState.SUPERSEDED, MemoryState.WITHDRAWN, MemoryState.WRONG})
COUNTS = frozenset({MemoryState.VALID, MemoryState.STALE})


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory as a row shows it; *reasons* say why a search found it."""

    memory: Memory
    mine: bool
    reasons: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Tell whether it is recalled at all."""
        return self.memory.state in COUNTS

    @property
    def restorable(self) -> bool:
        """Tell whether it can be made to count again."""
        says_itself_gone = self.memory.op is Op.REMOVE
        return self.mine and self.memory.state in RESTORABLE and not says_itself_gone


@dataclass(frozen=True, slots=True)
class Proof:
    """Where a memory came from: *where* leads there, "" if that is gone or not yours."""

    where: str = ""
    text: str = ""
    is_command: bool = False


def places(person_id: str, now: str = "global") -> list[str]:
    """Return the scopes that a person may choose: all, a host, a group of hosts, as *now*."""
    reach = hosts.within_reach(person_id)
    named = sorted({name for host in reach for name in host.groups})
    told = [
        "global",
        *(f"host:{host.name}" for host in reach),
        *(f"group:{name}" for name in named),
    ]
    return told if now in told else [*told, now]


def unseeing(memory: Memory, owner_id: str) -> list[str]:
    """Return who of the group that a fact is shared with has no such server, and sees nothing."""
    if not memory.shared_with or memory.owner_id != owner_id:
        return []
    others = (each for each in groups.members(memory.shared_with) if each != owner_id)
    found = [people.get(each) for each in others if memories.get(memory.id, each) is None]
    return [each.name for each in found if each is not None]


def entry(memory: Memory, reader_id: str, reasons: Sequence[str] = ()) -> Entry:
    """Return *memory* as its reader sees it."""
    return Entry(memory, memory.owner_id == reader_id, tuple(reasons))


def hits(found: Sequence[Hit], reader_id: str) -> list[Entry]:
    """Return what a search found."""
    return [entry(each.memory, reader_id, each.reasons) for each in found]


def versions(memory: Memory, reader_id: str) -> list[tuple[Entry, Memory | None]]:
    """Return all that was said of the subject, the newest first, each with what it lost to."""
    all_of_it = memories.versions(memory.id, reader_id)
    by_id = {each.id: each for each in all_of_it}
    return [(entry(each, reader_id), by_id.get(each.superseded_by or "")) for each in all_of_it]


def proof(memory: Memory, reader_id: str) -> Proof:
    """Return the message or the command that taught *memory*, with a way there."""
    command = str(memory.payload.get("command", ""))
    if memory.owner_id != reader_id:
        return Proof(text=command, is_command=bool(command))
    if memory.source.command_id:
        return _of_command(memory.source.command_id, reader_id, command)
    if memory.source.message_id:
        return _of_message(memory.source.message_id, reader_id)
    return Proof(text=command, is_command=bool(command))


def _of_command(command_id: str, reader_id: str, text: str) -> Proof:
    try:
        run = commands.of_person(command_id, reader_id)
    except NotFoundError:  # its session was deleted
        return Proof(text=text, is_command=True)
    where = url_for("talk.page", session_id=run.session_id, all=1, _anchor=f"command-{run.id}")
    return Proof(where, run.command, is_command=True)


def _of_message(message_id: str, reader_id: str) -> Proof:
    said = history.find(message_id, reader_id)
    turn = turns.get(said.turn_id) if said is not None else None
    if said is None or turn is None:
        return Proof()
    where = url_for("talk.page", session_id=turn.session_id, all=1, _anchor=f"turn-{turn.id}")
    return Proof(where, said.content[:400])
