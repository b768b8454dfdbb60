"""Causes in redis: each is named with its evidence, and a healthy one is left alone."""

# ruff: noqa: E501  output is as wide as machines write it
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from tests.offline_stores import INFO, REDIS_CONF, REDIS_SS, SS_HEAD, causes, store_machine

AT = "2026-02-25 06:19:50,100 ERROR loans[777]: "
QUESTION = "loans 存不进 redis：why can loans store nothing in redis?"


class Case(NamedTuple):
    """A machine's error, what differs on it, and what the cause must say in any language."""

    error: str
    more: Mapping[str, str]
    says: tuple[str, ...]
    runs: bool = True


FULL = INFO.replace("used_memory:1048576", "used_memory:4194000").replace(
    "maxmemory:0\nmaxmemory_human:0B", "maxmemory:4194304\nmaxmemory_human:4.00M"
)
UNSAVED = INFO.replace("bgsave_status:ok", "bgsave_status:err")
CASES = {
    "maxmemory": Case(
        AT + "not kept: OOM command not allowed when used memory > 'maxmemory'.",
        {
            " info 2>&1": FULL,
            "for d in /etc/redis": REDIS_CONF + "/etc/redis/redis.conf:5:maxmemory 4mb\n",
        },
        ("maxmemory", "noeviction", "4.00M", "/etc/redis/redis.conf:5", "120", "TTL"),
    ),
    "maxclients": Case(
        AT + "not kept: ERR max number of clients reached",
        {
            " info 2>&1": "ERR max number of clients reached\nend\n",
            "for d in /etc/redis": REDIS_CONF + "/etc/redis/redis.conf:5:maxclients 24\n",
            "dport = :6379": '     21 local "python3",pid=801))\n      3 local "python3",pid=777))\n     24 peer 127.0.0.1\n'
            "ps 777       1 loans            /usr/bin/python3 /opt/loans/app.py\n"
            "ps 801       1 shelf            /usr/bin/python3 /opt/shelf/scan.py\nend\n",
        },
        ("maxclients 24", "/opt/shelf/scan.py", "801", "21"),
    ),
    "folder": Case(
        AT
        + "not kept: MISCONF Redis is configured to save RDB snapshots, but is unable to persist to disk",
        {
            " info 2>&1": UNSAVED,
            "config get dir": "dir /srv/rdb\nmode 755 root:root /srv/rdb\nspace /dev/vda 1000000 200000 800000 20% /srv\nend\n",
        },
        ("/srv/rdb", "root:root", "755", "MISCONF"),
    ),
    "full disk": Case(
        AT
        + "not kept: MISCONF Redis is configured to save RDB snapshots, but is unable to persist to disk",
        {
            " info 2>&1": UNSAVED,
            "config get dir": "dir /srv/rdb\nmode 750 redis:redis /srv/rdb\nspace /dev/vdb 9000 8990 10 100% /srv/rdb\nfile 7000000 old.rdb\nend\n",
        },
        ("/srv/rdb", "100%", "old.rdb"),
    ),
    "no password": Case(
        AT + "not kept: NOAUTH Authentication required.",
        {
            " info 2>&1": "NOAUTH Authentication required.\nend\n",
            "for d in /etc/redis": REDIS_CONF + "/etc/redis/redis.conf:9:requirepass (set)\n",
        },
        ("requirepass", "/etc/redis/redis.conf:9", "/var/log/loans/loans.log"),
    ),
    "wrong password": Case(
        AT + "not kept: WRONGPASS invalid username-password pair or user is disabled.",
        {
            " info 2>&1": "NOAUTH Authentication required.\nend\n",
            "for d in /etc/redis": REDIS_CONF + "/etc/redis/redis.conf:9:requirepass (set)\n",
        },
        ("/etc/redis/redis.conf:9", "/etc/loans/app.ini:5"),
    ),
    "replica": Case(
        AT + "not kept: READONLY You can't write against a read only replica.",
        {
            " info 2>&1": INFO.replace(
                "role:master",
                "role:slave\nmaster_host:192.0.2.9\nmaster_port:6379\nmaster_link_status:up",
            )
        },
        ("192.0.2.9", "READONLY"),
    ),
    "renamed": Case(
        AT + "failed: ERR unknown command 'KEYS', with args beginning with: 'loan:*'",
        {"for d in /etc/redis": REDIS_CONF + '/etc/redis/safe.conf:2:rename-command KEYS ""\n'},
        ("KEYS", "/etc/redis/safe.conf:2"),
    ),
    "bad line": Case(
        AT + "not kept: Error 111 connecting to 127.0.0.1:6379. Connection refused.",
        {"for d in /etc/redis": REDIS_CONF + "/etc/redis/redis.conf:7:maxmemroy 64mb\n"},
        ("/etc/redis/redis.conf", "7", "maxmemroy 64mb"),
        runs=False,
    ),
    "stale pid file": Case(
        AT + "not kept: Error 111 connecting to 127.0.0.1:6379. Connection refused.",
        {
            "/run/redis*.pid": "/run/redis/redis.pid 310 gone\nend\n",
            "tail -n 200": "==> /var/log/redis/redis-server.log <==\n/run/redis/redis.pid exists, process is already running or crashed\n",
        },
        ("/run/redis/redis.pid", "310"),
        runs=False,
    ),
    "port taken": Case(
        AT + "not kept: Error: protocol error from 127.0.0.1:6379",
        {
            "ss -tulpn": SS_HEAD + REDIS_SS.replace("redis-server", "relay").replace("310", "640"),
            "tail -n 200": "==> /var/log/redis/redis-server.log <==\n"
            "310:M 25 Feb 2026 06:10:00.000 # Warning: Could not create server TCP listening socket 127.0.0.1:6379: bind: Address already in use\n",
        },
        ("6379", "relay", "640"),
        runs=False,
    ),
}
QUICK = ("maxmemory", "maxclients", "stale pid file")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for name, case in CASES.items()
    ],
)
def test_the_cause_is_named_with_its_evidence(case: Case) -> None:
    told = causes(store_machine("redis", case.error, case.more, runs=case.runs), QUESTION)
    assert [
        (each, line) for line in told for each in (*case.says, "[[c0de") if each not in line
    ] == []


def test_keys_without_any_expiry_are_told_as_none() -> None:
    full = FULL.replace("expires=60", "expires=0")
    more = {**CASES["maxmemory"].more, " info 2>&1": full}
    zh, en = causes(store_machine("redis", CASES["maxmemory"].error, more), QUESTION)
    assert "没有一个设了过期时间" in zh
    assert "None of 120 keys has a TTL" in en


def test_a_healthy_redis_is_no_cause() -> None:
    assert causes(store_machine("redis"), QUESTION) == ("", "")


def test_an_old_refusal_is_no_cause_of_today() -> None:
    old = "2026-02-22 06:19:50,100 ERROR loans[777]: not kept: NOAUTH Authentication required."
    assert causes(store_machine("redis", old), QUESTION) == ("", "")
