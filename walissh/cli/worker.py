"""The parts one by one, as the Procfile starts them."""

import os
from typing import get_args

import click

from walissh.config import Settings
from walissh.service import logs, orphan
from walissh.service.roles import Role


@click.command()
@click.argument("role", type=click.Choice(get_args(Role)))
def worker(role: Role) -> None:
    """Run one worker until it is told to end."""
    from walissh.service import roles

    _begin()
    roles.run(Settings.from_env(), role)


@click.command()
@click.option("--fd", type=int, hidden=True, help="A listening socket to use.")
def web(fd: int | None) -> None:
    """Run the web server."""
    from walissh.service import serve

    logs.to_stderr()
    serve.run(Settings.from_env(), fd)


@click.command()
def redis() -> None:
    """Run the embedded Redis server."""
    from walissh.service import home, valkey

    settings = Settings.from_env()
    home.prepare(settings.home)
    home.lock(settings.home, inherit=True)
    valkey.clear_leftovers(settings)
    line = valkey.command(settings)
    os.execv(line[0], line)  # noqa: S606  a list of arguments, no shell


@click.command()
def release() -> None:
    """Bring the database to the newest schema."""
    from walissh.service import home
    from walissh.service import release as service

    logs.to_stderr()
    settings = Settings.from_env()
    home.prepare(settings.home)
    service.migrate(settings)


def _begin() -> None:
    logs.to_stderr()
    orphan.follow_named()
