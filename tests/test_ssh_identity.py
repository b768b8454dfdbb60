"""A machine is known by its key and by its own id; another one is told before anything runs."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.sshd import Runner, Sshd, SshdFactory
from walissh.errors import MachineChangedError, ShellError
from walissh.ssh import dialect, remote

OTHER = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"


def own_id() -> str:
    for place in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if Path(place).is_file() and (told := Path(place).read_text().strip()):
            return told
    pytest.skip("this machine has no id of its own")


def test_the_first_machine_under_a_trusted_key_is_kept(ssh_run: Runner, sshd: Sshd) -> None:
    endpoint = sshd.endpoint()
    ssh_run(endpoint, "true")
    assert ssh_run.endpoints.machines == {endpoint.host.id: own_id()}


def test_the_known_machine_is_not_asked_about_again(ssh_run: Runner, sshd: Sshd) -> None:
    ssh_run(sshd.endpoint(machine_id=own_id()), "true")
    assert ssh_run.endpoints.machines == {}


def test_another_machine_gets_no_command(ssh_run: Runner, sshd: Sshd, tmp_path: Path) -> None:
    with pytest.raises(MachineChangedError) as raised:
        ssh_run(sshd.endpoint(machine_id=OTHER), f"touch {tmp_path}/ran")
    error = raised.value
    assert (error.phase, error.started, error.known, error.seen) == (
        "host_key",
        False,
        OTHER,
        own_id(),
    )
    assert OTHER in str(error) and own_id() in str(error) and "host page" in str(error)
    assert list(tmp_path.iterdir()) == []


def test_a_check_of_another_machine_fails(ssh_run: Runner, sshd: Sshd) -> None:
    host_id = ssh_run.endpoints.add(sshd.endpoint(machine_id=OTHER))
    with pytest.raises(MachineChangedError):
        ssh_run.shell.check(host_id)


def test_no_password_goes_to_another_machine(ssh_run: Runner, sshd: Sshd) -> None:
    endpoint = sshd.endpoint(machine_id=OTHER)
    ssh_run.endpoints.sudo[endpoint.host.id] = "open sesame"
    with pytest.raises(MachineChangedError):
        ssh_run(endpoint, "sudo id")


@pytest.fixture(scope="module")
def nameless(sshd_factory: SshdFactory) -> Sshd:
    """A server on a machine that tells no id."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("mount namespaces are not allowed here")
    hide = (
        "for f in /etc/machine-id /var/lib/dbus/machine-id; do "
        'if [ -e "$f" ]; then mount --bind /dev/null "$f"; fi; done; exec "$@"'
    )
    return sshd_factory(inside=("unshare", "-m", "sh", "-c", hide, "sh"))


def test_a_machine_that_never_told_an_id_goes_on_by_its_key(
    ssh_run: Runner, nameless: Sshd
) -> None:
    assert ssh_run(nameless.endpoint(), "echo on").text == "on\n"
    assert ssh_run.endpoints.machines == {}


def test_a_machine_that_tells_its_id_no_more_gets_no_command(
    ssh_run: Runner, nameless: Sshd
) -> None:
    with pytest.raises(MachineChangedError, match="now none") as raised:
        ssh_run(nameless.endpoint(machine_id=OTHER), "true")
    assert raised.value.seen == ""


@pytest.mark.parametrize(
    ("line", "machine"),
    [
        (f":7:1:b:{OTHER}:", OTHER),
        (f":7:1:b:{OTHER.upper()}:", OTHER),
        (":7:1:s:4C4C4544-0042-3510-8052-B4C04F4E3732:", "4c4c4544-0042-3510-8052-b4c04f4e3732"),
        (":7:1:s::", ""),
        (":7:1:b:uninitialized:", ""),
        (":7:1:b:00000000-0000-0000-0000-000000000000:", ""),
        (":7:1:b:a:b:c:", ""),
        (f":7:1:b:{'a' * 100}:", ""),
    ],
)
def test_only_what_looks_like_an_id_is_one(line: str, machine: str) -> None:
    started = remote.parse_start(line)
    assert started is not None and started.machine_id == machine


@pytest.mark.parametrize("line", [":7:1:", ":7:1:x::", ":7:1:b:", "7:1:b::"])
def test_half_a_start_is_none(line: str) -> None:
    assert remote.parse_start(line) is None


# --- the shell that it meets ----------------------------------------------------------


@pytest.fixture(scope="module")
def bashless(sshd_factory: SshdFactory, tmp_path_factory: pytest.TempPathFactory) -> Sshd:
    """A server whose path leads to no bash."""
    folder = tmp_path_factory.mktemp("no-bash")
    for name in ("sh", "cat", "head", "echo", "rm", "ps", "tr", "setsid"):
        found = next(p for p in ("/bin", "/usr/bin") if Path(p, name).exists())
        (folder / name).symlink_to(Path(found, name))
    home = tmp_path_factory.mktemp("home")
    (home / ".bashrc").write_text(f"PATH={folder}\n")
    return sshd_factory(SetEnv=f"HOME={home}")


def test_without_bash_the_command_meets_sh(ssh_run: Runner, bashless: Sshd) -> None:
    assert ssh_run(bashless.endpoint(), 'echo "${BASH_VERSION:-none}"').text == "none\n"


def test_what_does_more_harm_under_sh_is_not_sent(ssh_run: Runner, bashless: Sshd) -> None:
    with pytest.raises(ShellError, match="no bash") as raised:
        ssh_run(bashless.endpoint(), "ls /srv &>/dev/null")
    assert not raised.value.started


def test_bash_itself_gets_it(ssh_run: Runner, sshd: Sshd) -> None:
    assert ssh_run(sshd.endpoint(), "ls / &>/dev/null; echo done").text == "done\n"


@pytest.mark.parametrize(
    "command",
    ["ls -l /tmp | head -3", "awk '{print $1,$2}' /proc/loadavg", "grep '((' /etc/profile 2>&1"],
)
def test_what_sh_reads_alike_is_sent(sshd: Sshd, command: str) -> None:
    dialect.refuse_other_meaning(sshd.host(), command)


@pytest.mark.parametrize("command", ["ls |& cat", "[[ a > b ]] && ls", "cat <<< hello"])
def test_what_is_written_for_bash_alone_is_refused(sshd: Sshd, command: str) -> None:
    with pytest.raises(ShellError, match="no bash"):
        dialect.refuse_other_meaning(sshd.host(), command)
