"""The OpenAPI document says what the interface does, no more and no less."""

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tests.fakes import ScriptedModel, call
from tests.web.conftest import Api, act, think, use_parts
from walissh.react.turn import Reply

PATH_ID = re.compile(r"<(?:\w+:)?(\w+)>")


def document(client: FlaskClient) -> dict[str, Any]:
    response = client.get("/api/v1/openapi.json")
    assert response.status_code == 200
    return dict(response.json)


def operations(told: dict[str, Any]) -> set[tuple[str, str]]:
    return {(method, path) for path, calls in told["paths"].items() for method in calls}


def test_the_document_is_valid_openapi_and_needs_no_token(stranger: FlaskClient) -> None:
    told = document(stranger)
    assert told["openapi"].startswith("3.1")
    validate(told)


def test_every_route_is_in_the_document_and_the_reverse(app: Flask, stranger: FlaskClient) -> None:
    routes = {
        (method.lower(), PATH_ID.sub(r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/") and rule.rule != "/api/v1/openapi.json"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == operations(document(stranger))


def test_each_call_has_a_summary_and_its_path_ids(stranger: FlaskClient) -> None:
    for path, calls in document(stranger)["paths"].items():
        for told in calls.values():
            named = {each["name"] for each in told["parameters"] if each["in"] == "path"}
            assert told["summary"]
            assert named == set(re.findall(r"{(\w+)}", path))


def check(told: dict[str, Any], path: str, method: str, response: Any) -> None:
    """Validate a real response against the document."""
    answers = told["paths"][f"/api/v1{path}"][method]["responses"]
    content = answers[str(response.status_code)].get("content", {})
    if not content:
        assert response.data == b""
        return
    schema = content[response.mimetype]["schema"]
    whole = {**schema, "components": told["components"]}
    Draft202012Validator(whole).validate(response.json)
    if "$ref" in schema and response.status_code < 300:
        known = told["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"]
        assert set(response.json) == set(known)


def test_real_responses_are_as_described(app: Flask, api: Api, stranger: FlaskClient) -> None:
    told = document(stranger)
    body = {"name": "web1", "address": "127.0.0.1", "user": "ops"}
    made = api.post("/hosts", body)
    check(told, "/hosts", "post", made)
    check(told, "/hosts", "post", api.post("/hosts", body))
    check(told, "/hosts", "post", api.post("/hosts", {}))
    host_id = made.json["id"]
    check(told, "/hosts", "get", api.get("/hosts"))
    check(told, "/hosts/{host_id}", "get", api.get(f"/hosts/{host_id}"))
    check(told, "/hosts/{host_id}", "get", api.get("/hosts/none"))
    check(told, "/hosts/{host_id}", "patch", api.patch(f"/hosts/{host_id}", {"stage": "x"}))
    made = api.post("/sessions", {"host_ids": [host_id]})
    check(told, "/sessions", "post", made)
    check(told, "/sessions", "get", api.get("/sessions"))
    check(told, "/sessions", "get", stranger.get("/api/v1/sessions"))
    session = f"/sessions/{made.json['id']}"
    check(told, "/sessions/{session_id}", "get", api.get(session))
    check(told, "/sessions/{session_id}", "patch", api.patch(session, {"title": "t"}))

    script = [Reply("look", (call("uptime"), call("touch x", call_id="c2"))), Reply("up [1]")]
    use_parts(app, model=ScriptedModel(script))
    asked = api.post(f"{session}/messages", {"content": "why?"})
    check(told, "/sessions/{session_id}/messages", "post", asked)
    busy = api.post(f"{session}/messages", {"content": "why?"})
    check(told, "/sessions/{session_id}/messages", "post", busy)
    turn_id = asked.json["turn_id"]
    think(app, turn_id)
    turn = api.get(f"/turns/{turn_id}")
    check(told, "/turns/{turn_id}", "get", turn)
    reads, changes = (each["id"] for each in turn.json["steps"][0]["commands"])
    act(app, reads)
    check(told, "/commands/{command_id}", "get", api.get(f"/commands/{reads}"))
    check(told, "/commands/{command_id}/output", "get", api.get(f"/commands/{reads}/output"))
    for _ in range(2):
        denied = api.post(f"/commands/{changes}/deny")
        check(told, "/commands/{command_id}/deny", "post", denied)
    check(told, "/commands/{command_id}/approve", "post", api.post(f"/commands/{changes}/approve"))
    think(app, turn_id, 1)
    check(told, "/turns/{turn_id}", "get", api.get(f"/turns/{turn_id}"))
    check(told, "/turns/{turn_id}/cancel", "post", api.post(f"/turns/{turn_id}/cancel"))
    check(told, "/sessions/{session_id}/messages", "get", api.get(f"{session}/messages"))
    check(told, "/sessions/{session_id}/milestones", "get", api.get(f"{session}/milestones"))
    check(told, "/sessions/{session_id}", "delete", api.delete(session))
    check(told, "/hosts/{host_id}", "delete", api.delete(f"/hosts/{host_id}"))
