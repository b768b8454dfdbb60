"""Whatever two people do with their memories, in whatever order, the rules hold."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from flask import Flask

from tests.remembered import host, person
from walissh.clock import utc_now
from walissh.errors import ConflictError
from walissh.memory.entry import (
    FACTS,
    Found,
    Memory,
    MemoryState,
    MemoryType,
    Op,
    Origin,
    Source,
)
from walissh.react.host import Host
from walissh.store import memories

STEPS = 30
COUNTS = frozenset({MemoryState.VALID, MemoryState.STALE})


def topic(memory: Memory) -> tuple[object, ...]:
    place = memory.host_id if memory.type in FACTS else None
    return memory.type, memory.scope, memory.subject, place, memory.cause


def learn(dice: random.Random, owner: str, place: Host) -> None:
    kind, now = dice.choice(list(MemoryType)), utc_now()
    preference, case = kind is MemoryType.USER_PREFERENCE, kind is MemoryType.TROUBLESHOOTING_CASE
    found = Found(
        kind,
        dice.choice("xy"),
        dice.choice("123"),
        "a text",
        scope=dice.choice(("global", "host:web1")) if preference else "global",
        op=dice.choice((Op.ADD, Op.REPLACE, Op.REMOVE)) if preference else Op.ADD,
        cause=dice.choice("pq") if case else "",
    )
    hours = dice.choice((None, None, None, -3, 1, 9))
    memories.add_or_update(
        owner,
        found,
        Source(dice.choice(list(Origin))),
        host=place if kind in FACTS else None,
        at=now - timedelta(days=dice.randint(0, 9)),
        expires_at=None if hours is None else now + timedelta(hours=hours),
    )


def change(dice: random.Random, owner: str, memory: Memory) -> None:
    match dice.choice(("edit", "delete", "restore", "wrong")):
        case "edit":
            edited = memories.edit(memory.id, owner, value=dice.choice("123"), channel="web")
            assert edited.state in COUNTS
        case "delete":
            memories.delete(memory.id, owner, "web")
            assert memories.get(memory.id, owner) is None
        case "restore":
            assert memories.restore(memory.id, owner, "web").state in COUNTS
        case "wrong":
            marked = memories.mark_wrong(memory.id, owner, "web")
            assert marked.state is MemoryState.WRONG


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_each_topic_at_most_one_counts_and_all_of_it_is_ones_own(
    database_app: Flask, seed: int
) -> None:
    dice = random.Random(seed)
    people = {name: person(name) for name in ("ann", "bob")}
    places = {owner: host(owner) for owner in people.values()}
    for _ in range(STEPS):
        owner = dice.choice(list(people.values()))
        known = memories.page(owner, state="all", limit=500).items
        assert {each.owner_id for each in known} <= {owner}
        try:
            if known and dice.random() < 0.4:
                change(dice, owner, dice.choice(known))
            else:
                learn(dice, owner, places[owner])
        except ConflictError:
            pass  # a withdrawal, or one whose time is over
        counted = Counter(topic(each) for each in memories.page(owner, limit=500).items)
        assert max(counted.values(), default=0) <= 1
