"""Core memory: short blocks in versions, changed by the person, proposed by the agent."""

from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select

from tests.world import World
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.memory import core
from walissh.memory.entry import Block
from walissh.store import audit, core_memory, memory_events, people
from walissh.store.database import db, reading
from walissh.store.models import AuditRow


@pytest.fixture
def ann(world: World) -> str:
    """The id of a person."""
    return world.person.id


def write(user_id: str, content: str, block: str = "me", base: int | None = None) -> Block:
    return core_memory.put(user_id, block, content, by=user_id, base_version=base)


def test_a_block_that_was_never_written_is_empty(ann: str) -> None:
    assert core_memory.get(ann, "fleet") == Block("fleet", "", 0)
    assert [each.name for each in core_memory.current(ann)] == list(core.BLOCKS)


def test_what_is_written_is_in_force_at_once(ann: str) -> None:
    written = write(ann, "I look after the printers.\r\n")
    assert (written.content, written.version) == ("I look after the printers.", 1)
    assert core_memory.get(ann, "me") == written


def test_each_change_is_a_version_and_none_is_lost(ann: str) -> None:
    write(ann, "one")
    write(ann, "two")
    assert [each.content for each in core_memory.versions(ann, "me")] == ["two", "one"]


def test_the_same_content_again_is_no_version(ann: str) -> None:
    write(ann, "one")
    assert write(ann, "one ").version == 1
    assert len(core_memory.versions(ann, "me")) == 1


def test_a_change_on_top_of_an_older_version_is_refused(ann: str) -> None:
    write(ann, "one")
    write(ann, "two")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        write(ann, "three", base=1)
    assert write(ann, "three", base=2).version == 3


def test_a_first_version_is_written_on_top_of_nothing(ann: str) -> None:
    assert write(ann, "one", base=0).version == 1
    with pytest.raises(ConflictError):
        write(ann, "other", base=0)


def test_an_earlier_version_comes_back_as_a_new_one(ann: str) -> None:
    write(ann, "one")
    write(ann, "two")
    assert core_memory.restore(ann, "me", 1).content == "one"
    last = core_memory.versions(ann, "me")[0]
    assert (last.version, last.reason) == (3, "restored version 1")


def test_a_block_can_be_emptied(ann: str) -> None:
    write(ann, "one")
    assert write(ann, "").content == ""


# --- proposals ----------------------------------------------------------------------------


def test_a_proposal_counts_for_nothing_until_it_is_confirmed(ann: str) -> None:
    write(ann, "one")
    proposed = core_memory.propose(ann, "me", "one, two", "you said so")
    assert core_memory.get(ann, "me").content == "one"
    assert core_memory.proposals(ann) == [proposed]
    assert core_memory.confirm(ann, "me", proposed.version).content == "one, two"
    assert core_memory.proposals(ann) == []


def test_a_rejected_proposal_is_kept_and_never_in_force(ann: str) -> None:
    proposed = core_memory.propose(ann, "rules", "never reboot nas7", "")
    core_memory.reject(ann, "rules", proposed.version)
    assert core_memory.get(ann, "rules").version == 0
    assert core_memory.versions(ann, "rules")[0].rejected_at is not None
    with pytest.raises(ConflictError, match="never in force"):
        core_memory.restore(ann, "rules", proposed.version)


def test_a_proposal_is_decided_once(ann: str) -> None:
    proposed = core_memory.propose(ann, "me", "two", "")
    core_memory.confirm(ann, "me", proposed.version)
    with pytest.raises(ConflictError, match="does not wait"):
        core_memory.reject(ann, "me", proposed.version)


def test_a_proposal_does_not_undo_a_later_change(ann: str) -> None:
    proposed = core_memory.propose(ann, "me", "two", "")
    write(ann, "by hand")
    with pytest.raises(ConflictError, match="would undo"):
        core_memory.confirm(ann, "me", proposed.version)
    assert core_memory.get(ann, "me").content == "by hand"


def test_the_same_proposal_again_waits_once(ann: str) -> None:
    first = core_memory.propose(ann, "me", "two", "a")
    assert core_memory.propose(ann, "me", "two", "b") == first
    assert len(core_memory.proposals(ann)) == 1


# --- what may stand in it -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x" * (core.MAX_CHARS + 1), "2001 characters"),
        ("a\0b", "NUL"),
        ("half a pair \ud800", "Unicode"),
        ("fine\npassword=Tr0ub4dor-and-3", "Line 2 holds a secret"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n", "secret"),
    ],
)
def test_what_may_not_be_kept_is_refused(ann: str, content: str, said: str) -> None:
    with pytest.raises(InvalidError, match=said) as refused:
        write(ann, content)
    assert "Tr0ub4dor" not in str(refused.value)
    with pytest.raises(InvalidError):
        core_memory.propose(ann, "me", content, "")
    assert core_memory.versions(ann, "me") == []


def test_a_block_may_be_filled_to_its_limit(ann: str) -> None:
    assert len(write(ann, "好" * core.MAX_CHARS).content) == core.MAX_CHARS


def test_another_block_than_the_three_does_not_exist(ann: str) -> None:
    with pytest.raises(NotFoundError, match="me, fleet, rules"):
        write(ann, "x", block="secrets")
    with pytest.raises(NotFoundError):
        core_memory.confirm(ann, "me", 7)


# --- whose it is --------------------------------------------------------------------------


def test_nobody_reaches_the_blocks_of_another_person(ann: str) -> None:
    eve = people.named("eve").id
    write(ann, "one")
    proposed = core_memory.propose(ann, "me", "two", "")
    assert core_memory.get(eve, "me").version == 0
    assert core_memory.versions(eve, "me") == core_memory.proposals(eve) == []
    for attempt in (core_memory.confirm, core_memory.reject, core_memory.restore):
        with pytest.raises(NotFoundError):
            attempt(eve, "me", proposed.version)
    assert core_memory.get(ann, "me").content == "one"


def test_a_change_is_in_the_audit_trail_by_digest(ann: str, database_app: Flask) -> None:
    write(ann, "never reboot nas7", block="rules")
    with reading() as session:
        row = session.scalars(select(AuditRow).where(AuditRow.kind == "core_memory_changed")).one()
        count = session.scalar(select(func.count()).select_from(AuditRow))
    assert count
    assert row.facts == {
        "block": "rules",
        "version": 1,
        "content": audit.digest_of("never reboot nas7"),
    }
    assert audit.first_broken() is None


def test_blocks_have_titles_in_both_languages() -> None:
    assert core.title("rules", "zh") == "常备规则"
    assert core.title("fleet", "en") == "About my fleet"


# --- what is told, and what is erased -----------------------------------------------------


def told(user_id: str) -> list[tuple[str, str, bool]]:
    events = memory_events.latest(user_id)
    assert {each.kind for each in events} <= {"profile_update"}
    return [
        (str(each.payload["outcome"]), each.channel, each.changes_preference) for each in events
    ]


def test_a_change_of_the_rules_is_told_to_running_tasks(ann: str) -> None:
    before = memory_events.preference_version(ann)
    core_memory.put(ann, "rules", "never reboot nas7", by=ann, channel="api")
    assert told(ann) == [("changed", "api", True)]
    assert memory_events.preference_version(ann) > before


def test_a_change_of_another_block_is_told_and_outdates_nothing(ann: str) -> None:
    write(ann, "one")
    assert told(ann) == [("changed", "web", False)]


def test_a_proposal_outdates_nothing_until_it_is_confirmed(ann: str) -> None:
    proposed = core_memory.propose(ann, "rules", "never reboot nas7", "")
    assert told(ann) == [("proposed", "agent", False)]
    core_memory.confirm(ann, "rules", proposed.version)
    assert told(ann)[0] == ("confirmed", "web", True)


def test_a_rejection_is_told_and_outdates_nothing(ann: str) -> None:
    proposed = core_memory.propose(ann, "rules", "never reboot nas7", "")
    core_memory.reject(ann, "rules", proposed.version, channel="api")
    assert told(ann)[0] == ("rejected", "api", False)


def test_what_changes_nothing_is_not_told(ann: str) -> None:
    write(ann, "one")
    write(ann, "one")
    assert len(told(ann)) == 1


def test_all_blocks_come_as_they_are_in_force(ann: str) -> None:
    write(ann, "one")
    write(ann, "two")
    write(ann, "web and db", block="fleet")
    core_memory.propose(ann, "me", "three", "")
    core_memory.put(people.named("bob").id, "rules", "bob's", by="bob")
    assert core_memory.current(ann) == [core_memory.get(ann, name) for name in core.BLOCKS]


@pytest.mark.parametrize(
    "content", ["I am ann.\nmy db pw is winterapples", "sudo 密码 plum7788", "root/Teap0t!42 登录"]
)
def test_a_secret_told_in_talk_is_refused(ann: str, content: str) -> None:
    if "登录" in content:
        content = f"用 {content}"
    with pytest.raises(InvalidError, match="holds a secret"):
        write(ann, content)
    assert core_memory.versions(ann, "me") == []


def test_the_line_of_a_secret_is_named(ann: str) -> None:
    with pytest.raises(InvalidError, match=r"^Line 3 "):
        write(ann, "I am ann.\n\nmy db pw is winterapples\nthe pin is 99217")


def test_an_erased_version_is_gone_from_table_and_files(ann: str) -> None:
    write(ann, "tulips grow here")
    write(ann, "two")
    core_memory.erase_version(ann, "me", 1)
    assert [each.version for each in core_memory.versions(ann, "me")] == [2]
    assert core_memory.get(ann, "me").content == "two"
    assert told(ann)[0] == ("erased", "web", False)
    if db.engine.dialect.name == "sqlite":
        file = Path(db.engine.url.database or "")
        files = [file, file.with_name(f"{file.name}-wal")]
        assert not any(b"tulips grow" in each.read_bytes() for each in files if each.exists())


def test_the_version_in_force_is_not_erased(ann: str) -> None:
    write(ann, "one")
    with pytest.raises(ConflictError, match="in force"):
        core_memory.erase_version(ann, "me", 1)


def test_a_proposal_is_decided_before_it_is_erased(ann: str) -> None:
    proposed = core_memory.propose(ann, "me", "one", "you said so")
    with pytest.raises(ConflictError, match="waits for your decision"):
        core_memory.erase_version(ann, "me", proposed.version)


def test_the_number_of_an_erased_proposal_is_never_used_again(ann: str) -> None:
    proposed = core_memory.propose(ann, "me", "one", "you said so")
    core_memory.reject(ann, "me", proposed.version)
    core_memory.erase_version(ann, "me", proposed.version)
    [left] = core_memory.versions(ann, "me")
    assert (left.content, left.reason) == ("", "")
    assert core_memory.propose(ann, "me", "two", "").version == proposed.version + 1


def test_nobody_erases_a_version_of_another(ann: str) -> None:
    write(ann, "one")
    write(ann, "two")
    with pytest.raises(NotFoundError):
        core_memory.erase_version(people.named("bob").id, "me", 1)
    assert len(core_memory.versions(ann, "me")) == 2
