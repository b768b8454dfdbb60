"""Real services for tests: an embedded Valkey, and a whole ``walissh up``."""

import contextlib
import http.client
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest
import redis

from walissh.config import Settings
from walissh.service import valkey

ROOT = Path(__file__).parent.parent
PATIENCE_S = 90.0
OURS = re.compile(r"^(WALISSH_|OPENAI_|DATABASE_URL$|REDIS_URL$|MODEL_NAME$)")


def missing(reason: str) -> NoReturn:
    """Skip a test whose tools are not here; in CI, where they must be, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    """Return a TCP port that is free just now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def until(
    condition: Callable[[], object], *, limit_s: float = PATIENCE_S, what: str = "it"
) -> None:
    """Wait until *condition* is true; fail the test after *limit_s*."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {limit_s} s")
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Tell whether the process lives (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def clean_environment(root: Path = ROOT, **values: str) -> dict[str, str]:
    """Return our environment without any setting of the product, plus *values*.

    *root* is where the product is imported from: this checkout, or an installed wheel.
    """
    kept = {name: value for name, value in os.environ.items() if not OURS.match(name)}
    return {**kept, "PYTHONPATH": str(root), **values}


# --- Valkey ---------------------------------------------------------------------------


@dataclass(slots=True)
class ValkeyServer:
    """A running server; *settings* point to it."""

    settings: Settings
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """The address for REDIS_URL."""
        return self.settings.redis_address

    def client(self) -> redis.Redis:
        """Return a new client."""
        return redis.Redis.from_url(self.url)

    def kill(self) -> None:
        """End it with -9."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start it again on the same files."""
        self.process = _start_valkey(self.settings)


def _start_valkey(settings: Settings) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        valkey.command(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: valkey.is_ready(settings), what="Valkey's answer")
    return process


@contextlib.contextmanager
def run_valkey(home: Path) -> Iterator[ValkeyServer]:
    """Run a server of one's own in *home*."""
    settings = Settings(home=home)
    server = ValkeyServer(settings, _start_valkey(settings))
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="session")
def shared_valkey() -> Iterator[ValkeyServer]:
    """One server for all tests of this process; use `valkey_server`, which empties it."""
    home = Path(tempfile.mkdtemp(prefix="wv-"))
    with run_valkey(home) as server:
        yield server
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def valkey_server(shared_valkey: ValkeyServer) -> ValkeyServer:
    """A running, empty server."""
    with shared_valkey.client() as client:
        client.flushall()
    return shared_valkey


@pytest.fixture
def redis_url(valkey_server: ValkeyServer) -> str:
    """The address of a running, empty server."""
    return valkey_server.url


# --- walissh up -----------------------------------------------------------------------


@dataclass(slots=True)
class Installation:
    """A running ``walissh up``; *link* signs the administrator in once."""

    home: Path
    port: int
    process: subprocess.Popen[str]
    link: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The address without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def wait_for_link(self, limit_s: float = PATIENCE_S) -> str:
        """Wait for the line with the link; fail with what it said instead."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if selector.select(limit_s) else ""
        found = re.search(r"http://\S+/sign-in/\S+", line)
        if not found:
            self.kill()
            said = self.process.stderr.read() if self.process.stderr else ""
            pytest.fail(f"no link from walissh up: {line!r} {said!r} {self.logs()}")
        self.link = found[0]
        return self.link

    def logs(self) -> str:
        """Return the end of each part's log."""
        files = sorted((self.home / "logs").glob("*.log"))
        return "\n".join(f"--- {file.name}\n{file.read_text()[-3000:]}" for file in files)

    def command(self, *arguments: str, limit_s: float = 60) -> subprocess.CompletedProcess[str]:
        """Run ``walissh ARGUMENTS`` on this installation."""
        return walissh(*arguments, environment=self.environment, limit_s=limit_s)

    def token(self, user: str = "") -> str:
        """Return an API token of the administrator, or of *user*; made once."""
        if user not in self.tokens:
            options = ("--user", user) if user else ()
            self.tokens[user] = self.command("token", "create", *options).stdout.strip()
        return self.tokens[user]

    def parts(self) -> dict[str, int]:
        """Return the process id of each part by its name."""
        found: dict[str, int] = {}
        for pid in _children(self.process.pid):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            found[_part_name(words)] = pid
        return found

    def processes(self) -> list[int]:
        """Return the ids of ``up`` and of all that it started, at any depth."""
        pids = [self.process.pid]
        for pid in pids:
            pids.extend(_children(pid))
        return pids

    def stop(self) -> int:
        """End it by SIGTERM; return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(10)
        finally:
            self.kill()

    def kill(self) -> None:
        """End ``up`` with -9."""
        self.process.kill()
        self.process.wait()


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.extend(int(child) for child in file.read_text().split())
    return found


def _part_name(words: list[str]) -> str:
    if "worker" in words:
        return words[words.index("worker") + 1]
    if any("gunicorn" in word for word in words) or "web" in words:
        return "web"
    return "redis"


def walissh(
    *arguments: str, environment: dict[str, str], limit_s: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run the command line once, away from any ``.env``."""
    return subprocess.run(
        [sys.executable, "-m", "walissh", *arguments],
        env=environment,
        cwd=environment["WALISSH_HOME"] if Path(environment["WALISSH_HOME"]).is_dir() else "/",
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )


def begin_up(
    home: Path, *arguments: str, port: int = 0, root: Path = ROOT, **values: str
) -> Installation:
    """Start ``walissh up`` on *home* and return at once; *values* are environment variables."""
    port = port or free_port()
    environment = clean_environment(
        root, WALISSH_HOME=str(home), WALISSH_BIND=f"127.0.0.1:{port}", **values
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "walissh", "up", *arguments],
        env=environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return Installation(home, port, process, environment=environment)


@contextlib.contextmanager
def running_up(home: Path, *arguments: str, port: int = 0, **values: str) -> Iterator[Installation]:
    """Run a whole ``walissh up`` on *home*, ready to be used; ends it afterwards."""
    installation = begin_up(home, *arguments, port=port, **values)
    try:
        installation.wait_for_link()
        yield installation
    finally:
        installation.stop()


def status(url: str) -> int:
    """Return the status of a GET, 0 if nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def refused(installation: Installation) -> str:
    """Wait for the end of a start that must fail; return its one line."""
    out, err = installation.process.communicate(timeout=60)
    assert installation.process.returncode == 2, err
    assert out == ""
    (line,) = err.splitlines()
    assert not (installation.home / "redis").exists(), "nothing was started"
    return line
