"""A password for sudo on a real server with the real sudo."""

import glob
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.sshd import Runner, Sshd, is_running
from tests.sudoer import OTHER, SudoHost
from walissh.ssh import askpass, sudo
from walissh.ssh.output import HIDDEN

WRONG = "surely-not-it"


@pytest.fixture
def told(ssh_run: Runner, sudo_host: SudoHost) -> Runner:
    """A runner that knows the right password of the host."""
    return telling(ssh_run, sudo_host, sudo_host.password)


def telling(run: Runner, host: SudoHost, password: str) -> Runner:
    run.endpoints.sudo[host.endpoint().host.id] = password
    return run


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("sudo id -un", "root\n"),
        ("echo data | sudo tee /dev/null", "data\n"),
        ("echo 'id -un' | sudo sh", "root\n"),
        ("sudo id -un; sudo id -un", "root\nroot\n"),
        ("sudo echo one | sudo cat", "one\n"),
        ("echo $(sudo id -un)", "root\n"),
        ("bash <<'END'\nsudo id -un\nEND", "root\n"),
        ("sh -c 'sudo id -un'", "root\n"),
        ("(cd /; sudo id -un)", "root\n"),
        ("echo a b | xargs -n1 sudo echo", "a\nb\n"),
        (f"sudo -u {OTHER} id -un", f"{OTHER}\n"),
        ("sudo sh -c 'cat; echo end' </dev/null", "end\n"),
    ],
)
def test_sudo_gets_the_password_wherever_it_stands(
    told: Runner, sudo_host: SudoHost, command: str, text: str
) -> None:
    ran = told(sudo_host.endpoint(), command, limit_s=10)
    assert (ran.text, ran.exit.exit_code, ran.exit.notice) == (text, 0, "")


def test_the_exit_code_is_the_commands(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), "sudo sh -c 'exit 7'")
    assert (ran.exit.exit_code, ran.exit.ended_by) == (7, "exited")


def test_what_needs_no_password_gets_none(ssh_run: Runner, sudo_host: SudoHost) -> None:
    ran = ssh_run(sudo_host.endpoint(), "sudo whoami")
    assert (ran.text, ran.exit.notice) == ("root\n", "")


def test_without_a_password_it_ends_soon_and_says_where_to_enter_it(
    ssh_run: Runner, sudo_host: SudoHost
) -> None:
    ran = ssh_run(sudo_host.endpoint(), "sudo id -un; exit 3", limit_s=20)
    assert (ran.exit.exit_code, ran.exit.ended_by) == (3, "sudo")
    assert "none is known for this host" in ran.exit.notice and "host page" in ran.exit.notice
    assert ran.took_s < 3


def test_a_wrong_password_is_an_error_at_once(ssh_run: Runner, sudo_host: SudoHost) -> None:
    """The second sudo is told nothing: each try counts towards a lock of the account."""
    run = telling(ssh_run, sudo_host, WRONG)
    ran = run(sudo_host.endpoint(), "sudo id -un; sudo -k; sudo id -un", limit_s=20)
    assert ran.exit.exit_code == 1
    assert "sudo refused the password" in ran.exit.notice
    assert ran.text.count("incorrect password attempt") == 1
    assert ran.took_s < 4


def test_sudo_that_reads_its_input_ends_at_once(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), "sudo -k; sudo -S id -un", limit_s=10)
    assert ran.exit.exit_code == 1 and ran.took_s < 3


def test_a_host_that_wants_a_terminal_says_so(ssh_run: Runner, sudo_host: SudoHost) -> None:
    ran = ssh_run(sudo_host.endpoint(OTHER), "sudo id -un", limit_s=10)
    assert ran.exit.exit_code == 1 and "must have a tty" in ran.text


def test_the_password_is_nowhere_to_be_seen(told: Runner, sudo_host: SudoHost) -> None:
    command = "sudo sh -c 'id -un; env; sleep 0.3'; env; cat $SUDO_ASKPASS"
    with watching(sudo_host.password) as seen:
        ran = told(sudo_host.endpoint(), command)
    assert "SUDO_ASKPASS" in ran.text and ran.text.startswith("root\n")
    assert sudo_host.password not in ran.text
    assert seen == []


def test_a_command_that_draws_it_out_gets_it_masked(told: Runner, sudo_host: SudoHost) -> None:
    draw = 'cp "$(command -v bash)" ~/sudo; ~/sudo -c "\\$SUDO_ASKPASS x; true"; sudo -k'
    assert told(sudo_host.endpoint(), draw).text == f"{HIDDEN}\n"


def test_the_program_that_asks_answers_sudo_only(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), "$SUDO_ASKPASS x; echo $?; sudo whoami")
    assert ran.text == "1\nroot\n"


def test_a_command_without_sudo_has_no_way_to_ask(told: Runner, sudo_host: SudoHost) -> None:
    assert told(sudo_host.endpoint(), 'echo "$SUDO_ASKPASS$DISPLAY"').text == "\n"


def test_nothing_is_left_behind(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), "dirname $SUDO_ASKPASS; sudo whoami", run_id="run-tidy")
    assert not Path(ran.text.split()[0]).exists()


def test_a_run_that_is_stopped_leaves_nothing_behind(told: Runner, sudo_host: SudoHost) -> None:
    said: list[str] = []
    command = "echo $$; dirname $SUDO_ASKPASS; sleep 30; sudo whoami"
    stopped = threading.Event()

    def hear(text: str) -> None:
        said.append(text)
        stopped.set()

    ran = told(sudo_host.endpoint(), command, cancelled=stopped.is_set, on_output=hear)
    pid, folder, *rest = "".join(said).split()
    assert ran.exit.ended_by == "cancelled" and "root" not in rest
    assert not is_running(pid) and not Path(folder).exists()


@pytest.mark.parametrize("missing", ["mkfifo", "mktemp"])
def test_a_host_without_the_means_says_so(told: Runner, sudo_host: SudoHost, missing: str) -> None:
    """Its name in the path is another program, which fails."""
    bin_ = sudo_host.home / f"without-{missing}"
    bin_.mkdir(exist_ok=True)
    (bin_ / missing).write_text("#!/bin/sh\nexit 1\n")
    (bin_ / missing).chmod(0o755)
    (sudo_host.home / ".bashrc").write_text(f"PATH={bin_}:$PATH\n")
    try:
        ran = told(sudo_host.endpoint(), "sudo id -un", limit_s=10)
    finally:
        (sudo_host.home / ".bashrc").unlink()
    assert ran.exit.exit_code == 1 and "mktemp, mkfifo" in ran.exit.notice


def test_input_of_a_command_with_sudo_is_closed(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), "cat; read -r x || echo none; sudo whoami")
    assert ran.text == "none\nroot\n"


def test_a_long_command_with_sudo_arrives_whole(told: Runner, sudo_host: SudoHost) -> None:
    ran = told(sudo_host.endpoint(), f": {'汉' * 40_000}; sudo echo done")
    assert ran.text == "done\n"


def test_root_needs_nothing(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "sudo id -un", limit_s=10)
    assert ran.exit.ended_by == "exited"


# --- which command may ask ------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "sudo apt update",
        "cd /srv && sudo -u www ls",
        "env X=1 sudo systemctl restart caddy",
        "for f in a b; do sudo rm $f; done",
        "bash -c 'sudo reboot'",
        "bash <<E\nsudo id\nE",
        "/usr/bin/sudo id",
        "timeout 5 sudo id",
    ],
)
def test_a_command_with_sudo_may_ask(command: str) -> None:
    assert sudo.wants(command)


@pytest.mark.parametrize(
    "command",
    [
        "grep sudo /var/log/auth.log",
        "which sudo",
        "ls /etc/sudoers.d",
        "touch /tmp/pseudo-file",
        "systemctl restart caddy",
        "dpkg -l sudo",
    ],
)
def test_a_command_that_only_reads_of_sudo_may_not(command: str) -> None:
    assert not sudo.wants(command)


# --- what sudo is told ----------------------------------------------------------------


def test_each_sudo_is_told_once() -> None:
    answers = sudo.Answers("web1", "open sesame")
    assert answers.answer(":sudo:7:6:") == answers.answer(":sudo:9:8:") == "yopen sesame\n"
    assert answers.answer(":sudo:10:8:") == "n\n"
    assert answers.answer(":sudo:12:11:") == "n\n"
    assert "refused" in answers.notice(1)


@pytest.mark.parametrize("line", [":sudo:", ":sudo:a:b:", ":sudo:1:2:3:", ":sudo:;id:2:"])
def test_a_broken_request_gets_nothing(line: str) -> None:
    assert sudo.Answers("web1", "open sesame").answer(line) == "n\n"


def test_no_means_is_told_only_of_a_command_that_failed() -> None:
    answers = sudo.Answers("web1", None)
    assert answers.answer(":sudo:none:") == ""
    assert answers.notice(0) == "" and "mkfifo" in answers.notice(1)


def test_the_program_holds_no_secret_and_needs_no_more_than_sh() -> None:
    assert askpass.PROGRAM.startswith("#!/bin/sh\n")
    assert askpass.answer("x y\\z") == "yx y\\z\n"


@contextmanager
def watching(password: str) -> Iterator[list[str]]:
    """Look for *password* in what every process and the askpass folders show, all the time."""
    seen: list[str] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            for each in (
                *glob.glob("/proc/[0-9]*/cmdline"),
                *glob.glob("/proc/[0-9]*/environ"),
                *glob.glob("/tmp/.walissh-*/ask"),
            ):
                with suppress(OSError):
                    if password.encode() in Path(each).read_bytes():
                        seen.append(each)
            time.sleep(0.005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
