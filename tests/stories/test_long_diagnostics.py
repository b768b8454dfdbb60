"""A diagnosis that takes its time: its place, its progress, nobody watching, its end.

Minutes are seconds here: `with_model` has one place, RQ's own limit of a job is passed in
`tests/test_queue.py`.
"""

import time
from pathlib import Path

from tests.api_client import ApiClient
from tests.scripted_model import Call, Say, ScriptedModel
from tests.services import Installation, until
from tests.stories.test_first_question import run

LONG = "for i in 1 2 3 4 5 6 7 8; do echo step $i of 8; sleep 0.5; done"


def test_two_long_commands_share_one_place_and_both_end_with_nobody_watching(
    with_model: Installation, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Call(run(LONG), run(f"{LONG} # again")), Say("Both are through."))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), "a long one")
    for waiting in _waiting(api, turn):
        api.call("POST", f"/commands/{waiting['id']}/approve", {})
    first, second = api.commands(turn)
    api.wait_for_command(turn, lambda each: each["status"] == "running")
    assert api.commands(turn)[1]["ahead"] == 0
    _sees_progress(api, first["id"])
    ended = api.wait(turn)
    assert ended["answer"] == "Both are through."
    for run_id in (first["id"], second["id"]):
        assert "step 8 of 8" in api.get(f"/commands/{run_id}/output")["text"]


def _waiting(api: ApiClient, turn: str) -> list[dict[str, object]]:
    until(lambda: len(api.commands(turn)) == 2, what="both commands")
    return [each for each in api.commands(turn) if each["status"] == "awaiting_approval"]


def _sees_progress(api: ApiClient, command: str) -> None:
    until(lambda: "step 2" in api.get(f"/commands/{command}/output")["text"], what="progress")
    assert "step 8" not in api.get(f"/commands/{command}/output")["text"]


def test_a_stopped_command_is_gone_from_the_host_within_5_s(
    with_model: Installation, scripted_model: ScriptedModel, tmp_path: Path
) -> None:
    alive = tmp_path / "alive"
    ticking = f"for i in $(seq 600); do date +%s%N > {alive}; sleep 0.1; done"
    scripted_model.script(Call(run(ticking)))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), "go")
    waiting = api.wait_for_command(turn, lambda each: each["status"] == "awaiting_approval")
    api.call("POST", f"/commands/{waiting['id']}/approve", {})
    until(alive.exists, what="the command's start")
    stopped = time.monotonic()
    assert api.call("POST", f"/turns/{turn}/cancel").status == 202
    assert api.wait(turn)["status"] == "cancelled"
    assert time.monotonic() - stopped < 5
    last = alive.read_text()
    time.sleep(0.5)
    assert alive.read_text() == last


def test_questions_that_are_none_are_refused_in_words_and_harm_nothing(
    with_model: Installation, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Say("Fine."))
    api = ApiClient.of(with_model)
    session = api.session()
    for question in ("x" * 1_000_000, "", "\0\0"):
        refused = api.call("POST", f"/sessions/{session}/messages", {"content": question})
        assert refused.status == 400 and refused.body["field"] == "content"
    assert api.wait(api.ask(session, "why?"))["status"] == "done"
