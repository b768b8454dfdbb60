"""A full disk: memory waits for room, and nothing else does."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from sqlalchemy import Connection, event, text

from tests.remembered import MEASURED, person
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import StoreError, StoreRefusedError
from walissh.memory.entry import Found, MemoryType
from walissh.memory.longterm import LongTermMemory
from walissh.memory.mind import Mind
from walissh.react.turn import TurnStatus
from walissh.store import memories, memory_events
from walissh.store.database import db, reading
from workers import upkeep

WISHES = "\n".join(f"From now on always check job-{n} with tool-{n} first." for n in range(12))


@contextmanager
def no_room() -> Iterator[None]:
    """Let the file of the database grow no further."""
    if db.engine.dialect.name != "sqlite":
        pytest.skip("only SQLite can be told where its disk ends")
    event.listen(db.engine, "begin", _at_most_as_it_is)
    try:
        yield
    finally:
        event.remove(db.engine, "begin", _at_most_as_it_is)
        db.engine.dispose()  # each connection has its own limit


def _at_most_as_it_is(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA max_page_count=1")  # it cannot be fewer than there are


class FullDisk:
    """The store of memories on a disk that has room for everything else."""

    def __getattr__(self, name: str) -> Any:
        return getattr(memories, name)

    def add_all(self, *args: Any, **options: Any) -> list[memories.Change]:
        with no_room():
            return memories.add_all(*args, **options)


def learned(output: int, count: int = 40) -> list[Found]:
    names = [f"tool {output}-{number}" for number in range(count)]
    return [Found(MemoryType.SOFTWARE_FACT, name, "1.2", f"{name} 1.2") for name in names]


def fill(owner_id: str, at_once: int) -> int:
    """Learn until the disk is full; return how many were kept."""
    for output in range(999):
        try:
            memories.add_all(owner_id, learned(output, at_once), MEASURED)
        except StoreError:
            return output * at_once
    raise AssertionError("the disk was never full")


def test_what_a_full_disk_refuses_is_worth_trying_again(database_app: object) -> None:
    ann = person("ann")
    with no_room(), pytest.raises(StoreError, match="full") as raised:
        memories.add_all(ann, learned(1), MEASURED)
    assert not isinstance(raised.value, StoreRefusedError)
    assert len(memories.add_all(ann, learned(1), MEASURED)) == 40


def test_a_full_disk_leaves_all_or_nothing_of_an_output(database_app: object) -> None:
    ann = person("ann")
    with no_room():
        kept = fill(ann, at_once=10)
        assert len(memories.recent(ann, 9_999)) == kept
    assert len(memory_events.latest(ann, 9_999)) == kept
    with reading() as session:
        assert session.scalar(text("PRAGMA integrity_check")) == "ok"


def test_a_memory_can_be_deleted_when_the_disk_is_full(database_app: object) -> None:
    ann = person("ann")
    [first, *_] = memories.add_all(ann, learned(1), MEASURED)
    assert first.memory
    with no_room():
        memories.delete(first.memory.id, ann, "web")
        assert memories.get(first.memory.id, ann) is None


def test_a_turn_goes_on_when_no_memory_fits_and_it_is_learned_once_there_is_room(
    world: World,
) -> None:
    free = world.parts
    mind = cast(Mind, free.mind)
    world.parts = replace(free, mind=replace(mind, longterm=LongTermMemory(FullDisk())))
    world.script("Fine.")
    with no_room():
        fill(person("bob"), at_once=1)
    turn = world.ask(WISHES)
    world.step()
    ended = world.turn(turn)
    assert (ended.status, ended.answer) == (TurnStatus.DONE, "Fine.")
    assert "question" in world.dropped
    assert memories.recent(world.person.id) == []
    world.parts = free
    upkeep.put_right(world.parts, utc_now() + timedelta(seconds=20))
    world.play()
    assert memories.recent(world.person.id) != []
