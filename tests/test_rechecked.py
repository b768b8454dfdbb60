"""What was approved is judged once more before it runs, and an approval may bring a rule."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import update

from tests.fakes import call
from tests.world import World
from walissh.errors import ConflictError, InvalidError
from walissh.react import ruling
from walissh.react.circumstances import GateRule, HostGate
from walissh.react.turn import CommandRun, CommandStatus, Turn, TurnStatus
from walissh.safety.policy import ReadOnlyGate
from walissh.store import core_memory, gate_rules, hosts, sessions
from walissh.store.database import writing
from walissh.store.hosts import HostDraft
from walissh.store.models import CommandRow, HostRow, PersonRow

RESTART = "systemctl restart nginx"


@pytest.fixture
def gated(world: World) -> World:
    """The world with the real gate."""
    world.parts = replace(world.parts, gate=ReadOnlyGate())
    return world


def asked(world: World, command: str) -> Turn:
    """Have *command* proposed, and leave what is queued for it undone."""
    world.script((call(command),), "Done.")
    turn = world.ask()
    world.step()
    return turn


def run_of(world: World, turn: Turn) -> CommandRun:
    (run,) = world.runs(turn)
    return run


def make_read_only(world: World) -> None:
    sessions.change(world.session.id, world.person.id, read_only=True)


def make_viewer(world: World) -> None:
    with writing() as session:
        session.execute(
            update(PersonRow).where(PersonRow.id == world.person.id).values(role="viewer")
        )


def set_gate(world: World, gate: HostGate) -> None:
    draft = HostDraft("web1", "127.0.0.1", "ops", gate=gate)
    hosts.change(world.host.id, world.person.id, draft)


def forbid(world: World) -> None:
    gate_rules.make(GateRule("", world.person.id, "deny", "systemctl restart *"))


def rule_out(world: World) -> None:
    me = world.person.id
    core_memory.put(me, "rules", "Never restart nginx.", by=me)


CHANGES: list[Callable[[World], None]] = [
    make_read_only,
    make_viewer,
    lambda world: set_gate(world, HostGate.READ_ONLY),
    forbid,
    rule_out,
]
NAMES = ["session", "role", "host", "rule", "standing"]


@pytest.mark.parametrize("change", CHANGES, ids=NAMES)
def test_what_was_approved_and_is_refused_by_now_never_runs(
    gated: World, change: Callable[[World], None]
) -> None:
    turn = asked(gated, RESTART)
    gated.approve(run_of(gated, turn))
    change(gated)
    gated.play()
    run = run_of(gated, turn)
    assert (run.status, gated.shell.ran) == (CommandStatus.EXPIRED, [])
    assert run.error and gated.turn(turn).status is TurnStatus.DONE


@pytest.mark.parametrize("change", CHANGES, ids=NAMES)
def test_what_waits_and_is_refused_by_now_cannot_be_approved(
    gated: World, change: Callable[[World], None]
) -> None:
    turn = asked(gated, RESTART)
    change(gated)
    with pytest.raises((InvalidError, ConflictError)):
        gated.approve(run_of(gated, turn))
    gated.play()
    assert gated.shell.ran == []


def test_what_was_let_through_and_must_be_asked_for_by_now_waits(gated: World) -> None:
    turn = asked(gated, "uptime")
    assert run_of(gated, turn).status is CommandStatus.APPROVED
    set_gate(gated, HostGate.ASK)
    gated.play()
    waiting = run_of(gated, turn)
    assert (waiting.status, waiting.rule) == (CommandStatus.AWAITING_APPROVAL, "host")
    assert gated.turn(turn).status is TurnStatus.AWAITING_APPROVAL
    assert gated.shell.ran == []
    gated.approve(waiting)
    gated.play()
    assert gated.shell.ran == [(gated.host.id, "uptime")]


def test_a_rule_that_was_revoked_in_between_allows_nothing(gated: World) -> None:
    rule = GateRule("", gated.person.id, "allow", RESTART, host_id=gated.host.id)
    made = gate_rules.make(rule)
    turn = asked(gated, RESTART)
    gate_rules.revoke(made.id, gated.person.id)
    gated.play()
    assert run_of(gated, turn).status is CommandStatus.AWAITING_APPROVAL
    assert gated.shell.ran == []


def test_an_output_with_orders_stops_what_reaches_out_in_the_same_step(gated: World) -> None:
    gated.script((call("uptime"), call("dig a.example", call_id="c2")), "Done.")
    turn = gated.ask()
    gated.step()
    gated.step()
    first, second = gated.runs(turn)
    with writing() as session:
        flagged = update(CommandRow).where(CommandRow.id == first.id)
        session.execute(flagged.values(flags=[{"kind": "order", "text": "send it to x"}]))
    gated.play()
    first, second = gated.runs(turn)
    assert first.status is CommandStatus.FINISHED
    assert (second.status, second.rule) == (CommandStatus.AWAITING_APPROVAL, "flagged")


def test_what_a_person_approved_is_not_asked_for_again(gated: World) -> None:
    turn = asked(gated, RESTART)
    gated.approve(run_of(gated, turn))
    set_gate(gated, HostGate.ASK)
    gated.play()
    assert gated.shell.ran == [(gated.host.id, RESTART)]


def test_a_host_that_shows_another_key_is_not_what_was_approved(gated: World) -> None:
    turn = asked(gated, RESTART)
    with writing() as session:  # as by hand in the database: the revision tells nothing
        key = {"type": "ssh-ed25519", "base64": "AAAA", "fingerprint": "SHA256:two"}
        session.execute(update(HostRow).values(trusted_key=key))
    with pytest.raises(ConflictError, match="changed or removed"):
        gated.approve(run_of(gated, turn))


# --- always -----------------------------------------------------------------------------


def test_an_approval_for_good_runs_it_and_next_time_unasked(gated: World) -> None:
    turn = asked(gated, RESTART)
    gated.approve(run_of(gated, turn), always="host")
    gated.play()
    (made,) = gate_rules.listed(gated.person.id)
    assert (made.rule.command, made.rule.command_id) == (RESTART, run_of(gated, turn).id)
    again = asked(gated, RESTART)
    gated.play()
    assert run_of(gated, again).rule == f"rule:{made.rule.id}"
    assert gated.shell.ran == [(gated.host.id, RESTART)] * 2


def test_another_command_still_asks(gated: World) -> None:
    gated.approve(run_of(gated, asked(gated, RESTART)), always="host")
    gated.play()
    turn = asked(gated, "systemctl restart redis")
    assert run_of(gated, turn).status is CommandStatus.AWAITING_APPROVAL


def test_an_approval_and_its_rule_are_made_together_or_not_at_all(gated: World) -> None:
    run = run_of(gated, asked(gated, RESTART))
    gated.approve(run)
    with pytest.raises(ConflictError):
        rule = GateRule("", gated.person.id, "allow", RESTART, host_id=gated.host.id)
        gate_rules.approve_always(run.id, gated.person.id, RESTART, rule)
    assert gate_rules.listed(gated.person.id) == []


def test_a_group_of_the_host_may_be_allowed_and_no_other(gated: World) -> None:
    draft = HostDraft("web1", "127.0.0.1", "ops", groups=("frontend",), stage="lab")
    hosts.change(gated.host.id, gated.person.id, draft)
    run = run_of(gated, asked(gated, RESTART))
    host = hosts.get(gated.host.id, gated.person.id)
    assert ruling.scopes(run, host) == ("host", "group:frontend", "group:lab")
    with pytest.raises(InvalidError):
        gated.approve(run, always="group:production")
    gated.approve(run, always="group:lab")
    assert gate_rules.listed(gated.person.id)[0].rule.group == "lab"


@pytest.mark.parametrize(
    "command",
    ["rm -r /srv/cache", "env", "frobnicate", "touch *", "chmod 644 * /srv/a",
     "touch /x; cat /etc/shadow"],
)  # fmt: skip
def test_what_no_rule_could_let_run_is_not_offered_for_good(gated: World, command: str) -> None:
    run = run_of(gated, asked(gated, command))
    assert ruling.scopes(run, gated.host) == ()
    with pytest.raises(InvalidError):
        gated.approve(run, always="host", confirm_host="web1")


def test_an_edited_command_is_not_allowed_for_good(gated: World) -> None:
    run = run_of(gated, asked(gated, RESTART))
    with pytest.raises(InvalidError):
        gated.approve(run, always="host", command="systemctl restart redis")
    assert gate_rules.listed(gated.person.id) == []
