"""Stopping: on limit and cancel, nothing that the command started goes on."""

import threading
import time
from pathlib import Path

import pytest

from tests.sshd import Ran, Runner, Sshd, SshdFactory, is_running

pytest_plugins = ("tests.sshd",)

FAMILY = """
echo $$ >> {0}; sleep 300 &
echo $! >> {0}
(sleep 301; true) &
echo $! >> {0}
echo up; wait
"""


def cancel_once_up(run: Runner, endpoint: object, command: str) -> Ran:
    """Run *command*, which says something, and cancel it as soon as it did."""
    up = threading.Event()
    return run(
        endpoint,  # type: ignore[arg-type]
        command,
        cancelled=up.is_set,
        on_output=lambda _: up.set(),
    )


def pids(path: Path) -> list[str]:
    return path.read_text().split()


def test_cancel_ends_the_whole_group(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    ran = cancel_once_up(ssh_run, sshd.endpoint(), FAMILY.format(tmp_path / "pids"))
    assert (ran.exit.ended_by, ran.exit.exit_code, ran.exit.notice) == ("cancelled", None, "")
    assert [pid for pid in pids(tmp_path / "pids") if is_running(pid)] == []
    assert ran.took_s < 5


def test_the_limit_ends_the_whole_group(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    ran = ssh_run(sshd.endpoint(), FAMILY.format(tmp_path / "pids"), limit_s=1)
    assert (ran.exit.ended_by, ran.exit.notice) == ("limit", "")
    assert [pid for pid in pids(tmp_path / "pids") if is_running(pid)] == []


@pytest.mark.parametrize(
    "escape",
    [
        "setsid sleep 302",
        "setsid sh -c 'sleep 303 & echo $! >> {0}; wait'",
        "timeout 300 sleep 304",
        "nohup sleep 305 >/dev/null 2>&1",
        "set -m; sleep 306",
        "trap '' TERM; sleep 307",
    ],
)
def test_children_that_try_to_get_away_are_caught(
    ssh_run: Runner, sshd: Sshd, tmp_path: Path, escape: str
) -> None:
    path = tmp_path / "pids"
    command = f"({escape.format(path)}) & echo $! >> {path}; sleep 0.3; echo up; wait"
    ran = cancel_once_up(ssh_run, sshd.endpoint(), command)
    assert (ran.exit.ended_by, ran.exit.notice) == ("cancelled", "")
    assert [pid for pid in pids(path) if is_running(pid)] == []
    assert ran.took_s < 5


def test_a_daemon_is_caught_by_its_mark(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    """Its session and parent are not ours any more; its environment still tells."""
    path = tmp_path / "pids"
    daemon = f"setsid sh -c 'setsid sleep 308 >/dev/null 2>&1 </dev/null & echo $! > {path}'"
    ran = cancel_once_up(ssh_run, sshd.endpoint(), f"{daemon}; sleep 0.2; echo up; sleep 60")
    assert ran.exit.notice == ""
    (pid,) = pids(path)
    assert not is_running(pid)


def test_other_commands_go_on(ssh_run: Runner, sshd: Sshd) -> None:
    done: list[Ran] = []
    other = threading.Thread(
        target=lambda: done.append(ssh_run(sshd.endpoint(), "sleep 1.5; echo alive"))
    )
    other.start()
    cancel_once_up(ssh_run, sshd.endpoint(), "echo up; sleep 60")
    other.join()
    assert done[0].text == "alive\n"


def test_a_host_with_one_session_is_asked_over_a_new_connection(
    ssh_run: Runner, sshd_factory: SshdFactory, tmp_path: Path
) -> None:
    narrow = sshd_factory(MaxSessions=1)
    ran = cancel_once_up(ssh_run, narrow.endpoint(), FAMILY.format(tmp_path / "pids"))
    assert (ran.exit.ended_by, ran.exit.notice) == ("cancelled", "")
    assert [pid for pid in pids(tmp_path / "pids") if is_running(pid)] == []


def test_what_cannot_be_confirmed_is_told_with_its_pid(
    ssh_run: Runner, sshd_factory: SshdFactory, tmp_path: Path
) -> None:
    """The host takes no second session and no second connection."""
    alone = sshd_factory(MaxSessions=1)

    def shut(_: str) -> None:
        alone.process.terminate()
        alone.process.wait()
        up.set()

    up = threading.Event()
    command = f"echo $PPID > {tmp_path}/pid; echo up; sleep 6"
    ran = ssh_run(alone.endpoint(), command, cancelled=up.is_set, on_output=shut)
    group = (tmp_path / "pid").read_text().strip()
    assert ran.exit.ended_by == "cancelled"
    assert (
        f"web1: it could not be confirmed that the command has ended. Process group {group} "
        in (ran.exit.notice)
    )


def test_cancel_before_the_start_runs_nothing(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    ran = ssh_run(sshd.endpoint(), f"touch {tmp_path}/ran", cancelled=lambda: True)
    assert ran.exit.ended_by == "cancelled"
    time.sleep(0.2)
    assert not (tmp_path / "ran").exists()


def test_a_finished_commands_daemon_is_left_alone(
    ssh_run: Runner, sshd: Sshd, tmp_path: Path
) -> None:
    started = f"setsid sleep 3 >/dev/null 2>&1 </dev/null & echo $! > {tmp_path}/pid"
    ssh_run(sshd.endpoint(), started)
    cancel_once_up(ssh_run, sshd.endpoint(), "echo up; sleep 60")
    assert is_running((tmp_path / "pid").read_text().strip())
