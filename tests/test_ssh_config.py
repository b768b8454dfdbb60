"""Servers out of an OpenSSH client configuration."""

from pathlib import Path

import pytest

from walissh.errors import InvalidError
from walissh.ssh import config
from walissh.ssh.config import ConfigHost


def read(folder: Path, text: str) -> list[ConfigHost]:
    (folder / "config").write_text(text)
    return config.read(folder / "config")


def only(folder: Path, text: str) -> ConfigHost:
    (host,) = read(folder, text)
    return host


def test_a_full_block_is_read(tmp_path: Path) -> None:
    text = """
    Host web1
        HostName 10.0.0.7
        User deploy
        Port 2222
        IdentityFile /keys/web1
        ProxyJump ops@gate:2200,inner
    """
    assert only(tmp_path, text) == ConfigHost(
        "web1", "10.0.0.7", "deploy", 2222, "/keys/web1", "ops@gate:2200,inner"
    )


def test_what_is_not_said_is_empty(tmp_path: Path) -> None:
    assert only(tmp_path, "Host web1") == ConfigHost("web1", "web1", "", 22, "", "")


def test_hosts_come_in_the_order_of_the_file_and_once(tmp_path: Path) -> None:
    found = read(tmp_path, "Host b a\nHost c\nHost a\n")
    assert [each.name for each in found] == ["b", "a", "c"]


def test_patterns_give_values_but_are_no_hosts(tmp_path: Path) -> None:
    text = "Host web1\nHost *.lab web?\n User tester\nHost *\n User root\n Port 2200\n"
    assert only(tmp_path, text) == ConfigHost("web1", "web1", "tester", 2200, "", "")


def test_the_first_value_wins(tmp_path: Path) -> None:
    assert only(tmp_path, "User early\nHost web1\n User late\n").user == "early"


def test_a_negated_pattern_keeps_its_values_away(tmp_path: Path) -> None:
    found = read(tmp_path, "Host web1\nHost web2\nHost web* !web2\n User deploy\n")
    assert [each.user for each in found] == ["deploy", ""]


def test_match_blocks_are_skipped(tmp_path: Path) -> None:
    text = 'Match host web1 exec "false"\n User wrong\nHost web1\n User right\n'
    assert only(tmp_path, text).user == "right"


def test_host_name_tokens_are_filled_in(tmp_path: Path) -> None:
    text = "Host web1\n HostName %h.example.org\n Port 9\n IdentityFile /k/%h-%p-%%\n"
    host = only(tmp_path, text)
    assert (host.address, host.identity_file) == ("web1.example.org", "/k/web1.example.org-9-%")


def test_a_tilde_is_the_home_folder(tmp_path: Path) -> None:
    host = only(tmp_path, "Host a\n IdentityFile ~/.ssh/id\n")
    assert host.identity_file == str(Path.home() / ".ssh" / "id")


def test_equal_signs_quotes_case_and_comments_are_understood(tmp_path: Path) -> None:
    text = '# mine\nhost="web1" # yes\n\thostname = 10.0.0.1\nUSER="a b"\r\n'
    assert only(tmp_path, text) == ConfigHost("web1", "10.0.0.1", "a b", 22, "", "")


def test_jump_none_means_no_jump(tmp_path: Path) -> None:
    assert only(tmp_path, "Host a\n ProxyJump none\nHost *\n ProxyJump gate\n").jump == ""


def test_includes_are_read_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "one.conf").write_text("Host inner\n User included\n")
    (tmp_path / "two.conf").write_text("Host other\n")
    found = read(tmp_path, f"Include {tmp_path}/*.conf\nHost outer\nHost *\n User all\n")
    assert [(each.name, each.user) for each in found] == [
        ("inner", "included"),
        ("other", "all"),
        ("outer", "all"),
    ]


def test_an_include_inside_a_block_holds_only_there(tmp_path: Path) -> None:
    (tmp_path / "sub").write_text("User deploy\n")
    found = read(tmp_path, f"Host a\n Include {tmp_path}/sub\n Port 99\nHost b\n")
    assert [(each.user, each.port) for each in found] == [("deploy", 99), ("", 22)]


def test_an_include_of_nothing_is_no_error(tmp_path: Path) -> None:
    assert read(tmp_path, f"Include {tmp_path}/none/*\n") == []


def test_a_file_that_includes_itself_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="too deep"):
        read(tmp_path, f"Include {tmp_path}/config\n")


@pytest.mark.parametrize("line", ["Port abc", "Port 0", "Port 70000", 'Host "web', "Host", "=x"])
def test_a_broken_line_is_named_with_its_file(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidError, match=r"config, line 2: "):
        read(tmp_path, f"Host web1\n{line}\n")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match=r"nowhere: the file cannot be read"):
        config.read(tmp_path / "nowhere")


def test_binary_text_does_not_crash(tmp_path: Path) -> None:
    (tmp_path / "config").write_bytes(b"Host caf\xe9\n User x\n")
    assert len(config.read(tmp_path / "config")) == 1


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("Host a\n ProxyCommand sh -c 'nc %h", ("ProxyCommand",)),
        ("Host a\n ProxyCommand none", ()),
        ("Host a\n ProxyJump b\n ProxyCommand nc %h", ()),
        ("Host a\nMatch exec true\n User x", ("Match",)),
        ("Host a\nMatch exec true\n ForwardAgent yes", ()),
        ("Host b*\n Include x\nHost a", ()),
        ("Include x\nHost a", ("Include",)),
    ],
)
def test_what_bears_on_a_host_and_is_not_heeded_is_named(
    text: str, unused: tuple[str, ...]
) -> None:
    assert [each.unused for each in config.parse(text)] == [unused]
