"""Many entries in one transaction: each is settled against those before it."""

import json
from collections.abc import Iterable
from datetime import timedelta

import pytest
from flask import Flask

from tests.remembered import MEASURED, NOON, SAID, host, later, person, rule, version
from walissh.clock import utc_now
from walissh.errors import InvalidError
from walissh.memory.entry import Found, Memory, MemoryState, Op
from walissh.store import memories, memory_events

LINE = {
    "type": "USER_PREFERENCE",
    "subject": "editor",
    "value": "vim",
    "content": "use vim",
    "at": NOON.isoformat(),
}


@pytest.fixture
def ann(database_app: Flask) -> str:
    return person("ann")


def take_in(owner_id: str, *lines: dict[str, object]) -> memories.TakenIn:
    return memories.take_in(owner_id, [json.dumps(LINE | line) for line in lines], "api")


def states(owner_id: str) -> dict[str, MemoryState]:
    every = memories.page(owner_id, state="all", limit=99).items
    return {each.value: each.state for each in every if each.op is not Op.REMOVE}


def only(found: Iterable[Memory]) -> Memory:
    [one] = found
    return one


def test_of_values_that_follow_each_other_in_one_output_the_last_counts(ann: str) -> None:
    found = [version(value) for value in ("7.0", "7.2", "7.2", "7.4")]
    changes = memories.add_all(ann, found, MEASURED, host=host(ann))
    assert [each.kind for each in changes] == ["added", "superseded", "refreshed", "superseded"]
    assert only(memories.recent(ann)).value == "7.4"
    told = [each.memory.state for each in changes if each.memory]
    assert told == [MemoryState.SUPERSEDED] * 3 + [MemoryState.VALID]


def test_what_a_batch_added_is_numbered_in_its_order(ann: str) -> None:
    found = [rule("x", f"subject {number}") for number in range(30)]
    changes = memories.add_all(ann, found, SAID)
    numbers = [each.memory.number for each in changes if each.memory]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 30


def test_a_wish_withdrawn_and_said_anew_in_one_text_counts(ann: str) -> None:
    found = [rule("yes", "sudo"), rule("yes", "sudo", op=Op.REMOVE), rule("no", "sudo")]
    changes = memories.add_all(ann, found, SAID, at=NOON)
    assert [each.kind for each in changes] == ["added", "removed", "added"]
    assert only(memories.recent(ann)).value == "no"


def test_a_wish_for_all_withdrawn_in_the_text_that_said_it_for_one_host_goes(ann: str) -> None:
    host(ann, "db1")
    found = [rule("yes", "sudo", scope="host:db1"), rule("", "sudo", op=Op.REMOVE)]
    memories.add_all(ann, [found[0], _withdrawal(found[1])], SAID, at=NOON)
    assert memories.recent(ann) == []


def _withdrawal(found: Found) -> Found:
    return Found(found.type, found.subject, "yes", found.content, op=Op.REMOVE)


def test_one_bad_text_of_several_keeps_all_of_them_out(ann: str) -> None:
    with pytest.raises(InvalidError):
        memories.add_all(ann, [rule("vim", "editor"), rule("x" * 2_001, "shell")], SAID)
    assert memories.recent(ann) == []
    assert memory_events.latest(ann) == []


def test_a_secret_in_one_of_many_lines_of_a_text_is_refused(ann: str) -> None:
    text = "use the usual account\npassword: Tr0ub4dor&3x\nand the usual port"
    with pytest.raises(InvalidError, match="content holds a password"):
        memories.add_all(ann, [Found(rule("x").type, "login", "usual", text)], SAID)


def test_what_waits_for_an_end_is_hidden_by_what_lasts_longer_in_one_file(ann: str) -> None:
    soon = (utc_now() + timedelta(days=1)).isoformat()
    take_in(
        ann,
        {"value": "vim"},
        {"value": "nano", "content": "use nano", "at": later(1).isoformat(), "expires_at": soon},
        {
            "value": "emacs",
            "content": "use emacs",
            "at": later(2).isoformat(),
            "recalled_times": 7,
        },
    )
    lasting = only(memories.recent(ann))
    assert (lasting.value, lasting.recalled_times) == ("emacs", 7)
    old = [each for each in memories.versions(lasting.id, ann) if each.id != lasting.id]
    assert {each.superseded_by for each in old} == {lasting.id}


def test_a_wish_that_lasts_longer_than_thought_goes_on_hiding_the_old_one(ann: str) -> None:
    soon, late = ((utc_now() + timedelta(days=days)).isoformat() for days in (1, 9))
    nano: dict[str, object] = {"value": "nano", "content": "use nano"}
    take_in(
        ann,
        {"value": "vim"},
        nano | {"at": later(1).isoformat(), "expires_at": soon, "helped_times": 2},
        nano | {"at": later(2).isoformat(), "expires_at": late},
    )
    held = only(memories.recent(ann))
    assert (held.value, held.helped_times) == ("nano", 2)
    assert held.expires_at is not None
    assert held.expires_at.isoformat() == late


def test_another_wording_is_met_again_many_lines_later(ann: str) -> None:
    others: list[dict[str, object]] = [{"subject": f"subject {number}"} for number in range(40)]
    first: dict[str, object] = {"subject": "RAM", "value": "in GB", "content": "RAM in GB"}
    last: dict[str, object] = {
        "subject": "内存",
        "value": "in MB",
        "content": "内存用 MB",
        "at": later(1).isoformat(),
    }
    assert take_in(ann, first, *others, last).new == 42
    assert states(ann)["in GB"] is MemoryState.SUPERSEDED


def test_a_line_whose_host_is_not_there_keeps_no_other_line_out(ann: str) -> None:
    host(ann, "db1")
    fact: dict[str, object] = {
        "type": "SOFTWARE_FACT",
        "subject": "redis",
        "value": "7.0",
        "content": "redis 7.0",
    }
    taken = take_in(ann, fact | {"host": "db1"}, fact | {"host": "db9"}, {})
    assert taken.new == 2
    assert [line.partition(":")[0] for line in taken.refused] == ["Line 2"]
