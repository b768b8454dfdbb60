"""``walissh doctor``: look at every part and say what to do."""

import sys

import click

from walissh.config import Settings


@click.command()
def doctor() -> None:
    """Check every part and say what to do about what is broken."""
    from walissh.service import checks

    results = [*checks.examine(Settings.from_env())]
    width = max(len(result.name) for result in results)
    for result in results:
        sign = "ok    " if result.ok else "BROKEN"
        click.echo(f"{sign}  {result.name.ljust(width)}  {result.text}")
    broken = sum(not result.ok for result in results)
    if broken:
        click.echo(f"{broken} of {len(results)} checks failed.")
        sys.exit(1)
    click.echo("All is well.")
