"""Groups of people with whom facts of hosts may be shared."""

import click

from walissh.cli.opened import opened, owner


@click.group()
def group() -> None:
    """Groups of people that may share what was found out about their hosts."""


@group.command("add")
@click.argument("name")
@click.argument("person")
def add(name: str, person: str) -> None:
    """Put PERSON into the group NAME; it is made if new."""
    from walissh.store import groups

    with opened():
        groups.join(name, owner(person).id)
    click.echo(f"{person} is in {name}.")


@group.command("remove")
@click.argument("name")
@click.argument("person")
def remove(name: str, person: str) -> None:
    """Take PERSON out of the group NAME; what they shared with it is out of its sight."""
    from walissh.store import groups

    with opened():
        left = groups.leave(name, owner(person).id)
    click.echo(f"{person} has left {name}." if left else f"{person} was not in {name}.")


@group.command("list")
def list_() -> None:
    """List the groups and who is in them."""
    from walissh.store import groups

    with opened():
        listed = groups.every()
    for name, people in listed.items():
        click.echo(f"{name}\t{', '.join(people)}")
