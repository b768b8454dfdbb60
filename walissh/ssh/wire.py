"""The byte stream under a connection: a TCP socket, or a channel through a hop."""

import random
import socket
import threading
import time
from typing import Any, Protocol

import paramiko

from walissh.errors import ShellError
from walissh.react.host import Host

_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)  # Linux only
_REFUSED_TRIES = 3
_RESOLVE_LIMIT_S = 8.0

_Address = tuple[int, tuple[object, ...]]


class Stream(Protocol):
    """What both a socket and a channel can do."""

    def send(self, data: bytes) -> int: ...
    def recv(self, size: int) -> bytes: ...
    def settimeout(self, timeout_s: float | None) -> None: ...
    def close(self) -> None: ...


class Wire:
    """A stream that knows when it last heard from the other side.

    Re-arms quick acknowledgements after each read where the system has them: the kernel
    falls back to delayed ones, which cost 40 ms on every first answer.
    """

    def __init__(self, stream: Stream, *, tcp: socket.socket | None = None) -> None:
        self._stream = stream
        self._tcp = tcp if _QUICKACK is not None else None
        self._closed = False  # this name is read by paramiko
        self.heard_at = time.monotonic()

    def recv(self, size: int) -> bytes:
        """Read at most *size* bytes; b"" at the end."""
        data = self._stream.recv(size)
        self.heard_at = time.monotonic()
        if self._tcp is not None and _QUICKACK is not None and data:
            self._tcp.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
        return data

    def send(self, data: bytes) -> int:
        """Write some of *data*; return how much."""
        return self._stream.send(data)

    def settimeout(self, timeout_s: float | None) -> None:
        """Set the limit of one read or write."""
        self._stream.settimeout(timeout_s)

    def close(self) -> None:
        """Close the stream; reading it then ends."""
        self._closed = True
        self._stream.close()


def open_tcp(host: Host, deadline: float) -> Wire:
    """Connect to *host*, each of its addresses in turn, before *deadline* (monotonic).

    Raises ShellError with phase resolve or connect.
    """
    addresses = _resolve(host)
    for attempt in range(_REFUSED_TRIES):
        try:
            return _first_open(addresses, deadline)
        except ConnectionRefusedError as error:
            if attempt == _REFUSED_TRIES - 1:
                raise _unreachable(host, error) from error
            pause(attempt)
        except OSError as error:
            raise _unreachable(host, error) from error
    raise AssertionError("the loop returns or raises")


def pause(attempt: int) -> None:
    """Wait before another try: longer each time, never in step with the others."""
    time.sleep(random.uniform(0.5, 1.5) * 0.15 * 2**attempt)  # noqa: S311  no secret


def send_message(transport: Any, message: paramiko.Message) -> None:
    """Send a message of our own making; paramiko's public calls wait without a limit."""
    transport._send_user_message(message)


def _resolve(host: Host) -> list[_Address]:
    """Look the name up in a thread of its own: the system's resolver knows no limit."""
    found: list[_Address] = []
    failed: list[OSError] = []
    name = host.address.strip("[]")

    def look_up() -> None:
        try:
            if not name:
                raise OSError("it is empty")  # else it would mean this machine
            for family, _, _, _, address in socket.getaddrinfo(
                name, host.port, type=socket.SOCK_STREAM
            ):
                found.append((family, address))
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError(str(error)))

    thread = threading.Thread(target=look_up, name="ssh-resolve", daemon=True)
    thread.start()
    thread.join(_RESOLVE_LIMIT_S)
    if failed or not found:
        reason = (failed[0].strerror or str(failed[0])) if failed else "no answer from DNS"
        raise ShellError(
            f"{host.name}: the name {name!r} does not resolve ({reason}). Nothing was run. "
            "Check the address on the host page.",
            host=host.name,
            phase="resolve",
        ) from (failed[0] if failed else None)
    return list(found)


def _first_open(addresses: list[_Address], deadline: float) -> Wire:
    error: OSError = TimeoutError("timed out")
    for number, (family, address) in enumerate(addresses):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            return _open_one(family, address, left / (len(addresses) - number))
        except OSError as refused:
            error = refused
    raise error


def _open_one(family: int, address: tuple[object, ...], timeout_s: float) -> Wire:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_s)
        sock.connect(address)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    except OSError:
        sock.close()
        raise
    return Wire(sock, tcp=sock)


def _unreachable(host: Host, error: OSError) -> ShellError:
    reason = "timed out" if isinstance(error, TimeoutError) else error.strerror or str(error)
    return ShellError(
        f"{host.name}: no connection to {host.address} port {host.port} ({reason}). Nothing "
        "was run. Check that the machine is up, and its address and port on the host page.",
        host=host.name,
        phase="connect",
    )
