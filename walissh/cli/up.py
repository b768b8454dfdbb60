"""``walissh up``: everything, in the foreground."""

import logging
import os
from pathlib import Path

import click

from walissh.config import Settings
from walissh.service import logs


@click.command()
@click.option("--home", type=click.Path(path_type=Path), help="Folder for all data and keys.")
@click.option("--bind", metavar="ADDRESS:PORT", help="Where to listen (127.0.0.1:8022).")
@click.option("--demo-host", is_flag=True, help="Offer this machine as a server to ask about.")
def up(home: Path | None, bind: str | None, demo_host: bool) -> None:
    """Start everything and print a sign-in link; Ctrl-C ends it."""
    if home is not None:
        os.environ["WALISSH_HOME"] = str(home.expanduser().absolute())  # the parts read it too
    if bind is not None:
        os.environ["WALISSH_BIND"] = bind
    settings = Settings.from_env()
    from walissh.service import up as service  # slow, and of no use with wrong settings

    logs.to_stderr(logging.WARNING, plain=True)
    service.run(settings, demo_host=demo_host, say=click.echo)
    logs.end_process()
