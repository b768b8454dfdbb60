"""Memory and groups by the command line."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli import CommandLine
from tests.remembered import MEASURED, NOON, SAID, host, later, rule, version
from walissh.store import groups, hosts, memories, people
from walissh.store.database import db


@pytest.fixture(scope="module")
def filled_home(memory_dir: Path) -> Path:
    """A home, to copy, in which the admin prefers English, after German."""
    line = CommandLine(Path(tempfile.mkdtemp(dir=memory_dir)))
    line.run("token", "create")
    with line.app().app_context():
        me = people.first_admin().id
        memories.add_or_update(me, rule("German"), SAID, at=NOON)
        memories.add_or_update(me, rule("English"), SAID, at=later(1))
        memories.add_or_update(me, version("7.0"), MEASURED, host=host(me), at=NOON)
        db.engine.dispose()
    return line.home


@pytest.fixture
def command_line(memory_dir: Path, filled_home: Path) -> Iterator[CommandLine]:
    """The command line on a copy of `filled_home`."""
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copytree(filled_home, home, dirs_exist_ok=True)
    yield CommandLine(home)
    shutil.rmtree(home)


def test_list_shows_what_counts_with_its_kind_host_and_state(command_line: CommandLine) -> None:
    lines = command_line.run("memory", "list").out.splitlines()
    assert [line.split("\t")[1:3] for line in lines] == [
        ["SOFTWARE_FACT", "web1"],
        ["USER_PREFERENCE", "global"],
    ]
    assert lines[0].endswith("redis 7.0 is installed")


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["--type", "preference"], ["English"]),
        (["--type", "SOFTWARE_FACT"], ["installed"]),
        (["--host", "web1"], ["installed"]),
        (["--state", "superseded"], ["German"]),
    ],
)
def test_list_can_be_narrowed(
    command_line: CommandLine, options: list[str], texts: list[str]
) -> None:
    out = command_line.run("memory", "list", *options).out
    assert [line.split()[-1] for line in out.splitlines()] == texts


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--type", "wish"],
        ["list", "--host", "nowhere"],
        ["list", "--user", "nobody"],
        ["list", "--state", "lost"],
        ["forget"],
        ["forget", "some-id", "--all"],
        ["forget", "some-id"],
        ["forget", "--all"],
        ["import", "/no/such/file"],
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    command_line: CommandLine, arguments: list[str]
) -> None:
    result = command_line.run("memory", *arguments)
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("walissh: ")
    assert result.err.count("\n") == 1
    assert len(command_line.run("memory", "list").out.splitlines()) == 2


def test_search_says_when_nothing_bears_on_it(command_line: CommandLine) -> None:
    result = command_line.run("memory", "search", "what is for lunch?")
    assert (result.code, result.out) == (0, "")
    assert "Nothing" in result.err


def test_another_person_has_a_memory_of_their_own(command_line: CommandLine) -> None:
    command_line.run("token", "create", "--user", "bob")
    assert command_line.run("memory", "list", "--user", "bob").out == ""
    assert command_line.run("memory", "export", "--user", "bob").out == ""


def test_an_export_is_one_object_a_line_and_comes_in_again(command_line: CommandLine) -> None:
    exported = command_line.run("memory", "export").out
    assert [json.loads(line)["value"] for line in exported.splitlines()] == [
        "German",
        "English",
        "7.0",
    ]
    assert command_line.run("memory", "forget", "--all", "--yes").out.startswith("3 forgotten. ")
    result = command_line.run("memory", "import", "-", stdin=exported)
    assert (result.code, result.out, result.err) == (
        0,
        "3 taken, 0 known already, 0 refused.\n",
        "",
    )
    again = command_line.run("memory", "import", "-", stdin=exported)
    assert again.out == "0 taken, 3 known already, 0 refused.\n"
    assert len(command_line.run("memory", "list").out.splitlines()) == 2


def test_an_import_for_somebody_else_needs_their_host(
    command_line: CommandLine, tmp_path: Path
) -> None:
    command_line.run("token", "create", "--user", "bob")
    file = tmp_path / "memory.jsonl"
    file.write_text(command_line.run("memory", "export").out, encoding="utf-8")
    result = command_line.run("memory", "import", str(file), "--user", "bob")
    assert (result.code, result.out) == (1, "2 taken, 0 known already, 1 refused.\n")
    assert result.err.startswith("Line 3: there is no host named web1")


def test_forget_deletes_one(command_line: CommandLine) -> None:
    first = command_line.run("memory", "list").out.split("\t")[0]
    asked = command_line.run("memory", "forget", first)
    assert asked.code == 1 and "“redis 7.0 is installed”" in asked.err and "--yes" in asked.err
    assert command_line.run("memory", "forget", first, "--yes").code == 0
    assert first not in command_line.run("memory", "list", "--state", "all").out
    assert command_line.run("memory", "forget", first, "--yes").code == 1


def test_forgetting_all_says_what_it_leaves(command_line: CommandLine) -> None:
    out = command_line.run("memory", "forget", "--all", "--yes").out
    assert "Core memory" in out and "timelines" in out and "talks" in out


def test_one_bad_byte_refuses_its_line_only(command_line: CommandLine, tmp_path: Path) -> None:
    exported = command_line.run("memory", "export").out.encode()
    file = tmp_path / "memory.jsonl"
    first, _, rest = exported.partition(b"\n")
    file.write_bytes(first.replace(b"German", b"G\xffrman") + b"\n" + rest)
    command_line.run("memory", "forget", "--all", "--yes")
    result = command_line.run("memory", "import", str(file))
    assert (result.code, result.out) == (1, "2 taken, 0 known already, 1 refused.\n")
    assert result.err == "Line 1: it is not text in UTF-8.\n"


def test_a_group_is_made_listed_and_left(command_line: CommandLine) -> None:
    command_line.run("token", "create", "--user", "bob")
    for who in ("admin", "bob"):
        assert command_line.run("group", "add", "ops", who).code == 0
    assert command_line.run("group", "list").out == "ops\tadmin, bob\n"
    with command_line.app().app_context():
        me = people.first_admin().id
        assert groups.of_person(me) == ["ops"]
        assert len(groups.members("ops")) == 2
        assert hosts.within_reach(me)
    command_line.run("group", "remove", "ops", "bob")
    assert command_line.run("group", "list").out == "ops\tadmin\n"
    assert "was not in" in command_line.run("group", "remove", "ops", "bob").out


@pytest.mark.parametrize("arguments", [["ops", "nobody"], ["no such name", "admin"]])
def test_a_group_takes_only_people_and_good_names(
    command_line: CommandLine, arguments: list[str]
) -> None:
    result = command_line.run("group", "add", *arguments)
    assert (result.code, result.out) == (1, "")
