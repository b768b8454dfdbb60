"""Core memory: short blocks in versions, changed by the person, proposed by the agent."""

import pytest
from flask import Flask
from sqlalchemy import func, select

from tests.world import World
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.memory import core
from walissh.memory.entry import Block
from walissh.store import audit, core_memory, people
from walissh.store.database import reading
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
