"""Everything is killed in the middle of two talks, and is there again after the next start."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.api_client import ApiClient
from tests.scripted_model import Asked, Call, Say, ScriptedModel, Stall
from tests.services import Installation, alive, running_up, until
from tests.stories.conftest import model_settings
from tests.stories.test_first_question import run

pytestmark = pytest.mark.slow  # a minute of starting, killing and starting again

ROUNDS = 26


@dataclass(frozen=True, slots=True)
class Talk:
    """A session whose last turn was cut off by the kill."""

    session: str
    cut_off: str


@dataclass(frozen=True, slots=True)
class Again:
    """The installation after the kill, and what had been under way before."""

    api: ApiClient
    model: ScriptedModel
    asking: Talk
    running: Talk
    marker: Path

    def request_for(self, question: str) -> list[dict[str, Any]]:
        """Return the messages of the request that *question* led to, without the first."""
        (asked,) = (each for each in self.model.requests if said_last(each) == question)
        first, *others = asked.messages
        assert first["role"] == "system"
        return others


def said_last(asked: Asked) -> str:
    """Return the last thing that the person said."""
    return str([each["content"] for each in asked.messages if each["role"] == "user"][-1])


def kill_all(installation: Installation) -> None:
    """End up and all its parts with -9, and wait until they are gone."""
    pids = installation.processes()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    installation.process.wait()
    until(lambda: not any(alive(pid) for pid in pids), what="the end of all parts")


def long_talk(api: ApiClient, model: ScriptedModel) -> Talk:
    """Talk for 26 rounds; leave when a command has ended and the model thinks again."""
    session = api.session()
    for number in range(ROUNDS):
        model.script(Say(f"answer {number}"))
        api.wait(api.ask(session, f"question {number}"))
    model.script(Call(run("echo proof-of-work")), Stall(60))
    seen = len(model.requests)
    turn = api.ask(session, f"question {ROUNDS}")
    api.wait_for_command(turn, lambda each: each["status"] == "finished")
    until(lambda: len(model.requests) == seen + 2, what="the last request")
    return Talk(session, turn)


def running_command(api: ApiClient, model: ScriptedModel, marker: Path) -> Talk:
    """Leave while an approved command runs."""
    session = api.session()
    model.script(Call(run(f"echo x >> {marker}; sleep 30")))
    turn = api.ask(session, "change it")
    waiting = api.wait_for_command(turn, lambda each: each["status"] == "awaiting_approval")
    assert api.call("POST", f"/commands/{waiting['id']}/approve", {}).status == 200
    until(marker.exists, what="the command's start")
    return Talk(session, turn)


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Again]:
    """Two talks are cut off by kill -9 of everything; then it is started anew."""
    folder, model = tmp_path_factory.mktemp("cold"), ScriptedModel().start()
    home, settings, marker = folder / "home", model_settings(model), folder / "count"
    with running_up(home, "--demo-host", **settings) as before:
        api = ApiClient.of(before)
        running = running_command(api, model, marker)
        asking = long_talk(api, model)
        kill_all(before)
    model.forget()
    model.answer_with(lambda asked: Say(f"After the kill: {said_last(asked)}"))
    with running_up(home, "--demo-host", **settings) as after:
        yield Again(ApiClient.of(after), model, asking, running, marker)
    model.stop()


def test_after_kill_9_of_everything_the_talk_goes_on(again: Again) -> None:
    api, talk = again.api, again.asking
    assert talk.session in [each["id"] for each in api.get("/sessions")["items"]]
    ended = api.wait(talk.cut_off)
    assert (ended["status"], ended["answer"]) == ("done", "After the kill: question 26")
    assert api.commands(talk.cut_off)[0]["output_head"] == "proof-of-work\n"
    told = [each["content"] for each in api.messages(talk.session) if each["role"] == "user"]
    assert told == [f"question {number}" for number in range(ROUNDS + 1)]
    assert api.wait(api.ask(talk.session, "what was it?"))["status"] == "done"

    sent = again.request_for("what was it?")
    # 56 were stored before: the last 50 are the least that is sent, and all of it fits
    assert sent[0]["content"] == "question 0"
    assert sent[-1]["content"] == "what was it?"
    assert any("proof-of-work" in str(each["content"]) for each in sent)
    assert again.model.refusals == []


def test_a_command_cut_off_by_kill_9_is_unknown_and_the_next_message_succeeds(
    again: Again,
) -> None:
    api, talk = again.api, again.running
    assert api.wait(talk.cut_off)["status"] == "interrupted"
    assert api.commands(talk.cut_off)[0]["status"] == "unknown"
    assert api.wait(api.ask(talk.session, "and now?"))["answer"] == "After the kill: and now?"
    (result,) = (each for each in again.request_for("and now?") if each["role"] == "tool")
    assert "outcome unknown" in result["content"]
    assert again.marker.read_text() == "x\n"
    assert again.model.refusals == []
