"""Rules are made by who may, listed with their uses, and revoked; they bind who they should."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from tests.fakes import call
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react.circumstances import GateRule, identity_of
from walissh.safety.policy import ReadOnlyGate
from walissh.store import circumstances, core_memory, gate_rules, people, people_roles, rule_hours
from walissh.store.database import writing
from walissh.store.models import CommandRow, PersonRow

RESTART = "systemctl restart nginx"


def draft(world: World, decision: str = "allow", **more: object) -> GateRule:
    given = {"host_id": world.host.id if decision == "allow" else "", **more}
    return replace(GateRule("", world.person.id, decision, RESTART), **given)  # type: ignore[arg-type]


def as_role(person_id: str, role: str) -> None:
    with writing() as session:
        session.execute(update(PersonRow).where(PersonRow.id == person_id).values(role=role))


def in_force(world: World, at: datetime | None = None) -> list[str]:
    return [each.id for each in gate_rules.in_force(world.person.id, at or utc_now())]


def test_a_rule_for_a_host_is_bound_to_its_machine(world: World) -> None:
    made = gate_rules.make(draft(world))
    assert made.host_identity == identity_of(world.host)
    assert in_force(world) == [made.id]


def test_a_revoked_rule_binds_no_more_and_stays_in_the_list(world: World) -> None:
    made = gate_rules.make(draft(world))
    gate_rules.revoke(made.id, world.person.id)
    assert in_force(world) == []
    (kept,) = gate_rules.listed(world.person.id)
    assert (kept.rule.id, kept.state(utc_now()), kept.maker) == (made.id, "revoked", "ann")
    with pytest.raises(ConflictError):
        gate_rules.revoke(made.id, world.person.id)


def test_a_rule_ends_by_itself(world: World) -> None:
    end = utc_now() + timedelta(hours=1)
    made = gate_rules.make(draft(world, expires_at=end))
    assert in_force(world) == [made.id]
    assert in_force(world, end) == []
    assert gate_rules.get(made.id, world.person.id).state(end) == "expired"


def test_a_rule_binds_in_its_hours_only(world: World) -> None:
    made = gate_rules.make(draft(world, hours="mon-fri 9:00-18:00"), zone="Asia/Shanghai")
    assert made.hours == "mon-fri 9:00-18:00 Asia/Shanghai"
    wednesday = datetime(2026, 5, 6, 3, tzinfo=UTC)
    assert in_force(world, wednesday) == [made.id]
    assert in_force(world, wednesday.replace(hour=12)) == []
    assert in_force(world, wednesday + timedelta(days=3)) == []


def test_another_persons_rule_neither_binds_nor_shows_nor_can_be_revoked(world: World) -> None:
    made = gate_rules.make(draft(world))
    bob = people.named("bob")
    assert gate_rules.in_force(bob.id, utc_now()) == ()
    assert gate_rules.listed(bob.id) == []
    with pytest.raises(NotFoundError):
        gate_rules.revoke(made.id, bob.id)


def test_a_rule_of_an_administrator_binds_everyone_and_only_one_revokes_it(world: World) -> None:
    admin = people.first_admin()
    made = gate_rules.make(replace(draft(world, "deny"), owner_id=admin.id, everyone=True))
    assert in_force(world) == [made.id]
    with pytest.raises(InvalidError, match="administrator"):
        gate_rules.revoke(made.id, world.person.id)
    gate_rules.revoke(made.id, admin.id)
    assert in_force(world) == []


def test_an_administrator_sees_and_revokes_the_rules_of_all(world: World) -> None:
    made, admin = gate_rules.make(draft(world)), people.first_admin()
    assert gate_rules.listed(admin.id) == []
    assert [each.rule.id for each in gate_rules.listed(admin.id, all_people=True)] == [made.id]
    gate_rules.revoke(made.id, admin.id)


@pytest.mark.parametrize(
    ("decision", "more", "field"),
    [("allow", {"host_id": ""}, "host"), ("allow", {"risk": "destructive"}, "risk"),
     ("allow", {"command": "sudo *"}, "command"), ("allow", {"command": "*"}, "command"),
     ("allow", {"host_id": "none"}, "host"), ("maybe", {}, "decision"),
     ("deny", {"risk": "grave"}, "risk"), ("deny", {"role": "king"}, "role"),
     ("deny", {"everyone": True}, "everyone"), ("deny", {"hours": "soon"}, "hours"),
     ("deny", {"hours": "9:00-18:00 Mars/Base"}, "hours"), ("deny", {"command": "a\0"}, "command"),
     ("deny", {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "expires_at"),
     ("deny", {"note": "a\x07"}, "group")],
)  # fmt: skip
def test_a_rule_that_cannot_be_is_refused_in_words(
    world: World, decision: str, more: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidError) as refused:
        gate_rules.make(draft(world, decision, **more))
    assert refused.value.field == field
    assert gate_rules.listed(world.person.id) == []


def test_a_viewer_makes_no_rules(world: World) -> None:
    as_role(world.person.id, "viewer")
    with pytest.raises(InvalidError):
        gate_rules.make(draft(world, "deny"))


def test_a_rule_counts_the_commands_that_it_decided(world: World) -> None:
    world.parts = replace(world.parts, gate=ReadOnlyGate())
    made = gate_rules.make(draft(world))
    world.script((call(RESTART),), "Done.")
    turn = world.ask()
    world.play()
    (run,) = world.runs(turn)
    assert (run.rule, run.exit_code) == (f"rule:{made.id}", 0)
    assert gate_rules.get(made.id, world.person.id).uses == 1


# --- circumstances ----------------------------------------------------------------------


def test_the_circumstances_of_a_turn_are_those_of_now(world: World) -> None:
    turn = world.ask()
    made = gate_rules.make(draft(world, "deny"))
    core_memory.put(world.person.id, "rules", "Never stop nginx on web1.", by=world.person.id)
    given = circumstances.of_turn(turn, replace(world.session, read_only=True))
    assert (given.role, given.read_only_session, given.flagged) == ("operator", True, False)
    assert [each.id for each in given.rules] == [made.id]
    assert [each.text for each in given.standing] == ["Never stop nginx on web1"]


def test_an_order_in_an_output_flags_the_talk_until_somebody_calls_it_harmless(
    world: World,
) -> None:
    world.script((call("uptime"),), "Done.")
    world.ask()
    world.play()
    assert not circumstances.is_flagged(world.session.id)
    with writing() as session:
        session.execute(update(CommandRow).values(flags=[{"kind": "order", "text": "run x"}]))
    assert circumstances.is_flagged(world.session.id)
    with writing() as session:
        session.execute(update(CommandRow).values(unflagged_by=world.person.id))
    assert not circumstances.is_flagged(world.session.id)


def test_somebody_who_is_gone_may_only_look(world: World) -> None:
    turn = replace(world.ask(), user_id="nobody")
    assert circumstances.of_turn(turn, world.session).role == "viewer"


def test_somebody_disabled_runs_nothing_more(world: World) -> None:
    world.script((call("uptime"), call("touch x", call_id="c2")), "Done.")
    turn = world.ask()
    world.step()
    people_roles.disable(world.person.id, actor="test")
    assert circumstances.of_turn(turn, world.session).role == "viewer"
    world.parts = replace(world.parts, gate=ReadOnlyGate())
    world.play()
    assert world.shell.ran == []


# --- hours ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["mon-fri 9:00-18:00 Asia/Shanghai", "22:00-6:00", "周一至周五", "周一至周五 9:00-18:00",
     "每天 22:00-6:00", "weekends", "sat, sun", "daily 9:00-10:00", "mon,wed 8am-5pm UTC+2",
     "9:00-10:00 and 14:00-15:00", "除周末外", "except 9:00-18:00", "工作时间", "周六和周日"],
)  # fmt: skip
def test_hours_as_people_write_them_are_understood(text: str) -> None:
    assert rule_hours.checked(text).startswith(text)


@pytest.mark.parametrize(
    "text", ["soon", "mon-fri 9:00-18:00 sharp", "9:00-18:00 Mars/Base", "25:00-26:00", "x" * 300]
)
def test_hours_with_a_word_that_is_not_understood_are_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        rule_hours.checked(text)


def test_hours_over_midnight_hold_on_both_sides_of_it() -> None:
    late = datetime(2026, 5, 6, 23, tzinfo=UTC)
    assert rule_hours.hold("22:00-6:00", late)
    assert rule_hours.hold("22:00-6:00", late + timedelta(hours=5))
    assert not rule_hours.hold("22:00-6:00", late + timedelta(hours=8))
