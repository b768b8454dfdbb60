"""Causes in PostgreSQL: each is named with its evidence, and a healthy one is left alone."""

# ruff: noqa: E501  output is as wide as machines write it
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from tests.offline_stores import PG_CONF, PG_FINE, causes, store_machine

AT = "2026-02-25 06:19:50,100 ERROR loans[777]: "
TO = AT + 'connection to server at "127.0.0.1", port 5432 failed: '
QUESTION = "loans 写不进数据库：why can loans not use its PostgreSQL database?"
OWN = "==> /var/log/postgresql/main.log <==\n2026-02-25 06:19:00.000 UTC [420] "


class Case(NamedTuple):
    """A machine's error, what differs on it, and what the cause must say in any language."""

    error: str
    more: Mapping[str, str]
    says: tuple[str, ...]
    runs: bool = True


BLOCKED = PG_FINE.replace(
    "bk|1",
    "act|901|auditor|library|psql|local|idle in transaction|640|600|Client||lock table loan\n"
    "act|902|clerk|library|loans|127.0.0.1|active|9|9|Lock|901|update loan set due = now()\nbk|1",
)
CASES = {
    "connections": Case(
        TO + "FATAL: remaining connection slots are reserved for roles with privileges",
        {
            "timeout 6 psql": "psql: error: FATAL:  remaining connection slots are reserved\n"
            "bk|37|stats|library|127.0.0.1|idle\nend\n",
            "dport = :5432": '     37 local "python3",pid=801))\n     37 peer 127.0.0.1\n'
            "ps 801       1 stats            /usr/bin/python3 /opt/stats/daily.py\nend\n",
        },
        ("max_connections", "40", "postgresql.conf:3", "stats", "37", "/opt/stats/daily.py"),
    ),
    "limit of a role": Case(
        TO + 'FATAL: too many connections for role "clerk"',
        {
            "timeout 6 psql": PG_FINE.replace("role|clerk|-1", "role|clerk|2"),
            "dport = :5432": "ps 777       1 loans            /usr/bin/python3 /opt/loans/app.py\nend\n",
        },
        ("clerk", "CONNECTION LIMIT 2", "loans"),
    ),
    "lock": Case(
        AT + "ERROR: canceling statement due to statement timeout",
        {"timeout 6 psql": BLOCKED},
        ("901", "auditor", "idle in transaction", "640", "902"),
    ),
    "password": Case(
        TO + 'FATAL: password authentication failed for user "clerk"',
        {},
        ("clerk", "/etc/loans/app.ini:4", "/etc/loans/app.ini:5"),
    ),
    "role": Case(
        TO + 'FATAL: password authentication failed for user "clark"',
        {"PG(HOST": "/etc/loans/app.ini:4:user = clark\nend\n"},
        ("clark", "clerk", "/etc/loans/app.ini:4"),
    ),
    "expired": Case(
        TO + 'FATAL: password authentication failed for user "clerk"',
        {"timeout 6 psql": PG_FINE.replace("role|clerk|-1|t|f|", "role|clerk|-1|t|t|2026-02-01")},
        ("clerk", "VALID UNTIL", "2026-02-01"),
    ),
    "pg_hba": Case(
        TO + 'FATAL: no pg_hba.conf entry for host "192.0.2.7", user "stats", database "library"',
        {},
        ("192.0.2.7", "stats", "library", "pg_hba.conf"),
    ),
    "database": Case(
        TO + 'FATAL: database "libary" does not exist',
        {"PG(HOST": "/etc/loans/app.ini:6:dbname = libary\nend\n"},
        ("libary", "library", "/etc/loans/app.ini:6"),
    ),
    "read-only": Case(
        AT + "ERROR: cannot execute INSERT in a read-only transaction",
        {
            "timeout 6 psql": PG_FINE.replace(
                "rec|f", "cfg|library||default_transaction_read_only=on\nrec|f"
            )
        },
        ("default_transaction_read_only", "library"),
    ),
    "other port": Case(
        TO.replace("5432", "5444") + "Connection refused",
        {"PG(HOST": "/etc/loans/app.ini:7:port = 5444\nend\n"},
        ("5432", "5444", "/etc/loans/app.ini:7"),
    ),
    "socket": Case(
        AT
        + 'connection to server on socket "/tmp/.s.PGSQL.5432" failed: No such file or directory',
        {"PG(HOST": "/etc/loans/app.ini:3:host = /tmp\nend\n"},
        ("/tmp/.s.PGSQL.5432", "/var/run/postgresql", "/etc/loans/app.ini:3"),
    ),
    "parameter": Case(
        TO + "Connection refused",
        {
            "for d in /etc/postgresql": PG_CONF.replace(
                "socket /var",
                "/etc/postgresql/16/main/conf.d/a.conf:2:work_memm = 8MB\nsocket /var",
            ),
            "tail -n 250": OWN
            + 'LOG:  unrecognized configuration parameter "work_memm" in file "/etc/postgresql/16/main/conf.d/a.conf" line 2\n',
        },
        ("work_memm", "/etc/postgresql/16/main/conf.d/a.conf:2"),
        runs=False,
    ),
    "mode": Case(
        TO + "Connection refused",
        {
            "for d in /var/lib/postgresql": "mode 755 postgres:postgres /var/lib/postgresql/16/main\nend\n",
            "tail -n 250": OWN
            + 'FATAL:  data directory "/var/lib/postgresql/16/main" has invalid permissions\n',
        },
        ("/var/lib/postgresql/16/main", "755", "0700"),
        runs=False,
    ),
}
QUICK = ("connections", "lock", "other port")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for name, case in CASES.items()
    ],
)
def test_the_cause_is_named_with_its_evidence(case: Case) -> None:
    told = causes(store_machine("postgres", case.error, case.more, runs=case.runs), QUESTION)
    assert [
        (each, line) for line in told for each in (*case.says, "[[c0de") if each not in line
    ] == []


def test_a_healthy_database_is_no_cause() -> None:
    assert causes(store_machine("postgres"), QUESTION) == ("", "")


def test_an_old_refusal_is_no_cause_of_today() -> None:
    old = TO.replace("02-25", "02-21") + 'FATAL: database "libary" does not exist'
    assert causes(store_machine("postgres", old), QUESTION) == ("", "")
