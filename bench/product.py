"""Questions put to the whole product: a real ``walissh up`` in a scratch home.

The gate, the journal, the workers and the cleaning of outputs are in the path, as for a
person. It starts on a free port, with the offline brain and one host, and is ended with all
that it started.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START_S = 60.0
TURN_S = 180.0
POLL_S = 0.1
ENDED = ("done", "failed", "cancelled", "interrupted")
WAITS = "awaiting_approval"
NOT_RUN = (WAITS, "refused", "denied", "expired")


@dataclass(frozen=True)
class Turned:
    """One question and how its turn went; *held* are commands that the gate did not let run."""

    status: str
    answer: str
    commands: list[str]
    held: list[str]
    steps: int
    seconds: float
    findings: list[str]


@dataclass(frozen=True)
class Product:
    """A running installation with one host."""

    url: str
    token: str
    host_id: str

    def ask(self, question: str) -> Turned:
        """Ask in a new session; a turn that waits for approval is stopped and told."""
        session = self.call("POST", "/sessions", {"host_ids": [self.host_id]})["id"]
        begun = time.monotonic()
        path = f"/sessions/{session}/messages"
        turn_id = self.call("POST", path, {"content": question})["turn_id"]
        turn = self._ended(turn_id, begun + TURN_S)
        seconds = time.monotonic() - begun
        if turn["status"] not in ENDED:
            with contextlib.suppress(OSError):
                self.call("POST", f"/turns/{turn_id}/cancel")
        return _turned(turn, seconds)

    def _ended(self, turn_id: str, until: float) -> Mapping[str, Any]:
        while True:
            turn = self.call("GET", f"/turns/{turn_id}")
            if turn["status"] in (*ENDED, WAITS) or time.monotonic() > until:
                return turn
            time.sleep(POLL_S)

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Send one request to the JSON interface."""
        request = urllib.request.Request(  # noqa: S310  our own address
            f"{self.url}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310
            return dict(json.load(reply))


def _turned(turn: Mapping[str, Any], seconds: float) -> Turned:
    runs = [run for step in turn["steps"] for run in step["commands"]]
    return Turned(
        status=turn["status"],
        answer=turn["answer"] or turn["error"],
        commands=[run["command"] for run in runs if run["status"] not in NOT_RUN],
        held=[run["command"] for run in runs if run["status"] in NOT_RUN],
        steps=len(turn["steps"]),
        seconds=seconds,
        findings=[each["cause"] for each in turn["findings"]],
    )


@contextlib.contextmanager
def running(name: str, login: Mapping[str, Any]) -> Iterator[Product]:
    """Run the product with the host *name*, reached as *login* says (host, port, user, key)."""
    with tempfile.TemporaryDirectory(prefix="walissh-bench-") as folder:
        port = _free_port()
        environment = _environment(Path(folder), port)
        with _up(environment):
            address = f"{login['user']}@{login['host']}:{login['port']}"
            _walissh(environment, "host", "add", name, address, "--key", str(login["key"]))
            _walissh(environment, "host", "trust", name)
            token = _walissh(environment, "token", "create").strip()
            url = f"http://127.0.0.1:{port}"
            hosts = Product(url, token, "").call("GET", "/hosts")["items"]
            found = next(each["id"] for each in hosts if each["name"] == name)
            yield Product(url, token, found)


def _environment(home: Path, port: int) -> dict[str, str]:
    """Return our own environment without settings that would leave the scratch home."""
    own = ("WALISSH_", "OPENAI_", "DATABASE_URL", "REDIS_URL", "MODEL_NAME")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {
        "WALISSH_HOME": str(home),
        "WALISSH_BIND": f"127.0.0.1:{port}",
        "WALISSH_BRAIN": "offline",
        "PYTHONPATH": str(Path(__file__).parent.parent),
    }


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def _up(environment: Mapping[str, str]) -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "-m", "walissh", "up"],
        env=environment,
        cwd=environment["WALISSH_HOME"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            _wait_for_link(process)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def _wait_for_link(process: subprocess.Popen[str]) -> None:
    if process.stdout is None:
        raise RuntimeError("walissh up has no output")
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(START_S) or not process.stdout.readline():
            raise RuntimeError("walissh up did not start")


def _walissh(environment: Mapping[str, str], *words: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "walissh", *words],
        env=environment,
        cwd=environment["WALISSH_HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"walissh {_shown(words)}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def _shown(words: Sequence[str]) -> str:
    return " ".join(words)
