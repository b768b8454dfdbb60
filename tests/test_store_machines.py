"""The machine behind a host: kept at first, compared after, accepted by a person alone."""

import pytest

from tests.fakes import call
from tests.world import World
from walissh.errors import ConflictError, MachineChangedError
from walissh.react.host import NO_MACHINE, Host, HostKey
from walissh.react.turn import CommandStatus
from walissh.store import hosts
from walissh.store.database import reading
from walissh.store.hosts import HostDraft
from walissh.store.models import AuditRow

KEY = HostKey("ssh-ed25519", "AAAA", "SHA256:one")
NEXT_KEY = HostKey("ssh-ed25519", "BBBB", "SHA256:two")
ONE, TWO = "1" * 31 + "a", "2" * 31 + "b"


@pytest.fixture
def host(world: World) -> Host:
    """A host under a trusted key whose machine was met once."""
    hosts.remember_seen_key(world.host.id, KEY)
    trusted = hosts.trust(world.host.id, world.person.id)
    assert hosts.meet_machine(trusted, ONE) == ONE
    return now(world)


def now(world: World) -> Host:
    found = hosts.get(world.host.id, world.person.id)
    assert found is not None
    return found


def test_the_first_machine_is_kept_and_named(world: World, host: Host) -> None:
    assert (host.machine_id, host.seen_machine_id) == (ONE, "")


def test_another_machine_is_only_seen(world: World, host: Host) -> None:
    assert hosts.meet_machine(host, TWO) == ONE
    assert (now(world).machine_id, now(world).seen_machine_id) == (ONE, TWO)
    assert now(world).revision == host.revision


def test_a_machine_that_tells_no_id_any_more_is_another_one(world: World, host: Host) -> None:
    assert hosts.meet_machine(host, "") == ONE
    assert now(world).seen_machine_id == NO_MACHINE


def test_the_right_machine_clears_what_was_seen(world: World, host: Host) -> None:
    hosts.meet_machine(host, TWO)
    assert hosts.meet_machine(host, ONE) == ONE
    assert now(world).seen_machine_id == ""


def test_nothing_is_kept_of_a_host_that_moved_meanwhile(world: World, host: Host) -> None:
    hosts.change(host.id, world.person.id, HostDraft("web1", "192.0.2.7", "ops"))
    assert hosts.meet_machine(host, TWO) is None
    assert now(world).machine_id == ""


def test_trust_accepts_the_machine_seen_last_and_voids_what_waits(world: World, host: Host) -> None:
    hosts.meet_machine(host, TWO)
    trusted = hosts.trust(host.id, world.person.id, KEY.fingerprint, TWO)
    assert (trusted.machine_id, trusted.seen_machine_id) == (TWO, "")
    assert trusted.revision == host.revision + 1


def test_trust_of_no_id_goes_on_by_the_key(world: World, host: Host) -> None:
    hosts.meet_machine(host, "")
    trusted = hosts.trust(host.id, world.person.id)
    assert (trusted.machine_id, trusted.seen_machine_id) == ("", "")


def test_a_machine_that_came_after_the_page_was_shown_is_not_trusted(
    world: World, host: Host
) -> None:
    hosts.meet_machine(host, TWO)
    with pytest.raises(ConflictError, match=f"seen last is {TWO}"):
        hosts.trust(host.id, world.person.id, KEY.fingerprint, "3" * 32)
    assert now(world).machine_id == ONE


def test_trust_with_nothing_new_changes_nothing(world: World, host: Host) -> None:
    assert hosts.trust(host.id, world.person.id).revision == host.revision


def test_a_machine_met_under_the_trusted_key_brings_no_older_key_back(
    world: World, host: Host
) -> None:
    """Another key was seen once; the new machine answers under the trusted one."""
    hosts.remember_seen_key(host.id, NEXT_KEY)
    hosts.meet_machine(host, TWO)
    trusted = hosts.trust(host.id, world.person.id)
    assert (trusted.trusted_key, trusted.machine_id) == (KEY, TWO)


def test_a_new_key_makes_room_for_a_new_machine(world: World, host: Host) -> None:
    hosts.remember_seen_key(host.id, NEXT_KEY)
    assert hosts.trust(host.id, world.person.id).machine_id == ""


def test_another_address_makes_room_for_a_new_machine(world: World, host: Host) -> None:
    moved = hosts.change(host.id, world.person.id, HostDraft("web1", "192.0.2.7", "ops"))
    assert moved.machine_id == ""


def test_the_check_tells_another_machine(world: World, host: Host) -> None:
    error = MachineChangedError("web1: another one.", host="web1", known=ONE, seen=TWO)
    hosts.record_check(host.id, error)
    check = now(world).check
    assert check is not None and (check.status, check.phase) == ("machine_changed", "host_key")


def test_the_audit_trail_tells_both_machines(world: World, host: Host) -> None:
    hosts.meet_machine(host, TWO)
    hosts.trust(host.id, world.person.id)
    with reading() as session:
        rows = [(row.kind, row.facts) for row in session.query(AuditRow)]
    met = next(facts for kind, facts in rows if kind == "host_machine_changed")
    taken = next(facts for kind, facts in rows if "new_machine" in facts)
    assert (met["old"], met["new"]) == (ONE, TWO)
    assert (taken["old_machine"], taken["new_machine"]) == (ONE, TWO)


def test_what_waits_shows_the_machine_once_it_is_known(world: World) -> None:
    world.script((call("touch /a"),), "done")
    turn = world.ask()
    world.play()
    hosts.meet_machine(now(world), ONE)
    (run,) = world.runs(turn)
    assert run.status is CommandStatus.AWAITING_APPROVAL
    assert run.host_identity.endswith(f"machine {ONE[:8]}")
    world.approve(run)
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.FINISHED


def test_what_was_approved_for_one_machine_is_not_run_on_the_next(world: World) -> None:
    hosts.remember_seen_key(world.host.id, KEY)
    hosts.trust(world.host.id, world.person.id)
    hosts.meet_machine(now(world), ONE)
    world.script((call("touch /a"),), "done")
    turn = world.ask()
    world.play()
    world.approve(world.runs(turn)[0])
    hosts.meet_machine(now(world), TWO)
    hosts.trust(world.host.id, world.person.id)
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.FAILED
    assert world.shell.ran == []


def test_the_demo_host_follows_its_own_part(world: World) -> None:
    demo = hosts.register_demo(world.person.id, 1111, "private", KEY)
    hosts.meet_machine(demo, ONE)
    again = hosts.register_demo(world.person.id, 1111, "private", KEY)
    assert again.machine_id == "" and hosts.meet_machine(again, TWO) == TWO
