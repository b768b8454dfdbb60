"""``walissh prompt``: the very request that would be sent, with nothing left behind."""

import json
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli import CommandLine
from tests.fakes import EventList
from tests.model_script import Say
from tests.scripted_model import ScriptedModel
from walissh import wiring
from walissh.cli import chat
from walissh.config import Settings
from walissh.memory.entry import Found, MemoryType, Op, Origin, Source
from walissh.react import decisions
from walissh.react.turn import Message
from walissh.store import core_memory, history, hosts, memories, people, sessions
from walissh.store.hosts import HostDraft
from walissh.web import create_app


@pytest.fixture
def command_line(memory_dir: Path, empty_database: Path) -> CommandLine:
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    return CommandLine(home)


@pytest.fixture
def session(command_line: CommandLine) -> str:
    """A session on web1 in which something was said, of a person with a standing wish."""
    with command_line.app().app_context():
        me = people.first_admin().id
        host = hosts.add(me, HostDraft("web1", "127.0.0.1", "ops"))
        found = sessions.create(me, host_ids=[host.id]).id
        said = [Message("user", "why is it slow?"), Message("assistant", "The disk is full.")]
        history.add(found, said, user_id=me)
        core_memory.put(me, "rules", "Never touch db9.", by="user")
        wish = Found(MemoryType.USER_PREFERENCE, "timezone", "UTC", "Show times in UTC.", op=Op.ADD)
        memories.add_or_update(me, wish, Source(Origin.USER))
    return found


def dump(command_line: CommandLine) -> list[str]:
    with sqlite3.connect(command_line.home / "walissh.db") as connection:
        return [*connection.iterdump()]


def shown(command_line: CommandLine, session: str, text: str) -> dict[str, object]:
    result = command_line.run("prompt", session, text, "--json")
    assert result.code == 0, result.err
    found: dict[str, object] = json.loads(result.out)
    return found


def test_it_is_what_is_sent_when_the_text_is_asked(
    command_line: CommandLine, session: str, scripted_model: ScriptedModel
) -> None:
    told = command_line.run(
        "prompt", session, "and now?", "--json", OPENAI_BASE_URL=scripted_model.url
    )
    assert scripted_model.requests == [], "no model is asked"
    scripted_model.script(Say("Better."))
    ask(command_line, session, "and now?", scripted_model)
    (sent,) = scripted_model.requests
    promised = json.loads(told.out)
    assert promised["messages"] == sent.messages
    assert promised["tools"] == sent.body["tools"]


def ask(command_line: CommandLine, session: str, text: str, model: ScriptedModel) -> None:
    """Ask in the session as a worker would, with nobody to tell."""
    app = create_app(Settings(home=command_line.home, openai_base_url=model.url))
    with app.app_context():
        parts = replace(wiring.parts(), publish=EventList(), enqueue=chat.NoQueue())
        turn = decisions.ask(parts, session, people.first_admin().id, text)
        chat.play(parts, turn.id, lambda run: None)


def test_nothing_is_stored_or_counted(command_line: CommandLine, session: str) -> None:
    before = dump(command_line)
    shown(command_line, session, "From now on use sudo. Is it still slow?")
    assert dump(command_line) == before


def test_sections_are_told_with_their_order_and_tokens_and_add_up(
    command_line: CommandLine, session: str
) -> None:
    told = shown(command_line, session, "and now?")
    sections = told["sections"]
    assert isinstance(sections, list)
    orders = [each["order"] for each in sections if each["order"] is not None]
    assert orders == sorted(orders) and {0, 10, 20, 25, 50} <= {*orders}
    assert all(each["tokens"] > 0 for each in sections if each["title"] != "frame")
    assert sum(each["tokens"] for each in sections) == told["tokens"]
    titles = {each["title"] for each in sections}
    assert {"Hosts", "Core memory", "Long-term memory"} <= titles


def test_the_page_shows_the_messages_word_for_word(command_line: CommandLine, session: str) -> None:
    told = shown(command_line, session, "现在呢？")
    page = command_line.run("prompt", session, "现在呢？").out
    messages = told["messages"]
    assert isinstance(messages, list)
    assert all(each["content"] in page for each in messages)
    assert "[长期记忆]" in page and "run_command" in page
    assert f"{told['tokens']:,}  of {told['window_tokens']:,}" in page


def test_a_standing_wish_in_the_text_is_told_to_be_kept_first(
    command_line: CommandLine, session: str
) -> None:
    result = command_line.run("prompt", session, "From now on always use sudo.")
    assert result.code == 0 and "standing wish" in result.err
    assert command_line.run("prompt", session, "and now?").err == ""


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("unknown", "x"), "no such session"),
        (("SESSION", "  "), "The text is empty"),
        (("SESSION", "/compact the paths"), "No model is asked"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(
    command_line: CommandLine, session: str, arguments: tuple[str, str], why: str
) -> None:
    given = [each.replace("SESSION", session) for each in arguments]
    result = command_line.run("prompt", *given)
    assert (result.code, result.out) == (1, "") and why in result.err


def test_another_persons_session_is_not_there(command_line: CommandLine, session: str) -> None:
    command_line.run("token", "create", "--user", "bob")
    result = command_line.run("prompt", session, "x", "--user", "bob")
    assert result.code == 1 and "no such session" in result.err
