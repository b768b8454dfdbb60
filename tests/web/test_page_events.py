"""The page's stream: fragments as they change, and no gap whatever was lost."""

import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from flask import Flask

from tests.web.forms import Stage, calls
from walissh import wiring
from walissh.react.turn import Reply
from walissh.store import commands, sessions, turns
from walissh.stream import Event
from walissh.web import watch
from walissh.web.pages import events

Told = tuple[str, dict[str, Any]]


def listen(stage: Stage, after: str = "") -> Iterator[Told]:
    """Yield what the stream tells, as parsed events; ends with the connection."""
    response = stage.browser.get(f"{stage.path}/events?after={after}", buffered=False)
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["Cache-Control"] == "no-store"
    name = ""
    for chunk in response.iter_encoded():
        for line in chunk.decode().splitlines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: ") and name in ("swap", "output"):
                yield name, json.loads(line[6:])
            elif line.startswith("data: "):
                yield name, {}


def first(stage: Stage, after: str = "") -> dict[str, dict[str, Any]]:
    """Return by element id what a new connection is told at once."""
    told = takewhile(lambda each: each[0] != "at", listen(stage, after))
    return {data["id"]: data for name, data in told if name == "swap"}


def publish(stage: Stage, name: str, **data: object) -> None:
    with stage.browser.app.app_context():
        wiring.stream().append(stage.session.id, name, data)


def grown(stage: Stage, turn_id: str, text: str, attempt: int = 1) -> None:
    publish(stage, "text", turn_id=turn_id, step=0, attempt=attempt, delta=text)


def thinking(stage: Stage) -> str:
    turn_id = stage.ask()
    with stage.browser.app.app_context():
        assert turns.claim(turn_id, 0, "w") is not None
    return turn_id


def test_a_new_connection_gets_the_open_turn_whole(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x", text="I look."))
    run = stage.waiting()
    told = first(stage)
    assert f"turn-{run.turn_id}" in told
    assert "I look." in "".join(each["html"] for each in told.values())
    assert f"/commands/{run.id}/approve" in told[f"command-{run.id}"]["html"]
    assert told[f"command-{run.id}"]["parent"] == f"log-{run.turn_id}"


def test_what_is_remembered_is_asked_for_only_when_it_may_have_changed(app: Flask) -> None:
    stage = Stage.of(app)
    turn = {"turn_id": thinking(stage)}
    with app.app_context():
        talk = sessions.get(stage.session.id, stage.session.user_id)
        assert talk is not None
        follower = events._Follower(talk, "")
        with app.test_request_context():
            list(follower.catch_up())
            known = follower._known
            list(follower._take([Event("1-1", "status", turn)]))
            kept = follower._known
            list(follower._take([Event("1-2", "learned", turn)]))
    assert kept is known
    assert follower._known is not known


def test_a_text_that_is_half_told_is_folded_from_its_beginning(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    grown(stage, turn_id, "The **load")
    with app.app_context():
        after = wiring.stream().last_id(stage.session.id)
    grown(stage, turn_id, "** is high")
    html = first(stage, after)[f"answer-{turn_id}"]["html"]
    assert "The <strong>load</strong> is high" in html


def test_another_attempt_begins_the_text_again(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    grown(stage, turn_id, "half of a tho", attempt=0)
    grown(stage, turn_id, "A new try", attempt=1)
    html = first(stage)[f"answer-{turn_id}"]["html"]
    assert "A new try" in html and "half" not in html


def test_with_all_events_lost_the_state_comes_from_the_database(app: Flask) -> None:
    stage = Stage.of(app, calls("uptime"), Reply("All is **well**."))
    turn_id = stage.ask()
    stage.play()
    with app.app_context():
        wiring.stream()._redis.flushall()
    told = first(stage, "1-1")
    assert "<strong>well</strong>" in told[f"answer-{turn_id}"]["html"]
    assert "status-done" in told[f"status-{turn_id}"]["html"]


def test_output_of_a_running_command_comes_with_its_place(app: Flask) -> None:
    stage = Stage.of(app, calls("tail -f log"))
    turn_id = stage.ask()
    stage.step()
    run = stage.runs(turn_id)[0]
    with app.app_context():
        commands.claim(run.id, "w")
        commands.append_output(run.id, "one\ntwo\n")
    told = list(takewhile(lambda each: each[0] != "at", listen(stage)))
    outputs = [data for name, data in told if name == "output"]
    assert outputs == [{"id": run.id, "offset": 0, "end": 8, "text": "one\ntwo\n"}]


def test_live_events_arrive_after_the_state(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    grown(stage, turn_id, "now")
    name, data = next(stream)
    assert (name, data["id"]) == ("swap", f"answer-{turn_id}")
    assert "now" in data["html"]


def test_an_unchanged_piece_is_not_sent_twice(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    publish(stage, "status", turn_id=turn_id, status="thinking", step=0, attempt=1)
    assert next(stream)[0] == "at"


def followed(stage: Stage) -> Iterator[Told]:
    """Return a stream that has told the present state and asks before each event."""
    stage.browser.app.config[watch.EACH] = 0
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    return stream


def test_a_stream_ends_when_its_browser_has_signed_out(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    stream = followed(stage)
    stage.browser.post("/sign-out")
    grown(stage, turn_id, "now")
    assert list(stream) == []
    assert stage.browser.get(f"{stage.path}/events").location.startswith("/sign-in")


def test_a_stream_ends_when_its_session_is_deleted(app: Flask) -> None:
    stage = Stage.of(app)
    stream = followed(stage)
    with app.app_context():
        sessions.remove(stage.session.id, stage.session.user_id)
    publish(stage, "status", turn_id="gone", status="thinking", step=0, attempt=1)
    assert list(stream) == []
    assert stage.browser.get(f"{stage.path}/events").status_code == 404


def test_a_stream_goes_on_for_who_is_still_signed_in(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = thinking(stage)
    stream = followed(stage)
    grown(stage, turn_id, "now")
    assert "now" in next(stream)[1]["html"]


def test_pages_without_a_stream_get_the_same_as_json(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x"))
    run = stage.waiting()
    told = stage.browser.get(f"{stage.path}/state").get_json(force=True)
    assert f"command-{run.id}" in {each["data"]["id"] for each in told["items"]}
    assert told["after"] != "0-0"


def test_a_malformed_last_id_is_taken_as_none(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = stage.ask()
    for after in ("x", "1", "'; drop", "9" * 50):
        assert f"turn-{turn_id}" in first(stage, after)
        told = stage.browser.get(f"{stage.path}/state", query_string={"after": after})
        assert told.get_json(force=True)["after"] not in (after, "0-0")


def test_output_is_joined_where_it_meets_and_parted_where_some_is_missing() -> None:
    pieces = [(0, "one\n"), (4, "two\n"), (50, "far\n"), (54, "on\n")]
    told = events._outputs(
        [
            Event(f"{n}-0", "output", {"command_id": "c", "offset": offset, "text": text})
            for n, (offset, text) in enumerate(pieces, 1)
        ]
    )
    assert [(data["offset"], data["end"], data["text"]) for _, data in told] == [
        (0, 8, "one\ntwo\n"),
        (50, 57, "far\non\n"),
    ]
