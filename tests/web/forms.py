"""A browser that fills in forms, as one without JavaScript would, or as htmx does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.fakes import ListQueue, ScriptedModel, ScriptedShell, call
from tests.web.conftest import api_of, use_parts
from walissh import wiring
from walissh.errors import ShellError, WalisshError
from walissh.react import agent
from walissh.react.turn import CommandRun, Reply, Session
from walissh.store import commands, hosts, people, sessions
from walissh.store.hosts import HostDraft

Outputs = Mapping[str, tuple[str, int] | ShellError]
HTMX = {"HX-Request": "true"}


@dataclass
class Browser:
    """A browser; *person* is who is signed in."""

    app: Flask
    client: FlaskClient
    person: people.Person | None = None

    def get(self, path: str, **options: Any) -> TestResponse:
        """Open a page."""
        return self.client.get(path, **options)

    def post(self, path: str, *, htmx: bool = False, **fields: Any) -> TestResponse:
        """Send a form with its token; *htmx* asks for a fragment."""
        if "csrf_token" not in fields:
            fields["csrf_token"] = self.token()
        return self.client.post(path, data=fields, headers=HTMX if htmx else {})

    def token(self) -> str:
        """Return the token that this browser's forms carry."""
        page = self.client.get("/settings" if self.person else "/sign-in").text
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found, page
        return found[1]

    def host(self, name: str = "web1", **more: Any) -> str:
        """Store a host of this person; return its id."""
        with self.app.app_context():
            draft = HostDraft(name, more.pop("address", "127.0.0.1"), "root", **more)
            return hosts.add(self._me, draft).id

    def session(self, *host_ids: str, title: str = "") -> Session:
        """Store a session of this person."""
        with self.app.app_context():
            return sessions.create(self._me, title, host_ids)

    @property
    def _me(self) -> str:
        assert self.person is not None
        return self.person.id


def browser_of(app: Flask, name: str) -> Browser:
    """Return a browser in which the person *name* is signed in."""
    person = api_of(app, name).person
    with app.app_context():
        cookie = people.issue_token(person.id, "web")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    return Browser(app, client, person)


@dataclass
class Stage:
    """A session on one host whose model and shell follow a script."""

    browser: Browser
    session: Session
    host_id: str
    queue: ListQueue
    shell: ScriptedShell

    @classmethod
    def of(
        cls, app: Flask, *script: Reply | WalisshError, outputs: Outputs | None = None
    ) -> "Stage":
        """Return the session of ann on web1."""
        browser = browser_of(app, "ann")
        host_id = browser.host("web1")
        queue, shell = ListQueue(), ScriptedShell(outputs or {})
        use_parts(app, model=ScriptedModel(list(script)), enqueue=queue, shell=shell)
        return cls(browser, browser.session(host_id), host_id, queue, shell)

    @property
    def path(self) -> str:
        """The address of the session's page."""
        return f"/sessions/{self.session.id}"

    def ask(self, content: str = "why?") -> str:
        """Ask through the page; return the turn's id."""
        response = self.browser.post(f"{self.path}/ask", content=content)
        assert response.status_code == 303, response.text
        return response.location.partition("#turn-")[2]

    def play(self) -> None:
        """Run what is queued, and what that queues."""
        while self.queue.jobs:
            self.step()

    def step(self) -> None:
        """Run the next queued job."""
        kind, subject, step = self.queue.jobs.pop(0)
        with self.browser.app.app_context():
            if kind == "think":
                assert isinstance(step, int)
                agent.think(wiring.parts(), str(subject), step)
            elif kind == "act":
                agent.act(wiring.parts(), str(subject))

    def runs(self, turn_id: str) -> list[CommandRun]:
        """Return the turn's commands."""
        with self.browser.app.app_context():
            return commands.of_turn(turn_id)

    def waiting(self, command: str = "touch /x") -> CommandRun:
        """Return a command that waits, proposed by the first reply of the script."""
        runs = self.runs(self._asked())
        assert [run.command for run in runs] == [command]
        return runs[0]

    def _asked(self) -> str:
        turn_id = self.ask()
        self.play()
        return turn_id


def calls(*commands: str, text: str = "") -> Reply:
    """Return a reply that calls for *commands* on web1."""
    return Reply(text, tuple(call(each, call_id=f"c{n}") for n, each in enumerate(commands)))
