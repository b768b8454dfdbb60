"""People: tokens, sign-in links and passwords."""

import sys

import click

from walissh.cli.opened import opened, owner


@click.group()
def token() -> None:
    """Tokens for the JSON interface."""


@token.command("create")
@click.option("--user", metavar="NAME", help="Whose token; made if new. Without: the admin's.")
@click.option("--label", default="", help="What it is for.")
def create(user: str | None, label: str) -> None:
    """Print a new API token and nothing else."""
    from walissh.store import people

    with opened():
        person = people.named(user) if user else people.first_admin()
        click.echo(people.issue_token(person.id, "api", label=label))


@click.command("sign-in-link")
@click.option("--user", metavar="NAME", help="Who signs in; made if new. Without: the admin.")
def sign_in_link(user: str | None) -> None:
    """Print a link that signs in once, within 15 minutes."""
    from walissh import wiring
    from walissh.service import listen
    from walissh.store import people

    with opened():
        person = people.named(user) if user else people.first_admin()
        address = listen.running_address(wiring.settings())
        click.echo(f"http://{address}/sign-in/{people.issue_token(person.id, 'link')}")


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
