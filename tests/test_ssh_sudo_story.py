"""From the approval to the end of a real sudo: the password is found nowhere afterwards."""

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from tests.fakes import call
from tests.sudoer import NAME, SudoHost
from tests.world import World
from walissh.react.turn import CommandStatus
from walissh.ssh.pool import Pool
from walissh.ssh.run import SshShell
from walissh.store import hosts, sudo, withheld
from walissh.store.hosts import HostDraft


def test_a_lent_password_runs_the_command_and_is_kept_nowhere(
    database_app: Flask, world: World, sudo_host: SudoHost, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    server, me = sudo_host.sshd, world.person.id
    secrets = {"key": server.client_key.private}
    draft = HostDraft("web1", "127.0.0.1", NAME, port=server.port, secrets=secrets)
    hosts.change(world.host.id, me, draft)
    hosts.remember_seen_key(world.host.id, server.host_key)
    hosts.trust(world.host.id, me)
    pool = Pool()
    world.parts = replace(world.parts, shell=SshShell(pool, hosts))
    command = "touch /dev/null && sudo sh -c 'id -un; env'"
    world.script((call(command),), "done")
    turn = world.ask()
    world.play()
    (run,) = world.runs(turn)
    sudo.lend(run.id, me, sudo_host.password)
    world.approve(run)
    world.play()
    pool.close()

    (run,) = world.runs(turn)
    assert (run.status, run.exit_code, run.error) == (CommandStatus.FINISHED, 0, "")
    printed = withheld.read(run.id)  # it shows an environment
    assert printed.startswith("root\n") and " machine " in run.host_identity
    found = hosts.get(world.host.id, me)
    assert found is not None and found.machine_id
    told = [printed, caplog.text, repr(world.events.events), repr(world.model.requests)]
    assert not any(sudo_host.password in each for each in told)
    assert not any(
        sudo_host.password.encode() in each.read_bytes() for each in _files(database_app)
    )


def _files(app: Flask) -> list[Path]:
    database = Path(app.config["SQLALCHEMY_DATABASE_URI"].removeprefix("sqlite:///"))
    found = list(database.parent.glob(database.name + "*"))
    if not found:
        pytest.skip("the database is a server's")
    return found
