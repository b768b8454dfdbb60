"""The audit trail at a terminal: check it, export it, and its last link to keep elsewhere."""

import re
import sys
from datetime import UTC, datetime
from typing import TextIO

import click

from walissh.cli.opened import opened

DIGEST = re.compile("[0-9a-fA-F]{64}")
DAY = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])

NO_DIGEST = "A digest has 64 hexadecimal digits. Give both words that audit head printed."


@click.group()
def audit() -> None:
    """What was done, by whom, where: a chain that shows what was changed or removed."""


@audit.command("verify")
@click.option(
    "--head", nargs=2, type=(int, str), metavar="NUMBER DIGEST", help="As printed by: audit head"
)
@click.option("--file", "exported", type=click.File(), help="Check these lines of an export.")
def verify(head: tuple[int, str] | None, exported: TextIO | None) -> None:
    """Check the chain; exit code 1 if an event was changed, removed or cut off."""
    if head is not None and head[0] and not DIGEST.fullmatch(head[1]):
        raise click.BadParameter(NO_DIGEST, param_hint="--head")
    fault = _fault_of_lines(exported) if exported else _fault(head)
    click.echo(fault or "The chain holds.")
    sys.exit(1 if fault else 0)


@audit.command("export")
@click.option("--since", type=DAY, metavar="DAY", help="The first day, or instant, in UTC.")
@click.option("--until", type=DAY, metavar="DAY", help="Only what was before it, in UTC.")
def export(since: datetime | None, until: datetime | None) -> None:
    """Print the events as JSON lines, with all that is needed to check the chain."""
    from walissh.store import audit_reads

    with opened():
        for line in audit_reads.lines(_utc(since), _utc(until)):
            click.echo(line)


@audit.command("head")
def head() -> None:
    """Print number and digest of the last event: kept elsewhere, they show a cut-off end."""
    from walissh.store import audit as trail

    with opened():
        last = trail.head()
    click.echo(f"{last[0]} {last[1]}" if last else "0 -")


def _fault(head: tuple[int, str] | None) -> str:
    from walissh.store import audit as trail

    with opened():
        broken = trail.first_broken()
        if broken is not None:
            return f"Event {broken} was changed, or the one before it was removed."
        if head is not None and head[0] and not trail.holds(head[0], head[1].lower()):
            return f"Event {head[0]} is not the one that was noted: the chain was cut or rewritten."
    return ""


def _fault_of_lines(exported: TextIO) -> str:
    from walissh.store import audit_reads

    broken = audit_reads.first_broken_line(exported)
    if broken is None:
        return ""
    return f"Line {broken} was changed, or the one before it was removed."


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=UTC)
