"""Every route as a stranger, a viewer, an operator and an admin.

A route that stands in none of these lists fails a test: whoever adds one says here who may
use it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from walissh.store import people, people_roles

ANYBODY = """
GET /assets/htmx-<version>.js
GET /api/v1/openapi.json
GET /favicon.ico
GET /healthz
POST /language
GET /oidc/callback
GET /oidc/start
GET /readyz
GET /sign-in
POST /sign-in
GET /sign-in/<token>
POST /sign-in/<token>
POST /sign-out
GET /static/<path:filename>
"""

READER = """
GET /
GET /api/v1/audit
GET /api/v1/commands/<id:command_id>
GET /api/v1/commands/<id:command_id>/output
GET /api/v1/core-memory
GET /api/v1/core-memory/<id:block>
GET /api/v1/core-memory/<id:block>/versions
GET /api/v1/hosts
GET /api/v1/hosts/<id:host_id>
GET /api/v1/memories
GET /api/v1/memories/<id:memory_id>
GET /api/v1/memories/<id:memory_id>/versions
GET /api/v1/memories/events
GET /api/v1/memories/export
POST /api/v1/memories/recall
GET /api/v1/rules
GET /api/v1/rules/<id:rule_id>
GET /api/v1/sessions
GET /api/v1/sessions/<id:session_id>
GET /api/v1/sessions/<id:session_id>/messages
GET /api/v1/sessions/<id:session_id>/milestones
GET /api/v1/turns/<id:turn_id>
GET /api/v1/turns/<id:turn_id>/events
GET /api/v1/understanding
GET /api/v1/understanding/rules
GET /audit
GET /commands/<command_id>
GET /commands/<command_id>/output
GET /commands/<command_id>/place
GET /hosts
GET /hosts/<host_id>
GET /hosts/<host_id>/check
GET /hosts/<host_id>/delete
GET /hosts/import
GET /hosts/new
GET /memory
GET /memory/<id:memory_id>
GET /memory/<id:memory_id>/delete
GET /memory/core
GET /memory/events
GET /memory/export
GET /memory/transfer
GET /rules
GET /running
GET /sessions
GET /sessions/<session_id>
GET /sessions/<session_id>/delete
GET /sessions/<session_id>/events
GET /sessions/<session_id>/state
GET /settings
GET /sidebar
GET /understanding
GET /welcome
"""

SELF = """
POST /settings/browsers/<id:browser_id>/revoke
POST /settings/browsers/revoke-others
POST /settings/password
POST /settings/tokens
POST /settings/tokens/<id:token_id>/revoke
"""

WORKER = """
POST /api/v1/commands/<id:command_id>/approve
POST /api/v1/commands/<id:command_id>/deny
POST /api/v1/commands/<id:command_id>/harmless
POST /api/v1/commands/<id:command_id>/reveal
PUT /api/v1/core-memory/<id:block>
POST /api/v1/core-memory/<id:block>/confirm
POST /api/v1/core-memory/<id:block>/erase
POST /api/v1/core-memory/<id:block>/reject
POST /api/v1/core-memory/<id:block>/restore
POST /api/v1/hosts
DELETE /api/v1/hosts/<id:host_id>
PATCH /api/v1/hosts/<id:host_id>
POST /api/v1/hosts/<id:host_id>/test
POST /api/v1/hosts/<id:host_id>/trust
POST /api/v1/memories
DELETE /api/v1/memories/<id:memory_id>
PATCH /api/v1/memories/<id:memory_id>
POST /api/v1/memories/<id:memory_id>/restore
POST /api/v1/memories/<id:memory_id>/share
POST /api/v1/memories/<id:memory_id>/wrong
POST /api/v1/memories/import
POST /api/v1/rules
DELETE /api/v1/rules/<id:rule_id>
POST /api/v1/sessions
DELETE /api/v1/sessions/<id:session_id>
PATCH /api/v1/sessions/<id:session_id>
POST /api/v1/sessions/<id:session_id>/messages
POST /api/v1/sessions/<id:session_id>/reveal
POST /api/v1/turns/<id:turn_id>/cancel
POST /api/v1/turns/<id:turn_id>/confirm
DELETE /api/v1/understanding
DELETE /api/v1/understanding/<id:turn_id>/<id:sign>
DELETE /api/v1/understanding/rules/<id:rule>
POST /commands/<command_id>/approve
POST /commands/<command_id>/deny
POST /commands/<command_id>/harmless
POST /commands/<command_id>/reveal
POST /hosts
POST /hosts/<host_id>
POST /hosts/<host_id>/delete
POST /hosts/<host_id>/test
POST /hosts/<host_id>/trust
POST /hosts/import
POST /memory
POST /memory/<id:memory_id>
POST /memory/<id:memory_id>/delete
POST /memory/<id:memory_id>/restore
POST /memory/<id:memory_id>/share
POST /memory/<id:memory_id>/wrong
POST /memory/core/<id:block>
POST /memory/core/<id:block>/confirm
POST /memory/core/<id:block>/erase
POST /memory/core/<id:block>/reject
POST /memory/core/<id:block>/restore
POST /memory/transfer
POST /rules
POST /rules/<rule_id>/revoke
POST /sessions
POST /sessions/<session_id>/archive
POST /sessions/<session_id>/ask
POST /sessions/<session_id>/delete
POST /sessions/<session_id>/hosts
POST /sessions/<session_id>/pin
POST /sessions/<session_id>/read-only
POST /sessions/<session_id>/rename
POST /turns/<turn_id>/answer
POST /turns/<turn_id>/cancel
POST /turns/<turn_id>/confirm
POST /understanding/<id:turn_id>/<id:sign>/forget
POST /understanding/forget
POST /understanding/rules/<id:rule>/forget
POST /welcome
POST /welcome/skip
"""

ADMIN = """
GET /people
POST /people
POST /people/<id:person_id>/disable
POST /people/<id:person_id>/enable
POST /people/<id:person_id>/link
POST /people/<id:person_id>/role
POST /people/<id:person_id>/sign-out
"""

LISTS = {
    "anybody": ANYBODY,
    "reader": READER,
    "self": SELF,
    "worker": WORKER,
    "admin": ADMIN,
}
MAY = {
    "viewer": {"reader", "self"},
    "operator": {"reader", "self", "worker"},
}
PROBLEM = "application/problem+json"
VERSION = re.compile(r"htmx-[\d.]+\.js")


@dataclass(frozen=True)
class Asked:
    """One call of one route, with ids that nothing has."""

    method: str
    rule: str
    kind: str

    @property
    def is_api(self) -> bool:
        return self.rule.startswith("/api/")

    @property
    def path(self) -> str:
        return re.sub(r"<[^>]+>", "none", self.rule)


def listed() -> dict[tuple[str, str], str]:
    found = {}
    for kind, text in LISTS.items():
        for line in text.split("\n"):
            if line:
                method, _, rule = line.partition(" ")
                found[method, rule] = kind
    return found


def routes(app: Flask) -> set[tuple[str, str]]:
    return {
        (method, VERSION.sub("htmx-<version>.js", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def guarded() -> Iterator[Asked]:
    for (method, rule), kind in sorted(listed().items()):
        if kind != "anybody":
            yield Asked(method, rule, kind)


@dataclass
class Caller:
    """Somebody of one role, with a token for programs and a browser."""

    app: Flask
    token: str = ""
    cookie: str = ""

    @classmethod
    def of(cls, app: Flask, role: str) -> "Caller":
        with app.app_context():
            people.first_admin()
            someone = people.add(f"{role}-one", role=role)
            tokens = [people.issue_token(someone.id, kind) for kind in ("api", "web")]
            return cls(app, *tokens)

    def call(self, asked: Asked, path: str = "", body: object = None) -> TestResponse:
        """Ask by *path*, or with ids that nothing has; *body* is sent as JSON or as a form."""
        client, headers = self.app.test_client(), {}
        if asked.is_api and self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        elif self.cookie:
            client.set_cookie("walissh", self.cookie)
            if asked.method != "GET":
                headers["HX-Request"] = "true"  # errors are one line then, which is quicker
        given = {} if body is None else {"json" if asked.is_api else "data": body}
        return client.open(path or asked.path, method=asked.method, headers=headers, **given)


@pytest.fixture
def open_forms(app: Flask) -> Flask:
    """The application without the check of forms, which has tests of its own."""
    app.config["WTF_CSRF_ENABLED"] = False
    return app


def test_every_route_says_who_may_use_it(app: Flask) -> None:
    assert routes(app) == set(listed())


def test_a_stranger_is_told_to_sign_in(open_forms: Flask) -> None:
    stranger = Caller(open_forms)
    for asked in guarded():
        response = stranger.call(asked)
        if asked.is_api:
            assert response.status_code == 401, asked
        else:
            assert response.status_code == 303, asked
            assert response.location.startswith("/sign-in"), asked


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_a_role_opens_what_it_may_and_nothing_else(open_forms: Flask, role: str) -> None:
    caller = Caller.of(open_forms, role)
    for asked in guarded():
        response = caller.call(asked)
        refused = response.status_code == 403
        assert refused is (asked.kind not in MAY[role]), (asked, response.status_code)
        assert response.status_code < 500, (asked, response.text)
        if refused:
            assert (response.content_type == PROBLEM) is asked.is_api, asked


def test_an_admin_opens_what_nobody_else_may(open_forms: Flask) -> None:
    caller = Caller.of(open_forms, "admin")
    for asked in guarded():
        if asked.kind == "admin":
            assert caller.call(asked).status_code not in (401, 403), asked


def test_a_token_that_only_reads_changes_nothing_even_for_an_admin(app: Flask) -> None:
    with app.app_context():
        token = people.issue_token(people.first_admin().id, "api", scope="read")
    caller = Caller(app, token)
    for asked in guarded():
        if asked.is_api:
            changes = asked.method != "GET"
            assert (caller.call(asked).status_code == 403) is changes, asked


def test_a_role_that_changes_holds_from_the_next_request_on(open_forms: Flask) -> None:
    caller, asked = Caller.of(open_forms, "operator"), Asked("POST", "/api/v1/sessions", "worker")
    assert caller.call(asked).status_code != 403
    with open_forms.app_context():
        someone = people.find("operator-one")
        assert someone is not None
        people_roles.change_role(someone.id, "viewer", actor="test")
    assert caller.call(asked).status_code == 403
