"""``walissh chat`` on a real server, with a model behind a real socket or with none."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli import CommandLine
from tests.model_script import Call, Fail, Say
from tests.scripted_model import ScriptedModel
from tests.services import clean_environment
from tests.sshd import Sshd
from tests.sudoer import NAME, SudoHost
from walissh.react.turn import Decision, Risk, Verdict
from walissh.store import commands, people, sessions, turns


@pytest.fixture
def memory_home(memory_dir: Path, empty_database: Path) -> Path:
    """A home in RAM, migrated already."""
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    return home


@pytest.fixture
def command_line(memory_home: Path, tmp_path: Path, sshd: Sshd) -> CommandLine:
    """The command line with the host web1, whose key is trusted."""
    command_line = CommandLine(memory_home)
    (tmp_path / "id").write_text(sshd.client_key.private)
    target = f"{sshd.user}@127.0.0.1:{sshd.port}"
    command_line.run("host", "add", "web1", target, "--key", str(tmp_path / "id"))
    command_line.run("host", "trust", "web1", "--fingerprint", sshd.host_key.fingerprint)
    return command_line


def call(command: str) -> Call:
    arguments = {"host": "web1", "command": command, "reason": "to see"}
    return Call(("run_command", arguments), say="Let me look.")


def test_the_offline_brain_answers_from_a_terminal(command_line: CommandLine) -> None:
    result = command_line.run("chat", "web1", "why is the disk full?")
    assert result.code == 0, result.err
    assert "web1 $ " in result.out
    assert "[exit code 0" in result.out
    assert "[1] web1 $ " in result.out


def test_text_commands_and_answer_are_printed_in_their_order(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(call("echo one; echo two"), Say("There are two lines [1]."))
    result = command_line.run("chat", "web1", "how many?", OPENAI_BASE_URL=scripted_model.url)
    assert (result.code, result.err) == (0, "")
    wanted = (
        "Let me look.",
        "web1 $ echo one; echo two\n",
        "one\ntwo\n",
        "[exit code 0",
        "There are two lines [1].",
        "[1] web1 $ echo one; echo two (lines 1-2)\n",
    )
    places = [result.out.index(each) for each in wanted]
    assert places == sorted(places)
    assert result.out.count("There are two lines") == 1


def test_with_no_terminal_a_change_is_denied_and_the_agent_goes_on(
    command_line: CommandLine, scripted_model: ScriptedModel, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    scripted_model.script(call(f"touch {mark}"), Say("It was denied."))
    result = command_line.run("chat", "web1", "make it", OPENAI_BASE_URL=scripted_model.url)
    assert result.code == 0
    assert "Denied" in result.err
    assert "[denied]" in result.out
    assert not mark.exists()


def test_a_model_that_refuses_is_a_failed_turn_and_exit_1(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Fail(401, "bad key"))
    result = command_line.run("chat", "web1", "why?", OPENAI_BASE_URL=scripted_model.url)
    assert result.code == 1
    assert result.err.startswith("failed: ")


@pytest.mark.slow
def test_the_talk_is_stored_as_any_other(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(call("uptime"), Say("It is up."))
    command_line.run("chat", "web1", "is it up?", OPENAI_BASE_URL=scripted_model.url)
    with command_line.app().app_context():
        (talk,) = sessions.page(people.first_admin().id).items
        (turn,) = turns.of_session(talk.id)
        (run,) = commands.of_turn(turn.id)
    assert (talk.title, turn.answer, run.command) == ("is it up?", "It is up.", "uptime")


def ask(question: str, *choices: str) -> Call:
    return Call(("ask_user", {"question": question, "choices": list(choices)}))


def test_with_no_terminal_a_question_is_printed_and_the_exit_code_is_0(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(ask("Which shop?", "the old one", "the new one"))
    result = command_line.run("chat", "web1", "restart it", OPENAI_BASE_URL=scripted_model.url)
    assert (result.code, result.err) == (0, "")
    assert "? Which shop?\n  1. the old one\n  2. the new one\n" in result.out
    assert result.out.count("Which shop?") == 1


@pytest.mark.slow
def test_each_change_of_the_plan_is_a_line(
    command_line: CommandLine, scripted_model: ScriptedModel
) -> None:
    def plan(first: str, result: str = "") -> Call:
        items = [
            {"id": "a", "title": "look", "status": first, "result": result},
            {"id": "b", "title": "mend", "status": "pending", "after": ["a"]},
        ]
        return Call(("update_plan", {"items": items, "goal": "it answers"}))

    scripted_model.script(plan("running"), plan("done", "it is down"), Say("So far."))
    result = command_line.run("chat", "web1", "mend it", OPENAI_BASE_URL=scripted_model.url)
    lines = [each for each in result.out.splitlines() if each.startswith("[plan")]
    assert lines == [
        "[plan 0/2] it answers",
        "[plan 0/2] now: look",
        "[plan 1/2] done: look (it is down)",
    ]


def test_a_host_that_is_not_there_is_one_line(command_line: CommandLine) -> None:
    result = command_line.run("chat", "web9", "why?")
    assert (result.code, result.out) == (1, "")
    assert "no host named web9" in result.err


class Terminal:
    """``walissh chat`` on a pseudo-terminal."""

    def __init__(self, command_line: CommandLine, model: ScriptedModel, question: str) -> None:
        self.said = ""
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "walissh", "chat", "web1", question],
            env=clean_environment(
                WALISSH_HOME=str(command_line.home), OPENAI_BASE_URL=model.url, TERM="dumb"
            ),
            cwd=command_line.home,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)

    def wait_for(self, words: str, limit_s: float = 60) -> None:
        deadline = time.monotonic() + limit_s
        while words not in self.said:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._ours], [], [], left)[0]:
                pytest.fail(f"no {words!r} in {self.said!r}")
            self.said += self._read()

    def wait_for_quiet(self, for_s: float = 1.0) -> None:
        while select.select([self._ours], [], [], for_s)[0]:
            self.said += self._read()

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self, limit_s: float = 60) -> int:
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            if select.select([self._ours], [], [], 0.1)[0]:
                piece = self._read()
                self.said += piece
                if not piece:
                    break
            elif self.process.poll() is not None:
                break
        return self.process.wait(30)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    def _read(self) -> str:
        try:
            return os.read(self._ours, 65536).decode()
        except OSError:  # the other side is closed
            return ""


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for each in started:
        each.close()


def test_a_change_is_asked_about_and_a_y_runs_it(
    command_line: CommandLine,
    scripted_model: ScriptedModel,
    terminals: list[Terminal],
    tmp_path: Path,
) -> None:
    mark = tmp_path / "mark"
    scripted_model.script(call(f"touch {mark}"), Say("It is there."))
    terminal = Terminal(command_line, scripted_model, "make it")
    terminals.append(terminal)
    terminal.wait_for("Run it?")
    assert f"web1 $ touch {mark}" in terminal.said
    assert not mark.exists()
    terminal.type("y\n")
    assert terminal.end() == 0, terminal.said
    assert mark.exists()
    assert "It is there." in terminal.said


@pytest.mark.slow
def test_an_edit_at_the_terminal_runs_what_was_typed(
    command_line: CommandLine,
    scripted_model: ScriptedModel,
    terminals: list[Terminal],
    tmp_path: Path,
) -> None:
    scripted_model.script(call(f"touch {tmp_path}/a"), Say("Done."))
    terminal = Terminal(command_line, scripted_model, "make it")
    terminals.append(terminal)
    terminal.wait_for("Run it?")
    terminal.type("e\n")
    terminal.wait_for("Command")
    terminal.type(f"touch {tmp_path}/b\n")
    assert terminal.end() == 0, terminal.said
    assert [(tmp_path / name).exists() for name in "ab"] == [False, True]


@pytest.mark.slow
def test_a_text_that_was_edited_meanwhile_is_asked_for_again_as_it_is(
    command_line: CommandLine,
    scripted_model: ScriptedModel,
    terminals: list[Terminal],
    tmp_path: Path,
) -> None:
    scripted_model.script(call(f"touch {tmp_path}/a"), Say("Done."))
    terminal = Terminal(command_line, scripted_model, "make it")
    terminals.append(terminal)
    terminal.wait_for("Run it?")
    with command_line.app().app_context():
        (run,) = commands.active(people.first_admin().id)
        verdict = Verdict(Risk.MUTATING, Decision.ASK, ("It changes the machine.",))
        commands.edit(run.id, run.user_id, f"touch {tmp_path}/b", verdict)
    terminal.type("y\n")
    terminal.wait_for(f"web1 $ touch {tmp_path}/b")
    assert list(tmp_path.glob("[ab]")) == []
    terminal.type("n\n")
    assert terminal.end() == 0, terminal.said
    assert "edited meanwhile" in terminal.said


@pytest.mark.slow
def test_ctrl_c_at_a_question_stops_the_turn(
    command_line: CommandLine,
    scripted_model: ScriptedModel,
    terminals: list[Terminal],
    tmp_path: Path,
) -> None:
    scripted_model.script(call(f"touch {tmp_path}/a"), Say("never said"))
    terminal = Terminal(command_line, scripted_model, "make it")
    terminals.append(terminal)
    terminal.wait_for("Run it?")
    terminal.wait_for_quiet()  # nobody presses a key before the question waits for one
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 1, terminal.said
    assert not (tmp_path / "a").exists()


def test_ctrl_c_stops_the_command_and_the_turn(
    command_line: CommandLine, scripted_model: ScriptedModel, terminals: list[Terminal]
) -> None:
    scripted_model.script(call("sleep 321 # chat"), Say("never said"))
    terminal = Terminal(command_line, scripted_model, "wait")
    terminals.append(terminal)
    terminal.wait_for("sleep 321 # chat")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 1, terminal.said
    assert "cancelled" in terminal.said
    with command_line.app().app_context():
        (talk,) = sessions.page(people.first_admin().id).items
        (turn,) = turns.of_session(talk.id)
    assert turn.status == "cancelled"


@pytest.mark.slow
def test_a_number_at_the_terminal_answers_the_question(
    command_line: CommandLine, scripted_model: ScriptedModel, terminals: list[Terminal]
) -> None:
    scripted_model.script(ask("Which shop?", "the old one", "the new one"), Say("It is up."))
    terminal = Terminal(command_line, scripted_model, "restart it")
    terminals.append(terminal)
    terminal.wait_for("Answer")
    assert "2. the new one" in terminal.said
    terminal.type("2\n")
    assert terminal.end() == 0, terminal.said
    assert "It is up." in terminal.said
    with command_line.app().app_context():
        (talk,) = sessions.page(people.first_admin().id).items
        asked = [each.question for each in turns.of_session(talk.id)]
    assert asked == ["restart it", "the new one"]


@pytest.mark.slow
def test_ctrl_c_at_the_agents_question_leaves_it_in_the_session(
    command_line: CommandLine, scripted_model: ScriptedModel, terminals: list[Terminal]
) -> None:
    scripted_model.script(ask("Which shop?"))
    terminal = Terminal(command_line, scripted_model, "restart it")
    terminals.append(terminal)
    terminal.wait_for("Answer")
    terminal.wait_for_quiet()
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 0, terminal.said
    assert "the question stands in the session" in terminal.said


def test_a_password_for_sudo_is_typed_unseen(
    memory_home: Path,
    scripted_model: ScriptedModel,
    terminals: list[Terminal],
    sudo_host: SudoHost,
    tmp_path: Path,
) -> None:
    command_line, server = CommandLine(memory_home), sudo_host.sshd
    (tmp_path / "id").write_text(server.client_key.private)
    target = f"{NAME}@127.0.0.1:{server.port}"
    command_line.run("host", "add", "web1", target, "--key", str(tmp_path / "id"))
    command_line.run("host", "trust", "web1", "--fingerprint", server.host_key.fingerprint)
    scripted_model.script(call("sudo touch /dev/null && sudo id -un"), Say("Touched."))
    terminal = Terminal(command_line, scripted_model, "touch it")
    terminals.append(terminal)
    terminal.wait_for("Run it?")
    terminal.type("y\n")
    terminal.wait_for("Password for sudo on web1")
    terminal.wait_for_quiet()
    terminal.type(f"{sudo_host.password}\n")
    assert terminal.end() == 0, terminal.said
    assert "\nroot\r\n" in terminal.said and "exit code 0" in terminal.said
    assert sudo_host.password not in terminal.said
