"""Hosts on the page: adding, changing, secrets, removing."""

import io

from flask import Flask

from tests.web.forms import Stage, browser_of
from walissh.react.host import Host
from walissh.ssh import keys
from walissh.store import hosts

FIELDS = {"name": "web1", "address": "192.0.2.7", "user": "deploy", "port": "2222"}


def host_of(app: Flask, name: str, person: str = "ann") -> Host:
    browser = browser_of(app, person)
    assert browser.person is not None
    with app.app_context():
        found = hosts.find(name, browser.person.id)
    assert found is not None
    return found


def test_a_host_is_added_and_tried_at_once(app: Flask) -> None:
    browser = browser_of(app, "ann")
    more = {"stage": "production", "groups": "web, shop", "encoding": "gbk", "auth": "password"}
    response = browser.post("/hosts", **FIELDS, **more, password="hunter22")
    host = host_of(app, "web1")
    assert (host.address, host.port, host.user) == ("192.0.2.7", 2222, "deploy")
    assert (host.stage, host.groups, host.encoding) == ("production", ("web", "shop"), "gbk")
    assert response.location == f"/hosts/{host.id}?testing=-"
    assert "connecting …" in browser.get(response.location).text


def test_a_key_may_come_as_a_file(app: Flask) -> None:
    pair = keys.generate()
    upload = (io.BytesIO(pair.private.encode()), "id_ed25519")
    browser_of(app, "ann").post("/hosts", **FIELDS, key_file=upload)
    with app.app_context():
        assert hosts.secrets_of(host_of(app, "web1").id) == {"key"}


def test_a_public_key_is_refused_in_words(app: Flask) -> None:
    response = browser_of(app, "ann").post("/hosts", **FIELDS, key="ssh-ed25519 AAAA me@here")
    assert response.status_code == 400
    assert "This is a public key." in response.text


def test_what_was_typed_comes_back_but_no_secret(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/hosts", **{**FIELDS, "port": "70000"}, password="hunter22")
    assert response.status_code == 400
    assert "The port must be from 1 to 65535." in response.text
    assert 'value="192.0.2.7"' in response.text
    assert "hunter22" not in response.text


def test_a_name_that_is_taken_is_a_conflict(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.host("web1")
    response = browser.post("/hosts", **FIELDS)
    assert response.status_code == 409
    assert "There is a host named web1 already." in response.text


def test_secrets_stay_when_left_empty_and_go_when_ticked(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host("web1", secrets={"password": "hunter22"})
    page = browser.get(f"/hosts/{host_id}").text
    assert "stored ✓" in page and "hunter22" not in page
    browser.post(f"/hosts/{host_id}", **FIELDS, password="")
    with app.app_context():
        assert hosts.secrets_of(host_id) == {"password"}
    browser.post(f"/hosts/{host_id}", **FIELDS, remove_password="1")
    with app.app_context():
        assert hosts.secrets_of(host_id) == frozenset()


def test_a_host_is_removed_after_a_second_question(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host("web1")
    assert "Remove this host?" in browser.get(f"/hosts/{host_id}/delete").text
    assert browser.post(f"/hosts/{host_id}/delete").location == "/hosts"
    assert browser.get(f"/hosts/{host_id}").status_code == 404


def test_a_jump_host_in_use_is_not_removed(app: Flask) -> None:
    browser = browser_of(app, "ann")
    bastion = browser.host("bastion")
    browser.host("web1", jump_id=bastion)
    response = browser.post(f"/hosts/{bastion}/delete")
    assert response.status_code == 409
    assert "bastion is the jump host of web1." in response.text


def test_another_persons_host_is_not_found(app: Flask) -> None:
    host_id = browser_of(app, "ann").host("web1")
    other = browser_of(app, "bob")
    for path in ("", "/delete", "/check"):
        assert other.get(f"/hosts/{host_id}{path}").status_code == 404
    for path in ("", "/delete", "/test", "/trust"):
        assert other.post(f"/hosts/{host_id}{path}", **FIELDS).status_code == 404
    assert "web1" not in other.get("/hosts").text


def test_changes_take_no_get(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host("web1")
    assert browser.get(f"/hosts/{host_id}/test").status_code == 405
    assert browser.get(f"/hosts/{host_id}/trust").status_code == 405


def test_a_host_keeps_its_colour_when_another_comes(app: Flask) -> None:
    stage = Stage.of(app)
    before = colour(stage.browser.get("/hosts").text, "web1")
    stage.browser.host("web2")
    page = stage.browser.get("/hosts").text
    assert colour(page, "web1") == before != colour(page, "web2")


def colour(page: str, name: str) -> str:
    before, _, _ = page.partition(f'">{name}</span>')
    return before.rpartition("tint-")[2]
