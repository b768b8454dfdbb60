"""One command on one host: start it, listen, and end it when it must end."""

import codecs
import secrets
import select
import time
from collections.abc import Callable
from dataclasses import dataclass

import paramiko

from walissh.errors import NotFoundError, ShellError
from walissh.react.host import Endpoint, Host
from walissh.react.turn import Exit
from walissh.ssh import remote
from walissh.ssh.connect import UntrustedKeyError
from walissh.ssh.hosts import Endpoints
from walissh.ssh.kill import end_remote
from walissh.ssh.link import Link
from walissh.ssh.output import Outlet
from walissh.ssh.pool import Pool

_TICK_S = 0.1
_ASK_S = 0.15
_READ_BYTES = 8 * 1024 * 1024  # all at once: paramiko's buffer is slow to cut
_SEND_LIMIT_S = 10.0
_START_LIMIT_S = 30.0
_BACKGROUND_S = 0.5
_BACKGROUND_MAX_S = 5.0
_LAST_WORDS_S = 0.5
_CHECK_LIMIT_S = 20


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be run, for how long, and who listens."""

    run_id: str
    command: str
    limit_s: float
    on_output: Callable[[str], None]
    cancelled: Callable[[], bool]


class SshShell:
    """``react.turn.Shell`` over SSH: the only road to a host."""

    def __init__(self, pool: Pool, endpoints: Endpoints, output_limit_mb: int = 256) -> None:
        self._pool = pool
        self._endpoints = endpoints
        self._output_limit = output_limit_mb * 1024 * 1024

    def run(
        self,
        run_id: str,
        host_id: str,
        command: str,
        *,
        limit_s: int,
        on_output: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Exit:
        """Run *command*, giving purified whole lines to *on_output* as they come.

        The limit counts from the start of the command; connecting has its own. Raises
        ShellError; ``started`` tells whether the command may have begun.
        """
        order = _Order(run_id, command, limit_s, on_output, cancelled)
        return self._run(host_id, order)

    def check(self, host_id: str) -> None:
        """Connect anew, verify the key, log in, run ``true``; raises ShellError."""
        self._pool.retire(host_id)
        run_id = f"check-{secrets.token_hex(8)}"
        order = _Order(run_id, "true", _CHECK_LIMIT_S, lambda _: None, lambda: False)
        result = self._run(host_id, order)
        if result.exit_code != 0:
            name = self._endpoint(host_id).host.name
            raise ShellError(
                f"{name}: the log-in works, but the command 'true' did not end well "
                f"({result.ended_by}, exit code {result.exit_code}). Check the login shell.",
                host=name,
                phase="run",
                started=True,
            )

    def _endpoint(self, host_id: str) -> Endpoint:
        try:
            return self._endpoints.endpoint(host_id)
        except NotFoundError as error:
            raise ShellError(
                f"The host {host_id} is not known any more. Nothing was run. Choose another "
                "host or add it again.",
                host=host_id,
                phase="resolve",
            ) from error

    def _run(self, host_id: str, order: _Order) -> Exit:
        endpoint = self._endpoint(host_id)
        data = _encode(order.command, endpoint.host)
        try:
            opened = self._pool.open_session(endpoint, gave_up=_slow(order.cancelled))
        except UntrustedKeyError as untrusted:
            self._endpoints.remember_seen_key(untrusted.host_id, untrusted.key)
            raise untrusted.error from None
        if opened is None:
            return Exit(None, "cancelled")
        link, channel = opened
        try:
            return _Run(self._pool, link, channel, order, self._output_limit).to_the_end(data)
        finally:
            channel.close()
            link.give_back()


def _slow(cancelled: Callable[[], bool]) -> Callable[[], bool]:
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


def _encode(command: str, host: Host) -> bytes:
    problem = ""
    if "\0" in command:
        problem = "it contains a NUL character"
    try:
        codecs.lookup(host.encoding)
        data = command.encode(host.encoding)
    except (LookupError, UnicodeEncodeError):
        problem = problem or f"it cannot be written in the host's encoding {host.encoding}"
    if problem:
        raise ShellError(
            f"{host.name}: this command cannot be sent: {problem}. Nothing was run. Change "
            "the command, or the encoding on the host page.",
            host=host.name,
            phase="run",
        )
    return data


class _Run:
    """A command between its start and its end."""

    def __init__(
        self, pool: Pool, link: Link, channel: paramiko.Channel, order: _Order, max_bytes: int
    ) -> None:
        self._pool = pool
        self._link = link
        self._channel = channel
        self._order = order
        self._max_bytes = max_bytes
        self._mark = f"walissh-{secrets.token_hex(8)}"
        self._outlet = Outlet(self._mark, link.endpoint.host.encoding, order.on_output)
        self._cancelled = _slow(order.cancelled)
        self._process: remote.Started | None = None  # known: the command was sent
        self._heard_at = 0.0
        self._exited_at = 0.0

    def to_the_end(self, command: bytes) -> Exit:
        """Start, listen until one end or another, and tell which it was."""
        over = False
        try:
            self._link.start(self._channel, remote.start_line(self._mark, self._order.run_id))
            ended_by = self._listen(command)
            over = True
            return self._close(ended_by)
        except (paramiko.SSHException, EOFError, OSError) as error:
            raise self._lost() from error
        finally:
            if not over and self._link.transport.is_active():
                self._end_remote()  # the listener failed: nobody would see the rest

    def _listen(self, command: bytes) -> str:
        begun = time.monotonic()
        while True:
            self._read()
            if self._process is None and self._outlet.started:
                self._send(command, self._outlet.started)
            self._outlet.flush_if_due()
            waited = time.monotonic() - begun
            ended_by = self._end_seen(waited)
            if ended_by:
                return ended_by
            self._wait(min(_TICK_S, self._order.limit_s - waited))

    def _send(self, command: bytes, process: remote.Started) -> None:
        """Hand the command over; from here on it may run."""
        self._process = process
        self._channel.settimeout(_SEND_LIMIT_S)
        self._channel.sendall(remote.start_input(self._mark, command))
        self._channel.shutdown_write()

    def _end_seen(self, waited: float) -> str:
        """Return by what the command has ended or must end, "" to go on."""
        if self._exited():
            return "exited"
        if self._cancelled():
            return "cancelled"
        if self._outlet.received > self._max_bytes:
            return "output_limit"
        if waited >= self._order.limit_s:
            return "limit"
        if not self._link.beat():
            self._link.close()
            raise self._lost()
        if waited >= _START_LIMIT_S and self._process is None:
            raise self._not_started()
        return ""

    def _read(self) -> int:
        """Take what has arrived on both streams; return how much."""
        channel, taken = self._channel, 0
        if channel.recv_ready():
            data = channel.recv(_READ_BYTES)
            self._outlet.feed("stdout", data)
            taken += len(data)
        if channel.recv_stderr_ready():
            data = channel.recv_stderr(_READ_BYTES)
            self._outlet.feed("stderr", data)
            taken += len(data)
        if taken:
            self._heard_at = time.monotonic()
        return taken

    def _at_eof(self) -> bool:
        channel = self._channel
        quiet = not channel.recv_ready() and not channel.recv_stderr_ready()
        return quiet and bool(channel.eof_received or channel.closed)

    def _wait(self, timeout_s: float) -> None:
        if self._channel.eof_received or self._channel.closed:
            self._channel.status_event.wait(timeout_s)
            return
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN)
        poll.poll(timeout_s * 1000)

    def _exited(self) -> bool:
        """Tell whether it is over; a background child may keep the streams open."""
        if not self._channel.exit_status_ready():
            return False
        if self._at_eof():
            return True
        now = time.monotonic()
        self._exited_at = self._exited_at or now
        quiet_s = now - max(self._heard_at, self._exited_at)
        return quiet_s > _BACKGROUND_S or now - self._exited_at > _BACKGROUND_MAX_S

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
        if self._at_eof():
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
        while not self._at_eof() and time.monotonic() < until:
            if not self._read():
                self._wait(0.05)
        self._read()

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
