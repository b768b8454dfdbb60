"""Scripts and scheduled jobs: why one cannot run, and which line says so."""

import pytest

from tests.offline_ailing import NOW_S, ailing, cause_of, cited
from tests.offline_talk import Machine

SINCE = "2026-11-30 03:10:01"
ZH = "定时任务 tidy_stock 昨晚没有执行成功，请查原因。"
EN = "The scheduled job tidy_stock did not run last night. Why?"
JOB = "/opt/stock/jobs/tidy_stock"
MODES = f"-rwxr-xr-x root root {NOW_S - 900}.1 {JOB}"


def host(line: str, scripts: str, more: dict[str, str] | None = None) -> Machine:
    """Return a machine whose scheduler logs *line*."""
    usual = {
        "grep -HsIan -m1": scripts + "\n",
        "/etc/crontab": f"/etc/cron.d/stock:2:10 3 * * * stock {JOB}\nend\n",
    }
    given = {**(more or {}), **{part: usual[part] for part in usual if part not in (more or {})}}
    return ailing([], {"/var/log/sched.log": f"{SINCE} sched[90]: {line}"}, more=given, age_s=31000)


CASES = {
    "crlf": (
        host(f"{JOB}: cannot run: No such file or directory", f"{JOB}:1:#!/bin/bash^M$\n{MODES}"),
        ["CRLF", JOB, "^M", "/etc/cron.d/stock", f"`sed -i 's/\\r$//' {JOB}`"],
        ["Windows line endings", JOB, f"`sed -i 's/\\r$//' {JOB}`"],
    ),
    "execute bit": (
        host(
            f"tidy_stock failed: [Errno 13] Permission denied: '{JOB}'",
            f"{JOB}:1:#!/bin/bash$\n{MODES.replace('-rwxr-xr-x', '-rw-r--r--')}",
        ),
        ["执行位", JOB, "-rw-r--r--"],
        ["not executable", JOB],
    ),
    "interpreter": (
        host(
            f"{JOB}: bad interpreter: No such file or directory",
            f"{JOB}:1:#!/opt/ruby27/bin/ruby$\n{MODES}",
            {"command -v": "absent /opt/ruby27/bin/ruby\ncommand sh is /bin/sh\n"},
        ),
        ["/opt/ruby27/bin/ruby", "不存在", JOB],
        ["/opt/ruby27/bin/ruby", "does not exist"],
    ),
    "path": (
        host(
            f"{JOB}: line 4: weighctl: command not found",
            f"{JOB}:1:#!/bin/bash$\n{MODES}",
            {
                "/snap/bin": "-rwxr-xr-x 1 root root 900 Nov 1 10:00 /opt/scale/bin/weighctl\n"
                "/opt/stock/sched.py:9:ENV = {'PATH': '/usr/bin:/bin'}\n"
                f"{JOB}:4:weighctl --all\n"
            },
        ),
        ["weighctl", "/opt/scale/bin", "PATH"],
        ["weighctl", "/opt/scale/bin", "PATH"],
    ),
    "stale lock": (
        host(
            "tidy_stock: /run/stock/tidy.lock exists, another instance is still running",
            f"{JOB}:1:#!/bin/bash$\n{MODES}",
            {
                "pid in it": "==> /run/stock/tidy.lock <==\n-rw-r--r-- 1 stock stock 6 "
                f"{NOW_S - 90000} /run/stock/tidy.lock\npid in it: 4711\n"
            },
        ),
        ["残留", "/run/stock/tidy.lock", "4711"],
        ["stale", "/run/stock/tidy.lock", "4711"],
    ),
    "held lock": (
        host(
            "tidy_stock: /run/stock/tidy.lock exists, another instance is still running",
            f"{JOB}:1:#!/bin/bash$\n{MODES}",
            {
                "pid in it": "==> /run/stock/tidy.lock <==\n-rw-r--r-- 1 stock stock 6 "
                f"{NOW_S - 90000} /run/stock/tidy.lock\npid in it: 4711\n"
                f"process 4711 stock 90000 /bin/bash {JOB}\n"
            },
        ),
        ["还没有结束", "4711", "90000"],
        ["has not ended", "4711"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_why_a_job_does_not_run_is_named(name: str) -> None:
    given, zh, en = CASES[name]
    said = cause_of(given, zh=ZH, en=EN)
    assert all(part in said["zh"] for part in zh), said["zh"]
    assert all(part in said["en"] for part in en), said["en"]
    assert any("tail -n 300" in each for each in cited(given, EN))


def test_a_job_that_is_commented_out_is_named_with_its_line() -> None:
    given = host("job done", "", {"/etc/crontab": f"/etc/cron.d/stock:2:#10 3 * * * stock {JOB}\n"})
    said = cause_of(given, zh=ZH, en=EN)
    assert "`/etc/cron.d/stock` 第 2 行" in said["zh"]
    assert "commented out" in said["en"]


def test_jobs_that_run_have_no_cause() -> None:
    given = host("tidy_stock done, rc=0", f"{JOB}:1:#!/bin/bash$\n{MODES}")
    assert cause_of(given, zh=ZH, en=EN) == {"zh": "", "en": ""}
