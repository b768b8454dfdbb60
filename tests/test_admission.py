"""Nothing listens beyond loopback while no admin can prove who they are."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli import CommandLine
from tests.services import begin_up, free_port, refused
from walissh.config import Settings
from walissh.config_oidc import Oidc
from walissh.errors import StartError
from walissh.service import admission


@pytest.mark.parametrize(
    ("bind", "is_exposed"),
    [
        ("127.0.0.1:8022", False),
        ("127.8.9.1:8022", False),
        ("[::1]:8022", False),
        ("localhost:8022", False),
        ("0.0.0.0:8022", True),
        ("[::]:8022", True),
        ("192.0.2.7:8022", True),
        ("[::ffff:192.0.2.7]:8022", True),
        ("no-such-name.invalid:8022", True),
    ],
)
def test_what_others_can_reach_is_exposed(tmp_path: Path, bind: str, is_exposed: bool) -> None:
    assert admission.is_exposed(Settings(tmp_path, bind=bind)) is is_exposed


def exposed(home: Path) -> Settings:
    return Settings(home, bind="0.0.0.0:8022")


def test_without_a_database_it_is_refused_and_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="walissh passwd admin"):
        admission.check(exposed(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_on_loopback_or_with_a_provider_nothing_is_asked(tmp_path: Path) -> None:
    admission.check(Settings(tmp_path))
    admission.check(replace(exposed(tmp_path), oidc=Oidc("https://id.test", "walissh")))


def test_the_address_that_is_listened_at_counts_whatever_its_name_stood_for(
    tmp_path: Path,
) -> None:
    for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        admission.check(exposed(tmp_path), (address, 8022))
    for address, written in (("192.0.2.7", "192.0.2.7:9"), ("::", r"\[::\]:9")):
        with pytest.raises(StartError, match=f"^{written} can be reached"):
            admission.check(Settings(tmp_path, bind="localhost:8022"), (address, 9))


def test_passwd_before_the_first_start_opens_the_way(tmp_path: Path) -> None:
    home = tmp_path / "home"
    line = CommandLine(home)
    assert line.run("passwd", "admin", stdin="correct horse\n").code == 0
    admission.check(exposed(home))


def test_the_password_of_an_operator_or_of_a_disabled_admin_is_none(
    tmp_path: Path, empty_database: Path
) -> None:
    (tmp_path / "walissh.db").write_bytes(empty_database.read_bytes())
    line = CommandLine(tmp_path)
    for command in ("person add ann", "person add zoe --role admin", "person add amy --role admin"):
        line.run(*command.split())
    for name in ("ann", "zoe"):
        line.run("passwd", name, stdin="correct horse\n")
    admission.check(exposed(line.home))
    line.run("person", "disable", "zoe")
    with pytest.raises(StartError):
        admission.check(exposed(line.home))


def test_a_database_of_an_older_program_is_read_too(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "walissh.db") as old:
        old.execute("CREATE TABLE person (id TEXT, role TEXT, password_hash TEXT)")
        old.execute("INSERT INTO person VALUES ('1', 'admin', 'a hash')")
    admission.check(exposed(tmp_path))


def test_up_says_in_one_line_what_to_run(tmp_path: Path) -> None:
    bind = f"0.0.0.0:{free_port()}"
    line = refused(begin_up(tmp_path / "home", "--bind", bind))
    assert f"{bind} can be reached from other machines" in line
    assert f"WALISSH_HOME={tmp_path / 'home'} walissh passwd admin" in line
