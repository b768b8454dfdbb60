"""Clients with a language of their own: SQL shells, redis-cli, curl, message queues.

Each is judged by the grammar of what it is told to do, not by its options alone.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Protocol

from walissh.react.turn import Risk
from walissh.safety.clients import curl, databases, fetch, mongo, redis, spoken, told, tools
from walissh.safety.clients.told import Told
from walissh.safety.clients.tools import tls
from walissh.safety.table import UNKNOWN

__all__ = ["LISTENING", "Told", "judge"]


class _Judge(Protocol):
    def __call__(self, program: str, args: tuple[str, ...], *, fed: bool) -> Told: ...


def judge(
    program: str, args: tuple[str, ...], *, fed: bool, text: str | None = None
) -> Told | None:
    """Tell what *program* may do with *args*; None if it is not one of these clients.

    *fed*: something comes in on standard input; *text*: what it is, if the line itself says
    so (a here-document, an echo before the pipe). The words hold the marks of ``table``
    (UNKNOWN, GLOB) where the text is only known when the line runs.
    """
    if program.startswith(("kafka-", "zookeeper-")):
        program = program.removesuffix(".sh")
    if program == "openssl" and args[:1] == ("s_client",):
        return tls(args[1:], fed=fed, text=text)
    if program in spoken.PROGRAMS and text:
        return spoken.judge(program, args, text)
    room = tools.judge if program in tools.names() else _ROOMS.get(program)
    if room is None:
        return None
    found = room(program, args, fed=fed)
    if fed and text is not None and (found.code, found.word) == ("unseen", "stdin"):
        heard = told.worst(room(program, each, fed=False) for each in _heard(program, args, text))
        sure = program in _HEARS_PLAINLY and not _MIDDLE.search(text)
        return heard if sure or heard.risk is Risk.DESTRUCTIVE else told.worst([found, heard])
    return found


_HEARS_PLAINLY = frozenset(
    {"mysql", "mariadb", "psql", "sqlite3", "redis-cli", "valkey-cli", "clickhouse-client"}
)
"""Clients that read the same from their input as from their arguments."""

_MIDDLE = re.compile(r"[^\n]\\(?!G\b)|\\(?!d|l|timing|x|pset|conninfo|echo|q|G)|^\s*:", re.M)
"""A backslash inside a line, or a command that may change what later ones mean."""


def _heard(program: str, args: tuple[str, ...], text: str) -> Iterator[tuple[str, ...]]:
    """Give the calls that do what the client does when it reads *text*."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if program == "psql":
        plain = "\n".join(line for line in lines if not line.startswith("\\"))
        said = [plain or ";", *(line for line in lines if line.startswith("\\"))]
        yield (*args, *(word for each in said for word in ("--command", each)))
    elif program in _STATEMENT:
        yield (*args, _STATEMENT[program], text)
    elif program == "sqlite3":
        plain = "\n".join(line for line in lines if not line.startswith("."))
        database = args if any(not word.startswith("-") for word in args) else (*args, ":memory:")
        yield (*database, plain or ";", *(line for line in lines if line.startswith(".")))
    else:
        yield from ((*args, *_split(line)) for line in lines or ["ping"])


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return [UNKNOWN]


_STATEMENT = {
    "mysql": "--execute", "mariadb": "--execute", "psql": "--command", "cqlsh": "--execute",
    "clickhouse-client": "--query", "sqlcmd": "-Q", "mongosh": "--eval", "mongo": "--eval",
}  # fmt: skip


LISTENING = frozenset({*_STATEMENT, "sqlite3", "redis-cli", "valkey-cli"})
"""The clients whose standard input is read as statements."""

_ROOMS: Mapping[str, _Judge] = {
    **dict.fromkeys(
        (
            "mysql", "mariadb", "psql", "sqlite3", "clickhouse-client", "clickhouse", "sqlcmd",
            "cqlsh",
        ),
        databases.judge,
    ),
    **dict.fromkeys(("mysqladmin", "mariadb-admin"), databases.mysqladmin),
    **dict.fromkeys(("mysqldump", "mariadb-dump"), databases.mysqldump),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), redis.judge),
    **dict.fromkeys(("mongosh", "mongo"), mongo.judge),
    "curl": curl.judge,
    "wget": fetch.wget,
    **dict.fromkeys(("http", "https", "xh"), fetch.httpie),
}  # fmt: skip
