"""A real OpenSSH server for tests: on a free port, as whoever runs the tests.

``sshd`` is one server for the whole run; ``sshd_factory`` starts others with options of
``sshd_config``. ``KnownEndpoints`` is the list of servers that the driver asks.
"""

import getpass
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from walissh.errors import NotFoundError
from walissh.react.host import Auth, Endpoint, Host, HostKey
from walissh.react.turn import Exit
from walissh.ssh import keys
from walissh.ssh.pool import Pool
from walissh.ssh.run import SshShell

SshdFactory = Callable[..., "Sshd"]

_START_TRIES = 5
_START_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Sshd:
    """A running server and a key that it lets in."""

    port: int
    user: str
    host_key: HostKey
    client_key: keys.KeyPair
    folder: Path
    process: "subprocess.Popen[bytes]"

    def host(self, name: str = "web1", **changes: object) -> Host:
        """Describe it as a host whose key is trusted."""
        host = Host(
            id=f"id-{name}-{self.port}",
            owner_id="owner",
            name=name,
            address="127.0.0.1",
            port=self.port,
            user=self.user,
            auth=Auth.AUTO,
            trusted_key=self.host_key,
        )
        return replace(host, **changes)  # type: ignore[arg-type]

    def endpoint(
        self, name: str = "web1", *, jump: Endpoint | None = None, **changes: object
    ) -> Endpoint:
        """Return all that is needed to log in to it."""
        host = self.host(name, jump_id=jump.host.id if jump else None, **changes)
        return Endpoint(host, self.client_key.private, None, None, jump)

    def stop(self) -> None:
        """End the server; its open sessions end with it."""
        self.process.terminate()
        self.process.wait(10)


@dataclass(slots=True)
class KnownEndpoints:
    """The servers that the driver may ask for, by id, and what it reported of them."""

    known: dict[str, Endpoint] = field(default_factory=dict)
    seen: list[tuple[str, HostKey]] = field(default_factory=list)
    machines: dict[str, str] = field(default_factory=dict)
    sudo: dict[str, str] = field(default_factory=dict)

    def add(self, endpoint: Endpoint) -> str:
        """Keep *endpoint*; return its id."""
        self.known[endpoint.host.id] = endpoint
        return endpoint.host.id

    def endpoint(self, host_id: str) -> Endpoint:
        """Return the endpoint; raises NotFoundError."""
        if host_id not in self.known:
            raise NotFoundError(f"no host {host_id}")
        return self.known[host_id]

    def remember_seen_key(self, host_id: str, key: HostKey) -> None:
        """Note the key."""
        self.seen.append((host_id, key))

    def meet_machine(self, host: Host, told: str) -> str | None:
        """Keep the first id of a host."""
        return (
            self.machines.setdefault(host.id, host.machine_id or told)
            if told
            else (host.machine_id)
        )

    def sudo_password(self, host_id: str, run_id: str) -> str | None:
        """Return the password of the host."""
        return self.sudo.get(host_id)


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of a command and all that it said."""

    exit: Exit
    text: str
    took_s: float


class Runner:
    """Runs commands through a ``SshShell`` of its own."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.endpoints = KnownEndpoints()
        self.shell = SshShell(pool, self.endpoints, output_limit_mb=64)

    def __call__(
        self,
        endpoint: Endpoint,
        command: str,
        *,
        limit_s: int = 30,
        run_id: str = "",
        cancelled: Callable[[], bool] = lambda: False,
        on_output: Callable[[str], None] = lambda _: None,
    ) -> Ran:
        """Run *command* and collect what it says."""
        host_id = self.endpoints.add(endpoint)
        said: list[str] = []

        def hear(text: str) -> None:
            said.append(text)
            on_output(text)

        begun = time.monotonic()
        result = self.shell.run(
            run_id or f"run-{secrets.token_hex(6)}",
            host_id,
            command,
            limit_s=limit_s,
            on_output=hear,
            cancelled=cancelled,
        )
        return Ran(result, "".join(said), time.monotonic() - begun)


@pytest.fixture
def ssh_run() -> Iterator[Runner]:
    """Return a runner with a pool of its own, closed afterwards."""
    pool = Pool()
    yield Runner(pool)
    pool.close()


@pytest.fixture(scope="session")
def sshd_factory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdFactory]:
    """Start servers: ``sshd_factory(MaxSessions=2, host_keys=(text, ...))``.

    *inside* is a command that starts it, such as unshare; ``@FOLDER`` in an option is the
    server's own folder.
    """
    program = _program()
    running: list[Sshd] = []

    def start(
        *, host_keys: tuple[str, ...] = (), inside: tuple[str, ...] = (), **options: object
    ) -> Sshd:
        folder = tmp_path_factory.mktemp("sshd")
        server = _start((*inside, program), folder, host_keys, options)
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def sshd(sshd_factory: SshdFactory) -> Sshd:
    """Return the one server that most tests share."""
    return sshd_factory()


def is_running(pid: int | str) -> bool:
    """Tell whether the process runs; one that only waits to be buried does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _program() -> str:
    found = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("sshd is not installed, and in CI it must be: apt install openssh-server")
    pytest.skip("sshd is not installed (apt install openssh-server)")


def _start(
    program: tuple[str, ...], folder: Path, host_keys: tuple[str, ...], options: dict[str, object]
) -> Sshd:
    texts = host_keys or (keys.generate().private,)
    client = keys.generate()
    (folder / "authorized_keys").write_text(client.public + "\n")
    (folder / "home").mkdir()
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd insists on it
    for _ in range(_START_TRIES):
        port = free_port()
        config = _write_config(program[-1], folder, port, texts, options)
        process = subprocess.Popen(
            [*program, "-D", "-f", config, "-E", folder / "log"], start_new_session=True
        )
        if _answers(process, port):
            first = keys.host_key(keys.load(texts[0]))
            return Sshd(port, getpass.getuser(), first, client, folder, process)
        process.kill()
        process.wait()
    raise RuntimeError("sshd did not start: " + (folder / "log").read_text())


def _write_config(
    program: str, folder: Path, port: int, texts: tuple[str, ...], options: dict[str, object]
) -> Path:
    settings: dict[str, object] = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "PidFile": "none",
        "AuthorizedKeysFile": folder / "authorized_keys",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "yes",
        "MaxStartups": 100,
        "UseDNS": "no",
        "LogLevel": "VERBOSE",
        "SetEnv": f"HOME={folder / 'home'}",  # the start-up files of this machine stay out
        **_no_penalties(program),
        **options,
    }
    lines = [f"{name} {value}".replace("@FOLDER", str(folder)) for name, value in settings.items()]
    for number, text in enumerate(texts):
        path = folder / f"host_key_{number}"
        path.write_text(text)
        path.chmod(0o600)
        lines.append(f"HostKey {path}")
    (folder / "sshd_config").write_text("\n".join(lines) + "\n")
    return folder / "sshd_config"


def _no_penalties(program: str) -> dict[str, object]:
    """Newer servers shut out an address after failed log-ins; tests make many of them."""
    said = subprocess.run([program, "-V"], capture_output=True, text=True, check=False)
    found = re.search(r"OpenSSH_(\d+)\.(\d+)", said.stderr + said.stdout)
    new = found is not None and (int(found[1]), int(found[2])) >= (9, 8)
    return {"PerSourcePenalties": "no"} if new else {}


def _answers(process: "subprocess.Popen[bytes]", port: int) -> bool:
    until = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
                return probe.recv(4) == b"SSH-"
        except OSError:
            time.sleep(0.02)
    return False
