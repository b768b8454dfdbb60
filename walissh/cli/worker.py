"""The parts one by one, as the Procfile starts them."""

import os

import click

from walissh.config import Settings
from walissh.service import logs, orphan

ROLES = ("turns", "commands", "upkeep", "demo-host")


@click.command()
@click.argument("role", type=click.Choice(ROLES))
def worker(role: str) -> None:
    """Run one worker until it is told to end."""
    from walissh.service import worker as service

    logs.to_stderr()
    orphan.follow_named()
    service.run(Settings.from_env(), role)
    logs.end_process()


@click.command()
@click.option("--fd", type=int, hidden=True, help="A listening socket to use.")
def web(fd: int | None) -> None:
    """Run the web server."""
    from walissh.service import admission, serve

    logs.to_stderr()
    settings = Settings.from_env()
    if fd is None:  # else whoever opened the socket has asked
        admission.check(settings)
    serve.run(settings, fd)


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
