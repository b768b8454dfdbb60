"""Memories: nothing is lost, nothing is overtaken but by its own topic, nobody sees another's."""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from flask import Flask
from sqlalchemy import select

from tests.remembered import (
    GUESSED,
    MEASURED,
    NOON,
    SAID,
    case,
    host,
    later,
    person,
    rule,
    version,
)
from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError, StoreError
from walissh.memory.entry import (
    FACTS,
    Found,
    Memory,
    MemoryState,
    MemoryType,
    Op,
    Origin,
    Place,
    Source,
)
from walissh.memory.recall.values import Query
from walissh.store import groups, hosts, memories
from walissh.store.database import reading, writing
from walissh.store.models import LineRow, MemoryRow, PersonRow, PostingRow

PREFERENCES = [MemoryType.USER_PREFERENCE]
OTHER_WORDS = ("alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo", "lima")


def values(found: Iterable[Memory]) -> list[str]:
    return [each.value for each in found]


@pytest.fixture
def ann(database_app: Flask) -> str:
    return person("ann")


# --- adding ---------------------------------------------------------------------------


def test_the_same_again_adds_no_row_and_is_proved_anew(ann: str) -> None:
    first = memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    again = memories.add_or_update(ann, rule("english."), SAID, at=later(3))
    assert (first.kind, again.kind) == ("added", "refreshed")
    assert again.memory and first.memory
    assert again.memory.id == first.memory.id
    assert (again.memory.at, again.memory.proved_at) == (NOON, later(3))
    assert len(memories.page(ann, state="all", limit=9).items) == 1


def test_a_new_value_supersedes_the_old_one_and_keeps_it(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID, at=NOON).memory
    new = memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1))
    assert new.kind == "superseded"
    assert values(memories.recent(ann)) == ["Chinese"]
    assert old and new.memory
    kept = memories.get(old.id, ann)
    assert kept
    assert (kept.state, kept.superseded_by) == (MemoryState.SUPERSEDED, new.memory.id)


def test_two_wordings_of_a_subject_are_one_preference(ann: str) -> None:
    memories.add_or_update(ann, rule("8G", "RAM limit"), SAID, at=NOON)
    memories.add_or_update(ann, rule("16G", "limit of RAM"), SAID, at=later(1))
    assert values(memories.recent(ann)) == ["16G"]


@pytest.mark.parametrize(
    "other",
    [
        rule("Chinese", scope="host:db1"),
        rule("Chinese", subject="editor"),
        version("Chinese", "output language"),
    ],
    ids=["scope", "subject", "type"],
)
def test_only_its_own_topic_is_superseded(ann: str, other: Found) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    assert memories.add_or_update(ann, other, SAID, at=later(1)).kind == "added"
    assert len(memories.recent(ann)) == 2


def test_the_order_of_hosts_in_a_scope_does_not_matter(ann: str) -> None:
    memories.add_or_update(ann, rule("English", scope="host:db1,db2"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese", scope="host: db2, db1"), SAID, at=later(1))
    assert values(memories.recent(ann)) == ["Chinese"]


def test_a_fact_of_one_host_leaves_that_of_another(ann: str) -> None:
    one, two = host(ann), host(ann, "web2", "10.0.0.2")
    memories.add_or_update(ann, version("7.0"), MEASURED, host=one, at=NOON)
    memories.add_or_update(ann, version("7.2"), MEASURED, host=two, at=later(1))
    assert {(each.host, each.value) for each in memories.recent(ann)} == {
        ("web1", "7.0"),
        ("web2", "7.2"),
    }


def test_a_fact_that_names_its_host_in_its_scope_is_the_same_fact(ann: str) -> None:
    one = host(ann)
    memories.add_or_update(ann, version("7.0"), MEASURED, host=one, at=NOON)
    named = replace(version("7.0"), scope="host:web1")
    assert memories.add_or_update(ann, named, MEASURED, host=one, at=later(1)).kind == "refreshed"


def test_a_rule_for_a_host_holds_there_alone(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese"), SAID, host=host(ann), at=NOON)
    assert {(each.scope, each.value) for each in memories.recent(ann)} == {
        ("global", "English"),
        ("host:web1", "Chinese"),
    }


def test_a_guess_loses_and_is_kept_as_superseded(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    change = memories.add_or_update(ann, rule("Chinese"), GUESSED, at=later(9))
    assert change.kind == "kept"
    assert change.memory
    assert change.memory.state is MemoryState.SUPERSEDED
    assert values(memories.recent(ann)) == ["English"]


def test_a_guess_of_the_same_proves_nothing_anew(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    change = memories.add_or_update(ann, rule("English"), GUESSED, at=later(9))
    assert change.memory
    assert (change.kind, change.memory.proved_at) == ("refreshed", NOON)
    assert change.memory.source.origin is Origin.USER


def test_what_arrives_late_does_not_overtake_what_is_newer(ann: str) -> None:
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(5))
    assert memories.add_or_update(ann, rule("English"), SAID, at=NOON).kind == "kept"
    assert values(memories.recent(ann)) == ["Chinese"]


def test_a_message_that_is_read_twice_adds_nothing(ann: str) -> None:
    first = Source(Origin.USER, message_id="m1")
    memories.add_or_update(ann, rule("English"), first, at=NOON)
    memories.add_or_update(ann, rule("Chinese"), Source(Origin.USER, message_id="m2"), at=later(1))
    assert memories.add_or_update(ann, rule("English"), first, at=NOON).kind == "nothing"
    assert values(memories.recent(ann)) == ["Chinese"]
    assert len(memories.page(ann, state="all", limit=9).items) == 2


def test_two_causes_of_one_symptom_are_two_cases(ann: str) -> None:
    memories.add_or_update(ann, case("redis out of clients", "raise maxclients"), SAID, at=NOON)
    other = case("a full disk", "rotate the logs")
    assert memories.add_or_update(ann, other, SAID, at=later(1)).kind == "added"
    better = case("a full disk", "move the logs")
    assert memories.add_or_update(ann, better, SAID, at=later(2)).kind == "superseded"
    assert {each.fix for each in memories.recent(ann)} == {"raise maxclients", "move the logs"}


def test_a_case_keeps_its_four_parts(ann: str) -> None:
    memory = memories.add_or_update(ann, case("a full disk", "rotate"), SAID).memory
    assert memory
    assert (memory.symptom, memory.cause, memory.fix) == (
        "the shop answers 502",
        "a full disk",
        "rotate",
    )
    assert memory.payload["worked"] is True


def test_several_found_at_once_are_one_transaction(ann: str) -> None:
    changes = memories.add_all(ann, [rule("English"), rule("vim", "editor")], SAID)
    assert [each.kind for each in changes] == ["added", "added"]
    with pytest.raises(InvalidError):
        memories.add_all(ann, [rule("nano", "editor"), rule("x" * 3000, "pager")], SAID)
    assert sorted(values(memories.recent(ann))) == ["English", "vim"]


def test_of_two_workers_at_once_one_wins(database_app: Flask, ann: str) -> None:
    start = threading.Barrier(2)
    kinds: list[str] = []

    def work(value: str) -> None:
        with database_app.app_context():
            start.wait()
            kinds.append(memories.add_or_update(ann, rule(value), SAID, at=NOON).kind)

    threads = [threading.Thread(target=work, args=(value,)) for value in ("English", "Chinese")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(kinds) == ["added", "superseded"]
    assert len(memories.recent(ann)) == 1


def test_the_same_said_by_two_workers_is_one_row(database_app: Flask, ann: str) -> None:
    start = threading.Barrier(4)

    def work() -> None:
        with database_app.app_context():
            start.wait()
            memories.add_or_update(ann, rule("English"), SAID, at=NOON)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(memories.page(ann, state="all", limit=9).items) == 1


def test_a_locked_person_costs_only_the_patience(database_app: Flask, ann: str) -> None:
    failed: list[StoreError] = []

    def write() -> None:
        with database_app.app_context():
            try:
                memories.add_or_update(ann, rule("English"), SAID, patience_ms=30)
            except StoreError as error:
                failed.append(error)

    with writing() as session:
        session.get(PersonRow, ann, with_for_update=True)
        session.flush()
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(5)
    assert len(failed) == 1
    assert memories.recent(ann) == []


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "text"), [("subject", "s" * 201), ("value", "v" * 2001), ("content", "c" * 4001)]
)
def test_what_is_too_long_is_refused_to_people_and_cut_for_the_agent(
    ann: str, field: str, text: str
) -> None:
    changes: dict[str, Any] = {field: text}
    found = replace(rule("English"), **changes)
    with pytest.raises(InvalidError) as refused:
        memories.add_or_update(ann, found, SAID)
    assert refused.value.field == field
    memory = memories.add_or_update(ann, found, Source(Origin.USER)).memory
    assert memory
    assert getattr(memory, field) == text[:-1]


def test_a_secret_is_refused_to_people_and_blanked_for_the_agent(ann: str) -> None:
    secret = rule("export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ9m2kLp4v")
    with pytest.raises(InvalidError, match="never keeps secrets"):
        memories.add_or_update(ann, secret, SAID)
    memory = memories.add_or_update(ann, secret, Source(Origin.USER)).memory
    assert memory
    assert "wJalrXUtnFEMI" not in memory.value + memory.content


def test_what_cannot_be_seen_is_not_stored(ann: str) -> None:
    memory = memories.add_or_update(ann, rule("En\0gl\u202eish\x1b"), SAID).memory
    assert memory
    assert memory.value == "English"


def test_a_scope_that_is_none_is_refused(ann: str) -> None:
    with pytest.raises(InvalidError, match="no scope"):
        memories.add_or_update(ann, rule("English", scope="everywhere"), SAID)


@pytest.mark.parametrize("owner", ["", "nobody"])
def test_an_unknown_owner_keeps_nothing(database_app: Flask, owner: str) -> None:
    with pytest.raises(NotFoundError):
        memories.add_or_update(owner, rule("English"), SAID)


# --- withdrawing ----------------------------------------------------------------------


def test_a_withdrawal_voids_and_can_be_undone(ann: str) -> None:
    sudo = memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=NOON).memory
    change = memories.add_or_update(ann, rule("", "sudo", op=Op.REMOVE), SAID, at=later(1))
    assert change.kind == "removed"
    assert memories.recent(ann) == []
    assert sudo
    withdrawn = memories.get(sudo.id, ann)
    assert withdrawn
    assert withdrawn.state is MemoryState.WITHDRAWN
    assert [each.id for each in memories.page(ann, state="withdrawn", limit=9).items] == [sudo.id]
    memories.restore(sudo.id, ann, "web")
    assert values(memories.recent(ann)) == ["yes"]


def test_what_is_said_after_a_withdrawal_counts(ann: str) -> None:
    memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=NOON)
    memories.add_or_update(ann, rule("", "sudo", op=Op.REMOVE), SAID, at=later(1))
    assert memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=later(2)).kind == "added"
    late = memories.add_or_update(ann, rule("no", "sudo"), SAID, at=NOON)
    assert late.kind == "kept"
    assert values(memories.recent(ann)) == ["yes"]


def test_with_nothing_to_withdraw_nothing_is_written(ann: str) -> None:
    change = memories.add_or_update(ann, rule("", "sudo", op=Op.REMOVE), SAID)
    assert (change.kind, change.memory) == ("nothing", None)
    assert memories.page(ann, state="all", limit=9).items == ()


def test_a_withdrawal_for_all_takes_those_of_hosts_if_there_are_no_others(ann: str) -> None:
    memories.add_or_update(ann, rule("yes", "sudo", "host:db1"), SAID, at=NOON)
    removal = rule("", "sudo", op=Op.REMOVE)
    assert memories.add_or_update(ann, removal, SAID, at=later(1)).kind == "removed"
    assert memories.recent(ann) == []


def test_a_guess_cannot_withdraw_what_was_said(ann: str) -> None:
    memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=NOON)
    removal = rule("", "sudo", op=Op.REMOVE)
    assert memories.add_or_update(ann, removal, GUESSED, at=later(1)).kind == "kept"
    assert values(memories.recent(ann)) == ["yes"]


# --- time -----------------------------------------------------------------------------


def test_what_was_for_a_time_gives_way_to_what_was_before(ann: str) -> None:
    now = utc_now()
    memories.add_or_update(ann, rule("English"), SAID, at=now - timedelta(days=9))
    memories.add_or_update(
        ann,
        rule("German"),
        SAID,
        at=now - timedelta(days=5),
        expires_at=now - timedelta(days=1),
    )
    assert values(memories.recent(ann)) == ["English"]
    assert values(memories.page(ann, state="expired", limit=9).items) == ["German"]
    assert values(memories.in_force(ann, Place(), types=PREFERENCES)) == ["English"]


def test_what_overtakes_a_passing_rule_overtakes_what_waits_behind_it(ann: str) -> None:
    now = utc_now()
    soon = now + timedelta(hours=1)
    memories.add_or_update(ann, rule("English"), SAID, at=now - timedelta(days=9))
    german = memories.add_or_update(
        ann, rule("German"), SAID, at=now - timedelta(days=5), expires_at=soon
    ).memory
    memories.add_or_update(ann, rule("French"), SAID, at=now)
    assert german
    with writing() as session:
        session.get_one(MemoryRow, german.number).expires_at = now - timedelta(hours=1)
    assert values(memories.recent(ann)) == ["French"]


def test_a_fact_is_stale_after_its_days(ann: str) -> None:
    web1, now = host(ann), utc_now()
    memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=now - timedelta(days=91))
    memories.add_or_update(
        ann, version("1.2", "nginx", stale_days=7), MEASURED, host=web1, at=now - timedelta(days=8)
    )
    memories.add_or_update(
        ann, version("3.1", "curl"), MEASURED, host=web1, at=now - timedelta(days=8)
    )
    states = {each.subject: each.state for each in memories.recent(ann)}
    assert states == {
        "redis": MemoryState.STALE,
        "nginx": MemoryState.STALE,
        "curl": MemoryState.VALID,
    }


def test_a_preference_does_not_grow_stale(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=utc_now() - timedelta(days=900))
    assert memories.recent(ann)[0].state is MemoryState.VALID


# --- reading --------------------------------------------------------------------------


def test_a_page_gives_the_newest_and_where_to_go_on(ann: str) -> None:
    for number in range(5):
        memories.add_or_update(ann, rule(f"v{number}", f"subject {number}"), SAID)
    first = memories.page(ann, limit=2)
    assert values(first.items) == ["v4", "v3"]
    rest = memories.page(ann, limit=9, before=first.next)
    assert (values(rest.items), rest.next) == (["v2", "v1", "v0"], None)


def test_a_page_of_an_unknown_state_is_refused(ann: str) -> None:
    with pytest.raises(InvalidError):
        memories.page(ann, state="lost", limit=9)


def test_versions_tell_all_of_a_subject_newest_first(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1))
    last = memories.add_or_update(ann, rule("", op=Op.REMOVE), SAID, at=later(2)).memory
    memories.add_or_update(ann, rule("vim", "editor"), SAID)
    assert last
    assert [(each.op, each.value) for each in memories.versions(last.id, ann)] == [
        (Op.REMOVE, ""),
        (Op.ADD, "Chinese"),
        (Op.ADD, "English"),
    ]


def test_what_is_in_force_depends_on_the_place(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese", scope="host:db1"), SAID, at=NOON)
    memories.add_or_update(ann, rule("German", scope="task:t7"), SAID, at=NOON)

    def at(place: Place) -> list[str]:
        return values(memories.in_force(ann, place, types=PREFERENCES))

    assert at(Place(("web1",))) == ["English"]
    assert at(Place(("db1",))) == ["Chinese"]
    assert at(Place(("db1",), task="t7")) == ["German"]


def test_the_newest_of_one_subject_is_found_at_once(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1))
    newest = memories.newest(ann, "output language")
    assert newest
    assert newest.value == "Chinese"
    assert memories.newest(ann, "editor") is None


def test_several_are_given_in_the_order_asked(ann: str) -> None:
    ids = []
    for value in ("a", "b", "c"):
        memory = memories.add_or_update(ann, rule(value, f"subject {value}"), SAID).memory
        assert memory
        ids.append(memory.id)
    wanted = [ids[2], "gone", ids[0]]
    assert [each.id for each in memories.of_ids(wanted, ann)] == [ids[2], ids[0]]


# --- recall ---------------------------------------------------------------------------


def fill_shelf(owner_id: str) -> None:
    """Remember so much else that a word of a question is rare."""
    memories.add_all(owner_id, [rule(f"{w} tango", f"{w} whisky") for w in OTHER_WORDS], SAID)


def found(reader: str, text: str, **more: Any) -> list[str]:
    return [hit.memory.value for hit in memories.recall(reader, Query(text), k=9, **more)]


def test_what_counts_is_recalled_and_what_does_not_is_not(ann: str) -> None:
    web1 = host(ann)
    fill_shelf(ann)
    memories.add_or_update(ann, version("7.0.15"), MEASURED, host=web1, at=NOON)
    memories.add_or_update(ann, version("7.2.1"), MEASURED, host=web1, at=later(1))
    assert found(ann, "which version of redis runs on web1?") == ["7.2.1"]
    assert found(ann, "which version of redis runs?", host_id=web1.id) == ["7.2.1"]
    assert found(ann, "which version of redis runs?", host_id="other") == []
    assert found(ann, "redis version?", type=MemoryType.USER_PREFERENCE) == []
    assert found(ann, "what is for lunch?") == []


def test_what_is_wrong_withdrawn_or_deleted_is_not_recalled(ann: str) -> None:
    ids = []
    fill_shelf(ann)
    for value in ("poetry", "pipenv", "conda"):
        memory = memories.add_or_update(ann, rule(value, f"python {value}"), SAID).memory
        assert memory
        ids.append(memory.id)
    assert len(found(ann, "which python tool do I want?")) == 3
    memories.mark_wrong(ids[0], ann, "web")
    memories.delete(ids[1], ann, "web")
    memories.add_or_update(ann, rule("", "python conda", op=Op.REMOVE), SAID)
    assert found(ann, "which python tool do I want?") == []


def test_what_is_for_one_task_is_not_recalled_elsewhere(ann: str) -> None:
    memories.add_or_update(ann, rule("tabs", "python style", "task:t1"), SAID)
    assert found(ann, "python style") == []


def test_being_recalled_and_helping_is_counted(ann: str) -> None:
    memory = memories.add_or_update(ann, rule("English"), SAID).memory
    assert memory
    memories.note_recalled([memory.id], ann, NOON)
    memories.note_recalled([memory.id], person("bob"), later(1))
    memories.mark_helped([memory.id], ann)
    memories.mark_helped([memory.id], person("bob"))
    now = memories.get(memory.id, ann)
    assert now
    assert (now.recalled_times, now.recalled_at, now.helped_times) == (1, NOON, 1)


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("sudo", "sudo 密码 plum7788"),
        ("database", "my db pw is winterapples"),
        ("login", "log in with root/Teap0t!42"),
        ("root password", "plum-7788-x"),
    ],
)
def test_a_secret_that_a_person_tells_is_refused_as_written_and_as_imported(
    ann: str, subject: str, text: str
) -> None:
    told = Found(MemoryType.USER_PREFERENCE, subject, text, text)
    with pytest.raises(InvalidError, match="holds a password, key or token"):
        memories.add_or_update(ann, told, Source(Origin.USER, "api"))
    line = {"type": "USER_PREFERENCE", "subject": subject, "content": text}
    line["at"] = "2026-03-01T12:00:00Z"
    taken, refused = memories.take_in(ann, [json.dumps(line)], "api")
    assert taken == 0
    assert refused[0].startswith("Line 1: The content holds a password")


def test_a_secret_in_what_the_agent_keeps_is_blanked(ann: str) -> None:
    told = case("the admin password was winterapples: the password is winterapples", "vault")
    memory = memories.add_or_update(ann, told, Source(Origin.ASSISTANT)).memory
    assert memory
    assert "winterapples" not in f"{memory}"


def test_talk_about_secrets_is_kept(ann: str) -> None:
    memories.add_or_update(ann, rule("never print them", "passwords"), Source(Origin.USER, "api"))
    assert values(memories.recent(ann)) == ["never print them"]


# --- changing -------------------------------------------------------------------------


def test_an_edit_is_a_new_entry_that_wins(ann: str) -> None:
    web1 = host(ann)
    old = memories.add_or_update(ann, version("7.0"), MEASURED, host=web1).memory
    assert old
    new = memories.edit(old.id, ann, value="7.2", channel="web")
    assert (new.value, new.content) == ("7.2", "redis 7.2 is installed")
    assert (new.source.origin, new.host, new.host_id) == (Origin.USER, "web1", web1.id)
    kept = memories.get(old.id, ann)
    assert kept
    assert (kept.value, kept.superseded_by) == ("7.0", new.id)


def test_a_new_text_is_the_value_unless_it_holds_it(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID).memory
    assert old
    longer = memories.edit(old.id, ann, content="Always English, please", channel="web")
    other = memories.edit(longer.id, ann, content="Chinese", channel="web")
    assert (longer.value, other.value) == ("English", "Chinese")


def test_an_edit_may_move_an_entry_to_another_scope(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID).memory
    assert old
    moved = memories.edit(old.id, ann, scope="host:db1", channel="web")
    assert [(each.id, each.scope) for each in memories.recent(ann)] == [(moved.id, "host:db1")]
    memories.restore(old.id, ann, "web")
    assert [each.scope for each in memories.recent(ann)] == ["global"]


def test_an_edit_that_changes_nothing_adds_nothing(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID).memory
    assert old
    assert memories.edit(old.id, ann, value="English", channel="web").id == old.id


def test_restoring_lets_the_old_one_win_again(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID, at=NOON).memory
    new = memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1)).memory
    assert old and new
    assert memories.restore(old.id, ann, "web").state is MemoryState.VALID
    assert values(memories.recent(ann)) == ["English"]
    assert values(memories.in_force(ann, Place(), types=PREFERENCES)) == ["English"]
    memories.restore(new.id, ann, "web")
    assert values(memories.recent(ann)) == ["Chinese"]


def test_what_is_called_wrong_is_not_learned_again_as_it_was(ann: str) -> None:
    web1 = host(ann)
    wrong = memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=NOON).memory
    assert wrong
    memories.mark_wrong(wrong.id, ann, "web")
    again = memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=later(1))
    assert (again.kind, memories.recent(ann)) == ("nothing", [])
    memories.add_or_update(ann, version("7.2"), MEASURED, host=web1, at=later(2))
    memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=later(3))
    assert values(memories.recent(ann)) == ["7.0"]


def test_a_person_may_say_again_what_they_called_wrong(ann: str) -> None:
    wrong = memories.add_or_update(ann, rule("English"), SAID, at=NOON).memory
    assert wrong
    memories.mark_wrong(wrong.id, ann, "web")
    assert memories.get(wrong.id, ann).state is MemoryState.WRONG  # type: ignore[union-attr]
    assert memories.add_or_update(ann, rule("English"), SAID, at=later(1)).kind == "added"


def test_what_was_wrong_can_be_restored(ann: str) -> None:
    wrong = memories.add_or_update(ann, rule("English"), SAID).memory
    assert wrong
    memories.mark_wrong(wrong.id, ann, "web")
    memories.restore(wrong.id, ann, "web")
    assert values(memories.recent(ann)) == ["English"]


def test_a_deleted_memory_is_gone_and_its_forerunner_stays_superseded(ann: str) -> None:
    old = memories.add_or_update(ann, rule("English"), SAID, at=NOON).memory
    new = memories.add_or_update(ann, rule("Xanadu"), SAID, at=later(1)).memory
    assert old and new
    memories.delete(new.id, ann, "web")
    assert memories.get(new.id, ann) is None
    assert memories.recent(ann) == []
    assert memories.restore(old.id, ann, "web").value == "English"
    with reading() as session:
        assert "xanadu" not in {*session.scalars(select(PostingRow.term))}
        assert {*session.scalars(select(LineRow.doc))} == {old.number}
    with pytest.raises(NotFoundError):
        memories.restore(new.id, ann, "web")


def test_forgetting_all_leaves_nothing_of_this_person_and_all_of_others(ann: str) -> None:
    bob = person("bob")
    fill_shelf(bob)
    for each in (ann, bob):
        memories.add_or_update(each, rule("English"), SAID, at=NOON)
        memories.add_or_update(each, rule("Chinese"), SAID, at=later(1))
    assert memories.forget_all(ann, "web") == 2
    assert memories.page(ann, state="all", limit=9).items == ()
    assert found(ann, "output language") == []
    assert found(bob, "output language") == ["Chinese"]


def test_a_withdrawal_itself_is_neither_restored_nor_edited(ann: str) -> None:
    memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=NOON)
    removal = memories.add_or_update(ann, rule("", "sudo", op=Op.REMOVE), SAID, at=later(1)).memory
    assert removal
    with pytest.raises(ConflictError):
        memories.restore(removal.id, ann, "web")
    with pytest.raises(ConflictError):
        memories.edit(removal.id, ann, value="x", channel="web")


# --- who sees what --------------------------------------------------------------------


def test_no_public_function_shows_or_changes_anothers_memory(ann: str) -> None:
    bob = person("bob")
    mine = memories.add_or_update(ann, rule("Xanadu"), SAID).memory
    web1 = host(ann)
    fact = memories.add_or_update(ann, version("9.9.9", "xanadu"), MEASURED, host=web1).memory
    assert mine and fact
    ids = [mine.id, fact.id]
    types = list(MemoryType)
    for reader in cast("list[str]", [bob, "", None]):
        assert memories.recent(reader) == []
        assert memories.newest(reader, "output language") is None
        assert [memories.get(each, reader) for each in ids] == [None, None]
        assert memories.of_ids(ids, reader) == []
        assert memories.page(reader, state="all", limit=9).items == ()
        assert memories.page(reader, host_id=web1.id, limit=9).items == ()
        assert memories.versions(mine.id, reader) == []
        assert memories.in_force(reader, Place(("web1",)), types=types) == []
        assert memories.recall(reader, Query("xanadu"), k=9) == []
        assert memories.recall(reader, Query("xanadu"), k=9, host_id=web1.id) == []
        assert memories.preference_version(reader) == 0
        assert list(memories.export(reader)) == []
        for each in ids:
            for change in (memories.delete, memories.restore, memories.mark_wrong):
                with pytest.raises(NotFoundError):
                    change(each, reader, "web")
            with pytest.raises(NotFoundError):
                memories.edit(each, reader, value="mine now", channel="web")
            with pytest.raises(NotFoundError):
                memories.share(each, reader, "", "web")
    with pytest.raises(NotFoundError):
        memories.add_or_update(bob, version("1"), MEASURED, host=web1)
    assert memories.forget_all(bob, "web") == 0
    assert {each.id for each in memories.recent(ann)} == set(ids)


def test_the_same_words_of_two_people_stay_apart(ann: str) -> None:
    bob = person("bob")
    fill_shelf(ann)
    fill_shelf(bob)
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(bob, rule("English"), SAID, at=NOON)
    memories.add_or_update(bob, rule("Chinese"), SAID, at=later(1))
    assert found(ann, "output language") == ["English"]
    assert found(bob, "output language") == ["Chinese"]
    assert memories.preference_version(ann) < memories.preference_version(bob)


def test_a_host_that_is_removed_takes_its_facts_out_of_reach(ann: str) -> None:
    web1 = host(ann)
    fact = memories.add_or_update(ann, version("7.0"), MEASURED, host=web1).memory
    assert fact
    hosts.remove(web1.id, ann)
    assert memories.get(fact.id, ann) is None
    assert memories.page(ann, state="all", limit=9).items == ()
    assert found(ann, "redis version") == []
    assert memories.in_force(ann, Place(("web1",)), types=list(MemoryType)) == []
    assert list(memories.export(ann)) == []
    memories.delete(fact.id, ann, "web")


def test_a_renamed_host_keeps_its_facts_under_its_new_name(ann: str) -> None:
    web1 = host(ann)
    memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=NOON)
    renamed = hosts.change(web1.id, ann, hosts.HostDraft("shop1", "10.0.0.1", "ops"))
    assert memories.recent(ann)[0].host == "shop1"
    again = memories.add_or_update(ann, version("7.0"), MEASURED, host=renamed, at=later(1))
    assert again.kind == "refreshed"


def shared_fact(ann: str, bob: str) -> str:
    for each in (ann, bob):
        groups.join("ops", each)
    fact = memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann)).memory
    assert fact
    memories.share(fact.id, ann, "ops", "web")
    return fact.id


def test_a_shared_fact_is_seen_by_members_who_have_the_same_machine(ann: str) -> None:
    bob, eve = person("bob"), person("eve")
    groups.join("ops", eve)
    fact = shared_fact(ann, bob)
    box = host(bob, "my-box")
    fill_shelf(bob)
    seen = memories.get(fact, bob)
    assert seen
    assert (seen.host, seen.host_id, seen.owner_id) == ("my-box", box.id, ann)
    assert values(memories.page(bob, host_id=box.id, limit=9).items) == ["7.0"]
    assert values(memories.page(bob, host_ids=[box.id], limit=9).items) == ["7.0"]
    assert memories.page(bob, host_ids=["elsewhere"], limit=9).items == ()
    assert found(bob, "redis version") == ["7.0"]
    assert found(bob, "redis version", host_id=box.id) == ["7.0"]
    place = Place(("my-box",))
    assert values(memories.in_force(bob, place, types=FACTS)) == ["7.0"]
    assert values(memories.versions(fact, bob)) == ["7.0"]
    assert memories.recent(bob, type=MemoryType.SOFTWARE_FACT) == []
    assert memories.get(fact, eve) is None


@pytest.mark.parametrize("ended_by", ["member", "owner", "host", "own host", "undone"])
def test_sharing_ends_with_any_of_its_grounds(ann: str, ended_by: str) -> None:
    bob = person("bob")
    fact = shared_fact(ann, bob)
    box = host(bob, "my-box")
    assert memories.get(fact, bob)
    match ended_by:
        case "member":
            groups.leave("ops", bob)
        case "owner":
            groups.leave("ops", ann)
        case "host":
            hosts.remove(hosts.within_reach(ann)[0].id, ann)
        case "own host":
            hosts.remove(box.id, bob)
        case "undone":
            memories.share(fact, ann, "", "web")
    assert memories.get(fact, bob) is None
    assert found(bob, "redis version") == []


def test_the_same_address_behind_another_hop_is_another_machine(ann: str) -> None:
    bob = person("bob")
    fact = shared_fact(ann, bob)
    hop = host(bob, "hop", "192.0.2.9")
    host(bob, "my-box", jump_id=hop.id)
    assert memories.get(fact, bob) is None


def test_only_facts_of_hosts_and_only_with_ones_own_groups_are_shared(ann: str) -> None:
    groups.join("ops", person("bob"))
    preference = memories.add_or_update(ann, rule("English"), SAID).memory
    fact = memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann)).memory
    assert preference and fact
    with pytest.raises(NotFoundError):
        memories.share(fact.id, ann, "ops", "web")
    groups.join("ops", ann)
    with pytest.raises(InvalidError):
        memories.share(preference.id, ann, "ops", "web")


def test_a_reader_of_a_shared_fact_changes_nothing_of_it_and_sees_no_message(ann: str) -> None:
    bob = person("bob")
    fact = shared_fact(ann, bob)
    host(bob, "my-box")
    seen = memories.get(fact, bob)
    assert seen
    assert (seen.source.message_id, seen.source.command_id) == (None, None)
    with pytest.raises(NotFoundError):
        memories.delete(fact, bob, "web")
    with pytest.raises(NotFoundError):
        memories.mark_wrong(fact, bob, "web")


def test_a_newer_measurement_stays_shared(ann: str) -> None:
    bob = person("bob")
    shared_fact(ann, bob)
    host(bob, "my-box")
    memories.add_or_update(ann, version("7.2"), MEASURED, host=hosts.within_reach(ann)[0])
    assert values(memories.page(bob, limit=9).items) == ["7.2"]


# --- out and in again -----------------------------------------------------------------


def test_what_is_exported_comes_in_again_as_it_was(ann: str) -> None:
    web1 = host(ann)
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1))
    memories.add_or_update(ann, rule("yes", "sudo"), SAID, at=NOON)
    memories.add_or_update(ann, rule("", "sudo", op=Op.REMOVE), SAID, at=later(1))
    memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=NOON)
    memories.add_or_update(ann, case("a full disk", "rotate"), SAID, at=NOON)
    wrong = memories.add_or_update(ann, rule("vim", "editor"), SAID, at=NOON).memory
    assert wrong
    memories.mark_wrong(wrong.id, ann, "web")

    def told() -> list[dict[str, object]]:
        return [
            {k: v for k, v in each.items() if k not in ("id", "superseded_by")}
            for each in memories.export(ann)
        ]

    before, lines = told(), [json.dumps(each) for each in memories.export(ann)]
    memories.forget_all(ann, "web")
    assert memories.take_in(ann, lines, "api").new == 7
    assert told() == before
    assert memories.take_in(ann, lines, "api").known == 7
    assert told() == before


def test_a_broken_line_is_told_with_its_number_and_the_rest_goes_on(ann: str) -> None:
    good = '{"type": "USER_PREFERENCE", "subject": "editor", "value": "vim", '
    good += '"content": "vim please", "at": "2026-03-01T12:00:00Z"}'
    secret = good.replace("vim please", "password=Hq7vR2mZx9Lw")
    taken, refused = memories.take_in(
        ann,
        [
            "{",
            "",
            good,
            good.replace("USER_PREFERENCE", "WISH"),
            secret,
            good.replace("}", ', "host": "nowhere"}'),
            good.replace("vim please", "x" * 5000),
            good.replace("2026", "2999"),
            "[]",
            good.replace("Z", ""),
        ],
        "api",
    )
    assert taken == 1
    assert [line.split(":")[0] for line in refused] == [
        f"Line {number}" for number in (1, 4, 5, 6, 7, 8, 9, 10)
    ]
    assert not any("Hq7vR2mZx9Lw" in line for line in refused)
    assert values(memories.recent(ann)) == ["vim"]


def test_what_comes_in_is_settled_against_what_is_there(ann: str) -> None:
    line = '{"type": "USER_PREFERENCE", "subject": "output language", "value": "English", '
    line += '"content": "English please", "at": "2026-03-01T12:00:00Z"}'
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(5))
    memories.take_in(ann, [line], "api")
    assert values(memories.recent(ann)) == ["Chinese"]


WISH = {
    "type": "USER_PREFERENCE",
    "subject": "editor",
    "value": "vim",
    "content": "vim please",
    "at": "2026-03-01T12:00:00Z",
}


def line_of(**other: object) -> str:
    return json.dumps(WISH | other)


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "9999-12-31T00:00:00Z", "soon"]
)
@pytest.mark.parametrize("name", ["at", "proved_at", "expires_at"])
def test_a_date_at_the_edge_is_told_with_its_line_and_the_rest_goes_on(
    ann: str, name: str, at: str
) -> None:
    taken, refused = memories.take_in(ann, [line_of(**{name: at}), line_of()], "api")
    assert taken == 1
    assert len(refused) == 1
    assert refused[0].startswith("Line 1: ")


@pytest.mark.parametrize(
    "other",
    [
        {"host": "a\0b"},
        {"host": "\ud800"},
        {"shared_with": "\0"},
        {"value": "\0"},
        {"confidence": float("nan")},
    ],
)
def test_no_line_keeps_the_others_out(ann: str, other: dict[str, object]) -> None:
    got = memories.take_in(ann, [line_of(subject="shell", **other), line_of()], "api")
    assert got.taken + len(got.refused) == 2
    assert "vim" in values(memories.recent(ann))


def test_a_number_without_end_is_told_with_its_line(ann: str) -> None:
    line = line_of().replace('"2026-03-01T12:00:00Z"', "9" * 5000)
    assert memories.take_in(ann, [line], "api").refused == ["Line 1: it is not one JSON object."]


def test_an_older_line_does_not_undo_that_it_was_called_wrong_here(ann: str) -> None:
    memories.take_in(ann, [line_of()], "api")
    memories.mark_wrong(memories.recent(ann)[0].id, ann, "web")
    got = memories.take_in(ann, [line_of()], "api")
    assert (got.new, got.known, got.refused) == (0, 1, [])
    assert memories.recent(ann) == []


def test_a_newer_line_says_it_again_after_it_was_called_wrong(ann: str) -> None:
    memories.take_in(ann, [line_of()], "api")
    memories.mark_wrong(memories.recent(ann)[0].id, ann, "web")
    with writing() as session:
        row = session.scalars(select(MemoryRow)).one()
        row.wrong_at = later(-5)
    assert memories.take_in(ann, [line_of()], "api").new == 1


def test_others_see_and_write_while_many_lines_come_in(ann: str) -> None:
    seen = []

    def told() -> Iterable[str]:
        for number in range(35):
            if number == 30:
                seen.append(len(memories.recent(ann, 500)))
                memories.add_or_update(ann, rule("English"), SAID, patience_ms=50)
            yield line_of(subject=f"thing {number}")

    assert memories.take_in(ann, told(), "api").new == 35
    assert 0 < seen[0] <= 30


def test_a_page_shows_what_is_bound_to_some_hosts_alone(ann: str) -> None:
    web1, db1, nas1 = (host(ann, name) for name in ("web1", "db1", "nas1"))
    for number, each in enumerate((web1, db1, nas1)):
        memories.add_or_update(ann, version(f"7.{number}"), MEASURED, host=each)
    memories.add_or_update(ann, rule("English"), SAID)
    page = memories.page(ann, host_ids=[web1.id, nas1.id], limit=9)
    assert values(page.items) == ["7.2", "7.0"]
    assert memories.page(ann, host_ids=[], limit=9).items == ()
    assert memories.page(person("bob"), host_ids=[web1.id], limit=9).items == ()


def test_what_a_message_taught_is_told_as_long_as_it_counts(ann: str) -> None:
    said = Source(Origin.USER, message_id="m1")
    first = memories.add_or_update(ann, rule("vim", "editor"), said, at=NOON).memory
    memories.add_or_update(ann, rule("yes", "sudo"), said, at=NOON)
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    assert first
    assert values(memories.taught_by(ann, "m1")) == ["vim", "yes"]
    memories.mark_wrong(first.id, ann, "web")
    assert values(memories.taught_by(ann, "m1")) == ["yes"]
    assert memories.taught_by(person("bob"), "m1") == []


def test_the_newest_of_a_host_is_not_that_of_another(ann: str) -> None:
    kind = MemoryType.SOFTWARE_FACT
    web1, db1 = host(ann, "web1"), host(ann, "db1")
    memories.add_or_update(ann, version("7.0"), MEASURED, host=web1, at=NOON)
    memories.add_or_update(ann, version("7.2"), MEASURED, host=db1, at=later(1))
    newest = memories.newest(ann, "redis", type=kind, host_id=web1.id)
    assert newest
    assert newest.value == "7.0"
    assert memories.newest(ann, "redis", type=kind, host_id="elsewhere") is None
