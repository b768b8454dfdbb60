"""People: who there is, their tokens, sign-in links and passwords."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING

import click

from walissh.cli.opened import opened, owner
from walissh.errors import ConflictError, NotFoundError
from walissh.react.circumstances import OPERATOR, ROLES

if TYPE_CHECKING:
    from walissh.store.people import Person, Scope

TOKEN_DAYS = 365
DAY_S = 24 * 3600
role_choice = click.Choice(ROLES)


@click.group()
def person() -> None:
    """Who may come in, and as what: admin, operator or viewer."""


@person.command("list")
def list_people() -> None:
    """Print a line for each person: name, role, and what is to be known of them."""
    from walissh.store import people_roles

    with opened():
        for each in people_roles.everyone():
            someone = each.person
            marks = [
                "disabled" if someone.is_disabled else "",
                "password" if someone.has_password else "",
                "oidc" if each.has_oidc else "",
                f"seen {_day(each.seen_at)}",
            ]
            told = ", ".join(mark for mark in marks if mark)
            click.echo(f"{someone.name}\t{someone.role}\t{told}")


@person.command("add")
@click.argument("name")
@click.option("--role", type=role_choice, default=OPERATOR, show_default=True)
def add_person(name: str, role: str) -> None:
    """Make the person NAME; `walissh sign-in-link --user NAME` lets them in."""
    from walissh.store import people

    with opened():
        people.add(name, role=role, actor=_actor())
    click.echo(f"{name} is made, as {role}.", err=True)


@person.command("role")
@click.argument("name")
@click.argument("role", type=role_choice)
def change_role(name: str, role: str) -> None:
    """Give NAME another ROLE, from their next request on."""
    from walissh.store import people_roles

    with opened():
        people_roles.change_role(_known(name).id, role, actor=_actor())
    click.echo(f"{name} is {role} now.", err=True)


@person.command("disable")
@click.argument("name")
def disable(name: str) -> None:
    """Let NAME in no more: browsers, tokens and links end; nothing of theirs is deleted."""
    from walissh.store import people_roles

    with opened():
        people_roles.disable(_known(name).id, actor=_actor())
    click.echo(f"{name} is disabled.", err=True)


@person.command("enable")
@click.argument("name")
def enable(name: str) -> None:
    """Let NAME in again; they sign in anew."""
    from walissh.store import people_roles

    with opened():
        people_roles.enable(_known(name).id, actor=_actor())
    click.echo(f"{name} is enabled.", err=True)


@click.group()
def token() -> None:
    """Tokens for the JSON interface."""


@token.command("create")
@click.option("--user", metavar="NAME", help="Whose token; made if new. Without: the admin's.")
@click.option("--role", type=role_choice, help="The role of a person who is new (operator).")
@click.option("--scope", type=click.Choice(("read", "all")), default="all", show_default=True)
@click.option(
    "--days",
    type=click.IntRange(0, 3650),
    default=TOKEN_DAYS,
    show_default=True,
    help="How long it lives; 0: until it is revoked.",
)
@click.option("--label", default="", help="What it is for.")
def create(user: str | None, role: str | None, scope: "Scope", days: int, label: str) -> None:
    """Print a new API token and nothing else."""
    from walissh.store import people

    with opened():
        someone = _made(user, role) if user else people.first_admin()
        click.echo(
            people.issue_token(
                someone.id, "api", label=label, scope=scope, ttl_s=days * DAY_S or None
            )
        )


@token.command("list")
@click.option("--user", metavar="NAME", help="Whose tokens. Without: the admin's.")
def list_tokens(user: str | None) -> None:
    """Print a line for each live token: id, scope, made, used, end, label. Never the token."""
    from walissh.store import people_passes

    with opened():
        for each in people_passes.of(owner(user).id, "api"):
            times = (each.created_at, each.used_at, each.expires_at)
            click.echo("\t".join([each.id, each.scope, *map(_day, times), each.label]))


@token.command("revoke")
@click.argument("token_id", metavar="ID")
@click.option("--user", metavar="NAME", help="Whose token. Without: the admin's.")
def revoke(token_id: str, user: str | None) -> None:
    """End the token ID, as `walissh token list` names it."""
    from walissh.store import people_passes

    with opened():
        people_passes.revoke(token_id, owner(user).id, actor=_actor())
    click.echo("The token is revoked.", err=True)


@click.command("sign-in-link")
@click.option("--user", metavar="NAME", help="Who signs in. Without: the admin.")
def sign_in_link(user: str | None) -> None:
    """Print a link that signs in once, within 15 minutes."""
    from walissh import wiring
    from walissh.service import listen
    from walissh.store import people

    with opened():
        someone = owner(user)
        address = listen.running_address(wiring.settings())
        click.echo(f"http://{address}/sign-in/{people.issue_token(someone.id, 'link')}")


@click.command()
@click.argument("name")
def passwd(name: str) -> None:
    """Set the password of NAME: asked for, or the first line of standard input.

    Every browser in which NAME is signed in must sign in again.
    """
    from walissh.store import people

    with opened():
        people.set_password(owner(name).id, _new_password(name))
    click.echo(f"The password of {name} is set; their browsers must sign in again.", err=True)


def _new_password(name: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    text: str = click.prompt(
        f"New password of {name}", hide_input=True, confirmation_prompt=True, err=True
    )
    return text


def _made(name: str, role: str | None) -> "Person":
    """Return the person of that name, made now with *role* if new."""
    from walissh.store import people

    found = people.find(name)
    if found is None and role is not None:
        return people.add(name, role=role, actor=_actor())
    someone = found or people.named(name)
    if role is not None and someone.role != role:
        raise ConflictError(
            f"{name} is {someone.role}, not {role}. Change that with:"
            f" walissh person role {name} {role}"
        )
    return someone


def _known(name: str) -> "Person":
    from walissh.store import people

    found = people.find(name)
    if found is None:
        raise NotFoundError(
            f"There is nobody named {name}. Make them with: walissh person add {name}"
        )
    return found


def _actor() -> str:
    """Return who acts, as the audit trail names them: whoever has this terminal."""
    from walissh.identity import login_name

    return f"terminal:{login_name()}"


def _day(at: datetime | None) -> str:
    return at.date().isoformat() if at else "never"
