"""The listening socket, opened before anything is started and handed to the web part."""

import contextlib
import errno
import fcntl
import http.client
import os
import socket
from collections.abc import Iterator
from typing import TextIO

from walissh.config import Settings
from walissh.errors import StartError

BACKLOG = 1024
ADDRESS_FILE = "address"


def open_socket(settings: Settings) -> socket.socket:
    """Listen on the address of *settings*; raises StartError if it is taken or not ours.

    Held by ``up``, it outlives a restart of the web part: callers wait, none is refused.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        raise StartError(_explain(settings, error)) from error


def _explain(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"{settings.bind} is already in use. Stop what listens there, or choose another "
            "address with --bind or WALISSH_BIND."
        )
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return f"Cannot listen on {settings.bind}: {reason}. Choose another address with --bind."


def visible_address(settings: Settings) -> str:
    """Return HOST:PORT as a browser on this machine would write it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    return f"[{host}]:{settings.port}" if ":" in host else f"{host}:{settings.port}"


@contextlib.contextmanager
def announced(settings: Settings) -> Iterator[None]:
    """Keep the address in a file of home, for other commands; raises StartError.

    The file is locked as long as it is true: what a killed process left is not believed.
    """
    path = settings.home / ADDRESS_FILE
    try:
        file = path.open("a", encoding="ascii")
    except OSError as error:
        raise StartError(f"{path} cannot be written: {error.strerror}. Remove it.") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{visible_address(settings)}\n")
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def running_address(settings: Settings) -> str:
    """Return HOST:PORT where ``walissh up`` on this home listens, else the configured one."""
    try:
        with (settings.home / ADDRESS_FILE).open(encoding="ascii") as file:
            return _locked_line(file) or visible_address(settings)
    except OSError:
        return visible_address(settings)


def _locked_line(file: TextIO) -> str:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return file.readline().strip()
    return ""


def is_ready(settings: Settings) -> bool:
    """Tell whether ``/readyz`` answers 200: database, Redis and both kinds of worker."""
    connection = http.client.HTTPConnection(running_address(settings), timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
