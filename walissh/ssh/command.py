"""One command between its start and its end: listen, and end it when it must end."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

import paramiko

from walissh.errors import ShellError
from walissh.react.turn import Exit
from walissh.safety import exposing
from walissh.safety.placeholders import UNNUMBERED, Names
from walissh.safety.purify import Mouth
from walissh.ssh import remote
from walissh.ssh.intake import Intake
from walissh.ssh.kill import end_remote
from walissh.ssh.link import Link
from walissh.ssh.output import Outlet
from walissh.ssh.pool import Pool
from walissh.ssh.sudo import Answers

_TICK_S = 0.1
_ASK_S = 0.15
_SEND_LIMIT_S = 10.0
_START_LIMIT_S = 30.0
_BACKGROUND_S = 0.5
_BACKGROUND_MAX_S = 5.0
_BACKGROUND_BYTES = 1024 * 1024
_LAST_WORDS_S = 0.5


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run, for how long, and who listens."""

    run_id: str
    command: str
    limit_s: float
    on_output: Callable[[str], None]
    cancelled: Callable[[], bool]
    names: Names = UNNUMBERED


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms it is run.

    *admit* looks at who answers before the command is sent, and raises ShellError. *answers*
    is what sudo is told, None for a command that has none.
    """

    max_bytes: int
    admit: Callable[[remote.Started], None]
    answers: Answers | None = None


def seldom(cancelled: Callable[[], bool]) -> Callable[[], bool]:
    """Ask *cancelled* (a look into a store) at most every 0.15 s; once true, always."""
    asked_at = 0.0
    answer = False

    def ask() -> bool:
        nonlocal asked_at, answer
        if not answer and time.monotonic() - asked_at >= _ASK_S:
            answer = cancelled()
            asked_at = time.monotonic()
        return answer

    return ask


class Command:
    """A command between its start and its end."""

    def __init__(
        self, pool: Pool, link: Link, channel: paramiko.Channel, order: Order, terms: Terms
    ) -> None:
        self._pool = pool
        self._link = link
        self._channel = channel
        self._order = order
        self._terms = terms
        self._mark = f"walissh-{secrets.token_hex(8)}"
        self._encoding = link.endpoint.host.encoding
        hidden = terms.answers.hidden if terms.answers else None
        self._outlet = Outlet(
            self._mark, self._encoding, order.on_output, hidden=hidden, mouth=self._mouth(order)
        )
        self._intake = Intake(channel, self._outlet)
        self._cancelled = seldom(order.cancelled)
        self._process: remote.Started | None = None  # known: the command was sent
        self._exited_at: tuple[float, int] | None = None  # when, and after how many bytes

    def _mouth(self, order: Order) -> Mouth:
        return Mouth(self._encoding, order.names, exposing.finder(order.command))

    def to_the_end(self, command: bytes) -> Exit:
        """Start, listen until one end or another, and tell which it was."""
        over = False
        asks = self._terms.answers is not None
        sent = (remote.asking_input if asks else remote.start_input)(self._mark, command)
        try:
            self._start(len(sent) if asks else 0)
            ended_by = self._listen(sent)
            over = True
            return self._close(ended_by)
        finally:
            if not over and self._link.transport.is_active():
                self._end_remote()  # the listener failed: nobody would see the rest

    def _start(self, asking_bytes: int) -> None:
        line = remote.start_line(self._mark, self._order.run_id, asking_bytes=asking_bytes)
        try:
            self._link.start(self._channel, line)
        except (paramiko.SSHException, EOFError, OSError) as error:
            raise self._lost() from error

    def _listen(self, sent: bytes) -> str:
        begun = time.monotonic()
        while True:
            self._intake.take()
            if self._process is None and self._outlet.started:
                self._send(sent, self._outlet.started)
            self._answer_sudo()
            self._outlet.flush_if_due()
            waited = time.monotonic() - begun
            ended_by = self._end_seen(waited)
            if ended_by:
                return ended_by
            self._intake.wait(min(_TICK_S, self._order.limit_s - waited))

    def _send(self, sent: bytes, process: remote.Started) -> None:
        """Hand the command over if the right machine is there; from here on it may run."""
        self._terms.admit(process)
        self._process = process
        self._write(sent)
        if self._terms.answers is None:
            self._write(b"", last=True)

    def _answer_sudo(self) -> None:
        while self._terms.answers and (line := self._outlet.asked()) is not None:
            said = self._terms.answers.answer(line)
            if said and not self._channel.closed:
                self._write(said.encode(self._encoding, "replace"))

    def _write(self, data: bytes, *, last: bool = False) -> None:
        self._channel.settimeout(_SEND_LIMIT_S)
        try:
            self._channel.sendall(data)
            if last:
                self._channel.shutdown_write()
        except (paramiko.SSHException, EOFError, OSError) as error:
            raise self._lost() from error

    def _end_seen(self, waited: float) -> str:
        """Return by what the command has ended or must end, "" to go on."""
        if self._exited():
            return "exited"
        if self._cancelled():
            return "cancelled"
        if self._outlet.received > self._terms.max_bytes:
            return "output_limit"
        if waited >= self._order.limit_s:
            return "limit"
        if not self._link.beat():
            self._link.close()
            raise self._lost()
        if waited >= _START_LIMIT_S and self._process is None:
            raise self._not_started()
        return ""

    def _exited(self) -> bool:
        """Tell whether it is over; a background child may keep the streams open."""
        if not self._channel.exit_status_ready():
            return False
        if self._intake.at_eof():
            return True
        now, received = time.monotonic(), self._outlet.received
        self._exited_at = self._exited_at or (now, received)
        at, before = self._exited_at
        if self._intake.pending():
            return False
        # silence, or a child that talks on, but too little for the rest of a big output
        drips = received - before < _BACKGROUND_BYTES and now - at > _BACKGROUND_MAX_S
        return drips or now - max(self._intake.heard_at, at) > _BACKGROUND_S

    def _close(self, ended_by: str) -> Exit:
        if ended_by == "exited":
            return self._close_exited()
        notice = self._end_remote()
        if ended_by != "output_limit":
            self._hear_last_words()
        self._outlet.finish()
        return Exit(None, ended_by, notice)

    def _close_exited(self) -> Exit:
        status, name = self._channel.exit_status, self._link.name
        if status < 0 and not self._link.transport.is_active():
            raise self._lost()
        if self._process is None:
            raise self._not_started()
        self._outlet.finish()
        if status < 0:
            return Exit(None, "exited", f"{name}: the command was ended by a signal.")
        unmet = self._terms.answers.notice(status) if self._terms.answers else ""
        if unmet:
            return Exit(status, "sudo" if status else "exited", unmet)
        if self._intake.at_eof():
            return Exit(status, "exited")
        return Exit(
            status,
            "exited",
            f"{name}: the command ended, but something that it started still runs in the "
            f"background (process group {self._process.pid}).",
        )

    def _end_remote(self) -> str:
        """End what was sent; what was not yet sent ends with the channel."""
        if self._process is None:
            return f"{self._link.name}: the command had not started yet; nothing was run."
        return end_remote(self._pool, self._link, self._order.run_id, self._process)

    def _hear_last_words(self) -> None:
        until = time.monotonic() + _LAST_WORDS_S
        while not self._intake.at_eof() and time.monotonic() < until:
            if not self._intake.take():
                self._intake.wait(0.05)

    def _not_started(self) -> ShellError:
        said = self._outlet.noise()
        return ShellError(
            f"{self._link.name}: the login shell did not start the command. Nothing was run. "
            + (f"It said: {said}" if said else "It said nothing. Check the account's shell."),
            host=self._link.name,
            phase="run",
        )

    def _lost(self) -> ShellError:
        name, process = self._link.name, self._process
        if process is None:
            return ShellError(
                f"{name}: the connection was lost before the command started. Nothing was run. "
                "Try again.",
                host=name,
                phase="run",
            )
        return ShellError(
            f"{name}: the connection was lost while the command ran. Its outcome is unknown, and "
            f"it may still run there (process group {process.pid}). Look at the host before "
            "trying again.",
            host=name,
            phase="run",
            started=True,
        )
