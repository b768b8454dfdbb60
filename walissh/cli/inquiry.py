"""One turn of playbooks on one host, in tables of its own that go with it."""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from flask import Flask, current_app

from walissh import wiring
from walissh.brain.playbook import Catalogue, Playbook
from walissh.brain.report import Outlook
from walissh.brain.run_playbook import OnlyPlaybooks
from walissh.cli import chat, checked, ephemeral, guest
from walissh.cli.alone import OneContact, OnlyDiagnosis, Stoppable, WholeTurn
from walissh.cli.checked import Checked, Evidence
from walissh.errors import WalisshError
from walissh.react import decisions
from walissh.react.gauge import Gauge, Learned
from walissh.react.host import Host
from walissh.react.needs import Shell
from walissh.react.parts import Parts
from walissh.react.turn import CommandRun, CommandStatus, Language, Turn
from walissh.ssh.pool import Pool
from walissh.ssh.run import SshShell
from walissh.store import throwaway
from walissh.store.database import new_id
from walissh.store.history_memory import MemoryHistory
from walissh.store.people import Person

logger = logging.getLogger(__name__)

NOBODY: Final = "it would need approval, and nobody is asked"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What the hosts of one ``walissh check`` have in common; `check` is for any thread."""

    app: Flask
    asking: Person
    catalogue: Catalogue
    books: Sequence[Playbook]
    stop: threading.Event
    pool: Pool
    language: Language

    @classmethod
    @contextmanager
    def opened(
        cls,
        asking: Person,
        catalogue: Catalogue,
        books: Sequence[Playbook],
        stop: threading.Event,
    ) -> "Iterator[Inquiry]":
        """Give one in the context of the installation; its connections are closed after it."""
        app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
        pool, language = Pool(), wiring.settings().lang or "en"
        try:
            yield cls(app, asking, catalogue, books, stop, pool, language)
        finally:
            pool.close()

    def check(self, host: Host) -> Checked:
        """Play the turn on *host*; what goes wrong there is in what it returns."""
        if self.stop.is_set():
            return Checked(host.name, error=checked.phrase("stopped", self.language))
        try:
            return self._check(host)
        except WalisshError as error:  # one host's trouble is not that of the others
            return Checked(host.name, error=str(error))
        except Exception as error:  # no job is here, and a fault of ours is of one host too
            logger.exception("unforeseen host=%s", host.name)
            why = checked.phrase("unforeseen", self.language, error=repr(error))
            return Checked(host.name, error=why)

    def _check(self, host: Host) -> Checked:
        begun = time.monotonic()
        with throwaway.opened():
            talk = throwaway.begin(self.asking, new_id(), [host.id])
            model = Stoppable(OnlyPlaybooks(self.catalogue, self.books), self.stop)
            shell = OneContact(self._shell(), self.stop)
            history = MemoryHistory()
            parts = self._parts(ephemeral.parts(self.app, history, talk), model, shell)
            turn = decisions.ask(parts, talk.id, self.asking.id, self._question())
            model.cancel = lambda: decisions.cancel(parts, turn.id, turn.user_id)
            ended = chat.play(parts, turn.id, lambda run: _leave_out(parts, run))
            self.pool.retire(host.id)
            error = str(shell.lost) if shell.lost else self._error(ended)
            return _checked(parts, host, turn, model.model.found, error, begun)

    def _shell(self) -> Shell:
        with self.app.app_context():
            settings, commands = wiring.settings(), wiring.parts().commands
        driver = SshShell(self.pool, guest.Inventory(self.app), settings.output_limit_mb)
        return guest.WitnessedShell(driver, self.app, commands)

    def _parts(self, usual: Parts, model: Stoppable, shell: OneContact) -> Parts:
        """Return the parts of an ephemeral talk, without any model server."""
        return replace(
            usual,
            model=model,
            shell=shell,
            prompt=WholeTurn(()),
            tracker=replace(usual.tracker, understanding=OnlyDiagnosis()),
            gauge=Gauge(wiring.OFFLINE, guest.KnownLessons(Learned())),
            enqueue=chat.NoQueue(),
            writer=None,
            language=self.language,
        )

    def _question(self) -> str:
        """Return a question in our language; a host's name might be in the other one."""
        titles = ", ".join(each.title.in_language(self.language) for each in self.books)
        return f"检查：{titles}" if self.language == "zh" else f"check: {titles}"

    def _error(self, ended: Turn | None) -> str:
        if self.stop.is_set():
            return checked.phrase("stopped", self.language)
        return ended.error if ended else ""


def _leave_out(parts: Parts, run: CommandRun) -> None:
    decisions.deny(parts, run.id, run.user_id, NOBODY)


def _checked(
    parts: Parts, host: Host, turn: Turn, found: Outlook | None, error: str, begun: float
) -> Checked:
    runs = parts.commands.of_turn(turn.id)
    by_id = {run.id: run for run in runs}
    places = checked.places(found) if found else []
    return Checked(
        host=host.name,
        error=error,
        found=found,
        evidence={
            each: Evidence(
                command_id=each.command_id,
                command=by_id[each.command_id].command,
                first=each.first,
                last=each.last,
                text=_lines(parts, each.command_id, each.first, each.last),
            )
            for each in places
            if each.command_id in by_id
        },
        left_out=frozenset(run.command for run in runs if run.status is CommandStatus.DENIED),
        commands=sum(run.started_at is not None for run in runs),
        seconds=time.monotonic() - begun,
    )


def _lines(parts: Parts, command_id: str, first: int, last: int) -> str:
    count = min(last - first + 1, checked.MAX_LINES)
    return "\n".join(text for _, text in parts.commands.read_lines(command_id, first, count, ""))
