"""Rules of the gate in the JSON interface."""

from flask import Flask

from tests.fakes import ScriptedModel, call
from tests.web.conftest import Api, act, think, use_parts
from walissh.react.turn import Reply
from walissh.safety.policy import ReadOnlyGate

RESTART = "systemctl restart nginx"


def test_a_rule_is_made_listed_and_revoked(api: Api) -> None:
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    rule = api.made("/rules", decision="allow", command=RESTART, host="web1", note="often")
    assert (rule["host_id"], rule["state"], rule["made_by"]) == (host["id"], "in_force", "ann")
    assert rule["host_identity"].startswith("ops@127.0.0.1:22")
    assert [each["id"] for each in api.get("/rules").json["items"]] == [rule["id"]]
    assert api.delete(f"/rules/{rule['id']}").status_code == 204
    assert api.delete(f"/rules/{rule['id']}").status_code == 409
    assert api.get("/rules").json["items"] == []
    assert api.get("/rules?state=all").json["items"][0]["state"] == "revoked"


def test_a_rule_that_cannot_be_names_its_field(api: Api) -> None:
    for body, field in (
        ({"decision": "allow", "command": "x"}, "host"),
        ({"decision": "deny", "hours": "soon"}, "hours"),
        ({"decision": "deny", "everyone": True}, "everyone"),
        ({"decision": "deny", "host": "db9"}, "host"),
        ({"decision": "deny", "expires_at": "2030-01-01T00:00:00"}, "expires_at"),
        ({"decision": "perhaps"}, "decision"),
    ):
        refused = api.post("/rules", body)
        assert (refused.status_code, refused.json["field"]) == (400, field)


def test_pages_of_rules_follow_each_other(api: Api) -> None:
    ids = [api.made("/rules", decision="deny", command=f"x {n}")["id"] for n in range(3)]
    first = api.get("/rules?limit=2").json
    second = api.get(f"/rules?limit=2&cursor={first['next']}").json
    assert [each["id"] for each in first["items"] + second["items"]] == ids[::-1]
    assert second["next"] is None


def test_another_persons_rule_is_not_found(api: Api, other: Api) -> None:
    rule = api.made("/rules", decision="deny", command=RESTART)
    assert other.get("/rules?everybody=true&state=all").json["items"] == []
    assert other.get(f"/rules/{rule['id']}").status_code == 404
    assert other.delete(f"/rules/{rule['id']}").status_code == 404


def test_an_approval_may_bring_its_rule(app: Flask, api: Api) -> None:
    use_parts(
        app,
        gate=ReadOnlyGate(),
        model=ScriptedModel([Reply("", (call(RESTART),)), Reply("done")]),
    )
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    talk = api.made("/sessions", host_ids=[host["id"]])
    turn_id = api.asked(talk["id"])
    think(app, turn_id)
    (command,) = api.get(f"/turns/{turn_id}").json["steps"][0]["commands"]
    assert (command["status"], command["rule"]) == ("awaiting_approval", "risk")
    refused = api.post(f"/commands/{command['id']}/approve", {"always": "group:lab"})
    assert refused.status_code == 400
    api.post(f"/commands/{command['id']}/approve", {"always": "host"})
    act(app, command["id"])
    (rule,) = api.get("/rules").json["items"]
    assert (rule["command"], rule["command_id"]) == (RESTART, command["id"])


def test_a_session_and_a_host_say_what_may_run(api: Api) -> None:
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops", gate="ask")
    assert host["gate"] == "ask"
    assert api.patch(f"/hosts/{host['id']}", {"stage": "lab"}).json["gate"] == "ask"
    assert api.patch(f"/hosts/{host['id']}", {"gate": "read_only"}).json["gate"] == "read_only"
    assert api.patch(f"/hosts/{host['id']}", {"gate": "open"}).status_code == 400
    talk = api.made("/sessions", read_only=True)
    assert talk["read_only"]
    assert not api.patch(f"/sessions/{talk['id']}", {"read_only": False}).json["read_only"]
