"""Decisions about commands, and their output."""

import pytest
from flask import Flask

from tests.fakes import ScriptedModel, ScriptedShell, call
from tests.web.conftest import Api, act, think, use_parts
from walissh import wiring
from walissh.react.turn import Reply
from walissh.store import sudo


@pytest.fixture
def shell(app: Flask) -> ScriptedShell:
    shell = ScriptedShell()
    use_parts(app, shell=shell)
    return shell


def proposed(app: Flask, api: Api, command: str) -> str:
    """Return the id of *command*, proposed on web1 by the model."""
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    session = api.made("/sessions", host_ids=[host["id"]])
    use_parts(app, model=ScriptedModel([Reply("", (call(command),)), Reply("done")]))
    turn_id = api.asked(session["id"])
    think(app, turn_id)
    return str(api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]["id"])


def test_an_approved_command_is_queued_once(app: Flask, api: Api, shell: ScriptedShell) -> None:
    command_id = proposed(app, api, "touch x")
    assert api.get(f"/commands/{command_id}").json["status"] == "awaiting_approval"
    response = api.post(f"/commands/{command_id}/approve")
    assert (response.status_code, response.json["status"]) == (200, "approved")
    assert api.post(f"/commands/{command_id}/approve").status_code == 409
    assert api.post(f"/commands/{command_id}/deny").status_code == 409
    act(app, command_id)
    act(app, command_id)
    assert [command for _, command in shell.ran] == ["touch x"]


def test_the_place_in_the_queue_is_told(app: Flask, api: Api, shell: ScriptedShell) -> None:
    command_id = proposed(app, api, "touch x")
    api.post(f"/commands/{command_id}/approve")
    turn_id = api.get(f"/commands/{command_id}").json["turn_id"]
    assert api.get(f"/turns/{turn_id}").json["steps"][0]["commands"][0]["ahead"] == 0


def test_a_denied_command_never_runs_and_its_reason_is_kept(
    app: Flask, api: Api, shell: ScriptedShell
) -> None:
    command_id = proposed(app, api, "touch x")
    response = api.post(f"/commands/{command_id}/deny", {"reason": "not now"})
    assert (response.status_code, response.json["status"]) == (200, "denied")
    assert response.json["denial"] == "not now"
    assert api.post(f"/commands/{command_id}/approve").status_code == 409
    act(app, command_id)
    assert shell.ran == []


def test_a_destructive_command_needs_the_hosts_name(
    app: Flask, api: Api, shell: ScriptedShell
) -> None:
    command_id = proposed(app, api, "rm -rf /srv")
    for body in ({}, {"confirm_host": "web2"}, {"confirm_host": None}):
        response = api.post(f"/commands/{command_id}/approve", body)
        assert (response.status_code, response.json["field"]) == (400, "confirm_host")
    assert api.get(f"/commands/{command_id}").json["status"] == "awaiting_approval"
    response = api.post(f"/commands/{command_id}/approve", {"confirm_host": "web1"})
    assert response.status_code == 200


def test_an_edit_of_a_higher_risk_waits_again(app: Flask, api: Api, shell: ScriptedShell) -> None:
    command_id = proposed(app, api, "touch x")
    response = api.post(f"/commands/{command_id}/approve", {"command": "rm x"})
    assert response.status_code == 200
    told = response.json
    assert (told["status"], told["command"], told["risk"]) == (
        "awaiting_approval",
        "rm x",
        "destructive",
    )


def test_a_program_that_read_another_text_approves_nothing(
    app: Flask, api: Api, shell: ScriptedShell
) -> None:
    command_id = proposed(app, api, "touch x")
    path = f"/commands/{command_id}/approve"
    assert api.post(path, {"shown": "touch y"}).status_code == 409
    assert api.post(path, {"shown": "touch x"}).status_code == 200


def test_another_persons_command_is_not_there(
    app: Flask, api: Api, other: Api, shell: ScriptedShell
) -> None:
    command_id = proposed(app, api, "touch x")
    assert other.get(f"/commands/{command_id}").status_code == 404
    assert other.get(f"/commands/{command_id}/output").status_code == 404
    assert other.post(f"/commands/{command_id}/approve").status_code == 404
    assert other.post(f"/commands/{command_id}/deny").status_code == 404
    assert api.get(f"/commands/{command_id}").json["status"] == "awaiting_approval"


def test_the_output_is_read_whole_in_parts(app: Flask, api: Api) -> None:
    whole = "".join(f"第 {number} 行\n" for number in range(3000))
    use_parts(app, shell=ScriptedShell({"seq": (whole, 0)}))
    command_id = proposed(app, api, "seq")
    act(app, command_id)
    got, offset = "", 0
    while offset is not None:
        part = api.get(f"/commands/{command_id}/output?offset={offset}&limit=5000").json
        assert part["offset"] == offset
        assert part["total"] == len(whole)
        got, offset = got + part["text"], part["next"]
    assert got == whole
    assert part["complete"]


def test_output_so_far_can_be_read_while_the_command_runs(app: Flask, api: Api) -> None:
    command_id = proposed(app, api, "uptime")
    with app.app_context():
        parts = wiring.parts()
        parts.commands.claim(command_id, "w")
        parts.commands.append_output(command_id, "so far\n")
    part = api.get(f"/commands/{command_id}/output").json
    assert (part["text"], part["next"], part["complete"]) == ("so far\n", None, False)


def test_beyond_the_end_of_an_output_there_is_nothing(app: Flask, api: Api) -> None:
    command_id = proposed(app, api, "uptime")
    part = api.get(f"/commands/{command_id}/output?offset=999").json
    assert (part["text"], part["next"]) == ("", None)


@pytest.mark.parametrize("query", ["offset=-1", "limit=0", "limit=1000001", f"offset={2**64}"])
def test_a_part_out_of_range_is_refused(app: Flask, api: Api, query: str) -> None:
    response = api.get(f"/commands/x/output?{query}")
    assert (response.status_code, response.json["field"]) == (400, query.split("=", maxsplit=1)[0])


def test_a_password_for_sudo_is_lent_and_never_told(
    app: Flask, api: Api, shell: ScriptedShell, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    command_id = proposed(app, api, "touch x && sudo touch y")
    bad = api.post(f"/commands/{command_id}/approve", {"sudo_password": "open\nsesame 42"})
    response = api.post(f"/commands/{command_id}/approve", {"sudo_password": "sesame 42"})
    with app.app_context():
        run = wiring.parts().commands.get(command_id)
        assert run is not None and sudo.sudo_password(run.host_id, run.id) == "sesame 42"
    act(app, command_id)
    with app.app_context():
        assert sudo.sudo_password(run.host_id, run.id) is None
    assert (bad.status_code, bad.json["field"], response.status_code) == (
        400,
        "sudo_password",
        200,
    )
    assert "sesame" not in bad.text + response.text + caplog.text
    assert "sesame" not in api.get(f"/commands/{command_id}").text
