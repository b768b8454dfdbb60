"""Everything is killed in the middle of a talk, and is there again after the next start."""

import os
import signal
from pathlib import Path

from tests.api_client import ApiClient
from tests.scripted_model import Call, Say, ScriptedModel, Stall
from tests.services import Installation, alive, running_up, until
from tests.stories.conftest import model_settings
from tests.stories.test_first_question import run


def kill_all(installation: Installation) -> None:
    """End up and all its parts with -9, and wait until they are gone."""
    pids = installation.processes()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    installation.process.wait()
    until(lambda: not any(alive(pid) for pid in pids), what="the end of all parts")


def test_after_kill_9_of_everything_the_talk_goes_on(
    tmp_path: Path, scripted_model: ScriptedModel
) -> None:
    home, settings = tmp_path / "home", model_settings(scripted_model)
    with running_up(home, "--demo-host", **settings) as before:
        api = ApiClient.of(before)
        session = api.session()
        for number in range(26):
            scripted_model.script(Say(f"answer {number}"))
            api.wait(api.ask(session, f"question {number}"))
        scripted_model.script(Call(run("echo proof-of-work")), Stall(60))
        broken = api.ask(session, "question 26")
        api.wait_for_command(broken, lambda each: each["status"] == "finished")
        until(lambda: len(scripted_model.requests) == 28, what="the last request")
        kill_all(before)

    scripted_model.script(Say("the answer to 26"), Say("I remember."))
    with running_up(home, "--demo-host", **settings) as after:
        api = ApiClient.of(after)
        assert [each["id"] for each in api.get("/sessions")["items"]] == [session]
        ended = api.wait(broken)
        assert (ended["status"], ended["answer"]) == ("done", "the answer to 26")
        assert api.commands(broken)[0]["output_head"] == "proof-of-work\n"
        told = [each["content"] for each in api.messages(session) if each["role"] == "user"]
        assert told == [f"question {number}" for number in range(27)]
        assert api.wait(api.ask(session, "what was it?"))["answer"] == "I remember."

    sent = [each for each in scripted_model.requests[-1].messages if each["role"] != "system"]
    # 56 were stored before: 26 rounds of 2 and one of 4; the last 50 begin with a question
    assert sent[0]["content"] == "question 3"
    assert sent[-1]["content"] == "what was it?"
    assert any("proof-of-work" in str(each["content"]) for each in sent)
    assert scripted_model.refusals == []


def test_a_command_cut_off_by_kill_9_is_unknown_and_the_next_message_succeeds(
    tmp_path: Path, scripted_model: ScriptedModel
) -> None:
    home, settings = tmp_path / "home", model_settings(scripted_model)
    marker = tmp_path / "count"
    with running_up(home, "--demo-host", **settings) as before:
        api = ApiClient.of(before)
        session = api.session()
        scripted_model.script(Call(run(f"echo x >> {marker}; sleep 30")))
        turn = api.ask(session, "change it")
        waiting = api.wait_for_command(turn, lambda each: each["status"] == "awaiting_approval")
        assert api.call("POST", f"/commands/{waiting['id']}/approve", {}).status == 200
        until(marker.exists, what="the command's start")
        kill_all(before)

    scripted_model.script(Say("I see: unknown."))
    with running_up(home, "--demo-host", **settings) as after:
        api = ApiClient.of(after)
        ended = api.wait(turn)
        assert ended["status"] == "interrupted"
        assert api.commands(turn)[0]["status"] == "unknown"
        assert api.wait(api.ask(session, "and now?"))["answer"] == "I see: unknown."
    results = [e for e in scripted_model.requests[-1].messages if e["role"] == "tool"]
    assert "outcome unknown" in results[0]["content"]
    assert marker.read_text() == "x\n"
    assert scripted_model.refusals == []
