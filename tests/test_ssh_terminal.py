"""What wants a terminal has none: it ends by itself and soon, or says that it needs input."""

import shutil

import pytest

from tests.sshd import Runner, Sshd, is_running

pytest_plugins = ("tests.sshd",)

SOON_S = 10


@pytest.mark.parametrize(
    "command",
    [
        "less /etc/passwd",
        "more /etc/passwd",
        "man man",
        "top",
        "systemctl status",
        "journalctl -n 3",
        "mysql",
        "psql",
        "python3",
        "passwd",
        "su -c true nobody",
        "ssh -o StrictHostKeyChecking=ask localhost.invalid true",
        "bash -i",
        "nano /etc/passwd",
        "htop",
        "doas id",
        "crontab -e",
        "ftp",
        "bc",
    ],
)
def test_it_ends_soon(ssh_run: Runner, sshd: Sshd, command: str) -> None:
    if shutil.which(command.split(maxsplit=1)[0]) is None:
        pytest.skip(f"{command.split(maxsplit=1)[0]} is not installed")
    ran = ssh_run(sshd.endpoint(), command, limit_s=SOON_S)
    assert ran.exit.ended_by == "exited", ran
    assert ran.took_s < SOON_S


def test_an_editor_that_waits_ends_at_its_limit(ssh_run: Runner, sshd: Sshd) -> None:
    """vi takes keys from its standard error, which is a socket under sshd and never closes."""
    if shutil.which("vi") is None:
        pytest.skip("vi is not installed")
    ran = ssh_run(sshd.endpoint(), "echo $$; exec vi /etc/passwd", limit_s=1)
    assert ran.exit.ended_by in ("limit", "exited") and ran.exit.notice == ""
    assert not is_running(ran.text.split()[0])


@pytest.mark.parametrize(
    "command",
    [
        "read -r x </dev/tty",
        "echo hi >/dev/tty",
        "stty size",
        "bash -c 'read -r x </dev/tty'",
        "setsid sh -c 'cat /dev/tty'",
    ],
)
def test_there_is_no_terminal_to_read_from(ssh_run: Runner, sshd: Sshd, command: str) -> None:
    ran = ssh_run(sshd.endpoint(), command, limit_s=SOON_S)
    assert ran.exit.ended_by == "exited" and ran.exit.exit_code != 0
