"""The interface behind the real web server, on a real socket."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli import CommandLine
from tests.services import clean_environment, free_port, until

PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Server:
    """A running web part and a token for it."""

    port: int
    token: str
    process: "subprocess.Popen[bytes]"

    def post(self, path: str, body: bytes, token: str = "") -> tuple[int, Any]:
        """Send *body* whole, then read the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {token or self.token}"}
        connection.request("POST", f"/api/v1{path}", body, headers)
        response = connection.getresponse()
        told = json.loads(response.read())
        connection.close()
        return response.status, told

    def lives(self) -> bool:
        """Tell whether it answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home, port = tmp_path_factory.mktemp("home"), free_port()
    token = CommandLine(home).run("token", "create").out.strip()
    process = start(home, port)
    server = Server(port, token, process)
    until(server.lives, what="the web part's answer")
    yield server
    process.terminate()
    process.wait(20)


def start(home: Path, port: int) -> "subprocess.Popen[bytes]":
    environment = clean_environment(WALISSH_HOME=str(home), WALISSH_BIND=f"127.0.0.1:{port}")
    return subprocess.Popen([sys.executable, "-m", "walissh", "web"], env=environment, cwd=home)


def session(server: Server) -> str:
    status, told = server.post("/sessions", b"{}")
    assert status == 201
    return str(told["id"])


@pytest.mark.parametrize("character", ["x", "\U0001f600"])
def test_a_million_characters_get_an_answer_in_words(server: Server, character: str) -> None:
    body = json.dumps({"content": character * 1_000_000}).encode()
    status, told = server.post(f"/sessions/{session(server)}/messages", body)
    assert (status, told["field"]) == (400, "content")
    assert "1,000,000 characters" in told["detail"]


def test_a_body_beyond_all_limits_gets_an_answer_not_a_broken_pipe(server: Server) -> None:
    status, told = server.post("/sessions", b" " * 40_000_000)
    assert status == 413
    assert "16 MB" in told["detail"]


def test_a_big_body_with_a_wrong_token_gets_an_answer_not_a_broken_pipe(server: Server) -> None:
    status, _ = server.post("/sessions", b" " * 8_000_000, token="wrong")
    assert status == 401


def test_events_arrive_one_by_one_and_open_streams_do_not_hold_up_the_end(
    tmp_path: Path,
) -> None:
    home, port = tmp_path, free_port()
    token = CommandLine(home).run("token", "create").out.strip()
    server = Server(port, token, start(home, port))
    try:
        until(server.lives, what="the web part's answer")
        _, told = server.post(f"/sessions/{session(server)}/messages", b'{"content": "why?"}')
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        path = f"/api/v1/turns/{told['turn_id']}/events"
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        lines = [response.readline().decode() for _ in range(5)]
        assert lines[0] == "retry: 2000\n"
        assert lines[4] == "event: status\n"
        begin = time.monotonic()
        server.process.terminate()
        server.process.wait(20)
        assert time.monotonic() - begin < 10
    finally:
        server.process.kill()
        server.process.wait()
