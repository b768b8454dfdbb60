"""The name of this process in journals and heartbeats."""

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
