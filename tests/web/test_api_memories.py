"""Long-term memory over the JSON interface."""

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import Api, api_of
from tests.web.test_api_document import check, document
from walissh.store import groups

SUDO = "Always put sudo before commands"
HOST = {"name": "web1", "address": "127.0.0.1", "user": "ops"}


def told(api: Api, content: str = SUDO, **more: object) -> dict[str, Any]:
    return api.made("/memories", content=content, **more)


def fact(api: Api, content: str = "redis 7.0.15", **more: object) -> dict[str, Any]:
    api.post("/hosts", HOST)
    given = {"type": "SOFTWARE_FACT", "subject": "redis", "value": "7.0.15", "host": "web1"}
    return told(api, content, **(given | more))


def ids(api: Api, path: str = "/memories") -> list[str]:
    return [each["id"] for each in api.get(path).json["items"]]


def test_what_was_told_is_listed_with_its_source(api: Api) -> None:
    made = told(api)
    assert (made["type"], made["channel"], made["origin"]) == ("USER_PREFERENCE", "api", "user")
    assert made["state"] == "valid" and made["mine"]
    assert ids(api) == [made["id"]]
    assert api.get(f"/memories/{made['id']}").json == made


def test_the_same_again_is_known_already(api: Api) -> None:
    made = told(api)
    again = api.post("/memories", {"content": SUDO})
    assert (again.status_code, again.json["id"]) == (200, made["id"])
    assert len(ids(api)) == 1


def test_kind_and_host_narrow_the_list(api: Api) -> None:
    preference, version = told(api), fact(api)
    assert ids(api, "/memories?type=SOFTWARE_FACT") == [version["id"]]
    assert ids(api, f"/memories?host_id={version['host_id']}") == [version["id"]]
    assert ids(api, "/memories?type=USER_PREFERENCE") == [preference["id"]]
    assert api.get("/memories?type=NONSENSE").status_code == 400


def test_pages_follow_each_other_without_a_gap(api: Api) -> None:
    made = [told(api, f"Put logs of app{n} below /var/log/app{n}")["id"] for n in range(5)]
    seen: list[str] = []
    path = "/memories?limit=2"
    while path:
        page = api.get(path).json
        seen += [each["id"] for each in page["items"]]
        path = f"/memories?limit=2&cursor={page['next']}" if page["next"] else ""
    assert seen == made[::-1]


def test_a_search_ranks_what_bears_on_it(api: Api) -> None:
    told(api, "Answer in English")
    version = fact(api)
    assert ids(api, "/memories?q=which redis version")[0] == version["id"]
    assert ids(api, "/memories?q=zeppelin") == []
    assert api.get("/memories?q=redis&state=wrong").status_code == 400


def test_recall_tells_scores_and_reasons(api: Api) -> None:
    version = fact(api)
    body = {"query": "which redis version runs on web1?", "k": 3}
    hits = api.post("/memories/recall", body).json["items"]
    assert hits[0]["memory"]["id"] == version["id"]
    assert hits[0]["score"] > 0 and hits[0]["reasons"]


def test_recall_on_a_host_of_somebody_else_finds_no_host(api: Api, other: Api) -> None:
    host_id = fact(other)["host_id"]
    assert api.post("/memories/recall", {"query": "redis", "host_id": host_id}).status_code == 404


def test_an_edit_supersedes_and_restore_brings_back(api: Api) -> None:
    made = told(api, "Answer in English", subject="output language", value="English")
    edited = api.patch(f"/memories/{made['id']}", {"content": "Answer in Dutch", "value": "Dutch"})
    assert edited.status_code == 200 and edited.json["id"] != made["id"]
    old = api.get(f"/memories/{made['id']}").json
    assert (old["state"], old["superseded_by"]) == ("superseded", edited.json["id"])
    versions = ids(api, f"/memories/{made['id']}/versions")
    assert set(versions) == {made["id"], edited.json["id"]}
    restored = api.post(f"/memories/{made['id']}/restore")
    assert restored.json["content"] == "Answer in English" and restored.json["state"] == "valid"
    assert api.get(f"/memories/{edited.json['id']}").json["state"] == "superseded"


def test_what_is_wrong_is_kept_and_not_recalled(api: Api) -> None:
    version = fact(api)
    marked = api.post(f"/memories/{version['id']}/wrong")
    assert (marked.status_code, marked.json["state"]) == (200, "wrong")
    assert ids(api) == [] and ids(api, "/memories?state=wrong") == [version["id"]]
    assert api.post("/memories/recall", {"query": "redis version"}).json["items"] == []


def test_what_is_deleted_is_gone(api: Api) -> None:
    made = told(api, "My pager is called Heron")
    assert api.delete(f"/memories/{made['id']}").status_code == 204
    assert api.get(f"/memories/{made['id']}").status_code == 404
    assert api.post(f"/memories/{made['id']}/restore").status_code == 404
    assert ids(api, "/memories?state=all") == []
    events = api.get("/memories/events").json["items"]
    assert events[0]["kind"] == "memory_deleted" and "Heron" not in json.dumps(events)


def test_a_secret_is_refused_in_words(api: Api) -> None:
    response = api.post("/memories", {"content": "db password: hunter2-Winter-2031!"})
    assert response.status_code == 400
    assert "secret" in response.json["detail"] and "hunter2" not in response.text
    made = told(api)
    changed = api.patch(f"/memories/{made['id']}", {"content": "password=hunter2-Winter-2031!"})
    assert changed.status_code == 400
    assert ids(api, "/memories?state=all") == [made["id"]]


def test_nobody_meets_the_memories_of_another(api: Api, other: Api) -> None:
    made = fact(api)
    path = f"/memories/{made['id']}"
    calls = [
        other.get(path),
        other.get(f"{path}/versions"),
        other.patch(path, {"content": "mine now"}),
        other.post(f"{path}/restore"),
        other.post(f"{path}/wrong"),
        other.post(f"{path}/share", {"group": "ops"}),
        other.delete(path),
    ]
    assert {each.status_code for each in calls} == {404}
    assert ids(other, "/memories?state=all") == [] and ids(other, "/memories?q=redis") == []
    assert other.get(f"/memories?host_id={made['host_id']}").status_code == 404
    assert other.get("/memories/events").json["items"] == []
    assert other.get("/memories/export").text == ""
    assert api.get(path).json == made


def test_a_shared_fact_is_seen_by_those_who_have_the_host_too(api: Api, other: Api) -> None:
    made = fact(api)
    with api.app.app_context():
        for each in (api, other):
            groups.join("ops", each.person.id)
    shared = api.post(f"/memories/{made['id']}/share", {"group": "ops"})
    assert (shared.status_code, shared.json["shared_with"]) == (200, "ops")
    assert ids(other) == []
    other.post("/hosts", HOST | {"name": "theirs"})
    seen = other.get(f"/memories/{made['id']}").json
    assert not seen["mine"] and seen["content"] == made["content"]
    assert other.post(f"/memories/{made['id']}/wrong").status_code == 404


def test_an_export_comes_back_as_it_was(api: Api, app: Flask) -> None:
    told(api)
    lines = api.get("/memories/export")
    assert lines.mimetype == "application/x-ndjson"
    third = api_of(app, "eve")
    taken = third.call("POST", "/memories/import", data=lines.data + b'{"broken\n')
    assert taken.json["taken"] == 1 and len(taken.json["refused"]) == 1
    assert third.get("/memories").json["items"][0]["content"] == SUDO


def test_a_file_that_is_no_text_is_refused(api: Api) -> None:
    assert api.call("POST", "/memories/import", data=b"\xff\xfe\x00").status_code == 400


def test_one_bad_byte_refuses_its_line_only(api: Api) -> None:
    told(api)
    lines = api.get("/memories/export").data
    body = lines.replace(b"sudo", b"su\xffdo", 1) + lines
    came = api.call("POST", "/memories/import", data=body).json
    assert came == {"taken": 0, "known": 1, "refused": ["Line 1: it is not text in UTF-8."]}


def test_an_import_is_described_with_its_body_and_its_limit(stranger: FlaskClient) -> None:
    call = document(stranger)["paths"]["/api/v1/memories/import"]["post"]
    schema = call["requestBody"]["content"]["application/x-ndjson"]["schema"]
    assert schema["type"] == "string" and "413" in call["responses"]


def test_a_text_without_a_type_is_what_the_rules_of_a_talk_say(api: Api) -> None:
    incident = "the shop answered 502: redis was out of clients; it was restarted and it worked"
    made = api.made("/memories", content=incident)
    assert made["type"] == "TROUBLESHOOTING_CASE" and made["cause"] == "redis was out of clients"
    assert api.post("/memories", {"content": "why is the shop slow?"}).status_code == 400
    assert told(api)["type"] == "USER_PREFERENCE"


def test_a_fact_without_a_type_is_not_a_wish_when_its_type_is_given(api: Api) -> None:
    api.post("/hosts", HOST)
    body = {"type": "SOFTWARE_FACT", "content": "always on", "host": HOST["name"]}
    assert api.made("/memories", **body)["type"] == "SOFTWARE_FACT"


def test_an_unknown_host_is_told_in_list_search_and_recall_alike(api: Api) -> None:
    calls = [
        api.get("/memories?host_id=none"),
        api.get("/memories?host_id=none&q=redis"),
        api.post("/memories/recall", {"query": "redis", "host_id": "none"}),
    ]
    assert {each.status_code for each in calls} == {404}


@pytest.mark.parametrize(
    "path", ["/memories?q=redis&cursor=WzFd", "/memories?q=%00", "/memories?host_id=%00"]
)
def test_a_list_that_cannot_be_given_is_refused(api: Api, path: str) -> None:
    assert api.get(path).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "task:abc"},
        {"scope": " Task :abc"},
        {"expires_at": "0001-01-01T00:00:00+14:00"},
        {"expires_at": "9999-12-31T23:59:59-14:00"},
    ],
)
def test_what_no_person_can_give_is_refused(api: Api, body: dict[str, str]) -> None:
    assert api.post("/memories", {"content": SUDO, **body}).status_code == 400
    if "scope" in body:
        assert api.patch(f"/memories/{told(api)['id']}", body).status_code == 400


@pytest.mark.parametrize("field", ["query", "host_id"])
def test_a_nul_in_a_question_is_refused(api: Api, field: str) -> None:
    body = {"query": "redis", field: "a\0b"}
    assert api.post("/memories/recall", body).status_code == 400


def test_changes_tell_the_channel(api: Api) -> None:
    made = told(api)
    (event,) = api.get(f"/memories/events?memory_id={made['id']}").json["items"]
    assert (event["kind"], event["channel"]) == ("preference_set", "api")


def test_wrong_methods_and_strangers_are_told_so(api: Api) -> None:
    made = told(api)
    assert api.call("PUT", f"/memories/{made['id']}").status_code == 405
    assert api.get(f"/memories/{made['id']}/wrong").status_code == 405
    nobody = api.app.test_client()
    assert nobody.get("/api/v1/memories").status_code == 401
    assert nobody.post("/api/v1/memories/recall", json={"query": "x"}).status_code == 401


def test_an_unknown_host_or_field_is_refused(api: Api) -> None:
    assert api.post("/memories", {"content": "x y", "host": "nowhere"}).status_code == 404
    assert api.post("/memories", {"content": "x y", "colour": "red"}).status_code == 400
    assert api.post("/memories", {}).status_code == 400


def test_real_responses_are_as_described(api: Api, stranger: FlaskClient) -> None:
    told_of = document(stranger)
    version = fact(api)
    one = f"/memories/{version['id']}"
    api.call("PUT", "/core-memory/rules", json={"content": "the moon is round"})
    question = {"query": "which redis version?"}
    for path, method, response in (
        ("/memories", "get", api.get("/memories")),
        ("/memories", "post", api.post("/memories", {"content": SUDO})),
        ("/memories", "post", api.post("/memories", {})),
        ("/memories/{memory_id}", "get", api.get(one)),
        ("/memories/{memory_id}", "patch", api.patch(one, {"value": "7.2.1"})),
        ("/memories/{memory_id}/restore", "post", api.post(f"{one}/restore")),
        ("/memories/{memory_id}/wrong", "post", api.post(f"{one}/wrong")),
        ("/memories/{memory_id}/versions", "get", api.get(f"{one}/versions")),
        ("/memories/recall", "post", api.post("/memories/recall", question)),
        ("/memories/events", "get", api.get("/memories/events")),
        ("/memories/import", "post", api.call("POST", "/memories/import", data=b"{}")),
        ("/memories/{memory_id}", "delete", api.delete(one)),
        ("/core-memory", "get", api.get("/core-memory")),
        ("/core-memory/{block}", "get", api.get("/core-memory/rules")),
        ("/core-memory/{block}/versions", "get", api.get("/core-memory/rules/versions")),
    ):
        check(told_of, path, method, response)
