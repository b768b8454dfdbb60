"""One command of the demo host: a process group and its three streams on a channel."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import IO

import paramiko
from paramiko.common import cMSG_CHANNEL_REQUEST

from walissh.ssh.wire import send_message

_POLL_S = 0.05
_GRACE_S = 1.0
_CHUNK = 32 * 1024


class DemoCommand:
    """Runs *line*; when the channel closes first, its whole group is ended."""

    def __init__(
        self,
        channel: paramiko.Channel,
        line: bytes,
        environment: dict[str, str],
        on_end: Callable[["DemoCommand"], None],
    ) -> None:
        self._channel = channel
        self._line = line
        self._environment = environment
        self._on_end = on_end
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it in threads of its own; returns at once."""
        threading.Thread(target=self._run, name="demo-command", daemon=True).start()

    def end_now(self) -> None:
        """Kill the group without grace."""
        if self._process is not None and self._process.returncode is None:
            _signal_group(self._process, signal.SIGKILL)

    def _run(self) -> None:
        try:
            process = self._process = self._open()
        except OSError as error:
            self._fail(error)
            return
        pumps = [
            self._thread(_copy_out, process.stdout, self._channel.sendall),
            self._thread(_copy_out, process.stderr, self._channel.sendall_stderr),
        ]
        self._thread(_copy_in, self._channel, process)
        try:
            self._watch(process)
            self._tell_end(process.returncode)
            while not self._channel.closed and any(each.is_alive() for each in pumps):
                pumps[0].join(_POLL_S)
                pumps[1].join(_POLL_S)
        finally:
            self._channel.close()
            self._on_end(self)

    def _open(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [self._environment["SHELL"], "-c", self._line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._environment["HOME"],
            env=self._environment,
            start_new_session=True,
            bufsize=0,
        )

    def _thread(self, work: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        return thread

    def _fail(self, error: OSError) -> None:
        with contextlib.suppress(paramiko.SSHException, OSError):
            self._channel.sendall_stderr(f"{error.strerror}\n".encode())
            self._channel.send_exit_status(126)
        self._channel.close()
        self._on_end(self)

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for its end; end it when nobody listens any more."""
        while process.poll() is None:
            if self._channel.closed:
                _end_group(process)
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)

    def _tell_end(self, code: int) -> None:
        if self._channel.closed:
            return
        if code >= 0:
            self._channel.send_exit_status(code)
            return
        message = paramiko.Message()
        message.add_byte(cMSG_CHANNEL_REQUEST)
        message.add_int(self._channel.remote_chanid)
        message.add_string("exit-signal")
        message.add_boolean(False)
        message.add_string(signal.Signals(-code).name.removeprefix("SIG"))
        message.add_boolean(False)
        message.add_string("")
        message.add_string("")
        send_message(self._channel.get_transport(), message)


def _copy_out(source: IO[bytes], send: Callable[[bytes], None]) -> None:
    """Copy until the end; an end of the channel ends it too."""
    with contextlib.suppress(paramiko.SSHException, OSError), source:
        while data := source.read(_CHUNK):
            send(data)


def _copy_in(channel: paramiko.Channel, process: "subprocess.Popen[bytes]") -> None:
    """Copy the client's input until its end, or until the process is gone."""
    assert process.stdin is not None  # noqa: S101  opened as a pipe
    channel.settimeout(None)
    with contextlib.suppress(OSError), process.stdin as target:
        while data := channel.recv(_CHUNK):
            target.write(data)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    _signal_group(process, signal.SIGTERM)
    until = time.monotonic() + _GRACE_S
    while time.monotonic() < until and process.poll() is None:
        time.sleep(_POLL_S)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
