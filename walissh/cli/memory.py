"""What is remembered, from the command line: list, search, export, import, forget."""

import json
import sys
from typing import TYPE_CHECKING, Final

import click

from walissh.cli import source
from walissh.cli.opened import opened, owner
from walissh.errors import InvalidError, NotFoundError

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from walissh.memory.entry import Memory, MemoryType

CHANNEL: Final = "api"
PAGE = 200
SEARCHED = 20
SHOWN_CHARS = 400
LEFT = "Core memory, the timelines and the talks stay: delete these on their pages."
KINDS = {
    "preference": "USER_PREFERENCE",
    "environment": "ENVIRONMENT_FACT",
    "software": "SOFTWARE_FACT",
    "case": "TROUBLESHOOTING_CASE",
}

whose = click.option("--user", metavar="NAME", help="Whose; without: the admin's.")
of_type = click.option(
    "--type", "kind", metavar="T", help=f"Only one kind: {', '.join(KINDS)}, or its full name."
)
of_host = click.option("--host", metavar="NAME", help="Only what is bound to this host.")


@click.group()
def memory() -> None:
    """What is remembered over sessions and restarts."""


@memory.command("list")
@whose
@of_type
@of_host
@click.option("--state", metavar="S", help="superseded, withdrawn, expired, wrong or all.")
def list_(user: str | None, kind: str | None, host: str | None, state: str | None) -> None:
    """List what counts, newest first: id, kind, host, date, state, text."""
    from walissh.store import memories

    with opened():
        me, before = owner(user).id, None
        host_id, kinds = _host_id(host, me), _kind(kind)
        while True:
            page = memories.page(
                me, type=kinds, host_id=host_id, state=state, limit=PAGE, before=before
            )
            for each in page.items:
                click.echo(_line(each))
            before = page.next
            if before is None:
                return


@memory.command("search")
@click.argument("query")
@whose
@of_type
@of_host
@click.option("-k", "count", default=SEARCHED, type=click.IntRange(1, 1000), help="At most.")
def search(query: str, user: str | None, kind: str | None, host: str | None, count: int) -> None:
    """Show what a question would recall, best first, each with why it came."""
    from walissh.memory.recall.values import Query
    from walissh.store import memories

    with opened():
        me = owner(user).id
        found = memories.recall(
            me, Query(query), k=count, host_id=_host_id(host, me), type=_kind(kind)
        )
    for hit in found:
        click.echo(f"{hit.score:.2f}\t{_line(hit.memory)}\t({', '.join(hit.reasons)})")
    if not found:
        click.echo("Nothing that counts bears on this.", err=True)


@memory.command("export")
@whose
def export(user: str | None) -> None:
    """Print all that is remembered, history too, one JSON object a line."""
    from walissh.store import memories

    with opened():
        for each in memories.export(owner(user).id):
            click.echo(json.dumps(each, ensure_ascii=False))


@memory.command("import")
@click.argument("file", metavar="FILE|-")
@whose
def import_(file: str, user: str | None) -> None:
    """Take in the lines of an export from FILE, or - for standard input.

    A line that is refused is told with its number, and the rest goes on; exit code 1 then.
    """
    from walissh.memory import intake
    from walissh.store import memories

    with opened(), source.opened(file) as lines:
        came = intake.take_in(memories, owner(user).id, lines, CHANNEL)
    for why in came.refused:
        click.echo(why, err=True)
    click.echo(f"{came.taken} taken, {came.known} known already, {len(came.refused)} refused.")
    if came.refused:
        sys.exit(1)


@memory.command("forget")
@click.argument("memory_id", metavar="ID", required=False)
@whose
@click.option("--all", "everything", is_flag=True, help="Everything of this person.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(memory_id: str | None, user: str | None, everything: bool, yes: bool) -> None:
    """Delete the memory ID, or all of it: the text is gone and cannot be restored.

    With --all core memory, the timelines and the talks stay.
    """
    from walissh.store import memories

    if everything == bool(memory_id):
        raise InvalidError("Say what to forget: an ID of `walissh memory list`, or --all.")
    with opened():
        person = owner(user)
        if memory_id:
            _confirm(_said(memory_id, person.id), yes)
            memories.delete(memory_id, person.id, CHANNEL)
            click.echo(f"{memory_id} is forgotten.")
            return
        _confirm(f"everything that is remembered of {person.name}", yes)
        count = memories.forget_all(person.id, CHANNEL)
    click.echo(f"{count} forgotten. {LEFT}")


def _said(memory_id: str, owner_id: str) -> str:
    """Return the text of a memory on one line; raises NotFoundError."""
    from walissh.store import memories

    found = memories.get(memory_id, owner_id)
    if found is None or found.owner_id != owner_id:
        raise NotFoundError("There is no such memory. It may have been deleted.")
    return f"“{' '.join(found.content.split())[:SHOWN_CHARS]}”"


def _confirm(what: str, yes: bool) -> None:
    """Go on only if *yes*, or if somebody at a terminal says so."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidError(f"Nothing was forgotten. To delete {what} add --yes.")
    click.confirm(f"Delete {what}?", abort=True, err=True)


def _kind(name: str | None) -> "MemoryType | None":
    from walissh.memory.entry import MemoryType

    if name is None:
        return None
    try:
        return MemoryType(KINDS.get(name.lower(), name.upper()))
    except ValueError as error:
        raise InvalidError(f"{name!r} is no kind of memory. Use {', '.join(KINDS)}.") from error


def _host_id(name: str | None, owner_id: str) -> str | None:
    from walissh.store import hosts

    if name is None:
        return None
    found = hosts.find(name, owner_id)
    if found is None:
        raise NotFoundError(f"There is no host named {name}. See: walissh host list")
    return found.id


def _line(each: "Memory") -> str:
    where = each.host or each.scope
    text = " ".join(each.content.split())
    return "\t".join(
        (each.id, each.type.value, where, f"{each.proved_at:%Y-%m-%d}", each.state.value, text)
    )
