"""Events of memory: one for each change, without its text, and an outbox of preferences."""

import json
from typing import cast

import pytest
from flask import Flask

from tests.remembered import MEASURED, NOON, SAID, case, host, later, person, rule, version
from walissh.errors import InvalidError
from walissh.memory.entry import Channel, Memory, MemoryType, Op, Source
from walissh.store import groups, memories, memory_events
from walissh.store.database import writing
from walissh.store.memories import Change
from walissh.store.memory_events import Access, Feedback, Profile


@pytest.fixture
def ann(database_app: Flask) -> str:
    return person("ann")


def kept(change: Change) -> Memory:
    assert change.memory is not None
    return change.memory


def kinds(user_id: str) -> list[str]:
    return [each.kind for each in memory_events.latest(user_id)]


def outcomes(user_id: str) -> list[object]:
    return [each.payload.get("outcome") for each in memory_events.latest(user_id)]


def test_each_type_has_its_kind_of_event(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID)
    memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann))
    memories.add_or_update(ann, case("a full disk", "rotate"), SAID)
    assert kinds(ann) == ["case_closed", "fact_observed", "preference_set"]


def test_each_way_a_write_goes_is_told(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, rule("English"), SAID, at=later(1))
    new = kept(memories.add_or_update(ann, rule("Chinese"), SAID, at=later(2)))
    memories.add_or_update(ann, rule("German"), SAID, at=NOON)
    memories.edit(new.id, ann, value="French", channel="web")
    memories.add_or_update(ann, rule("", op=Op.REMOVE), SAID)
    assert outcomes(ann) == ["removed", "edited", "kept", "superseded", "refreshed", "added"]


def test_what_a_person_does_is_told_with_its_channel(ann: str) -> None:
    fact = kept(memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann)))
    groups.join("ops", ann)
    memories.share(fact.id, ann, "ops", "api")
    memories.mark_wrong(fact.id, ann, "web")
    memories.restore(fact.id, ann, "api")
    memories.mark_helped([fact.id], ann)
    memories.delete(fact.id, ann, "web")
    told = [(each.kind, each.channel) for each in memory_events.latest(ann)]
    assert told == [
        ("memory_deleted", "web"),
        ("feedback_given", "agent"),
        ("memory_restored", "api"),
        ("feedback_given", "web"),
        ("memory_shared", "api"),
        ("fact_observed", "agent"),
    ]


def test_doing_it_twice_is_one_event(ann: str) -> None:
    memory = kept(memories.add_or_update(ann, rule("English"), SAID))
    memories.mark_wrong(memory.id, ann, "web")
    memories.mark_wrong(memory.id, ann, "web")
    memories.restore(memory.id, ann, "web")
    memories.restore(memory.id, ann, "web")
    assert kinds(ann) == ["memory_restored", "feedback_given", "preference_set"]


def test_a_refused_write_leaves_no_event(ann: str) -> None:
    with pytest.raises(InvalidError):
        memories.add_or_update(ann, rule("x" * 3000), SAID)
    assert memory_events.latest(ann) == []


def test_no_event_holds_a_word_of_the_memory(ann: str) -> None:
    memory = kept(memories.add_or_update(ann, rule("Xanadu", "Kubla"), SAID))
    memories.edit(memory.id, ann, content="Xanadu it is", channel="web")
    memories.forget_all(ann, "web")
    told = json.dumps([dict(each.payload) for each in memory_events.latest(ann)])
    assert "Xanadu" not in told
    assert "Kubla" not in told


def test_events_of_one_memory_outlive_it(ann: str) -> None:
    memory = kept(memories.add_or_update(ann, rule("English"), SAID))
    memories.add_or_update(ann, rule("vim", "editor"), SAID)
    memories.delete(memory.id, ann, "web")
    page = memory_events.page(ann, 9, memory_id=memory.id)
    assert [each.kind for each in page.items] == ["memory_deleted", "preference_set"]


def test_a_page_says_where_to_go_on(ann: str) -> None:
    for number in range(4):
        memories.add_or_update(ann, rule("x", f"subject {number}"), SAID)
    first = memory_events.page(ann, 3)
    rest = memory_events.page(ann, 3, before=first.next)
    assert (len(first.items), len(rest.items), rest.next) == (3, 1, None)


# --- the version of the preferences ---------------------------------------------------


def test_the_version_grows_with_each_change_of_a_preference(ann: str) -> None:
    seen = [memories.preference_version(ann)]
    memory = kept(memories.add_or_update(ann, rule("English"), SAID, at=NOON))
    seen.append(memories.preference_version(ann))
    newer = memories.edit(memory.id, ann, value="Chinese", channel="web")
    seen.append(memories.preference_version(ann))
    memories.mark_wrong(newer.id, ann, "web")
    seen.append(memories.preference_version(ann))
    memories.restore(memory.id, ann, "web")
    seen.append(memories.preference_version(ann))
    memories.delete(memory.id, ann, "web")
    seen.append(memories.preference_version(ann))
    assert seen[0] == 0
    assert seen == sorted(set(seen))


def test_what_changes_no_preference_leaves_the_version(ann: str) -> None:
    memory = kept(memories.add_or_update(ann, rule("English"), SAID, at=NOON))
    version_before = memories.preference_version(ann)
    memories.add_or_update(ann, rule("English"), SAID, at=later(1))
    memories.add_or_update(ann, rule("Chinese"), Source(SAID.origin), at=NOON)
    memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann))
    memories.mark_helped([memory.id], ann)
    memories.note_recalled([memory.id], ann, NOON)
    memories.add_or_update(person("bob"), rule("German"), SAID)
    assert memories.preference_version(ann) == version_before


def test_the_outbox_gives_each_change_of_a_preference_until_it_is_told(ann: str) -> None:
    memories.add_or_update(ann, rule("English"), SAID, at=NOON)
    memories.add_or_update(ann, version("7.0"), MEASURED, host=host(ann))
    memories.add_or_update(ann, rule("Chinese"), SAID, at=later(1))
    waiting = memory_events.unpublished(9)
    assert [each.payload["outcome"] for each in waiting] == ["added", "superseded"]
    assert {each.user_id for each in waiting} == {ann}
    assert memory_events.mark_published([waiting[0].id]) == 1
    assert memory_events.mark_published([waiting[0].id]) == 0
    assert [each.id for each in memory_events.unpublished(9)] == [waiting[1].id]


# --- payloads -------------------------------------------------------------------------


def test_another_stores_event_goes_along_with_its_change(ann: str) -> None:
    with writing() as session:
        profile = Profile(block="rules", version=2, by="ann")
        memory_events.append(session, ann, "profile_update", "web", profile)
        memory_events.append(session, ann, "document_access", "agent", Access(document_id="d1"))
    assert kinds(ann) == ["document_access", "profile_update"]


def test_a_payload_of_another_kind_is_refused(ann: str) -> None:
    verdict = Feedback(type=MemoryType.USER_PREFERENCE, verdict="wrong")
    with writing() as session, pytest.raises(TypeError):
        memory_events.append(session, ann, "case_closed", "web", verdict)


def test_a_payload_takes_no_field_that_its_schema_lacks() -> None:
    with pytest.raises(ValueError, match="content"):
        Feedback.model_validate(
            {"type": "USER_PREFERENCE", "verdict": "wrong", "content": "the text"}
        )


@pytest.mark.parametrize("reader", ["bob", "", None])
def test_nobody_sees_anothers_events(ann: str, reader: str | None) -> None:
    memory = kept(memories.add_or_update(ann, rule("English"), SAID))
    who = cast("str", person("bob") if reader == "bob" else reader)
    assert memory_events.latest(who) == []
    assert memory_events.page(who, 9, memory_id=memory.id).items == ()
    assert memory_events.preference_version(who) == 0


@pytest.mark.parametrize("channel", ["web", "api", "agent"])
def test_the_channel_of_a_write_is_that_of_its_source(ann: str, channel: Channel) -> None:
    memories.add_or_update(ann, rule("English"), Source(SAID.origin, channel))
    assert memory_events.latest(ann)[0].channel == channel
