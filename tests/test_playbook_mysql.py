"""Causes in MySQL and MariaDB: named with their evidence; a healthy one is left alone."""

import pytest

from tests.offline_stores import causes, store_machine

AT = "2026-02-25 06:19:50,100 ERROR loans[777]: "
QUESTION = "loans 写不进 mysql：why can loans not use its mysql database?"
TOLD = (
    "max_connections\t30\nThreads_connected\t4\nproc\t7\tclerk\tlocalhost\tlibrary\tSleep\t3\t\t\n"
)
CONF = "/etc/mysql/my.cnf:4:max_connections = 30\nsocket /var/run/mysqld/mysqld.sock\nend\n"


@pytest.mark.slow
def test_used_up_connections_name_who_holds_them() -> None:
    held = "ps 801       1 stats            /usr/bin/python3 /opt/stats/daily.py\nend\n"
    more = {
        "for d in /etc/mysql": CONF,
        "timeout 6 mysql": TOLD.replace("connected\t4", "connected\t30") + "end\n",
        "dport = :3306": '     26 local "python3",pid=801))\n' + held,
    }
    told = causes(store_machine("mysql", AT + "(1040, 'Too many connections')", more), QUESTION)
    assert all("/etc/mysql/my.cnf:4" in each and "/opt/stats/daily.py" in each for each in told)


@pytest.mark.slow
def test_a_lock_names_the_session_that_holds_it() -> None:
    waiting = (
        "proc\t8\tauditor\tlocalhost\tlibrary\tSleep\t300\t\t\nwait\t7\t8\tupdate loan set n = 1\n"
    )
    more = {"for d in /etc/mysql": CONF, "timeout 6 mysql": TOLD + waiting + "end\n"}
    error = AT + "(1205, 'Lock wait timeout exceeded; try restarting transaction')"
    told = causes(store_machine("mysql", error, more), QUESTION)
    assert all("auditor" in each and "update loan" in each for each in told)


def test_a_healthy_mysql_is_no_cause() -> None:
    more = {"for d in /etc/mysql": CONF, "timeout 6 mysql": TOLD + "end\n"}
    assert causes(store_machine("mysql", "", more), QUESTION) == ("", "")
