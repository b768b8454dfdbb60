"""The rules of the gate: what is allowed, asked for or refused beside the text of a command."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from walissh.cli.opened import opened, owner
from walissh.errors import InvalidError
from walissh.react.circumstances import ROLES
from walissh.react.turn import Decision, Risk

whose = click.option("--user", "person", metavar="NAME", help="Whose rules; without: the admin's.")


@click.group()
def rule() -> None:
    """Rules of the gate. A refusal beats a question, a question beats a permission."""


@rule.command("add")
@click.argument("decision", type=click.Choice([each.value for each in Decision]))
@click.option("--command", default="", help="The exact command, or its words with * for one word.")
@click.option("--host", "host", metavar="NAME", help="Only on this host, while it is this machine.")
@click.option("--group", default="", help="Only on hosts of this group or stage.")
@click.option(
    "--risk", type=click.Choice([each.value for each in Risk]), help="Only this class of risk."
)
@click.option("--role", type=click.Choice(ROLES), help="Only for people of this role.")
@click.option("--hours", default="", help='Such as "mon-fri 9:00-18:00 Asia/Shanghai".')
@click.option("--days", type=click.IntRange(1, 3650), help="It ends by itself after so many days.")
@click.option("--everyone", is_flag=True, help="For all people; administrators only.")
@click.option("--note", default="", help="Why; shown when it decides.")
@whose
def add(
    decision: str,
    host: str | None,
    days: int | None,
    person: str | None,
    everyone: bool,
    **said: Any,
) -> None:
    """Put a rule in force and print its id."""
    from walissh.react.circumstances import GateRule
    from walissh.store import gate_rules

    if decision == Decision.ALLOW and not (host or said["group"]):
        raise InvalidError("An allowing rule needs a place: add --host NAME or --group GROUP.")
    said = {name: value or "" for name, value in said.items()}
    with opened():
        mine = owner(person).id
        made = gate_rules.make(
            GateRule(
                id="",
                owner_id=mine,
                decision=decision,
                host_id=_host_id(host, mine) if host else "",
                everyone=everyone,
                expires_at=datetime.now(UTC) + timedelta(days=days) if days else None,
                **said,
            )
        )
    click.echo(made.id)


@rule.command("list")
@click.option("--all", "ended", is_flag=True, help="Those that ended too.")
@whose
def list_(ended: bool, person: str | None) -> None:
    """List the rules: id, state, what they say, where, by whom, how often they decided."""
    from walissh.clock import utc_now
    from walissh.store import gate_rules

    now = utc_now()
    with opened():
        found = gate_rules.listed(owner(person).id)
    for each in found:
        state, made = each.state(now), each.rule
        if state != "in_force" and not ended:
            continue
        where = each.host or made.host_id or made.group or "every host"
        what = made.command or made.risk or "every command"
        when = made.hours or "always"
        click.echo(
            "\t".join(
                (made.id, state, made.decision, what, where, when, each.maker, str(each.uses))
            )
        )


@rule.command("revoke")
@click.argument("rule_id", metavar="ID")
@whose
def revoke(rule_id: str, person: str | None) -> None:
    """Take a rule out of force; it stays in the list of those that ended."""
    from walissh.store import gate_rules

    with opened():
        gate_rules.revoke(rule_id, owner(person).id)
    click.echo(f"{rule_id} is revoked.")


def _host_id(name: str, person_id: str) -> str:
    from walissh.errors import NotFoundError
    from walissh.store import hosts

    found = hosts.find(name, person_id)
    if found is None:
        raise NotFoundError(f"There is no host named {name}. See: walissh host list")
    return found.id
