"""People by the command line."""

import re
from pathlib import Path

import pytest

from tests.cli import CommandLine
from walissh.store import people


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The command line on an empty home."""
    return CommandLine(tmp_path / "home")


def test_token_create_prints_a_working_token_and_nothing_else(
    command_line: CommandLine,
) -> None:
    result = command_line.run("token", "create")
    assert (result.code, result.err) == (0, "")
    with command_line.app().app_context():
        person = people.by_token("api", result.out.removesuffix("\n"))
    assert person is not None
    assert (person.name, person.role) == ("admin", "admin")


def test_token_create_makes_a_new_person_once(command_line: CommandLine) -> None:
    tokens = [command_line.run("token", "create", "--user", "ann").out.strip() for _ in range(2)]
    with command_line.app().app_context():
        found = {people.by_token("api", each) for each in tokens}
    assert len(found) == 1
    assert len(set(tokens)) == 2


def test_a_name_that_is_none_is_refused_in_one_line(command_line: CommandLine) -> None:
    result = command_line.run("token", "create", "--user", "a b")
    assert result.code == 1
    assert result.out == ""
    assert result.err.count("\n") == 1


def test_a_sign_in_link_signs_in_once(command_line: CommandLine) -> None:
    result = command_line.run("sign-in-link")
    found = re.fullmatch(r"http://127\.0\.0\.1:8022/sign-in/(\S+)\n", result.out)
    assert found
    with command_line.app().app_context():
        assert people.use_link(found[1])
        assert not people.use_link(found[1])


def test_passwd_takes_the_password_from_standard_input(command_line: CommandLine) -> None:
    command_line.run("token", "create", "--user", "ann")
    result = command_line.run("passwd", "ann", stdin="correct horse\n")
    assert result.code == 0
    assert "correct" not in result.out + result.err
    with command_line.app().app_context():
        assert people.check_password("ann", "correct horse").name == "ann"


def test_passwd_works_for_the_admin_before_the_first_start(command_line: CommandLine) -> None:
    assert command_line.run("passwd", "admin", stdin="correct horse\n").code == 0


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [("nobody", "correct horse", "nobody named nobody"), ("admin", "short", "at least 8")],
)
def test_passwd_refuses_a_stranger_and_a_short_password(
    command_line: CommandLine, name: str, password: str, words: str
) -> None:
    result = command_line.run("passwd", name, stdin=f"{password}\n")
    assert result.code == 1
    assert words in result.err


def test_a_home_that_cannot_be_written_is_one_line_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CommandLine(tmp_path / "file" / "home").run("token", "create")
    assert result.code == 2
    assert result.err.startswith("walissh: ")
    assert result.err.count("\n") == 1


def test_help_names_every_command(command_line: CommandLine) -> None:
    told = command_line.run("--help").out
    for name in ("chat", "doctor", "host", "passwd", "sign-in-link", "token", "up"):
        assert re.search(rf"^  {name} +\S", told, re.MULTILINE), name
