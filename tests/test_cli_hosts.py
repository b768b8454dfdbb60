"""Servers by the command line, against a real OpenSSH server."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.cli import CommandLine
from tests.sshd import Sshd
from walissh.cli.hosts import parse_target
from walissh.errors import InvalidError
from walissh.react.host import HostKey
from walissh.ssh import keys
from walissh.store import hosts, people


@pytest.fixture
def memory_home(memory_dir: Path, empty_database: Path) -> Path:
    """A home in RAM, migrated already."""
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    return home


@pytest.fixture
def command_line(memory_home: Path) -> CommandLine:
    """The command line on a home with an empty database."""
    return CommandLine(memory_home)


def listed(command_line: CommandLine) -> list[list[str]]:
    return [line.split("\t") for line in command_line.run("host", "list").out.splitlines()]


@pytest.mark.parametrize(
    ("target", "parsed"),
    [
        ("root@10.0.0.5", ("root", "10.0.0.5", 22)),
        ("root@10.0.0.5:2222", ("root", "10.0.0.5", 2222)),
        ("ops@[::1]", ("ops", "::1", 22)),
        ("ops@[fe80::1%eth0]:2222", ("ops", "fe80::1%eth0", 2222)),
        ("ops@::1", ("ops", "::1", 22)),
        ("ops@2001:db8::7", ("ops", "2001:db8::7", 22)),
        ("ops@shop.example", ("ops", "shop.example", 22)),
    ],
)
def test_a_target_is_user_address_and_port(target: str, parsed: tuple[str, str, int]) -> None:
    assert parse_target(target) == parsed


@pytest.mark.parametrize("target", ["", "@h", "a b@h", "u@", "u@h:", "u@h:x", "u@[::1", "u@[::1]x"])
def test_what_is_no_target_is_refused(target: str) -> None:
    with pytest.raises(InvalidError):
        parse_target(target)


def test_a_host_is_added_with_all_that_is_said_of_it(command_line: CommandLine) -> None:
    command_line.run("host", "add", "bastion", "ops@10.0.0.1")
    arguments = ("--jump", "bastion", "--group", "a", "--group", "b", "--stage", "production")
    result = command_line.run(
        *("host", "add", "web1", "root@[::1]:2222", *arguments, "--encoding", "gbk"),
        *("--auth", "password", "--password-stdin"),
        stdin="hunter2\n",
    )
    assert result.code == 0
    assert "hunter2" not in result.out + result.err
    with command_line.app().app_context():
        owner = people.first_admin().id
        host, bastion = hosts.find("web1", owner), hosts.find("bastion", owner)
        assert host is not None
        assert bastion is not None
        assert (host.user, host.address, host.port) == ("root", "::1", 2222)
        assert (host.groups, host.stage, host.encoding) == (("a", "b"), "production", "gbk")
        assert (host.auth, host.jump_id) == ("password", bastion.id)
        assert hosts.endpoint(host.id).password == "hunter2"
    assert [line[:2] for line in listed(command_line)] == [
        ["bastion", "ops@10.0.0.1:22"],
        ["web1", "root@::1:2222 via bastion"],
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("web1", "root@h:x"), "USER@ADDRESS"),
        (("web1", "root@h", "--jump", "nobody"), "no host named nobody"),
        (("web1", "root@h", "--key", "/nonexistent"), "/nonexistent"),
        (("web1", "root@h", "--user", "nobody"), "nobody named nobody"),
        (("web1", "root@h", "--user-name", "nobody"), "nobody named nobody"),
        (("a b", "root@h"), "host name"),
        (("web1", "root@h", "--encoding", "runes"), "runes"),
    ],
)
def test_a_host_that_is_said_wrong_is_refused_in_one_line(
    command_line: CommandLine, arguments: tuple[str, ...], words: str
) -> None:
    result = command_line.run("host", "add", *arguments)
    assert result.code == 1
    assert words in result.err
    assert result.err.count("\n") == 1
    assert listed(command_line) == []


def test_the_key_of_a_first_contact_is_shown_then_trusted_then_works(
    command_line: CommandLine, sshd: Sshd, tmp_path: Path
) -> None:
    key = tmp_path / "id"
    key.write_text(sshd.client_key.private)
    target = f"{sshd.user}@127.0.0.1:{sshd.port}"
    command_line.run("host", "add", "web1", target, "--key", str(key))

    first = command_line.run("host", "test", "web1")
    assert first.code == 1
    assert f"walissh host trust web1 --fingerprint {sshd.host_key.fingerprint}\n" in first.err
    wrong = command_line.run("host", "trust", "web1", "--fingerprint", "SHA256:other")
    assert wrong.code == 1
    right = command_line.run("host", "trust", "web1", "--fingerprint", sshd.host_key.fingerprint)
    told = f"web1: {sshd.host_key.fingerprint} is trusted. Next: walissh host test web1\n"
    assert right.out == told
    assert command_line.run("host", "test", "web1").out == "web1: the log-in works.\n"
    assert listed(command_line)[0][3].startswith("ok ")


def test_trusting_another_key_says_what_it_replaces(command_line: CommandLine) -> None:
    command_line.run("host", "add", "web1", "ops@10.0.0.1")
    with command_line.app().app_context():
        host = hosts.find("web1", people.first_admin().id)
        assert host is not None
        hosts.remember_seen_key(host.id, HostKey("ssh-ed25519", "AAAAold", "SHA256:old"))
    first = command_line.run("host", "trust", "web1").out
    with command_line.app().app_context():
        hosts.remember_seen_key(host.id, HostKey("ssh-ed25519", "AAAAnew", "SHA256:new"))
    second = command_line.run("host", "trust", "web1").out
    assert "REPLACES" not in first
    assert "SHA256:new is trusted. It REPLACES SHA256:old. Next: walissh host test web1" in second


def test_another_machine_is_told_then_trusted_by_its_id(
    command_line: CommandLine, sshd: Sshd, tmp_path: Path
) -> None:
    key = tmp_path / "id"
    key.write_text(sshd.client_key.private)
    command_line.run("host", "add", "web1", f"{sshd.user}@127.0.0.1:{sshd.port}", "--key", str(key))
    command_line.run("host", "trust", "web1")
    with command_line.app().app_context():
        host = hosts.find("web1", people.first_admin().id)
        assert host is not None
        hosts.meet_machine(host, "a" * 32)
    told = command_line.run("host", "test", "web1")
    option = told.err.partition("walissh host trust web1 ")[2].split()
    wrong = command_line.run("host", "trust", "web1", "--machine", "b" * 32)
    right = command_line.run("host", "trust", "web1", *option)
    assert (told.code, wrong.code, right.code, option[0]) == (1, 1, 0, "--machine")
    assert f"It REPLACES machine {'a' * 32}." in right.out
    assert command_line.run("host", "test", "web1").code == 0


def test_a_password_for_sudo_is_kept_and_removed_unseen(command_line: CommandLine) -> None:
    command_line.run("host", "add", "web1", "ops@10.0.0.1")
    kept = command_line.run("host", "sudo", "web1", stdin="open sesame 42\n")
    assert kept.code == 0 and "open sesame" not in kept.out + kept.err
    with command_line.app().app_context():
        host = hosts.find("web1", people.first_admin().id)
        assert host is not None and hosts.secrets_of(host.id) == {"sudo"}
    command_line.run("host", "sudo", "web1", stdin="\n")
    with command_line.app().app_context():
        assert hosts.secrets_of(host.id) == frozenset()


def test_trust_makes_the_first_contact_itself(command_line: CommandLine, sshd: Sshd) -> None:
    command_line.run("host", "add", "web1", f"{sshd.user}@127.0.0.1:{sshd.port}")
    result = command_line.run("host", "trust", "web1")
    assert (result.code, sshd.host_key.fingerprint in result.out) == (0, True)


def test_a_host_that_is_not_there_is_named_with_the_phase(command_line: CommandLine) -> None:
    command_line.run("host", "add", "web1", "root@nowhere.invalid")
    result = command_line.run("host", "test", "web1")
    assert result.code == 1
    assert result.err.startswith("web1: ")
    assert "[resolve]" in result.err


def test_a_removed_host_is_gone(command_line: CommandLine) -> None:
    command_line.run("host", "add", "web1", "root@10.0.0.5")
    assert command_line.run("host", "remove", "web1").code == 0
    assert listed(command_line) == []
    assert command_line.run("host", "remove", "web1").code == 1


def write_config(folder: Path, text: str) -> str:
    (folder / "config").write_text(text)
    return str(folder / "config")


def test_a_client_configuration_is_imported_with_keys_and_jumps(
    command_line: CommandLine, tmp_path: Path
) -> None:
    pair = keys.generate()
    (tmp_path / "id").write_text(pair.private)
    file = write_config(
        tmp_path,
        f"Host web1\n HostName 10.0.0.5\n ProxyJump bastion\n IdentityFile {tmp_path}/id\n"
        "Host web2\n ProxyJump first,ops@10.9.9.9:2200\n"
        "Host bastion\n HostName 10.0.0.1\n Port 2222\n"
        "Host first\n HostName 10.0.0.9\n"
        "Host *\n User ops\n",
    )
    result = command_line.run("host", "import", file)
    assert result.code == 0, result.err
    assert [line[:2] for line in listed(command_line)] == [
        ["10.9.9.9", "ops@10.9.9.9:2200 via first"],
        ["bastion", "ops@10.0.0.1:2222"],
        ["first", "ops@10.0.0.9:22"],
        ["web1", "ops@10.0.0.5:22 via bastion"],
        ["web2", "ops@web2:22 via 10.9.9.9"],
    ]
    with command_line.app().app_context():
        host = hosts.find("web1", people.first_admin().id)
        assert host is not None
        assert hosts.endpoint(host.id).private_key == pair.private
    again = command_line.run("host", "import", file)
    assert again.out == "0 added: none\n"
    assert "web1: left out" in again.err


def test_one_bad_host_does_not_stop_an_import(command_line: CommandLine, tmp_path: Path) -> None:
    file = write_config(
        tmp_path,
        "Host loop1\n ProxyJump loop2\nHost loop2\n ProxyJump loop1\nHost good\n User ops\n",
    )
    result = command_line.run("host", "import", file)
    assert result.out == "1 added: good\n"
    assert "circle" in result.err


def test_an_import_of_nothing_says_so(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line.run("host", "import", write_config(tmp_path, "Host *\n User x\n"))
    assert result.code == 1
    assert "names no host" in result.err
    assert command_line.run("host", "import", "/nonexistent").code == 1


def test_an_import_names_the_hosts_whose_way_it_did_not_read(
    command_line: CommandLine, tmp_path: Path
) -> None:
    text = "Host a b\n User me\nHost a\n ProxyCommand nc %h\nMatch exec true\n User x\n"
    told = command_line.run("host", "import", write_config(tmp_path, text)).err
    assert "a: ProxyCommand was not used" in told
    assert "a, b: Match was not used" in told
    assert "walissh host test NAME" in told
