"""The lines that the far side runs, under the shells that this machine has."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.sshd import is_running
from walissh.ssh import remote

SHELLS = [
    name
    for name in ("sh", "bash", "dash", "zsh", "ksh", "mksh", "tcsh", "csh", "fish")
    if shutil.which(name)
]
COMMAND = "echo \"it's $WALISSH_RUN\"; echo '$HOME' !x \\\\; exit 3"


def start(
    shell: str, command: str, *, leads: bool = True, path: str = ""
) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [shutil.which(shell) or shell, "-c", remote.start_line("MARK", "run-1")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=leads,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )
    assert process.stdin is not None
    process.stdin.write(remote.start_input("MARK", command.encode()))
    process.stdin.close()
    return process


def started(process: "subprocess.Popen[bytes]") -> remote.Started:
    assert process.stdout is not None
    line = process.stdout.readline().decode()
    found = remote.parse_start(line.removeprefix("MARK"))
    assert found is not None
    return found


def kill(shell: str, process: remote.Started, path: str = "") -> list[int] | None:
    done = subprocess.run(
        [shutil.which(shell) or shell, "-c", remote.kill_line("GONE", "run-1", process)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )
    return remote.parse_left(done.stdout, "GONE")


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize("shell", SHELLS)
def test_every_login_shell_starts_the_command(shell: str, leads: bool) -> None:
    process = start(shell, COMMAND, leads=leads)
    assert started(process).leads
    assert process.stdout is not None
    assert process.stdout.read() == b"it's run-1\n$HOME !x \\\n"
    assert process.wait() == 3


@pytest.mark.parametrize("shell", SHELLS)
def test_every_login_shell_ends_the_command(shell: str, tmp_path: Path) -> None:
    process = start(shell, f"setsid sleep 310 & echo $! > {tmp_path}/pid; sleep 311")
    running = started(process)
    wait_for(tmp_path / "pid")
    assert kill(shell, running) == []
    assert not is_running((tmp_path / "pid").read_text().strip())
    assert process.wait(5) != 0


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A PATH with neither bash nor setsid."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "sleep", "grep", "tr", "ps"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


def test_without_bash_and_setsid_it_still_runs_and_ends(bare: str, tmp_path: Path) -> None:
    """Then nothing tells its processes from others but the mark in their environment."""
    command = f"sleep 312 & echo $! > {tmp_path}/pid; wait"
    process = start("sh", command, leads=False, path=bare)
    running = started(process)
    assert not running.leads
    wait_for(tmp_path / "pid")
    assert kill("sh", running, bare) == []
    assert not is_running((tmp_path / "pid").read_text().strip())
    process.wait(5)


@pytest.mark.parametrize("sent", [b"", b"touch ran", b"touch ranMAR"])
def test_half_a_command_is_not_run(sent: bytes, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", remote.start_line("MARK", "run-1")],
        input=sent,
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 97
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("run_id", ["", "a b", "x;id", "$(id)", "a'b", "a" * 200])
def test_a_run_id_that_a_shell_would_read_is_refused(run_id: str) -> None:
    with pytest.raises(ValueError, match="plain"):
        remote.start_line("MARK", run_id)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("GONE:\n", []),
        ("GONE: 12 7 12\n", [7, 12]),
        ("noise GONE: 5\n", [5]),
        ("", None),
        ("GONE: 12", None),
    ],
)
def test_what_is_left_is_read_only_from_a_whole_answer(text: str, left: list[int] | None) -> None:
    assert remote.parse_left(text, "GONE") == left


def wait_for(path: Path) -> None:
    until = time.monotonic() + 5
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
