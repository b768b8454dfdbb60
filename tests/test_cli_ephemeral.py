"""``walissh chat --ephemeral``: a real host, a real model server, and no trace."""

import json
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from tests.cli import CommandLine, Result
from tests.model_script import Call, Say
from tests.scripted_model import ScriptedModel
from tests.sshd import Sshd
from walissh.cli.chat import chat as chat_command
from walissh.store import audit, core_memory, people

TABLES = (
    "chat_session",
    "chat_message",
    "turn",
    "command_run",
    "command_output",
    "long_term_memory",
    "memory_event",
    "chat_milestone",
    "worker",
    "recall_line",
)


@pytest.fixture
def command_line(memory_dir: Path, empty_database: Path, tmp_path: Path, sshd: Sshd) -> CommandLine:
    """The command line with the host web1, whose key is trusted."""
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    command_line = CommandLine(home)
    (tmp_path / "id").write_text(sshd.client_key.private)
    target = f"{sshd.user}@127.0.0.1:{sshd.port}"
    command_line.run("host", "add", "web1", target, "--key", str(tmp_path / "id"))
    command_line.run("host", "trust", "web1", "--fingerprint", sshd.host_key.fingerprint)
    return command_line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "talk"


def call(command: str) -> Call:
    return Call(("run_command", {"host": "web1", "command": command, "reason": "to see"}))


def chat(command_line: CommandLine, model: ScriptedModel, *arguments: str) -> Result:
    return command_line.run("chat", *arguments, OPENAI_BASE_URL=model.url)


def rows(command_line: CommandLine, table: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(command_line.home / "walissh.db") as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def messages(folder: Path) -> list[dict[str, object]]:
    (file,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_the_answer_is_the_same_and_the_tables_hold_nothing_of_it(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(call("echo one; echo two"), Say("There are two lines [1]."))
    result = chat(command_line, scripted_model, "--ephemeral", "web1", "how many? 以后都用 UTC")
    assert result.code == 0, result.err
    assert "web1 $ echo one; echo two\n" in result.out and "one\ntwo\n" in result.out
    assert "There are two lines [1]." in result.out
    assert "Long-term memory is neither read nor written" in result.err
    assert {table: rows(command_line, table) for table in TABLES} == {each: [] for each in TABLES}
    files = [each for each in command_line.home.rglob("*") if each.is_file()]
    assert not any(b"how many" in each.read_bytes() for each in files)


def test_the_audit_trail_of_the_installation_tells_what_ran_but_not_its_text(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(call("echo hello; exit 3"), Say("It failed."))
    chat(command_line, scripted_model, "--ephemeral", "web1", "try")
    told = [row for row in rows(command_line, "audit_event") if "command_" in str(row[3])]
    assert [row[3] for row in told] == ["command_running", "command_finished"]
    facts = [json.loads(str(row[5])) for row in told]
    assert all(each["ephemeral"] and each["host"] for each in facts)
    assert facts[0]["command"] == audit.digest_of("echo hello; exit 3")
    assert facts[1]["exit_code"] == 3
    with command_line.app().app_context():
        assert {row[2] for row in told} == {people.first_admin().id}
        assert audit.first_broken() is None
    assert "hello" not in str(told)


def test_a_command_that_the_audit_trail_cannot_take_does_not_run(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    with sqlite3.connect(command_line.home / "walissh.db") as connection:
        connection.execute("ALTER TABLE audit_event RENAME TO elsewhere")
    scripted_model.script(call("echo ran"), Say("Nothing ran."))
    result = chat(command_line, scripted_model, "--ephemeral", "web1", "try")
    assert "the audit trail cannot be written" in result.out + result.err
    assert "\nran\n" not in result.out


def test_the_gate_asks_as_ever(
    command_line: CommandLine, scripted_model: ScriptedModel, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    scripted_model.script(call(f"touch {mark}"), Say("It was denied."))
    result = chat(command_line, scripted_model, "--ephemeral", "web1", "make it")
    assert result.code == 0 and "Denied" in result.err
    assert not mark.exists()


def test_a_host_key_that_nobody_trusts_is_refused_as_ever(
    command_line: CommandLine, scripted_model: ScriptedModel, sshd: Sshd
) -> None:
    command_line.run("host", "add", "web2", f"{sshd.user}@127.0.0.1:{sshd.port}")
    before = rows(command_line, "host")
    call_web2 = Call(("run_command", {"host": "web2", "command": "echo ran", "reason": "to see"}))
    scripted_model.script(call_web2, Say("No."))
    result = chat(command_line, scripted_model, "--ephemeral", "web2", "try")
    assert "not trusted" in result.out + result.err and "\nran\n" not in result.out
    assert rows(command_line, "host") == before, "the hosts are read only"


def test_memory_is_neither_read_nor_written_but_core_memory_is_read(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Say("Noted."))
    chat(command_line, scripted_model, "web1", "From now on always show times in UTC.")
    with command_line.app().app_context():
        core_memory.put(people.first_admin().id, "rules", "Never touch db9.", by="user")
    remember = {"type": "preference", "subject": "editor", "content": "use nano from now on"}
    scripted_model.script(Call(("remember", remember)), Say("Good."))
    chat(command_line, scripted_model, "--ephemeral", "web1", "use nano from now on")
    memories = rows(command_line, "long_term_memory")
    assert len(memories) == 1
    system = scripted_model.requests[-1].messages[0]["content"]
    assert "UTC" not in system and "Never touch db9." in system
    assert "this talk is ephemeral" in scripted_model.requests[-1].messages[-1]["content"]


def test_with_a_folder_the_talk_is_kept_there_and_goes_on(
    command_line: CommandLine, scripted_model: ScriptedModel, folder: Path
) -> None:
    scripted_model.script(call("echo 91%"), Say("The disk is full."))
    chat(command_line, scripted_model, "--ephemeral", str(folder), "web1", "what is wrong?")
    assert [each["role"] for each in messages(folder)] == ["user", "assistant", "tool", "assistant"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    scripted_model.script(Say("Delete old logs."))
    result = chat(command_line, scripted_model, "--ephemeral", str(folder), "web1", "and now?")
    assert result.code == 0, result.err
    assert f"goes on after 4 messages, and is kept in {folder} only" in result.err
    sent = [each["content"] for each in scripted_model.requests[-1].messages[1:]]
    assert sent[0] == "what is wrong?" and "91%" in sent[2]
    assert sent[3:] == ["The disk is full.", "and now?"]
    assert [each["content"] for each in messages(folder)][4:] == ["and now?", "Delete old logs."]
    assert rows(command_line, "chat_message") == []


def test_a_folder_after_a_kill_is_gone_on_with_and_the_torn_line_is_told(
    command_line: CommandLine, scripted_model: ScriptedModel, folder: Path
) -> None:
    scripted_model.script(call("echo 91%"), Say("The disk is full."))
    chat(command_line, scripted_model, "--ephemeral", str(folder), "web1", "what is wrong?")
    (file,) = folder.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]) + lines[2][:30])
    scripted_model.script(Say("I look again."))
    result = chat(command_line, scripted_model, "--ephemeral", str(folder), "web1", "go on")
    assert result.code == 0, result.err
    assert "line 3 was left out: it is torn" in result.err
    sent = scripted_model.requests[-1].messages
    assert [each["role"] for each in sent] == ["system", "user", "assistant", "tool", "user"]
    assert "outcome unknown" in sent[3]["content"]


def test_the_talk_of_another_person_is_not_gone_on_with(
    command_line: CommandLine, scripted_model: ScriptedModel, folder: Path
) -> None:
    folder.mkdir()
    line = {"role": "user", "content": "mine", "user_id": "somebody"}
    (folder / "t1.jsonl").write_text(json.dumps(line) + "\n")
    result = chat(command_line, scripted_model, "--ephemeral", str(folder), "web1", "go on")
    assert result.code == 1
    assert "is another person's" in result.err and "walissh session import" in result.err


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("--ephemeral DIR web1 hello", "DIR"),
        ("web1 hello --ephemeral DIR", "DIR"),
        ("web1 --ephemeral DIR hello --user ann", "DIR"),
        ("--user ann --ephemeral=DIR web1 hello", "DIR"),
        ("--ephemeral DIR web1 -- hello", "DIR"),
        ("--ephemeral web1 hello", ""),
        ("web1 --ephemeral hello", ""),
        ("web1 hello --ephemeral", ""),
        ("--ephemeral --user ann web1 hello", ""),
        ("--ephemeral -- web1 hello", ""),
        ("--ephemeral= web1 hello", ""),
        ("web1 hello", None),
    ],
)
def test_the_folder_is_the_operand_too_many_after_the_option(line: str, folder: str | None) -> None:
    given = chat_command.make_context("chat", line.split()).params
    assert (given["host"], given["question"], given["folder"]) == ("web1", "hello", folder)


def test_an_operand_that_is_missing_is_told_as_ever(command_line: CommandLine) -> None:
    result = command_line.run("chat", "--ephemeral", "web1")
    assert result.code == 2 and "Missing argument" in result.err


def test_the_offline_brain_works_without_a_trace_too(command_line: CommandLine) -> None:
    result = command_line.run("chat", "--ephemeral", "web1", "how much memory is free?")
    assert result.code == 0, result.err
    assert "[1] web1 $ " in result.out
    assert rows(command_line, "turn") == []
