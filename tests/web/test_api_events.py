"""The event stream of a turn: nothing missing, nothing twice, always an end."""

import json
import threading
from typing import Any

import pytest
from flask import Flask

from tests.fakes import ScriptedModel, call
from tests.services import ValkeyServer, until
from tests.web.conftest import Api, act, think, use_parts
from walissh import wiring
from walissh.react.turn import Reply
from walissh.store import people
from walissh.web import watch

Told = tuple[str, str, dict[str, Any]]


def parse(text: str) -> list[Told]:
    """Return id, name and data of each event in *text*."""
    events = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if "event" in fields:
            events.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return events


def events(api: Api, turn_id: str, after: str = "") -> list[Told]:
    """Return what the stream of an ended turn tells."""
    headers = {"Last-Event-ID": after} if after else {}
    return parse(api.get(f"/turns/{turn_id}/events", headers=headers).text)


def names(told: list[Told]) -> list[str]:
    return [name for _, name, _ in told]


class Listener:
    """A client that reads a stream while it comes."""

    def __init__(self, api: Api, turn_id: str) -> None:
        self.text = ""
        self._thread = threading.Thread(target=self._read, args=(api, turn_id), daemon=True)
        self._thread.start()

    def _read(self, api: Api, turn_id: str) -> None:
        for piece in api.get(f"/turns/{turn_id}/events").iter_encoded():
            self.text += piece.decode()

    def saw(self, name: str) -> None:
        until(lambda: name in names(parse(self.text)), what=f"event {name}", limit_s=20)

    def whole(self) -> list[Told]:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return parse(self.text)


@pytest.fixture
def session_id(app: Flask, api: Api) -> str:
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    return str(api.made("/sessions", host_ids=[host["id"]])["id"])


@pytest.fixture
def ended(app: Flask, api: Api, session_id: str) -> str:
    """A turn with one command and an answer."""
    use_parts(
        app, model=ScriptedModel([Reply("let me look", (call("uptime"),)), Reply("it is up")])
    )
    turn_id = api.asked(session_id)
    play(app, api, turn_id)
    return turn_id


def play(app: Flask, api: Api, turn_id: str) -> None:
    think(app, turn_id)
    act(app, api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]["id"])
    think(app, turn_id, 1)


def test_a_late_client_is_told_the_whole_turn(api: Api, ended: str) -> None:
    told = events(api, ended)
    assert names(told)[0] == "status"
    assert names(told)[-1] == "done"
    assert {"text", "command", "output"} < set(names(told))
    assert told[-1][2]["answer"] == "it is up"
    ids = [tuple(map(int, each[0].split("-"))) for each in told]
    assert ids == sorted(set(ids))


def test_a_client_that_is_there_from_the_start_sees_the_same(
    app: Flask, api: Api, session_id: str
) -> None:
    use_parts(app, model=ScriptedModel([Reply("look", (call("uptime"),)), Reply("it is up")]))
    turn_id = api.asked(session_id)
    listener = Listener(api, turn_id)
    listener.saw("status")
    play(app, api, turn_id)
    assert listener.whole() == events(api, turn_id)


def test_going_on_after_any_event_gives_exactly_the_rest(api: Api, ended: str) -> None:
    whole = events(api, ended)
    for place, (event_id, _, _) in enumerate(whole[:-1]):
        assert events(api, ended, after=event_id) == whole[place + 1 :]


def test_a_client_that_saw_the_end_is_told_the_end_again(api: Api, ended: str) -> None:
    last = events(api, ended)[-1]
    assert events(api, ended, after=last[0]) == [last]


def test_the_place_to_go_on_can_stand_in_the_address(api: Api, ended: str) -> None:
    whole = events(api, ended)
    rest = parse(api.get(f"/turns/{ended}/events?last_event_id={whole[0][0]}").text)
    assert rest == whole[1:]


@pytest.mark.parametrize("after", ["x", "1", "-", "1-1-1", "'"])
def test_an_id_that_is_none_of_ours_begins_at_the_beginning(
    api: Api, ended: str, after: str
) -> None:
    assert events(api, ended, after=after) == events(api, ended)


def test_events_of_other_turns_are_left_out(
    app: Flask, api: Api, session_id: str, ended: str
) -> None:
    use_parts(app, model=ScriptedModel([Reply("again")]))
    second = api.asked(session_id)
    think(app, second)
    assert {each[2]["turn_id"] for each in events(api, second)} == {second}
    assert {each[2]["turn_id"] for each in events(api, ended)} == {ended}


def test_after_redis_lost_all_the_story_comes_from_the_database(
    api: Api, ended: str, valkey_server: ValkeyServer
) -> None:
    before = events(api, ended)
    valkey_server.client().flushall()
    for after in ("", before[1][0]):
        told = events(api, ended, after)
        assert names(told) == ["status", "text", "text", "command", "done"]
        assert [each[2]["delta"] for each in told[1:3]] == ["let me look", "it is up"]
        assert all(each[2]["whole"] for each in told[1:3])
        assert told[3][2]["status"] == "finished"
        assert told[4][2] == before[-1][2]


def test_after_redis_lost_all_an_open_turn_is_followed_to_its_end(
    app: Flask, api: Api, session_id: str, valkey_server: ValkeyServer
) -> None:
    use_parts(app, model=ScriptedModel([Reply("look", (call("touch x"),)), Reply("done so")]))
    turn_id = api.asked(session_id)
    think(app, turn_id)
    valkey_server.client().flushall()
    listener = Listener(api, turn_id)
    listener.saw("command")
    command_id = api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]["id"]
    api.post(f"/commands/{command_id}/deny", {"reason": "no"})
    think(app, turn_id, 1)
    told = listener.whole()
    assert names(told)[:3] == ["status", "text", "command"]
    assert told[2][2]["status"] == "awaiting_approval"
    assert told[-1][1] == "done"
    assert told[-1][2]["answer"] == "done so"


def test_an_end_that_was_never_published_is_told_all_the_same(
    app: Flask, api: Api, ended: str, valkey_server: ValkeyServer
) -> None:
    whole = events(api, ended)
    session_id = api.get(f"/turns/{ended}").json["session_id"]
    valkey_server.client().xdel(f"walissh:events:{session_id}", whole[-1][0])
    told = events(api, ended)
    assert told[:-1] == whole[:-1]
    assert told[-1][1:] == whole[-1][1:]


def test_the_stream_passes_proxies_and_begins_at_once(api: Api, ended: str) -> None:
    response = api.get(f"/turns/{ended}/events")
    assert response.content_type == "text/event-stream; charset=utf-8"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.text.startswith("retry: 2000\n: ")


def test_a_client_that_goes_leaves_no_follower_behind(
    app: Flask, api: Api, session_id: str
) -> None:
    turn_id = api.asked(session_id)
    response = api.get(f"/turns/{turn_id}/events")
    pieces = response.iter_encoded()
    next(pieces), next(pieces)
    with app.app_context():
        hub = wiring.stream()._hub
    assert hub._waiting
    response.close()
    assert not hub._waiting


def test_a_stream_breaks_off_when_its_token_is_revoked(
    app: Flask, api: Api, session_id: str
) -> None:
    app.config[watch.EACH] = 0
    turn_id = api.asked(session_id)
    listener = Listener(api, turn_id)
    listener.saw("status")
    with app.app_context():
        people.revoke("api", api.token)
        wiring.stream().append(session_id, "text", {"turn_id": turn_id, "delta": "secret"})
    assert "secret" not in str(listener.whole())
    assert names(listener.whole())[-1] != "done"


def test_another_persons_turn_is_not_there(other: Api, ended: str) -> None:
    assert other.get(f"/turns/{ended}/events").status_code == 404
    assert other.get(f"/turns/{ended}").status_code == 404
    assert other.post(f"/turns/{ended}/cancel").status_code == 404
