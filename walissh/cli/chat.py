"""``walissh chat``: one turn in this process, without queue and page.

The database says what is due, as it does for the workers; whoever claims a step has it, so
a running ``walissh up`` beside it does no harm.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

import click

from walissh.cli import ephemeral
from walissh.cli.opened import opened, owner
from walissh.cli.transcript import RISKS, Transcript
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react import agent, course, decisions
from walissh.react.parts import Parts
from walissh.react.turn import (
    OPEN_TURN,
    CommandRun,
    CommandStatus,
    Risk,
    Session,
    Turn,
    TurnStatus,
)

if TYPE_CHECKING:
    from flask import Flask

LOOK_EACH_S = 0.1
FAILED = 1
NO_TERMINAL = "Nobody could be asked: there is no terminal."


@click.command(cls=ephemeral.OptionalFolder)
@click.argument("host")
@click.argument("question")
@click.option("--user", "person", metavar="NAME", help="Who asks; without: the admin.")
@click.option(
    ephemeral.OPTION,
    "folder",
    metavar="[DIR]",
    help="Leave no trace here; with DIR the talk is kept there, and goes on the next time.",
)
def chat(host: str, question: str, person: str | None, folder: str | None) -> None:
    """Ask QUESTION about HOST and follow the answer; exit code 1 if there is none.

    What the agent asks back is answered at the terminal; without one the question is printed.
    """
    from walissh.store import hosts

    with opened() as app:
        asking = owner(person)
        found = hosts.find(host, asking.id)
        if found is None:
            raise NotFoundError(f"There is no host named {host}. See: walissh host list")
        if folder is None:
            begun = _begun(app, asking.id, found.id)
        else:
            begun = ephemeral.begun(app, asking, found, folder)
        said: str | None = question
        with begun as (used, parts, talk):
            while said is not None:
                said = _answer_to(_turn(used, parts, talk, said, lends=folder is None))


@contextmanager
def _begun(app: "Flask", user_id: str, host_id: str) -> "Iterator[tuple[Flask, Parts, Session]]":
    from walissh import wiring
    from walissh.store import sessions

    talk = sessions.create(user_id, host_ids=[host_id])
    with _living(app):
        yield app, replace(wiring.parts(), publish=_untold), talk


def _untold(session_id: str, name: str, data: Mapping[str, object]) -> None:
    """Leave it to the transcript."""


def _turn(app: "Flask", parts: Parts, talk: Session, question: str, *, lends: bool) -> Turn:
    """Play one turn of the session to its end; leaves with 1 if it gave no answer.

    *lends*: a password for sudo may be typed here; a talk that leaves no trace has no place
    to keep it until its command begins.
    """
    transcript, before = Transcript(parts.commands), parts.publish

    def publish(session_id: str, name: str, data: Mapping[str, object]) -> None:
        before(session_id, name, data)
        transcript(session_id, name, data)

    parts = replace(parts, publish=publish, enqueue=NoQueue())
    kept = parts.tracker.threads.load(talk.id, talk.user_id)
    transcript.plan = kept.plan if kept else transcript.plan
    turn = decisions.ask(parts, talk.id, talk.user_id, question)
    with _stoppable(app, parts, turn):
        ended = play(parts, turn.id, lambda run: _decide(parts, run, lends=lends))
    if ended is None:
        raise NotFoundError("The session was deleted.")
    transcript.end(ended)
    if ended.status is not TurnStatus.DONE:
        click.echo(f"{ended.status.value}: {ended.error}".rstrip(": "), err=True)
        sys.exit(FAILED)
    return ended


class NoQueue:
    """An `Enqueue` that forgets: `play` sees in the database what is due."""

    def think(self, turn: Turn) -> None:
        """Leave it to `play`."""

    def act(self, run: CommandRun) -> None:
        """Leave it to `play`."""

    def finish(self, turn_id: str) -> None:
        """Leave it to `play`."""

    def compact(self, turn_id: str) -> None:
        """Leave it to the next question: it folds by itself what does not fit."""


def play(parts: Parts, turn_id: str, decide: Callable[[CommandRun], None]) -> Turn | None:
    """Make each move that is due until the turn has ended; None if it was deleted."""
    while True:
        turn = parts.turns.get(turn_id)
        if turn is None or turn.status not in OPEN_TURN:
            course.finish(parts, turn_id)
            return turn
        if not _move(parts, turn, decide):
            time.sleep(LOOK_EACH_S)


def _move(parts: Parts, turn: Turn, decide: Callable[[CommandRun], None]) -> bool:
    """Make one move; False if there is nothing to do but wait."""
    if turn.cancel_requested:
        course.advance(parts, turn.id)
        return False
    if turn.status is TurnStatus.QUEUED:
        return _think(parts, turn)
    runs = parts.commands.of_turn(turn.id, turn.step)
    for status, move in (
        (CommandStatus.APPROVED, lambda run: agent.act(parts, run.id)),
        (CommandStatus.AWAITING_APPROVAL, decide),
    ):
        due = next((run for run in runs if run.status is status), None)
        if due is not None:
            move(due)
            return True
    return False


def _think(parts: Parts, turn: Turn) -> bool:
    if turn.not_before is not None and turn.not_before > parts.clock():
        return False
    agent.think(parts, turn.id, turn.step)
    return True


# --- the person at the terminal -------------------------------------------------------


def _decide(parts: Parts, run: CommandRun, *, lends: bool) -> None:
    """Ask about one waiting command; somebody else may be faster on the page."""
    with suppress(ConflictError):
        if not sys.stdin.isatty():
            click.echo(f"Denied, for there is no terminal to ask: {run.command}", err=True)
            decisions.deny(parts, run.id, run.user_id, NO_TERMINAL)
            return
        try:
            _ask(parts, run, lends=lends)
        except (ConflictError, InvalidError) as error:
            click.echo(str(error), err=True)  # what still waits is asked for again, as it is
        except click.Abort:
            decisions.cancel(parts, run.turn_id, run.user_id)


def _ask(parts: Parts, run: CommandRun, *, lends: bool) -> None:
    _show(run)
    with _interruptible():
        choice = click.prompt("Run it? y, N, e (edit)", default="n", show_default=False, err=True)
        if choice.lower() not in ("y", "e"):
            decisions.deny(parts, run.id, run.user_id, "")
            return
        command = click.prompt("Command", default=run.command, err=True) if choice == "e" else None
        confirmed = ""
        if run.risk is Risk.DESTRUCTIVE:
            confirmed = click.prompt(f"Type {run.host} to confirm", default="", err=True)
        password = _sudo_password(replace(run, command=command or run.command)) if lends else ""
    with _lent(run, password):
        decisions.approve(
            parts,
            run.id,
            run.user_id,
            command=command,
            shown=run.command,
            confirm_host=confirmed,
        )


def _show(run: CommandRun) -> None:
    """Print what waits: for which machine, what it may do, and what decided that it waits."""
    click.echo(f"\n{run.host_identity}\n{run.host} $ {run.command}", err=True)
    decided = f" [decided by: {run.rule}]" if run.rule not in ("", "risk") else ""
    click.echo(f"It {RISKS[run.risk]}: {' '.join(run.reasons)}{decided}", err=True)


def _sudo_password(run: CommandRun) -> str:
    """Return what is typed unseen for sudo, "" where it wants none or one is known."""
    from walissh.ssh import sudo

    if not sudo.wants(run.command):
        return ""
    from walissh.web import lending  # takes seconds to load, and few commands want it

    if not lending.asks_sudo(run):
        return ""
    words = f"Password for sudo on {run.host} (empty if it asks for none)"
    typed: str = click.prompt(words, default="", show_default=False, hide_input=True, err=True)
    return typed


def _lent(run: CommandRun, password: str) -> AbstractContextManager[None]:
    """Have *password* there while *run* is approved, if there is one."""
    if not password:
        return nullcontext()
    from walissh.web import lending

    return lending.lent(run.id, run.user_id, password)


def _answer_to(ended: Turn) -> str | None:
    """Return what the person answers to the turn's question; None if nobody does.

    A number stands for the choice that has it.
    """
    if ended.asked is None or not sys.stdin.isatty():
        return None
    choices = {str(n): each for n, each in enumerate(ended.asked.choices, 1)}
    try:
        with _interruptible():
            said = click.prompt("Answer", default="", show_default=False, err=True).strip()
    except click.Abort:
        said = ""
    if not said:
        click.echo("Not answered: the question stands in the session.", err=True)
    return choices.get(said, said) or None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a question at the terminal, as it does everywhere."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- beside the turn ------------------------------------------------------------------


@contextmanager
def _living(app: "Flask") -> Iterator[None]:
    """Say that this process lives, so that upkeep does not take its steps for lost."""
    from workers import process

    stop = threading.Event()
    thread = process.start("beat", process.beat, app, "chat", stop)
    try:
        yield
    finally:
        stop.set()
        thread.join()
        process.leave(app)


@contextmanager
def _stoppable(app: "Flask", parts: Parts, turn: Turn) -> Iterator[None]:
    """Let the first Ctrl-C stop the turn and the second one this process."""
    pressed, over = threading.Event(), threading.Event()

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    def watch() -> None:
        # not in the handler: the code it interrupts may be in the middle of a transaction
        while not over.is_set():
            if pressed.wait(LOOK_EACH_S):
                with app.app_context(), suppress(ConflictError, NotFoundError):
                    decisions.cancel(parts, turn.id, turn.user_id)
                return

    before = signal.signal(signal.SIGINT, on_interrupt)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        signal.signal(signal.SIGINT, before)
