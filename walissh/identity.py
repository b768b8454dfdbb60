"""Who this process is: its name in journals and heartbeats, and its login."""

import getpass
import os
import secrets
import socket

_names: dict[int, str] = {}


def worker_name() -> str:
    """Return ``host:pid:random``, the same all the life of the process (a fork gets its own)."""
    pid = os.getpid()
    if pid not in _names:
        _names[pid] = f"{socket.gethostname()}:{pid}:{secrets.token_hex(4)}"
    return _names[pid]


def login_name() -> str:
    """Return the login that this process runs as; its number where nothing names it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user stands in no file
        return str(os.getuid())
