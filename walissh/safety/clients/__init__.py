"""Clients with a language of their own: SQL shells, redis-cli, curl, message queues.

Each is judged by the grammar of what it is told to do, not by its options alone.
"""

from collections.abc import Mapping
from typing import Protocol

from walissh.safety.clients import curl, databases, fetch, mongo, redis, tools
from walissh.safety.clients.told import Told
from walissh.safety.clients.tools import tls

__all__ = ["Told", "judge"]


class _Judge(Protocol):
    def __call__(self, program: str, args: tuple[str, ...], *, fed: bool) -> Told: ...


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told | None:
    """Tell what *program* may do with *args*; None if it is not one of these clients.

    *fed*: something comes in on standard input. The words hold the marks of ``table``
    (UNKNOWN, GLOB) where the text is only known when the line runs.
    """
    room = _ROOMS.get(program)
    if program.startswith(("kafka-", "zookeeper-")):
        program = program.removesuffix(".sh")
    if room is None and program in tools.names():
        room = tools.judge
    if program == "openssl" and args[:1] == ("s_client",):
        return tls(args[1:], fed=fed)
    return None if room is None else room(program, args, fed=fed)


_ROOMS: Mapping[str, _Judge] = {
    **dict.fromkeys(
        ("mysql", "mariadb", "psql", "sqlite3", "clickhouse-client", "clickhouse", "sqlcmd", "cqlsh"),
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
