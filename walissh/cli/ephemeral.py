"""``walissh chat --ephemeral``: a talk that leaves no trace in the installation's tables.

The journal of the turn stands in a database in memory, the messages in memory or in a
folder. Hosts, keys and secrets are the installation's, read only. What ran on a host stands
in the installation's audit trail, as ever.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from walissh.cli import guest
from walissh.errors import InvalidError

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from flask import Flask

    from walissh.react.host import Host
    from walissh.react.parts import Parts
    from walissh.react.turn import Session
    from walissh.store.history_file import FileHistory
    from walissh.store.history_lines import HistoryStore
    from walissh.store.people import Person

OPTION = "--ephemeral"
NOTICE = (
    "Ephemeral: {}. Long-term memory is neither read nor written; the commands stand in the"
    " audit trail."
)
ALL = 1_000_000
"""More messages than a talk has."""


class OptionalFolder(click.Command):
    """A command with two operands and an option whose folder may be left out.

    ``--ephemeral HOST QUESTION`` names no folder, ``--ephemeral DIR HOST QUESTION`` does:
    with one operand too many, what follows the option is the folder.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args* with the folder put into the option itself."""
        return super().parse_args(ctx, self._spelled_out(ctx, args))

    def _spelled_out(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        if OPTION not in options:
            return args
        at = args.index(OPTION)
        without = [*args[:at], f"{OPTION}=", *args[at + 1 :]]
        named = at + 1 < len(options) and not args[at + 1].startswith("-")
        if named and self._operands(ctx, without) > len(self._arguments()):
            return [*args[:at], f"{OPTION}={args[at + 1]}", *args[at + 2 :]]
        return without

    def _arguments(self) -> list[click.Parameter]:
        return [each for each in self.params if isinstance(each, click.Argument)]

    def _operands(self, ctx: click.Context, args: list[str]) -> int:
        """Return how many of *args* are no options and no values of options."""
        bare = click.Command(None, params=[p for p in self.params if p not in self._arguments()])
        try:
            _values, left, _order = bare.make_parser(ctx).parse_args(list(args))
        except click.UsageError:
            return 0  # the real parser says what is wrong
        return len(left)


@contextmanager
def begun(
    app: "Flask", person: "Person", host: "Host", folder: str
) -> "Iterator[tuple[Flask, Parts, Session]]":
    """Give the application, the parts and the session of such a talk; "" is memory only."""
    from walissh.store import throwaway

    with throwaway.opened() as aside, _messages(folder, person) as (history, session_id):
        talk = throwaway.begin(person, session_id, [host.id])
        before = history.since(talk.id, "", user_id=person.id, limit=ALL)
        click.echo(_notice(folder, len(before)), err=True)
        yield aside, parts(app, history, talk), talk


def _notice(folder: str, before: int) -> str:
    if not folder:
        return NOTICE.format("nothing of this talk is kept")
    goes_on = f"goes on after {before} messages, and " if before else ""
    return NOTICE.format(f"this talk {goes_on}is kept in {folder} only")


def parts(app: "Flask", history: "HistoryStore", talk: "Session") -> "Parts":
    from walissh import wiring
    from walissh.ssh.pool import Pool
    from walissh.ssh.run import SshShell
    from walissh.store import throwaway

    with app.app_context():
        installed, settings = wiring.parts(), wiring.settings()
    gauge, inventory = installed.gauge, guest.Inventory(app)
    shell = SshShell(Pool(), inventory, settings.output_limit_mb)
    return replace(
        installed,
        shell=guest.WitnessedShell(shell, app, installed.commands),
        circumstance=guest.GuestCircumstances(app),
        hosts=inventory,
        history=history,
        mind=guest.NoMemory(app),
        tracker=replace(installed.tracker, threads=throwaway.SnapshotThreads()),
        gauge=replace(gauge, lessons=guest.KnownLessons(gauge.lessons.of_model(gauge.model))),
        publish=Recorder(history, talk),
    )


# --- where the messages go ------------------------------------------------------------


@contextmanager
def _messages(folder: str, person: "Person") -> "Iterator[tuple[HistoryStore, str]]":
    """Give the store of the messages, and the session that is begun or gone on with."""
    from walissh.store.database import new_id
    from walissh.store.history_file import FileHistory
    from walissh.store.history_memory import MemoryHistory

    if not folder:
        yield MemoryHistory(), new_id()
        return
    with FileHistory(Path(folder), _said) as history:
        session_id = (history.sessions() or [new_id()])[0]
        history.lock(session_id)
        _refuse_another(history, session_id, person, folder)
        yield history, session_id


def _refuse_another(history: "FileHistory", session_id: str, person: "Person", folder: str) -> None:
    if history.owner(session_id) not in ("", person.id):
        raise InvalidError(
            f"The talk in {folder} is another person's. Use another folder, or take it in with:"
            f" walissh session import {Path(folder) / session_id}.jsonl"
        )


def _said(why: str) -> None:
    click.echo(why, err=True)


class Recorder:
    """A `Publish` that copies to the history what was said since: moves are told once stored."""

    def __init__(self, history: "HistoryStore", talk: "Session") -> None:
        self._history = history
        self._talk = talk
        self._last = ""
        self._lock = threading.Lock()  # Ctrl-C is watched for by a thread of its own

    def __call__(self, session_id: str, name: str, data: Mapping[str, object]) -> None:
        """Copy what is new; pieces of text and output bring nothing."""
        if name in ("text", "output"):
            return
        from walissh.store import history as journal

        mine = {"user_id": self._talk.user_id}
        with self._lock:
            new = journal.since(self._talk.id, self._last, limit=ALL, **mine)
            if new:
                self._history.add(self._talk.id, new, **mine)
                self._last = new[-1].id
