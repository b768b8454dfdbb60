"""The whole application on a throw-away database, and those who talk to it."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.test import TestResponse

from tests.fakes import ScriptedModel, ScriptedShell, WordGate
from walissh import wiring
from walissh.config import Settings
from walissh.react import agent
from walissh.react.parts import Parts
from walissh.store import people
from walissh.store.database import db
from walissh.web import create_app


class CompiledTemplates(BytecodeCache):
    """What the templates were compiled to; compiling them takes longer than most tests."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill *bucket*, if its template was compiled before and has not changed since."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep *bucket*."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session")
def compiled_templates() -> CompiledTemplates:
    """The compiled templates, for all apps of this process."""
    return CompiledTemplates()


@pytest.fixture
def app(
    memory_dir: Path,
    empty_database: Path,
    redis_url: str,
    compiled_templates: CompiledTemplates,
) -> Iterator[Flask]:
    """The application with all tables, a scripted model and shell, and a real Redis."""
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    app = create_app(Settings(home=home, secret_key="a key for tests only", redis_url=redis_url))
    app.testing = True
    app.jinja_env.bytecode_cache = compiled_templates
    use_parts(app, model=ScriptedModel([]), shell=ScriptedShell(), gate=WordGate())
    yield app
    with app.app_context():
        db.engine.dispose()
    shutil.rmtree(home)


def use_parts(app: Flask, **parts: Any) -> Parts:
    """Replace some of the application's parts; return all of them."""
    installed = app.extensions["walissh"]
    app.extensions["walissh"] = replace(installed, parts=replace(installed.parts, **parts))
    found: Parts = app.extensions["walissh"].parts
    return found


@dataclass
class Api:
    """A program that talks to the JSON interface as *person*."""

    app: Flask
    person: people.Person
    token: str

    def call(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send one request with the token; *path* begins after /api/v1."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        return self.app.test_client().open(
            f"/api/v1{path}", method=method, headers=headers, **options
        )

    def get(self, path: str, **options: Any) -> TestResponse:
        """Send a GET."""
        return self.call("GET", path, **options)

    def post(self, path: str, body: object = None, **options: Any) -> TestResponse:
        """Send a POST with *body* as JSON, or with none."""
        if body is not None:
            options["json"] = body
        return self.call("POST", path, **options)

    def patch(self, path: str, body: object) -> TestResponse:
        """Send a PATCH with *body* as JSON."""
        return self.call("PATCH", path, json=body)

    def delete(self, path: str) -> TestResponse:
        """Send a DELETE."""
        return self.call("DELETE", path)

    def made(self, path: str, **body: object) -> dict[str, Any]:
        """POST *body* and return what was made."""
        response = self.post(path, body)
        assert response.status_code == 201, response.text
        return dict(response.json)

    def asked(self, session_id: str, content: str = "why?") -> str:
        """Post a message and return the id of its turn."""
        response = self.post(f"/sessions/{session_id}/messages", {"content": content})
        assert response.status_code == 202, response.text
        return str(response.json["turn_id"])


def api_of(app: Flask, name: str) -> Api:
    """Return a program with a token of the person *name*."""
    with app.app_context():
        person = people.named(name)
        return Api(app, person, people.issue_token(person.id, "api"))


@pytest.fixture
def api(app: Flask) -> Api:
    """A program with a token of ann."""
    return api_of(app, "ann")


@pytest.fixture
def other(app: Flask) -> Api:
    """A program with a token of bob."""
    return api_of(app, "bob")


@pytest.fixture
def browser(app: Flask, api: Api) -> FlaskClient:
    """A browser in which ann is signed in."""
    with app.app_context():
        cookie = people.issue_token(api.person.id, "web")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    return client


@pytest.fixture
def stranger(app: Flask) -> FlaskClient:
    """A browser in which nobody is signed in."""
    return app.test_client()


def think(app: Flask, turn_id: str, step: int = 0) -> None:
    """Do a turn's next model call, as a worker would."""
    with app.app_context():
        agent.think(wiring.parts(), turn_id, step)


def act(app: Flask, command_id: str) -> None:
    """Run a command, as a worker would."""
    with app.app_context():
        agent.act(wiring.parts(), command_id)
