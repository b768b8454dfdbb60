"""Servers by the JSON interface; contact is made by a worker."""

import threading
from pathlib import Path

import pytest
from flask import Flask

from tests.services import until
from tests.web.conftest import Api
from walissh.errors import HostKeyUnknownError, ShellError
from walissh.react.host import HostKey
from walissh.ssh import keys
from walissh.store import hosts
from walissh.web.api import hosts as host_calls

WEB1 = {"name": "web1", "address": "10.0.0.5", "user": "ops"}
KEY = HostKey("ssh-ed25519", "AAAA", "SHA256:one")


def seen(app: Flask, host_id: str, key: HostKey = KEY) -> None:
    """Let the server show *key*, as a contact would have it."""
    with app.app_context():
        hosts.remember_seen_key(host_id, key)


def test_a_host_is_added_read_and_listed(api: Api) -> None:
    made = api.made("/hosts", **WEB1, port=2222, groups=["shop"], stage="production")
    assert (made["port"], made["groups"], made["stage"]) == (2222, ["shop"], "production")
    assert (made["auth"], made["encoding"], made["secrets"]) == ("auto", "utf-8", [])
    assert (made["check"], made["trusted_fingerprint"], made["jump"]) == (None, None, None)
    assert api.get(f"/hosts/{made['id']}").json == made
    assert api.get("/hosts").json == {"items": [made], "next": None}


def test_hosts_are_paged_by_name(api: Api) -> None:
    for name in ("c", "a", "b"):
        api.made("/hosts", **{**WEB1, "name": name})
    page = api.get("/hosts?limit=2").json
    rest = api.get(f"/hosts?limit=2&cursor={page['next']}").json
    assert [each["name"] for each in [*page["items"], *rest["items"]]] == ["a", "b", "c"]
    assert rest["next"] is None


def test_secrets_go_in_and_never_come_out(api: Api) -> None:
    private = keys.generate().private
    made = api.post("/hosts", {**WEB1, "key": private, "password": "hunter2-secret"})
    host_id = made.json["id"]
    assert made.json["secrets"] == ["key", "password"]
    changed = api.patch(f"/hosts/{host_id}", {"password": None})
    assert changed.json["secrets"] == ["key"]
    for response in (made, changed, api.get(f"/hosts/{host_id}"), api.get("/hosts")):
        assert "hunter2" not in response.text
        assert "PRIVATE KEY" not in response.text


def test_secrets_are_sealed_in_the_database(app: Flask, api: Api) -> None:
    api.post("/hosts", {**WEB1, "password": "hunter2-secret"})
    files = list(app_home(app).glob("walissh.db*"))
    assert files
    assert not any(b"hunter2" in file.read_bytes() for file in files)


def app_home(app: Flask) -> Path:
    home: Path = app.extensions["walissh"].settings.home
    return home


def test_a_taken_name_is_a_409(api: Api, other: Api) -> None:
    api.made("/hosts", **WEB1)
    response = api.post("/hosts", WEB1)
    assert response.status_code == 409
    assert "web1" in response.json["detail"]
    other.made("/hosts", **WEB1)


@pytest.mark.parametrize("by", ["id", "name"])
def test_a_jump_host_is_named_by_id_or_name(api: Api, by: str) -> None:
    bastion = api.made("/hosts", **{**WEB1, "name": "bastion"})
    made = api.made("/hosts", **WEB1, jump=bastion[by])
    assert (made["jump"], made["jump_id"]) == ("bastion", bastion["id"])
    assert api.get("/hosts").json["items"][1]["jump"] == "bastion"
    assert api.delete(f"/hosts/{bastion['id']}").status_code == 409
    assert api.patch(f"/hosts/{made['id']}", {"jump": None}).json["jump"] is None
    assert api.delete(f"/hosts/{bastion['id']}").status_code == 204


def test_another_persons_host_is_no_jump_host(api: Api, other: Api) -> None:
    theirs = other.made("/hosts", **WEB1)
    response = api.post("/hosts", {**WEB1, "name": "web2", "jump": theirs["id"]})
    assert (response.status_code, response.json["field"]) == (400, "jump")


def test_only_what_is_sent_is_changed(api: Api) -> None:
    host = api.made("/hosts", **WEB1, port=2222, groups=["shop"])
    changed = api.patch(f"/hosts/{host['id']}", {"stage": "test"}).json
    assert (changed["port"], changed["groups"], changed["stage"]) == (2222, ["shop"], "test")
    assert changed["revision"] == host["revision"]
    moved = api.patch(f"/hosts/{host['id']}", {"address": "10.0.0.6"}).json
    assert moved["revision"] == host["revision"] + 1


def test_another_persons_host_is_not_there(app: Flask, api: Api, other: Api) -> None:
    theirs = other.made("/hosts", **WEB1)["id"]
    seen(app, theirs)
    assert api.get("/hosts").json["items"] == []
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"stage": "x"}),
        ("DELETE", "", None),
        ("POST", "/test", None),
        ("POST", "/trust", None),
    ):
        options = {} if body is None else {"json": body}
        assert api.call(method, f"/hosts/{theirs}{path}", **options).status_code == 404
    assert other.get(f"/hosts/{theirs}").json["trusted_fingerprint"] is None


def test_the_key_seen_last_is_trusted(app: Flask, api: Api) -> None:
    host_id = api.made("/hosts", **WEB1)["id"]
    assert api.post(f"/hosts/{host_id}/trust").status_code == 409
    seen(app, host_id)
    wrong = api.post(f"/hosts/{host_id}/trust", {"fingerprint": "SHA256:two"})
    assert wrong.status_code == 409
    assert api.get(f"/hosts/{host_id}").json["trusted_fingerprint"] is None
    right = api.post(f"/hosts/{host_id}/trust", {"fingerprint": "SHA256:one"})
    assert right.json["trusted_fingerprint"] == "SHA256:one"


def worker(app: Flask, host_id: str, error: ShellError | None) -> threading.Thread:
    """Play the worker: take the job of the queue and record how the contact went."""

    def contact() -> None:
        with app.app_context():
            queue = app.extensions["walissh"].queue._commands
            until(lambda: queue.job_ids == [f"check-{host_id}"], limit_s=10)
            if error is not None:
                hosts.remember_seen_key(host_id, KEY)
            hosts.record_check(host_id, error)

    thread = threading.Thread(target=contact)
    thread.start()
    return thread


def test_a_contact_that_went_well_is_told(app: Flask, api: Api) -> None:
    host_id = api.made("/hosts", **WEB1)["id"]
    thread = worker(app, host_id, None)
    response = api.post(f"/hosts/{host_id}/test")
    thread.join()
    assert (response.status_code, response.json["status"]) == (200, "ok")
    assert response.json["at"] == api.get(f"/hosts/{host_id}").json["check"]["at"]


def test_a_first_contact_tells_the_fingerprint(app: Flask, api: Api) -> None:
    host_id = api.made("/hosts", **WEB1)["id"]
    error = HostKeyUnknownError("web1: trust it first.", host="web1", fingerprint=KEY.fingerprint)
    thread = worker(app, host_id, error)
    told = api.post(f"/hosts/{host_id}/test").json
    thread.join()
    assert (told["status"], told["phase"]) == ("unknown_key", "host_key")
    assert (told["seen_fingerprint"], told["trusted_fingerprint"]) == ("SHA256:one", None)
    assert told["error"] == "web1: trust it first."


def test_a_contact_that_takes_long_is_told_as_running(app: Flask, api: Api) -> None:
    host_id = api.made("/hosts", **WEB1)["id"]
    app.config[host_calls.LIMIT] = 0.2
    response = api.post(f"/hosts/{host_id}/test")
    assert (response.status_code, response.json["status"]) == (202, "running")


def test_a_password_for_sudo_goes_in_and_moves_nothing(api: Api) -> None:
    host = api.made("/hosts", **WEB1)
    told = api.patch(f"/hosts/{host['id']}", {"sudo_password": "sesame 42"})
    assert told.json["secrets"] == ["sudo_password"]
    assert told.json["revision"] == host["revision"] and "sesame" not in told.text
    assert api.patch(f"/hosts/{host['id']}", {"sudo_password": None}).json["secrets"] == []


def test_another_machine_is_told_and_trusted_by_its_id(app: Flask, api: Api) -> None:
    host_id = api.made("/hosts", **WEB1)["id"]
    seen(app, host_id)
    owner_id = api.person.id
    api.post(f"/hosts/{host_id}/trust")
    with app.app_context():
        host = hosts.get(host_id, owner_id)
        assert host is not None
        hosts.meet_machine(host, "a" * 32)
        hosts.meet_machine(host, "b" * 32)
    told = api.get(f"/hosts/{host_id}").json
    assert (told["machine_id"], told["seen_machine_id"]) == ("a" * 32, "b" * 32)
    assert api.post(f"/hosts/{host_id}/trust", {"machine_id": "c" * 32}).status_code == 409
    taken = api.post(f"/hosts/{host_id}/trust", {"machine_id": "b" * 32}).json
    assert (taken["machine_id"], taken["seen_machine_id"]) == ("b" * 32, "")
    assert taken["revision"] == told["revision"] + 1
