"""The sessions from the command line: list them, take one out as JSON lines, take one in."""

from collections.abc import Iterator
from pathlib import Path

import click

from walissh.cli import source
from walissh.cli.opened import opened, owner
from walissh.errors import InvalidError, NotFoundError

PAGE = 200

whose = click.option("--user", "person", metavar="NAME", help="Whose; without: the admin's.")


@click.group()
def session() -> None:
    """The talks: list, export, import."""


@session.command("list")
@whose
def list_(person: str | None) -> None:
    """List the sessions, the last active first: id, date, title."""
    from walissh.store import sessions

    with opened():
        me, after = owner(person).id, None
        while True:
            page = sessions.page(me, limit=PAGE, after=after, archived=None)
            for each in page.items:
                click.echo(f"{each.id}\t{each.active_at:%Y-%m-%d %H:%M}\t{each.title}")
            after = page.next
            if after is None:
                return


@session.command("export")
@click.argument("session_id", metavar="SESSION")
@click.argument("file", required=False)
@whose
def export(session_id: str, file: str | None, person: str | None) -> None:
    """Write SESSION as JSON lines to FILE, or to standard output: its messages as stored.

    FILE must be new; only you can read it.
    """
    from walissh.store import session_transfer, sessions

    with opened():
        talk = sessions.get(session_id, owner(person).id)
        if talk is None:
            raise NotFoundError("There is no such session. See: walissh session list")
        lines = session_transfer.export(talk)
        if file is None:
            for line in lines:
                click.echo(line)
            return
        count = _write(Path(file), lines)
    click.echo(f"{count} messages written to {file}.", err=True)


@session.command("import")
@click.argument("file", metavar="FILE|-")
@whose
def import_(file: str, person: str | None) -> None:
    """Take in the session of an export from FILE, or - for standard input; print its id.

    Its commands do not run again, it has no hosts until you choose them, and it teaches
    memory nothing.
    """
    from walissh.store import session_transfer

    with opened(), source.opened(file) as lines:
        taken = session_transfer.take_in(owner(person).id, lines, _say)
    click.echo(taken.id)


def _write(path: Path, lines: Iterator[str]) -> int:
    """Write a new, private file; return how many messages it holds."""
    from walissh.store.line_file import LineFile

    if path.exists():
        raise InvalidError(f"{path} is there already. Nothing was written. Name a new file.")
    file = LineFile(path)
    try:
        written = list(lines)
        file.append(written)
    finally:
        file.close()
    return len(written) - 1


def _say(why: str) -> None:
    click.echo(why, err=True)
