"""Who is let in, what every response carries, and how errors look."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import Api
from walissh.store import people
from walissh.web import auth

CALLS = [
    ("GET", "/sessions"),
    ("POST", "/sessions"),
    ("GET", "/sessions/x"),
    ("PATCH", "/sessions/x"),
    ("DELETE", "/sessions/x"),
    ("GET", "/sessions/x/messages"),
    ("POST", "/sessions/x/messages"),
    ("GET", "/sessions/x/milestones"),
    ("GET", "/turns/x"),
    ("GET", "/turns/x/events"),
    ("POST", "/turns/x/cancel"),
    ("GET", "/commands/x"),
    ("POST", "/commands/x/approve"),
    ("POST", "/commands/x/deny"),
    ("GET", "/commands/x/output"),
    ("GET", "/hosts"),
    ("POST", "/hosts"),
    ("GET", "/hosts/x"),
    ("PATCH", "/hosts/x"),
    ("DELETE", "/hosts/x"),
    ("POST", "/hosts/x/test"),
    ("POST", "/hosts/x/trust"),
]


def test_a_stranger_gets_a_401_problem(stranger: FlaskClient) -> None:
    for method, path in CALLS:
        response = stranger.open(f"/api/v1{path}", method=method)
        assert response.status_code == 401, (method, path)
        assert response.content_type == "application/problem+json"
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert "walissh token create" in response.json["detail"]


def test_an_unknown_id_gets_a_404_problem(api: Api) -> None:
    for method, path in CALLS:
        if "/x" not in path:
            continue
        body = {"content": "x"} if path.endswith("/messages") else {}
        options = {"json": body} if method in ("POST", "PATCH") else {}
        response = api.call(method, path, **options)
        assert response.status_code == 404, (method, path)
        assert response.content_type == "application/problem+json"


def test_a_wrong_method_gets_a_405_problem_that_names_the_right_ones(api: Api) -> None:
    for path in {path for _, path in CALLS}:
        response = api.call("PUT", path)
        assert response.status_code == 405, path
        assert response.content_type == "application/problem+json"
        allowed = {method for method, each in CALLS if each == path}
        assert allowed <= set(response.headers["Allow"].split(", "))


def test_the_cookie_of_a_page_opens_no_api(browser: FlaskClient) -> None:
    assert browser.get("/api/v1/sessions").status_code == 401


def test_an_api_token_opens_no_page(app: Flask, api: Api) -> None:
    client = app.test_client()
    client.set_cookie("walissh", api.token)
    response = client.get("/")
    assert response.status_code == 303
    assert response.location.startswith("/sign-in")


def test_a_revoked_token_is_worth_nothing(app: Flask, api: Api) -> None:
    with app.app_context():
        people.revoke("api", api.token)
    assert api.get("/sessions").status_code == 401


def test_a_malformed_authorization_is_a_401(stranger: FlaskClient) -> None:
    for header in ("", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer \xff"):
        response = stranger.get("/api/v1/sessions", headers={"Authorization": header})
        assert response.status_code == 401, header


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/sessions", "/api/v1/nowhere", "/nowhere"])
def test_every_response_is_hardened(stranger: FlaskClient, path: str) -> None:
    headers = stranger.get(path).headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_a_page_sends_strangers_to_sign_in_and_back(stranger: FlaskClient) -> None:
    response = stranger.get("/hosts?q=1")
    assert response.status_code == 303
    assert response.location == "/sign-in?next=%2Fhosts%3Fq%3D1"


def test_a_fragment_sends_strangers_to_sign_in_as_a_whole_page(stranger: FlaskClient) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://localhost/hosts"}
    response = stranger.get("/hosts", headers=headers)
    assert response.status_code == 401
    assert response.headers["HX-Redirect"] == "/sign-in?next=%2Fhosts"


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "hosts",
        "//evil.test",
        "/\\evil.test",
        "https://evil.test",
        "/\t/evil.test",
        "/a\nb",
        "javascript:x",
    ],
)
def test_only_paths_of_this_site_are_gone_back_to(wanted: str) -> None:
    assert auth.local_path(wanted) == "/"


@pytest.mark.parametrize("wanted", ["/", "/hosts", "/sessions/1?q=a&b=//c"])
def test_a_path_of_this_site_is_kept(wanted: str) -> None:
    assert auth.local_path(wanted) == wanted


def test_the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(app: Flask, api: Api) -> None:
    with app.test_request_context("/", base_url="https://walissh.test"):
        response = auth.sign_in(app.make_response(""), api.person)
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" in cookie


def test_sign_out_ends_the_token_too(app: Flask, api: Api) -> None:
    with app.app_context():
        plain = people.issue_token(api.person.id, "web")
    with app.test_request_context("/", headers={"Cookie": f"walissh={plain}"}):
        auth.sign_out(app.make_response(""))
        assert people.by_token("web", plain) is None


def test_a_form_without_its_token_is_refused(browser: FlaskClient) -> None:
    assert browser.post("/sessions").status_code == 400


def test_a_fault_of_ours_is_told_without_its_inside(app: Flask, stranger: FlaskClient) -> None:
    app.testing = False

    def burst() -> str:
        raise RuntimeError("the inside")

    app.add_url_rule("/api/burst", view_func=burst)
    response = stranger.get("/api/burst")
    assert response.status_code == 500
    assert response.content_type == "application/problem+json"
    assert "inside" not in response.text


def test_a_database_that_is_away_is_a_503_that_says_when_to_try_again(
    app: Flask, api: Api, stranger: FlaskClient
) -> None:
    from walissh.errors import StoreError

    def away() -> str:
        raise StoreError("The database did not answer.")

    app.add_url_rule("/api/away", view_func=away)
    response = stranger.get("/api/away")
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "5"
