"""A worker is killed alone: seen within 15 s, and no command runs twice."""

import os
import signal
import time
from pathlib import Path

from tests.api_client import ApiClient
from tests.scripted_model import Call, Say, ScriptedModel, Stall
from tests.services import Installation, until
from tests.stories.test_first_question import run

SEEN_WITHIN_S = 15.0


def test_the_death_of_a_commands_worker_marks_the_turn_interrupted_within_15_s(
    with_model: Installation, scripted_model: ScriptedModel, tmp_path: Path
) -> None:
    marker = tmp_path / "count"
    scripted_model.script(Call(run(f"echo x >> {marker}; sleep 60")))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), "go")
    waiting = api.wait_for_command(turn, lambda each: each["status"] == "awaiting_approval")
    api.call("POST", f"/commands/{waiting['id']}/approve", {})
    until(marker.exists, what="the command's start")
    os.kill(with_model.parts()["commands"], signal.SIGKILL)
    died = time.monotonic()
    ended = api.wait(turn)
    assert time.monotonic() - died < SEEN_WITHIN_S
    assert (ended["status"], api.commands(turn)[0]["status"]) == ("interrupted", "unknown")
    assert marker.read_text() == "x\n"


def test_the_death_of_a_turns_worker_loses_no_question(
    with_model: Installation, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Stall(60), Say("here it is"))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), "go")
    until(lambda: scripted_model.requests, what="the request")
    os.kill(with_model.parts()["turns"], signal.SIGKILL)
    assert api.wait(turn, limit_s=40)["answer"] == "here it is"
