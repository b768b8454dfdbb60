"""One command on a real server: its output, its end, its surroundings."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sshd import Runner, Sshd, SshdFactory, is_running
from walissh.errors import ShellError
from walissh.react.needs import Shell
from walissh.react.turn import (
    Exit,
)
from walissh.ssh.pool import Pool
from walissh.ssh.run import SshShell

pytest_plugins = ("tests.sshd",)


def test_the_driver_is_a_shell(ssh_run: Runner) -> None:
    shell: Shell = ssh_run.shell
    assert isinstance(shell, SshShell)


def test_exit_code_and_both_streams_come_back(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "echo out; echo err >&2; exit 3")
    assert ran.exit == Exit(3, "exited")
    assert sorted(ran.text.splitlines()) == ["err", "out"]


def test_an_unfinished_last_line_is_not_lost(ssh_run: Runner, sshd: Sshd) -> None:
    assert ssh_run(sshd.endpoint(), "printf 'no newline'").text == "no newline"


def test_silence_is_no_output(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "true")
    assert (ran.exit, ran.text) == (Exit(0, "exited"), "")


@pytest.mark.parametrize(
    "word",
    ["it's", '"', "$HOME", "`id`", "a\\b", "!x", "a\nb", "%s", "*", "ü 汉", "#", "~", ";", "@MARK"],
)
def test_a_command_arrives_letter_for_letter(ssh_run: Runner, sshd: Sshd, word: str) -> None:
    ran = ssh_run(sshd.endpoint(), f"cat <<'END'\n{word}\nEND\n")
    assert ran.text == word + "\n"


def test_a_command_of_100_kb_runs(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), f": {'x' * 100_000}; echo done")
    assert ran.text == "done\n"


def test_a_command_with_nul_is_refused_before_anything_runs(ssh_run: Runner, sshd: Sshd) -> None:
    with pytest.raises(ShellError, match="NUL") as raised:
        ssh_run(sshd.endpoint(), "echo a\0b")
    assert (raised.value.phase, raised.value.started) == ("run", False)


def test_input_is_closed(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "cat; read -r x || echo no input; sleep 0.1")
    assert ran.text == "no input\n"


def test_there_is_no_terminal(ssh_run: Runner, sshd: Sshd) -> None:
    assert ssh_run(sshd.endpoint(), "test -t 0 -o -t 1 || echo none").text == "none\n"


def test_pagers_and_prompts_are_off(ssh_run: Runner, sshd: Sshd) -> None:
    names = ["PAGER", "GIT_PAGER", "SYSTEMD_PAGER", "TERM", "DEBIAN_FRONTEND"]
    ran = ssh_run(sshd.endpoint(), "printenv " + " ".join(names))
    assert ran.text.split() == ["cat", "cat", "cat", "dumb", "noninteractive"]


@pytest.mark.parametrize(
    "command",
    [
        "less /etc/passwd",
        "git log -2",
        "git --paginate log -2",
        "more /etc/passwd",
        "git commit --allow-empty",
    ],
)
def test_pagers_and_editors_end(ssh_run: Runner, sshd: Sshd, tmp_path: Path, command: str) -> None:
    git = "git -c user.name=a -c user.email=a@b.c"
    made = f"cd {tmp_path}; git init -q .; {git} commit -q --allow-empty -m first; "
    ran = ssh_run(sshd.endpoint(), made + command, limit_s=10)
    assert ran.exit.ended_by == "exited"


def test_ten_mib_on_both_streams_at_once_completes(ssh_run: Runner, sshd: Sshd) -> None:
    size = 10 * 1024 * 1024
    flood = f"head -c {size} /dev/zero | tr '\\0' '%s' | fold -w 127%s"
    command = f"{flood % ('e', ' >&2')} & {flood % ('o', '')}; wait; exit 7"
    ran = ssh_run(sshd.endpoint(), command)
    assert ran.exit == Exit(7, "exited")
    assert (ran.text.count("o"), ran.text.count("e")) == (size, size)


def test_output_comes_in_pieces_of_at_most_64_kb(ssh_run: Runner, sshd: Sshd) -> None:
    pieces: list[int] = []
    ssh_run(
        sshd.endpoint(),
        "yes 汉字汉字汉字 | head -c 1000000",
        on_output=lambda text: pieces.append(len(text.encode())),
    )
    assert 0 < max(pieces) <= 64 * 1024


def test_output_is_live(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    """The command goes on only when its first line has been heard."""
    gate = tmp_path / "heard"
    ran = ssh_run(
        sshd.endpoint(),
        f"echo first; until test -e {gate}; do sleep 0.05; done; echo last",
        limit_s=10,
        on_output=lambda _: gate.touch(),
    )
    assert ran.text == "first\nlast\n"


def test_split_characters_of_gbk_are_put_together(ssh_run: Runner, sshd: Sshd) -> None:
    first, rest = "汉".encode("gbk")[:1], "汉字\n".encode("gbk")[1:]
    command = f"printf '{_octal(first)}'; sleep 0.2; printf '{_octal(rest)}'"
    ran = ssh_run(sshd.endpoint(encoding="gbk"), command)
    assert ran.text == "汉字\n"


def test_a_command_is_sent_in_the_hosts_encoding(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(encoding="gbk"), "printf 汉 | wc -c; echo 汉")
    assert ran.text.split() == ["2", "汉"]


def test_a_command_that_the_encoding_lacks_is_refused(ssh_run: Runner, sshd: Sshd) -> None:
    with pytest.raises(ShellError, match="latin-1"):
        ssh_run(sshd.endpoint(encoding="latin-1"), "echo 汉")


@pytest.mark.parametrize("encoding", ["gbk", "big5"])
@pytest.mark.parametrize("sign", [b"|", b"\\", b"{", b"~"])
def test_a_character_with_a_byte_that_a_shell_obeys_is_refused(
    ssh_run: Runner, sshd: Sshd, encoding: str, sign: bytes
) -> None:
    char = next(
        each
        for first in range(0xA4, 0xF9)
        if (each := (bytes([first]) + sign).decode(encoding, "ignore")) and not each.isascii()
    )
    with pytest.raises(ShellError, match="sign of its own") as raised:
        ssh_run(sshd.endpoint(encoding=encoding), f"echo {char}")
    assert not raised.value.started


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "latin-1"])
def test_binary_output_does_not_crash(ssh_run: Runner, sshd: Sshd, encoding: str) -> None:
    ran = ssh_run(sshd.endpoint(encoding=encoding), "head -c 200000 /dev/urandom; exit 4")
    assert ran.exit == Exit(4, "exited")


def _octal(data: bytes) -> str:
    return "".join(f"\\{byte:03o}" for byte in data)


# --- the login shell ------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def homely(sshd_factory: SshdFactory, home: Path) -> Sshd:
    """A server whose user has a home folder, and so a ``.bashrc``, made for the test."""
    return sshd_factory(SetEnv=f"HOME={home}")


def test_start_up_noise_is_not_output(ssh_run: Runner, homely: Sshd, home: Path) -> None:
    (home / ".bashrc").write_text("echo welcome; echo warn >&2; printf tail; export FROM=rc\n")
    ran = ssh_run(homely.endpoint(), "echo $FROM; echo err >&2")
    assert sorted(ran.text.splitlines()) == ["err", "rc"]


def test_start_up_files_cannot_eat_the_command(ssh_run: Runner, homely: Sshd, home: Path) -> None:
    (home / ".bashrc").write_text("read -t 0.3 -r line; echo ate $line\n")
    assert ssh_run(homely.endpoint(), "echo whole").text == "whole\n"


def test_a_closed_account_says_what_it_says(ssh_run: Runner, homely: Sshd, home: Path) -> None:
    (home / ".bashrc").write_text("echo This account is closed.; exit 1\n")
    with pytest.raises(ShellError, match="It said: This account is closed") as raised:
        ssh_run(homely.endpoint(), "touch ~/ran")
    assert (raised.value.phase, raised.value.started) == ("run", False)
    assert not (home / "ran").exists()


def test_cancel_during_start_up_runs_nothing(ssh_run: Runner, homely: Sshd, home: Path) -> None:
    (home / ".bashrc").write_text("sleep 1; touch ~/started\n")
    ran = ssh_run(homely.endpoint(), "touch ~/ran", cancelled=_after(0.4).is_set)
    assert ran.exit.ended_by == "cancelled"
    until = time.monotonic() + 5
    while not (home / "started").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.2)
    assert not (home / "ran").exists()


def test_a_forced_command_is_told(ssh_run: Runner, sshd_factory: SshdFactory) -> None:
    only = sshd_factory(ForceCommand="/bin/echo only backups here")
    with pytest.raises(ShellError, match="only backups here"):
        ssh_run(only.endpoint(), "id")


# --- ends -----------------------------------------------------------------------------


def test_a_silent_command_ends_at_its_limit_with_its_output(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "echo before; printf half; sleep 60", limit_s=1)
    assert ran.exit == Exit(None, "limit")
    # bash says "Terminated" if its child goes before it
    assert ran.text.replace("Terminated\n", "") == "before\nhalf"


def test_too_much_output_ends_it(ssh_run: Runner, sshd: Sshd) -> None:
    shell = SshShell(ssh_run.pool, ssh_run.endpoints, output_limit_mb=1)
    host_id = ssh_run.endpoints.add(sshd.endpoint())
    said: list[str] = []
    result = shell.run(
        "flood",
        host_id,
        f"yes {'x' * 1000}",
        limit_s=30,
        on_output=said.append,
        cancelled=lambda: False,
    )
    assert result == Exit(None, "output_limit")
    assert 1024 * 1024 <= len("".join(said)) < 1100 * 1024


def test_death_by_signal_has_the_shells_exit_code(ssh_run: Runner, sshd: Sshd) -> None:
    assert ssh_run(sshd.endpoint(), "kill -9 $$").exit == Exit(137, "exited")


def test_a_background_child_does_not_hold_it_up(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "sleep 4 & echo started", limit_s=60)
    assert (ran.exit.exit_code, ran.text) == (0, "started\n")
    assert "still runs in the background" in ran.exit.notice
    assert ran.took_s < 3


def test_a_background_child_that_talks_on_does_not_hold_it_up(ssh_run: Runner, sshd: Sshd) -> None:
    chatter = "(for n in $(seq 60); do echo $n; sleep 0.2; done) &"
    ran = ssh_run(sshd.endpoint(), f"{chatter} echo started", limit_s=60)
    assert (ran.exit.exit_code, ran.exit.ended_by) == (0, "exited")
    assert ran.took_s < 9


def test_a_slow_listener_hears_all_of_a_command_that_ended(ssh_run: Runner, sshd: Sshd) -> None:
    """It takes longer to hear it than an ended command is waited for."""
    heard: list[int] = []

    def hear(text: str) -> None:
        heard.append(len(text))
        time.sleep(0.6)

    ran = ssh_run(sshd.endpoint(), f"yes {'x' * 99} | head -c 200000", on_output=hear)
    assert (sum(heard), ran.exit) == (200_000, Exit(0, "exited"))


def test_a_listeners_own_os_error_is_not_a_lost_connection(ssh_run: Runner, sshd: Sshd) -> None:
    def fail(_: str) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        ssh_run(sshd.endpoint(), "echo x", on_output=fail)


def test_a_background_child_with_its_own_output_is_no_remark(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "sleep 2 >/dev/null 2>&1 & echo started")
    assert ran.exit == Exit(0, "exited")


def test_twenty_commands_at_once_on_one_host_all_complete(ssh_run: Runner, sshd: Sshd) -> None:
    with ThreadPoolExecutor(20) as threads:
        jobs = [threads.submit(ssh_run, sshd.endpoint(), f"sleep 0.5; echo {n}") for n in range(20)]
        assert [job.result().text for job in jobs] == [f"{n}\n" for n in range(20)]


def test_a_failing_listener_leaves_nothing_running(
    ssh_run: Runner, sshd: Sshd, tmp_path: Path
) -> None:
    def fail(_: str) -> None:
        raise RuntimeError("the store is away")

    with pytest.raises(RuntimeError, match="store is away"):
        ssh_run(sshd.endpoint(), f"echo $$ > {tmp_path}/pid; echo x; sleep 60", on_output=fail)
    assert not is_running((tmp_path / "pid").read_text().strip())


# --- check ----------------------------------------------------------------------------


def test_a_check_of_a_good_host_passes(ssh_run: Runner, sshd: Sshd) -> None:
    ssh_run.shell.check(ssh_run.endpoints.add(sshd.endpoint()))


def test_a_check_connects_anew(ssh_run: Runner, sshd: Sshd) -> None:
    endpoint = sshd.endpoint()
    ssh_run(endpoint, "true")
    before = ssh_run.pool.lease(endpoint)
    ssh_run.shell.check(endpoint.host.id)
    after = ssh_run.pool.lease(endpoint)
    assert before is not after


def test_an_unknown_host_runs_nothing(ssh_run: Runner) -> None:
    with pytest.raises(ShellError, match="not known any more") as raised:
        ssh_run.shell.check("gone")
    assert (raised.value.phase, raised.value.started) == ("resolve", False)


def test_a_closed_pool_ends_running_commands_as_unknown(sshd: Sshd) -> None:
    run = Runner(Pool())
    with pytest.raises(ShellError, match="outcome is unknown") as raised:
        run(sshd.endpoint(), "echo x; sleep 5", on_output=lambda _: run.pool.close())
    assert (raised.value.phase, raised.value.started) == ("run", True)


def _after(delay_s: float) -> threading.Event:
    """Return an event that is set after a while."""
    event = threading.Event()
    timer = threading.Timer(delay_s, event.set)
    timer.daemon = True
    timer.start()
    return event


def test_a_host_that_was_edited_since_runs_nothing(ssh_run: Runner, sshd: Sshd) -> None:
    host_id = ssh_run.endpoints.add(sshd.endpoint())
    revision = ssh_run.endpoints.endpoint(host_id).host.revision
    said: list[str] = []
    with pytest.raises(ShellError, match="was changed") as caught:
        ssh_run.shell.run(
            "r1",
            host_id,
            "echo ran",
            limit_s=10,
            on_output=said.append,
            cancelled=lambda: False,
            revision=revision - 1,
        )
    assert (caught.value.phase, caught.value.started, said) == ("host_key", False, [])
