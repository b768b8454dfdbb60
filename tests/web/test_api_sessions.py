"""Sessions of the JSON interface."""

import pytest
from flask import Flask

from tests.fakes import ScriptedModel
from tests.web.conftest import Api, act, think, use_parts
from walissh.react.turn import Reply
from walissh.store.database import writing
from walissh.store.models import MilestoneRow


def test_a_session_is_made_read_and_listed(api: Api) -> None:
    made = api.made("/sessions", title="  the   shop ")
    assert made["title"] == "the shop"
    in_full = {**made, "plan": None, "summary": None}
    assert api.get(f"/sessions/{made['id']}").json == in_full
    assert api.get("/sessions").json == {"items": [made], "next": None}


def test_the_session_that_was_active_last_comes_first(api: Api) -> None:
    first, second = api.made("/sessions", title="1"), api.made("/sessions", title="2")
    assert [each["title"] for each in api.get("/sessions").json["items"]] == ["2", "1"]
    api.asked(first["id"])
    listed = api.get("/sessions").json["items"]
    assert [each["id"] for each in listed] == [first["id"], second["id"]]
    assert listed[0]["turn"] == "queued"


def test_pages_give_each_session_once(api: Api) -> None:
    made = [api.made("/sessions", title=str(number))["id"] for number in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/sessions?limit=2&cursor={cursor}").json
        assert len(page["items"]) <= 2
        seen += [each["id"] for each in page["items"]]
        cursor = page["next"]
    assert seen == made[::-1]


@pytest.mark.parametrize("query", ["SHOP", "why%3F", "%E5%95%86"])
def test_search_looks_at_titles_and_messages(api: Api, query: str) -> None:
    session = api.made("/sessions", title="the shop 商店")
    api.asked(session["id"], "why?")
    api.made("/sessions", title="other")
    found = api.get(f"/sessions?q={query}").json["items"]
    assert [each["id"] for each in found] == [session["id"]]


def test_search_takes_percent_and_underscore_as_they_are(api: Api) -> None:
    api.made("/sessions", title="plain")
    assert api.get("/sessions?q=%25").json["items"] == []
    assert api.get("/sessions?q=_").json["items"] == []


def test_only_what_is_sent_is_changed(api: Api) -> None:
    session = api.made("/sessions", title="old")
    changed = api.patch(f"/sessions/{session['id']}", {"pinned": True}).json
    assert (changed["title"], changed["pinned"]) == ("old", True)
    changed = api.patch(f"/sessions/{session['id']}", {"title": "new"}).json
    assert (changed["title"], changed["pinned"]) == ("new", True)


def test_an_archived_session_leaves_the_list(api: Api) -> None:
    session = api.made("/sessions")
    api.patch(f"/sessions/{session['id']}", {"archived": True})
    assert api.get("/sessions").json["items"] == []
    assert len(api.get("/sessions?archived=true").json["items"]) == 1
    assert len(api.get("/sessions?archived=all").json["items"]) == 1


def test_null_is_no_title_to_change_to(api: Api) -> None:
    session = api.made("/sessions")
    response = api.patch(f"/sessions/{session['id']}", {"title": None})
    assert (response.status_code, response.json["field"]) == (400, "title")


def test_hosts_of_other_people_cannot_be_chosen(api: Api, other: Api) -> None:
    theirs = other.made("/hosts", name="db1", address="127.0.0.1", user="ops")
    response = api.post("/sessions", {"host_ids": [theirs["id"]]})
    assert (response.status_code, response.json["field"]) == (400, "host_ids")


def test_another_persons_session_is_not_there(api: Api, other: Api) -> None:
    theirs = other.made("/sessions", title="secret")["id"]
    assert api.get("/sessions").json["items"] == []
    for method, path, body in (
        ("GET", f"/sessions/{theirs}", None),
        ("PATCH", f"/sessions/{theirs}", {"title": "mine"}),
        ("DELETE", f"/sessions/{theirs}", None),
        ("GET", f"/sessions/{theirs}/messages", None),
        ("POST", f"/sessions/{theirs}/messages", {"content": "x"}),
        ("GET", f"/sessions/{theirs}/milestones", None),
    ):
        options = {} if body is None else {"json": body}
        assert api.call(method, path, **options).status_code == 404, (method, path)
    assert other.get(f"/sessions/{theirs}").json["title"] == "secret"


def test_a_deleted_session_is_gone_with_its_messages(app: Flask, api: Api) -> None:
    session = api.made("/sessions")
    use_parts(app, model=ScriptedModel([Reply("because")]))
    turn_id = api.asked(session["id"])
    think(app, turn_id)
    response = api.delete(f"/sessions/{session['id']}")
    assert (response.status_code, response.data) == (204, b"")
    assert api.get(f"/sessions/{session['id']}").status_code == 404
    assert api.get(f"/turns/{turn_id}").status_code == 404


def test_deleting_a_session_stops_its_waiting_turn_first(app: Flask, api: Api) -> None:
    session = api.made("/sessions")
    api.asked(session["id"])
    assert api.delete(f"/sessions/{session['id']}").status_code == 204


def test_messages_come_oldest_first_with_their_calls(app: Flask, api: Api) -> None:
    from tests.fakes import call

    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    session = api.made("/sessions", host_ids=[host["id"]])
    use_parts(app, model=ScriptedModel([Reply("look", (call("uptime"),)), Reply("it is up")]))
    turn_id = api.asked(session["id"])
    think(app, turn_id)
    act(app, api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]["id"])
    think(app, turn_id, 1)
    page = api.get(f"/sessions/{session['id']}/messages?limit=3").json
    rest = api.get(f"/sessions/{session['id']}/messages?cursor={page['next']}").json
    said = [*page["items"], *rest["items"]]
    assert [each["role"] for each in said] == ["user", "assistant", "tool", "assistant"]
    assert said[1]["tool_calls"][0]["name"] == "run_command"
    assert said[2]["tool_call_id"] == said[1]["tool_calls"][0]["id"]
    assert {each["turn_id"] for each in said} == {turn_id}
    assert rest["next"] is None


def test_milestones_are_listed_oldest_first(app: Flask, api: Api, other: Api) -> None:
    session = api.made("/sessions")
    with app.app_context(), writing() as transaction:
        for owner, text in ((api, "goal"), (api, "cause"), (other, "not mine")):
            row = MilestoneRow(
                session_id=session["id"], user_id=owner.person.id, kind="mark", text=text
            )
            transaction.add(row)
    page = api.get(f"/sessions/{session['id']}/milestones?limit=1").json
    rest = api.get(f"/sessions/{session['id']}/milestones?cursor={page['next']}").json
    assert [each["text"] for each in [*page["items"], *rest["items"]]] == ["goal", "cause"]
