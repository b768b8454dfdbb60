"""A program that uses the JSON API of a running installation."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.services import Installation, until

ENDED = ("done", "failed", "cancelled", "interrupted")


@dataclass(frozen=True, slots=True)
class Answer:
    """A status code and the JSON body."""

    status: int
    body: Any


@dataclass(slots=True)
class ApiClient:
    """Speaks to `/api/v1` with a Bearer token."""

    base: str
    token: str

    @classmethod
    def of(cls, installation: Installation, *, user: str = "") -> "ApiClient":
        """Return a client with a token of the administrator, or of *user*."""
        return cls(f"{installation.url}/api/v1", installation.token(user))

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Make one request; an error status is an answer as well."""
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                **headers,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Answer(response.status, _json(response.read()))
        except urllib.error.HTTPError as error:
            return Answer(error.code, _json(error.read()))

    def get(self, path: str) -> Any:
        """Return the body of a GET that succeeds."""
        answer = self.call("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def host_id(self, name: str = "this-machine") -> str:
        """Return the id of the host of that name."""
        ids: dict[str, str] = {each["name"]: each["id"] for each in self.get("/hosts")["items"]}
        return ids[name]

    def session(self, *host_ids: str) -> str:
        """Begin a session on the demo host, or on the hosts given."""
        ids = list(host_ids) or [self.host_id()]
        answer = self.call("POST", "/sessions", {"host_ids": ids})
        assert answer.status == 201, answer
        return str(answer.body["id"])

    def ask(self, session: str, question: str) -> str:
        """Ask and return the turn's id."""
        answer = self.call("POST", f"/sessions/{session}/messages", {"content": question})
        assert answer.status == 202, answer
        return str(answer.body["turn_id"])

    def turn(self, turn: str) -> dict[str, Any]:
        """Return the turn as it is now."""
        body: dict[str, Any] = self.get(f"/turns/{turn}")
        return body

    def commands(self, turn: str) -> list[dict[str, Any]]:
        """Return the turn's commands."""
        return [run for step in self.turn(turn)["steps"] for run in step["commands"]]

    def wait(self, turn: str, *statuses: str, limit_s: float = 60) -> dict[str, Any]:
        """Wait until the turn has one of *statuses* (or has ended), and return it."""
        wanted = statuses or ENDED
        until(
            lambda: self.turn(turn)["status"] in wanted,
            limit_s=limit_s,
            what=f"turn {' or '.join(wanted)}",
        )
        return self.turn(turn)

    def wait_for_command(
        self, turn: str, is_so: Callable[[Mapping[str, Any]], bool], limit_s: float = 60
    ) -> dict[str, Any]:
        """Wait until some command of the turn is so, and return it."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            found[:] = [run for run in self.commands(turn) if is_so(run)]
            return bool(found)

        until(look, limit_s=limit_s, what="the command")
        return found[0]

    def messages(self, session: str) -> list[dict[str, Any]]:
        """Return all messages of a session, over all pages."""
        items: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = self.get(f"/sessions/{session}/messages?limit=50{cursor}")
            items += page["items"]
            if page["next"] is None:
                return items
            cursor = f"&cursor={page['next']}"

    def events(
        self, turn: str, *, after: str = "", limit_s: float = 60, base: str = ""
    ) -> Iterator[tuple[str, str, Any]]:
        """Yield the turn's events as (id, name, data) until its stream ends."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if after:
            headers["Last-Event-ID"] = after
        url = f"{base or self.base}/turns/{turn}/events"
        request = urllib.request.Request(url, headers=headers)
        deadline = time.monotonic() + limit_s
        with urllib.request.urlopen(request, timeout=limit_s) as response:
            fields: dict[str, str] = {}
            for raw in response:
                assert time.monotonic() < deadline, "the stream does not end"
                line = raw.decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(":")
                    fields[name] = value.removeprefix(" ")
                elif "data" in fields:
                    yield fields.get("id", ""), fields["event"], json.loads(fields["data"])
                    fields = {}


def _json(raw: bytes) -> Any:
    return json.loads(raw) if raw else None
