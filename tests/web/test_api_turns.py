"""Asking, following and stopping a turn by the JSON interface."""

import threading
from pathlib import Path

import pytest
from flask import Flask

from tests.fakes import ScriptedModel, ScriptedShell, call
from tests.web.conftest import Api, act, api_of, think, use_parts
from walissh.config import Settings
from walissh.errors import ModelRefusedError
from walissh.react.turn import Reply
from walissh.store.database import Base, db
from walissh.web import create_app


@pytest.fixture
def session_id(api: Api) -> str:
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    return str(api.made("/sessions", host_ids=[host["id"]])["id"])


def test_a_question_comes_to_an_answer_that_cites_its_command(
    app: Flask, api: Api, session_id: str
) -> None:
    shell = ScriptedShell({"df -h": ("full\n99 %\n", 0)})
    model = ScriptedModel([Reply("look", (call("df -h"),)), Reply("The disk is full [1].")])
    use_parts(app, model=model, shell=shell)
    turn_id = api.asked(session_id, "why?")
    think(app, turn_id)
    command = api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]
    act(app, command["id"])
    think(app, turn_id, 1)

    turn = api.get(f"/turns/{turn_id}").json
    assert (turn["status"], turn["content"], turn["answer"]) == (
        "done",
        "why?",
        "The disk is full [1].",
    )
    assert turn["citations"] == [{"n": 1, "command_id": command["id"], "from": 1, "to": 2}]
    assert turn["usage"] == {"prompt_tokens": 20, "completion_tokens": 10}
    assert (turn["question"], turn["recalled"], turn["error"]) == (None, [], "")
    (step,) = turn["steps"]
    assert (step["step"], step["text"]) == (1, "look")
    (ran,) = step["commands"]
    assert (ran["host"], ran["command"], ran["status"]) == ("web1", "df -h", "finished")
    assert (ran["exit_code"], ran["output_head"], ran["risk"]) == (0, "full\n99 %\n", "read_only")
    assert ran["host_identity"].startswith("ops@127.0.0.1:22")
    assert ran["duration_s"] >= 0


def test_a_second_message_while_a_turn_is_open_is_a_409(api: Api, session_id: str) -> None:
    api.asked(session_id)
    response = api.post(f"/sessions/{session_id}/messages", {"content": "and?"})
    assert response.status_code == 409
    assert len(api.get(f"/sessions/{session_id}/messages").json["items"]) == 1


def test_of_two_posts_at_once_one_is_taken(app: Flask, api: Api, session_id: str) -> None:
    start = threading.Barrier(6)
    codes: list[int] = []

    def post() -> None:
        start.wait()
        response = api.post(f"/sessions/{session_id}/messages", {"content": "why?"})
        codes.append(response.status_code)

    threads = [threading.Thread(target=post) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [202, 409, 409, 409, 409, 409]
    assert len(api.get(f"/sessions/{session_id}/messages").json["items"]) == 1


def test_a_repeat_with_the_same_key_gives_the_same_turn(api: Api, session_id: str) -> None:
    def post(content: str) -> str:
        path = f"/sessions/{session_id}/messages"
        response = api.post(path, {"content": content}, headers={"Idempotency-Key": "k-1"})
        assert response.status_code == 202
        return str(response.json["turn_id"])

    assert post("why?") == post("why?")
    assert len(api.get(f"/sessions/{session_id}/messages").json["items"]) == 1


def test_repeats_at_once_with_the_same_key_are_one_turn(api: Api, session_id: str) -> None:
    start = threading.Barrier(4)
    told: list[tuple[int, str]] = []

    def post() -> None:
        start.wait()
        path = f"/sessions/{session_id}/messages"
        response = api.post(path, {"content": "why?"}, headers={"Idempotency-Key": "k"})
        told.append((response.status_code, response.json.get("turn_id")))

    threads = [threading.Thread(target=post) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(told)) == 1
    assert told[0][0] == 202


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "\xe9"])
def test_a_malformed_key_is_refused(api: Api, session_id: str, key: str) -> None:
    path = f"/sessions/{session_id}/messages"
    response = api.post(path, {"content": "x"}, headers={"Idempotency-Key": key})
    assert (response.status_code, response.json["field"]) == (400, "Idempotency-Key")


def test_a_stopped_turn_is_cancelled_once(app: Flask, api: Api, session_id: str) -> None:
    turn_id = api.asked(session_id)
    response = api.post(f"/turns/{turn_id}/cancel")
    assert (response.status_code, response.json["status"]) == (202, "cancelled")
    assert api.post(f"/turns/{turn_id}/cancel").status_code == 409
    assert api.asked(session_id, "next") != turn_id


def test_a_failed_turn_says_why(app: Flask, api: Api, session_id: str) -> None:
    error = ModelRefusedError("The key is wrong. Set OPENAI_API_KEY.", partial="I th")
    use_parts(app, model=ScriptedModel([error]))
    turn_id = api.asked(session_id)
    think(app, turn_id)
    turn = api.get(f"/turns/{turn_id}").json
    assert (turn["status"], turn["error"]) == ("failed", "The key is wrong. Set OPENAI_API_KEY.")
    assert (turn["answer"], turn["partial"]) == ("", "I th")


def test_a_message_is_stored_while_redis_is_away(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        secret_key="a key for tests only",
        redis_url=f"unix://{tmp_path}/nobody.sock",
    )
    app = create_app(settings)
    with app.app_context():
        Base.metadata.create_all(db.engine)
    api = api_of(app, "ann")
    session = api.made("/sessions")
    turn_id = api.asked(session["id"])
    assert api.get(f"/turns/{turn_id}").json["status"] == "queued"
    assert len(api.get(f"/sessions/{session['id']}/messages").json["items"]) == 1
    response = api.post(f"/turns/{turn_id}/cancel")
    assert (response.status_code, response.json["status"]) == (202, "cancelled")
    told = api.get(f"/turns/{turn_id}/events").text
    assert "event: done" in told
    with app.app_context():
        db.engine.dispose()
