"""People by the command line."""

import re
from pathlib import Path

import pytest

from tests.cli import CommandLine
from walissh.store import people, people_passes


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The command line on an empty home."""
    return CommandLine(tmp_path / "home")


@pytest.fixture
def quick_line(tmp_path: Path, empty_database: Path) -> CommandLine:
    """The command line on a home whose tables are there already."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "walissh.db").write_bytes(empty_database.read_bytes())
    return CommandLine(home)


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


def test_a_sign_in_link_makes_nobody(quick_line: CommandLine) -> None:
    quick_line.run("person", "add", "ann")
    assert quick_line.run("sign-in-link", "--user", "ann").code == 0
    assert quick_line.run("sign-in-link", "--user", "anm").code == 1
    assert [line.split("\t")[0] for line in quick_line.run("person", "list").out.splitlines()] == [
        "ann"
    ]


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


def test_people_are_added_listed_and_get_other_roles(quick_line: CommandLine) -> None:
    assert quick_line.run("person", "add", "ann", "--role", "viewer").out == ""
    quick_line.run("person", "add", "bob")
    quick_line.run("person", "role", "bob", "admin")
    told = quick_line.run("person", "list").out.splitlines()
    assert [line.split("\t")[:2] for line in told] == [["ann", "viewer"], ["bob", "admin"]]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("person add ann", 1, "a person named ann already"),
        ("person role ann king", 2, "king"),
        ("person role nobody viewer", 1, "walissh person add nobody"),
        ("person disable nobody", 1, "nobody named nobody"),
        ("token create --user ann --role admin", 1, "walissh person role ann admin"),
        ("token create --days -1", 2, "--days"),
        ("token create --scope some", 2, "--scope"),
        ("token revoke none", 1, "no such browser or token"),
        ("sign-in-link --user amn", 1, "walissh person add amn"),
        ("audit verify --head 3 abc", 2, "64 hexadecimal digits"),
        ("rule add allow --command uptime", 1, "add --host NAME or --group GROUP"),
        ("rule add deny --risk grave", 2, "'destructive'"),
        ("host sudo web1 --user amn", 1, "nobody named amn"),
        ("host trust web1 --user amn", 1, "nobody named amn"),
    ],
)
def test_what_cannot_be_done_is_told(
    quick_line: CommandLine, arguments: str, code: int, words: str
) -> None:
    quick_line.run("person", "add", "ann")
    result = quick_line.run(*arguments.split())
    assert result.code == code
    assert result.out == ""
    assert words in result.err


def test_who_is_disabled_gets_no_token_until_enabled(quick_line: CommandLine) -> None:
    quick_line.run("person", "add", "ann")
    quick_line.run("person", "disable", "ann")
    refused = quick_line.run("token", "create", "--user", "ann")
    assert refused.code == 1
    assert "walissh person enable ann" in refused.err
    quick_line.run("person", "enable", "ann")
    assert quick_line.run("token", "create", "--user", "ann").code == 0


def test_the_last_admin_cannot_be_disabled(quick_line: CommandLine) -> None:
    quick_line.run("token", "create")
    result = quick_line.run("person", "disable", "admin")
    assert result.code == 1
    assert "last admin" in result.err


def test_a_token_has_the_role_scope_and_life_that_were_asked_for(
    quick_line: CommandLine,
) -> None:
    asked = ("--user", "ann", "--role", "viewer", "--scope", "read", "--days", "7")
    token = quick_line.run("token", "create", *asked, "--label", "report")
    assert token.err == ""
    with quick_line.app().app_context():
        found = people_passes.admitted("api", token.out.strip())
    assert found is not None
    assert found.person.role == "viewer"
    assert (found.by.scope, found.by.label) == ("read", "report")
    assert found.by.expires_at is not None
    assert (found.by.expires_at - found.by.created_at).days in (6, 7)


def test_a_token_is_listed_without_itself_and_revoked_by_its_id(
    quick_line: CommandLine,
) -> None:
    token = quick_line.run("token", "create", "--days", "0").out.strip()
    listed = quick_line.run("token", "list").out
    assert token not in listed
    token_id, scope, _, used, end, _ = listed.splitlines()[0].split("\t")
    assert (scope, used, end) == ("all", "never", "never")
    assert quick_line.run("token", "revoke", token_id).code == 0
    with quick_line.app().app_context():
        assert people.by_token("api", token) is None
    assert quick_line.run("token", "list").out == ""
