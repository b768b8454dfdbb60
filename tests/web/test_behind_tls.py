"""TLS ends at a proxy: whom we believe about it, and what follows for cookies and headers."""

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask, request

from walissh.config import Settings
from walissh.store import people
from walissh.web import auth, create_app

FORWARDED = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}


def behind(home: Path, count: int) -> Flask:
    """Return an application that trusts *count* proxies and tells what it sees."""
    app = create_app(Settings(home=home, secret_key="a key for tests only", proxy=count))

    def seen() -> dict[str, object]:
        return {"from": auth.address(), "tls": request.is_secure, "host": request.host}

    app.add_url_rule("/seen", view_func=seen)
    return app


@pytest.mark.parametrize(
    ("count", "sent", "seen"),
    [
        (0, FORWARDED, {"from": "127.0.0.1", "tls": False}),
        (1, FORWARDED, {"from": "192.0.2.7", "tls": True}),
        (1, {"X-Forwarded-For": "6.6.6.6, 192.0.2.7"}, {"from": "192.0.2.7", "tls": False}),
        (2, {"X-Forwarded-For": "192.0.2.7, 10.0.0.1"}, {"from": "192.0.2.7", "tls": False}),
        (1, {"X-Forwarded-Host": "evil.test"}, {"from": "127.0.0.1", "tls": False}),
    ],
)
def test_as_many_proxies_are_believed_as_the_settings_say(
    tmp_path: Path, count: int, sent: dict[str, str], seen: dict[str, object]
) -> None:
    told = behind(tmp_path, count).test_client().get("/seen", headers=sent).json
    assert told == {**seen, "host": "localhost"}


def test_hsts_is_said_over_tls_only(app: Flask) -> None:
    client = app.test_client()
    plain, safe = (
        client.get("/sign-in", base_url=f"{scheme}://walissh.test") for scheme in ("http", "https")
    )
    assert "Strict-Transport-Security" not in plain.headers
    assert safe.headers["Strict-Transport-Security"].startswith("max-age=31536000")


def test_over_tls_every_cookie_is_bound_to_this_host(app: Flask) -> None:
    with app.app_context():
        link = people.issue_token(people.named("ann").id, "link")
    client = app.test_client()
    client.get("/sign-in", base_url="https://walissh.test")
    response = client.get(f"/sign-in/{link}", base_url="https://walissh.test")
    cookies = response.headers.getlist("Set-Cookie")
    assert {each.partition("=")[0] for each in cookies} == {"__Host-walissh", "__Host-walissh_form"}
    for each in cookies:
        assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(each.split("; ")), each
        assert "Domain" not in each
    assert client.get("/hosts", base_url="https://walissh.test").status_code == 200


def test_over_tls_a_cookie_that_a_neighbour_could_plant_lets_nobody_in(app: Flask) -> None:
    with app.app_context():
        planted = people.issue_token(people.named("eve").id, "web")
    client = app.test_client()
    client.set_cookie("walissh", planted, domain="walissh.test")
    assert client.get("/hosts", base_url="https://walissh.test").status_code == 303


def test_signing_in_ends_the_cookie_that_the_browser_had(app: Flask) -> None:
    with app.app_context():
        ann = people.named("ann")
        before, link = people.issue_token(ann.id, "web"), people.issue_token(ann.id, "link")
    client = app.test_client()
    client.set_cookie("walissh", before)
    client.get(f"/sign-in/{link}")
    kept = client.get_cookie("walissh")
    assert kept is not None
    assert kept.value != before
    with app.app_context():
        assert people.by_token("web", before) is None


def test_a_browser_that_was_idle_too_long_must_sign_in_again(app: Flask) -> None:
    installed = app.extensions["walissh"]
    settings = replace(installed.settings, idle_hours=0)
    app.extensions["walissh"] = replace(installed, settings=settings)
    with app.app_context():
        cookie = people.issue_token(people.named("ann").id, "web")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    assert client.get("/hosts").status_code == 303
