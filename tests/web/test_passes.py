"""Signed-in browsers and tokens on the settings page."""

import re
from typing import Any

import pytest
from flask import Flask

from tests.web.forms import Browser, browser_of
from walissh.store import people, people_passes
from walissh.web.pages import browsers

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (EDGE, "Edge, Windows"),
        (PHONE, "Safari, iOS"),
        ("curl/8.9", "curl"),
        ("something else", "something else"),
        ("", ""),
    ],
)
def test_a_browser_is_named_in_two_words(agent: str, name: str) -> None:
    assert browsers.name_of(agent) == name


def signed_in(app: Flask, agent: str) -> Browser:
    with app.app_context():
        person = people.named("ann")
        people.mark_welcomed(person.id)
        link = people.issue_token(person.id, "link")
    browser = Browser(app, app.test_client(), person)
    browser.get(f"/sign-in/{link}", headers={"User-Agent": agent})
    return browser


def test_each_browser_is_listed_and_one_can_be_signed_out(app: Flask) -> None:
    here, there = signed_in(app, FIREFOX), signed_in(app, EDGE)
    page = here.get("/settings").text
    assert "Firefox, Linux" in page
    assert "Edge, Windows" in page
    with app.app_context():
        assert here.person is not None
        ids = {each.agent: each.id for each in people_passes.of(here.person.id, "web")}
    assert here.post(f"/settings/browsers/{ids[EDGE]}/revoke").status_code == 303
    assert there.get("/").location == "/sign-in"
    assert here.get("/settings").status_code == 200


def test_all_other_browsers_are_signed_out_at_once(app: Flask) -> None:
    here, others = signed_in(app, FIREFOX), [signed_in(app, EDGE) for _ in range(2)]
    here.post("/settings/browsers/revoke-others")
    assert [each.get("/").status_code for each in others] == [303, 303]
    assert here.get("/settings").status_code == 200


def test_a_browser_or_token_of_somebody_else_is_not_found(app: Flask) -> None:
    signed_in(app, FIREFOX)
    with app.app_context():
        ann = people.named("ann")
        people.issue_token(ann.id, "api")
        theirs = [people_passes.of(ann.id, kind)[0].id for kind in ("web", "api")]
    bob = browser_of(app, "bob")
    for path in (f"browsers/{theirs[0]}", f"tokens/{theirs[1]}", f"browsers/{theirs[1]}"):
        assert bob.post(f"/settings/{path}/revoke").status_code == 404, path


def test_a_token_is_shown_once_and_works_as_far_as_its_scope(app: Flask) -> None:
    ann = browser_of(app, "ann")
    made = ann.post("/settings/tokens", label="backup", scope="read", days="30").text
    token = re.search(r'id="token"[^>]*>([\w-]{30,})<', made)
    assert token
    page = ann.get("/settings").text
    assert token[1] not in page
    assert "backup" in page
    headers = {"Authorization": f"Bearer {token[1]}"}
    client = app.test_client()
    assert client.get("/api/v1/sessions", headers=headers).status_code == 200
    refused = client.post("/api/v1/sessions", json={}, headers=headers)
    assert refused.status_code == 403
    assert "may only read" in refused.text


def test_a_revoked_token_lets_nothing_in(app: Flask) -> None:
    ann = browser_of(app, "ann")
    with app.app_context():
        assert ann.person is not None
        token = people.issue_token(ann.person.id, "api", label="backup")
        passes = people_passes.of(ann.person.id, "api")
        (token_id,) = [each.id for each in passes if each.label == "backup"]
    ann.post(f"/settings/tokens/{token_id}/revoke")
    assert ann.post(f"/settings/tokens/{token_id}/revoke").status_code == 404
    headers = {"Authorization": f"Bearer {token}"}
    assert app.test_client().get("/api/v1/sessions", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "fields", [{"scope": "root"}, {"days": "0"}, {"days": "x"}, {"label": "a\nb"}]
)
def test_a_token_of_no_known_kind_is_refused(app: Flask, fields: dict[str, Any]) -> None:
    assert browser_of(app, "ann").post("/settings/tokens", **fields).status_code == 400
