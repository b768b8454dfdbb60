"""The listening socket, opened before anything is started and handed to the web part."""

import errno
import http.client
import os
import socket

from walissh.config import Settings
from walissh.errors import StartError

BACKLOG = 1024


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


def is_ready(settings: Settings) -> bool:
    """Tell whether ``/readyz`` answers 200: database, Redis and both kinds of worker."""
    connection = http.client.HTTPConnection(visible_address(settings), timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
