"""Services that do not run: the cause is named, with the lines that prove it."""

from collections.abc import Mapping

import pytest

from tests.offline_ailing import ailing, cause_of, cited, listens, ps
from tests.offline_talk import Ended, Machine, Talk, machine

SINCE = "2026-11-30 11:59:5"
SHOW = """Id=ledgerd.service
LoadState={load}
ActiveState={active}
SubState=failed
Result={result}
ExecMainCode=1
ExecMainStatus={status}
NRestarts=5
UnitFileState={enabled}
FragmentPath=/etc/systemd/system/ledgerd.service
User=ledger
WorkingDirectory=/opt/ledgerd
ExecStart={{ path=/opt/ledgerd/bin/ledgerd ; argv[]=/opt/ledgerd/bin/ledgerd ; }}
"""
JOURNAL = (
    "Nov 30 11:59:58 web1 ledgerd[811]: fatal: cannot read /opt/ledgerd/rates.csv: line 7 broken\n"
    "Nov 30 11:59:58 web1 systemd[1]: ledgerd.service: Failed with result 'exit-code'.\n"
)


NONE_FAILED = "  UNIT LOAD ACTIVE SUB DESCRIPTION\n\n0 loaded units listed.\n"


def with_systemd(state: Mapping[str, str], *, failed: bool = True) -> Machine:
    """Return a machine whose unit ledgerd.service is as *state* says."""
    usual = {"load": "loaded", "active": "failed", "result": "exit-code", "status": "1"}
    shown = SHOW.format(**{**usual, "enabled": "enabled", **state})
    listed = "ledgerd.service loaded failed failed Ledger\n" if failed else NONE_FAILED
    resting = "ledgerd.service loaded inactive dead Ledger\n"
    return machine(
        "",
        {
            "systemctl --failed": Ended(0, listed),
            "systemctl list-units --type=service --all": Ended(0, resting),
            "systemctl show": Ended(0, shown),
            "journalctl -u": Ended(0, JOURNAL),
        },
    )


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        (Ended(0, NONE_FAILED), True),
        (Ended(0, ""), False),
        (Ended(0, "This account is currently not available.\n"), False),
    ],
)
def test_that_no_unit_failed_is_told_where_systemd_says_so(said: Ended, is_told: bool) -> None:
    answer = Talk({"web1": machine("", {"systemctl --failed": said})}).ask("which services failed?")
    assert ("No systemd unit has failed." in answer) is is_told


SYSTEMD = [
    ({}, "line 7 broken"),
    ({"status": "203"}, "/opt/ledgerd/bin/ledgerd"),
    ({"status": "217"}, "217/USER"),
    ({"status": "200"}, "200/CHDIR"),
    ({"result": "oom-kill", "status": "9"}, "oom-kill"),
]


@pytest.mark.parametrize(("state", "words"), SYSTEMD)
def test_a_failed_unit_is_told_with_its_reason(state: Mapping[str, str], words: str) -> None:
    given = with_systemd(state)
    said = cause_of(given, zh="服务 ledgerd 启动失败，为什么？", en="Why does ledgerd not start?")
    for text in said.values():
        assert "ledgerd.service" in text
        assert words in text


RESTING = [
    ({"load": "masked", "active": "inactive", "enabled": "masked"}, "unmask"),
    ({"active": "inactive", "enabled": "disabled"}, "systemctl enable --now"),
    ({"active": "inactive", "result": "success"}, "systemctl start"),
]


@pytest.mark.parametrize(("state", "words"), RESTING)
def test_a_unit_at_rest_is_told_with_how_to_start_it(state: Mapping[str, str], words: str) -> None:
    given = with_systemd(state, failed=False)
    said = cause_of(given, zh="服务 ledgerd 没在运行，为什么？", en="Why is ledgerd not running?")
    for text in said.values():
        assert "ledgerd.service" in text
        assert words in text


def test_a_setting_that_nobody_gives_is_named_with_who_reads_it() -> None:
    traceback = "Traceback (most recent call last):\nKeyError: 'PARCEL_SIGNING_ID'"
    given = ailing(
        [ps(500, "/bin/bash /opt/parcel/keep.sh")],
        {
            "/var/log/parcel/keep.log": f"{SINCE}1 keep: parcel exited with 1, restart 7 in 1 s",
            "/var/log/parcel/parcel.err": traceback,
        },
        more={
            "PYTHONPATH|NODE_PATH": "/opt/parcel/keep.sh:4:set -a; . /etc/parcel/parcel.env\n"
            '/opt/parcel/parcel.py:9:key = os.environ["PARCEL_SIGNING_ID"]\n'
        },
    )
    said = cause_of(
        given,
        zh="包裹服务 parcel 反复重启，起不来。",
        en="The service parcel keeps restarting. Why?",
    )
    for text in said.values():
        assert "PARCEL_SIGNING_ID" in text
        assert "/opt/parcel/parcel.py:9" in text
    assert "环境变量" in said["zh"]
    assert "environment variable" in said["en"]


def test_a_module_is_told_with_where_it_is_looked_for_and_where_it_lies() -> None:
    given = ailing(
        [ps(510, "/bin/sh /opt/tagger/keep.sh")],
        {"/var/log/tagger/tagger.err": "ModuleNotFoundError: No module named 'wordlib'"},
        more={
            "PYTHONPATH|NODE_PATH": "/opt/tagger/keep.sh:3:export PYTHONPATH=/opt/common\n",
            "find /opt /srv /home /usr/lib/python3": "/opt/old/wordlib\n",
        },
    )
    said = cause_of(
        given, zh="标签服务 tagger 起不来，为什么？", en="Why does the service tagger not start?"
    )
    for text in said.values():
        assert all(part in text for part in ("wordlib", "/opt/common", "/opt/old/wordlib"))


def test_a_runtime_directory_is_gone_after_the_boot() -> None:
    given = ailing(
        logs={
            "/var/log/quoted/quoted.log": f"{SINCE}2 quoted: cannot bind "
            "/run/quoted/quoted.sock: No such file or directory"
        },
        more={'echo "absent $d"': "absent /run/quoted\ndrwxr-xr-x 9 root root 300 /run\n"},
    )
    said = cause_of(
        given, zh="重启后 quoted 起不来。", en="quoted does not start since the reboot. Why?"
    )
    for text in said.values():
        assert "/run/quoted" in text
        assert "tmpfiles.d" in text


def test_a_port_is_held_by_another_process() -> None:
    given = ailing(
        [ps(520, "/usr/bin/python3 /opt/legacy/stub.py", user="ann")],
        {"/var/log/tickets/tickets.log": f"{SINCE}3 ERROR bind 0.0.0.0:8630: [Errno 98] "
         "Address already in use"},
        ports=[listens(8630, 520)],
    )  # fmt: skip
    said = cause_of(
        given,
        zh="工单服务 tickets 启动失败，为什么？",
        en="The service tickets fails to start. Why?",
    )
    for text in said.values():
        assert all(part in text for part in ("8630", "PID 520", "/opt/legacy/stub.py", "ann"))
    assert any("ss -tulpn" in each for each in cited(given, "Why does tickets not start?"))


def test_a_supervisor_starts_a_crashing_program_over_and_over() -> None:
    lines = "\n".join(
        f"{SINCE}{n} FATAL mailer[{900 + n}]: template welcome has an invalid placeholder"
        for n in range(4)
    )
    given = ailing([ps(530, "/bin/bash /opt/mailer/loop.sh")], {"/var/log/mailer/m.log": lines})
    said = cause_of(
        given, zh="mailer 服务反复重启，为什么？", en="The service mailer keeps crashing. Why?"
    )
    for text in said.values():
        assert all(part in text for part in ("901", "902", "903", "invalid placeholder"))


def test_a_service_that_died_is_told_with_its_last_words() -> None:
    given = ailing(
        logs={
            "/var/log/geo/geo.log": f"{SINCE}1 INFO geo[77]: 12 maps\n"
            f"{SINCE}2 CRITICAL geo[77]: map index is corrupt, exiting"
        },
        more={"ls -l /proc/[0-9]*/fd": "1 log /var/log/boot.log \n"},
    )
    said = cause_of(given, zh="geo 服务挂了，为什么？", en="The service geo is down. Why?")
    for text in said.values():
        assert "map index is corrupt" in text


GEO_ENDED = {"/var/log/geo/geo.log": f"{SINCE}2 CRITICAL map index is corrupt"}
GEO_RUNS = ps(541, "/opt/geo/bin/server --index /srv/geo")


@pytest.mark.parametrize(("processes", "died"), [([GEO_RUNS], False), ([], True)])
def test_where_open_files_are_not_seen_the_processes_tell(processes: list[str], died: bool) -> None:
    """Without sudo the open files of other people's processes cannot be listed."""
    given = ailing(processes, GEO_ENDED, more={"ls -l /proc/[0-9]*/fd": ""})
    said = cause_of(given, zh="geo 服务挂了，为什么？", en="The service geo is down. Why?")
    assert ("it has no process" in said["en"]) is died
    assert ("没有它的进程" in said["zh"]) is died


def test_old_errors_of_a_service_that_runs_are_no_cause() -> None:
    given = ailing(
        [ps(540, "/usr/bin/python3 /opt/geo/geo.py")],
        {"/var/log/geo/geo.log": "2026-11-28 02:00:00 ERROR geo[540]: Connection refused"},
        age_s=100_000,
        more={"ls -l /proc/[0-9]*/fd": "540 log /var/log/geo/geo.log \n"},
    )
    said = cause_of(given, zh="geo 服务挂了吗？", en="Is the service geo down?")
    assert said == {"zh": "", "en": ""}
