"""Passwords for sudo: sealed, told in order, and gone with the command they were lent to."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from tests.fakes import call
from tests.world import World
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react import decisions
from walissh.react.turn import CommandRun, CommandStatus, Turn
from walissh.store import hosts, people, sudo
from walissh.store.database import reading
from walissh.store.hosts import HostDraft
from walissh.store.models import CredentialRow

SECRET = "open sesame 42"


@pytest.fixture
def turn(world: World) -> Turn:
    """A turn with one command that waits."""
    world.script((call("touch /a"),), "done")
    asked = world.ask()
    world.play()
    return asked


def waiting(world: World, turn: Turn) -> CommandRun:
    (run,) = world.runs(turn)
    return run


def kinds() -> list[str]:
    with reading() as session:
        return sorted(session.scalars(select(CredentialRow.kind)))


def keep(world: World, **secrets: str | None) -> None:
    hosts.change(
        world.host.id, world.person.id, HostDraft("web1", "127.0.0.1", "ops", secrets=secrets)
    )


def test_what_was_lent_goes_before_the_hosts_own_and_the_log_ins(world: World, turn: Turn) -> None:
    run = waiting(world, turn)
    keep(world, password="to log in")
    assert sudo.sudo_password(run.host_id, run.id) == "to log in"
    keep(world, sudo="of the host")
    assert sudo.sudo_password(run.host_id, run.id) == "of the host"
    sudo.lend(run.id, world.person.id, SECRET)
    assert sudo.sudo_password(run.host_id, run.id) == SECRET
    assert sudo.sudo_password(run.host_id, "another-run") == "of the host"


def test_what_is_lent_is_sealed_and_no_secret_of_the_host(world: World, turn: Turn) -> None:
    sudo.lend(waiting(world, turn).id, world.person.id, SECRET)
    with reading() as session:
        (row,) = session.scalars(select(CredentialRow))
    assert SECRET not in row.sealed
    assert hosts.secrets_of(world.host.id) == frozenset()
    assert hosts.endpoint(world.host.id).password is None


def test_another_host_is_told_nothing_of_it(world: World, turn: Turn) -> None:
    run = waiting(world, turn)
    sudo.lend(run.id, world.person.id, SECRET)
    other = hosts.add(world.person.id, HostDraft("web2", "127.0.0.1", "ops"))
    assert sudo.sudo_password(other.id, run.id) is None


def test_what_is_kept_stays_for_the_host_once_it_was_approved(world: World, turn: Turn) -> None:
    run = waiting(world, turn)
    revision = world.host.revision
    sudo.keep_approved(run.id, world.person.id, SECRET)
    assert not sudo.is_known(run.host_id)
    world.approve(run)
    sudo.keep_approved(run.id, world.person.id, SECRET)
    assert sudo.is_known(run.host_id)
    assert hosts.secrets_of(run.host_id) == {"sudo"}
    found = hosts.get(run.host_id, world.person.id)
    assert found is not None and found.revision == revision  # what waits goes on waiting


def test_a_password_for_sudo_is_no_new_way_to_reach_the_host(world: World, turn: Turn) -> None:
    keep(world, sudo=SECRET)
    found = hosts.get(world.host.id, world.person.id)
    assert found is not None and found.revision == world.host.revision
    keep(world, sudo=None)
    assert kinds() == []


def approve(world: World, run: CommandRun) -> None:
    world.approve(run)
    world.play()


def deny(world: World, run: CommandRun) -> None:
    decisions.deny(world.parts, run.id, world.person.id, "")


def stop(world: World, run: CommandRun) -> None:
    decisions.cancel(world.parts, run.turn_id, world.person.id)


def expire(world: World, run: CommandRun) -> None:
    world.parts.commands.expire(run.id)


@pytest.mark.parametrize("end", [approve, deny, stop, expire])
def test_it_is_gone_when_the_command_has_ended(
    world: World, turn: Turn, end: Callable[[World, CommandRun], None]
) -> None:
    run = waiting(world, turn)
    sudo.lend(run.id, world.person.id, SECRET)
    assert kinds() == [f"sudo:{run.id}"]
    end(world, run)
    assert kinds() == []


def test_a_command_that_was_decided_borrows_nothing(world: World, turn: Turn) -> None:
    run = waiting(world, turn)
    sudo.lend(run.id, world.person.id, SECRET)
    world.approve(run)
    with pytest.raises(ConflictError):
        sudo.lend(run.id, world.person.id, "another")
    sudo.take_back(run.id)  # the second click's
    assert sudo.sudo_password(run.host_id, run.id) == SECRET


def test_what_was_not_approved_is_taken_back(world: World, turn: Turn) -> None:
    run = waiting(world, turn)
    sudo.lend(run.id, world.person.id, SECRET)
    sudo.take_back(run.id)
    assert kinds() == [] and waiting(world, turn).status is CommandStatus.AWAITING_APPROVAL


def test_a_stranger_lends_nothing(world: World, turn: Turn) -> None:
    with pytest.raises(NotFoundError):
        sudo.lend(waiting(world, turn).id, people.named("bob").id, SECRET)
    assert kinds() == []


@pytest.mark.parametrize("password", ["", "two\nlines", "nul\0", "x" * 513, "esc\x1b"])
def test_what_is_no_password_is_refused_without_repeating_it(
    world: World, turn: Turn, password: str
) -> None:
    with pytest.raises(InvalidError) as raised:
        sudo.lend(waiting(world, turn).id, world.person.id, password)
    assert not password or password not in str(raised.value)
