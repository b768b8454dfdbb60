"""The playbooks from the command line: list them, show one, check a file."""

from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING

import click

from walissh.config import Settings
from walissh.errors import NotFoundError
from walissh.react.turn import Language

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from walissh.brain.library import Library
    from walissh.brain.playbook import Playbook


@click.group()
def playbook() -> None:
    """What the offline brain checks, and your own playbooks in the home folder."""


@playbook.command("list")
def list_() -> None:
    """List the playbooks: name, whose, how many findings, title."""
    found, language = _library()
    own = {each.book.name for each in found.own}
    for each in found.catalogue.playbooks:
        whose = "own" if each.name in own else "built-in"
        title = each.title.in_language(language)
        click.echo(f"{each.name}\t{whose}\t{len(each.findings)}\t{title}")
    for problem in found.problems:
        click.echo(f"left out: {problem.why}", err=True)


@playbook.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Show what the playbook NAME is for, what it runs and what it finds."""
    found, language = _library()
    book = next((each for each in found.catalogue.playbooks if each.name == name), None)
    if book is None:
        raise NotFoundError(f"There is no playbook {name}. See: walissh playbook list")
    path = next((each.path for each in found.own if each.book.name == name), None)
    click.echo("\n".join([*_head(book, language, path), *_body(book, language)]))


@playbook.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check FILE as if it were in the home folder; exit code 1 if it is wrong."""
    from walissh.brain import library

    book = library.check(file, _folder())
    asked_about = _asked_about(book)
    for command in asked_about:
        click.echo(f"{book.name}: the gate would ask about `{command}`", err=True)
    if asked_about:
        raise click.exceptions.Exit(1)
    counts = f"{_count(book.probes, 'probe')}, {_count(book.findings, 'finding')}"
    is_there = file.resolve().parent == _folder().resolve()
    then = "restart walissh up" if is_there else f"put it into {_folder()}"
    click.echo(f"{file}: {book.name}: {counts}. To use it, {then}")


def _count(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def _asked_about(book: "Playbook") -> list[str]:
    """Return the commands of *book* that do more than read; those with values are known later."""
    from walissh.react.turn import Risk
    from walissh.safety import risk

    runs = [each.run for probe in book.probes.values() for each in probe.variants]
    whole = (run for run in runs if "{" not in run)
    return [run for run in whole if risk.classify(run).risk is not Risk.READ_ONLY]


def _folder() -> Path:
    from walissh.brain import library

    return Settings.from_env().home / library.FOLDER


def _library() -> "tuple[Library, Language]":
    from walissh.brain import library

    return library.load(_folder()), Settings.from_env().lang or "en"


def _head(book: "Playbook", language: Language, path: Path | None) -> list[str]:
    words = book.words.zh if language == "zh" else book.words.en
    where = str(path) if path else "built-in"
    title = book.title.in_language(language)
    return [f"{book.name}: {title} ({where})", f"words: {', '.join(words)}"]


def _body(book: "Playbook", language: Language) -> list[str]:
    lines = ["", "commands:"]
    for name, probe in book.probes.items():
        lines.append(f"  {name}: {probe.why.in_language(language)}")
        lines += [f"    {each.run}" for each in probe.variants]
    lines += ["", "findings:"]
    for name, finding in book.findings.items():
        lines.append(f"  {name} ({finding.severity}): {finding.text.in_language(language)}")
    return lines
