"""The demo host: an SSH server on this machine for the first question.

Listens on the loopback address only, lets in one key only, and runs commands as the user
who started it: nothing that this user could not do anyway.
"""

import logging
import os
import pwd
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import paramiko
from paramiko.common import (
    AUTH_FAILED,
    AUTH_SUCCESSFUL,
    OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED,
    OPEN_SUCCEEDED,
)

from walissh.ssh import keys
from walissh.ssh.demo_command import DemoCommand

_MAX_CONNECTIONS = 100
_LOG_IN_LIMIT_S = 20.0
_LOG_NAME = "walissh.ssh.demo.transport"


def serve(authorized_key: str, host_key_text: str, on_ready: Callable[[int], None]) -> None:
    """Serve until SIGTERM or SIGINT; to be called in a process's main thread.

    *authorized_key* is a public line, *host_key_text* a private key. *on_ready* gets the
    port once connections are taken.
    """
    stop = threading.Event()
    with _signals(stop), DemoServer(authorized_key, host_key_text) as server:
        on_ready(server.port)
        stop.wait()


@contextmanager
def _signals(stop: threading.Event) -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {each: signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class DemoServer:
    """The server, while its ``with`` block lasts; *port* is the one the system chose."""

    def __init__(self, authorized_key: str, host_key_text: str) -> None:
        self._authorized = keys.parse_public(authorized_key).base64
        self._host_key = keys.load(host_key_text)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._listener.getsockname()[1])
        self._environment = _environment()
        self._lock = threading.Lock()
        self._transports: set[paramiko.Transport] = set()
        self._commands: set[DemoCommand] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._accept, name="demo-accept", daemon=True)

    def __enter__(self) -> "DemoServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._listener.close()
        with self._lock:
            transports, commands = list(self._transports), list(self._commands)
        for transport in transports:
            transport.close()
        for command in commands:
            command.end_now()
        self._thread.join(2)

    def run(self, channel: paramiko.Channel, line: bytes) -> None:
        """Start *line* in the user's shell, its streams on *channel*."""
        command = DemoCommand(channel, line, self._environment, self._forget)
        with self._lock:
            self._commands.add(command)
        command.start()

    def _forget(self, command: DemoCommand) -> None:
        with self._lock:
            self._commands.discard(command)

    def _accept(self) -> None:
        self._listener.settimeout(0.5)
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return  # closed: the server stops
            if len(self._transports) >= _MAX_CONNECTIONS:
                connection.close()
                continue
            threading.Thread(target=self._welcome, args=(connection,), daemon=True).start()

    def _welcome(self, connection: socket.socket) -> None:
        """Serve one connection to its end."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        logging.getLogger(_LOG_NAME).setLevel(logging.CRITICAL)
        transport = paramiko.Transport(connection)
        transport.set_log_channel(_LOG_NAME)
        transport.add_server_key(self._host_key)
        with self._lock:
            self._transports.add(transport)
        # paramiko keeps no strong reference to an accepted channel, so this list does
        channels: list[paramiko.Channel | None] = []
        try:
            transport.start_server(server=_Door(self, self._authorized))
            channels.append(transport.accept(_LOG_IN_LIMIT_S))
            while transport.is_authenticated() and not self._stopping.is_set():
                channels = [each for each in channels if each and not each.closed]
                channels.append(transport.accept(1.0))
        except (paramiko.SSHException, EOFError, OSError):
            pass  # the client's affair; it sees its own error
        finally:
            transport.close()
            with self._lock:
                self._transports.discard(transport)


class _Door(paramiko.ServerInterface):
    """Lets in one key, for exec requests only; the rest is refused by the base class."""

    def __init__(self, server: DemoServer, authorized: str) -> None:
        self._server = server
        self._authorized = authorized
        self._used: set[int] = set()

    def get_allowed_auths(self, username: str) -> str:
        """Name the one method."""
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        """Compare with the one key; the signature is checked by the transport."""
        return AUTH_SUCCESSFUL if key.get_base64() == self._authorized else AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        """Open sessions only."""
        if kind == "session":
            return OPEN_SUCCEEDED
        return OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        """Run one command per channel."""
        if channel.get_id() in self._used:
            return False
        self._used.add(channel.get_id())
        self._server.run(channel, command)
        return True


def _environment() -> dict[str, str]:
    """Return what a log-in would set. Never our own environment: it may hold API keys."""
    try:
        entry = pwd.getpwuid(os.getuid())
        name, home, shell = entry.pw_name, entry.pw_dir, entry.pw_shell
    except KeyError:  # a container's made-up user
        name, home, shell = str(os.getuid()), os.environ.get("HOME", "/"), ""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL", "TZ") if key in os.environ}
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        **kept,
        "HOME": home if Path(home).is_dir() else "/",
        "USER": name,
        "LOGNAME": name,
        "SHELL": shell if os.access(shell, os.X_OK) else "/bin/sh",
    }
