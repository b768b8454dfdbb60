"""Logging in, against OpenSSH for keys and a scripted server for passwords."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import paramiko
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from paramiko.server import InteractiveQuery

from tests.sshd import Runner, Sshd
from walissh.errors import ShellError, WalisshError
from walissh.react.host import Auth, Endpoint, Host
from walissh.ssh import keys
from walissh.ssh.pool import Pool

pytest_plugins = ("tests.sshd",)

PASSWORD = "correct horse"
CLIENT = keys.generate()


class Guard(paramiko.ServerInterface):
    """Lets in whoever passes one of *ways*: each a tuple of methods in order."""

    def __init__(self, ways: tuple[tuple[str, ...], ...], prompts: list[tuple[str, bool]]) -> None:
        self.ways = ways
        self.prompts = prompts
        self.passed: tuple[str, ...] = ()
        self.tried: list[str] = []

    def get_allowed_auths(self, username: str) -> str:
        return ",".join(dict.fromkeys(way[len(self.passed)] for way in self.open_ways()))

    def open_ways(self) -> list[tuple[str, ...]]:
        done = len(self.passed)
        return [way for way in self.ways if way[:done] == self.passed and len(way) > done]

    def judge(self, method: str, good: bool) -> int:
        self.tried.append(method)
        allowed = [way for way in self.open_ways() if way[len(self.passed)] == method]
        if not good or not allowed:
            return paramiko.common.AUTH_FAILED
        self.passed = (*self.passed, method)
        done = self.passed in self.ways
        return (
            paramiko.common.AUTH_SUCCESSFUL if done else paramiko.common.AUTH_PARTIALLY_SUCCESSFUL
        )

    def check_auth_password(self, username: str, password: str) -> int:
        return self.judge("password", password == PASSWORD)

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return self.judge("publickey", key == keys.load(CLIENT.private))

    def check_auth_interactive(self, username: str, submethods: str) -> int | InteractiveQuery:
        return InteractiveQuery("", "", *self.prompts)

    def check_auth_interactive_response(self, responses: list[str]) -> int:
        wanted = ["" if echo else PASSWORD for _, echo in self.prompts]
        return self.judge("keyboard-interactive", list(responses) == wanted)


class Gatehouse:
    """A server that only logs people in."""

    def __init__(self, *ways: tuple[str, ...], prompts: list[tuple[str, bool]] | None = None):
        self.guard = Guard(ways, prompts or [("Password: ", False)])
        self.host_key = keys.load(keys.generate().private)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.transports: list[paramiko.Transport] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.set_log_channel("tests.gatehouse")
            transport.add_server_key(self.host_key)
            self.transports.append(transport)
            transport.start_server(threading.Event(), self.guard)

    def endpoint(self, *, auth: Auth = Auth.AUTO, key: str = "", password: str = "") -> Endpoint:
        host = Host(
            id="id-gate",
            owner_id="owner",
            name="gate",
            address="127.0.0.1",
            port=int(self.listener.getsockname()[1]),
            user="deploy",
            auth=auth,
            trusted_key=keys.host_key(self.host_key),
        )
        return Endpoint(host, key or None, None, password or None)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for transport in self.transports:
            transport.close()


@pytest.fixture
def gatehouses() -> Iterator[list[Gatehouse]]:
    made: list[Gatehouse] = []
    yield made
    for each in made:
        each.close()


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


def enters(pool: Pool, endpoint: Endpoint) -> bool:
    return pool.lease(endpoint) is not None


def build(made: list[Gatehouse], *ways: tuple[str, ...], **options: object) -> Gatehouse:
    made.append(Gatehouse(*ways, **options))  # type: ignore[arg-type]
    return made[-1]


def test_a_password_lets_in(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("password",))
    assert enters(pool, gate.endpoint(password=PASSWORD))


def test_keyboard_interactive_is_answered_with_the_password(
    pool: Pool, gatehouses: list[Gatehouse]
) -> None:
    gate = build(gatehouses, ("keyboard-interactive",))
    assert enters(pool, gate.endpoint(password=PASSWORD))


def test_key_then_password_lets_in(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey", "password"))
    assert enters(pool, gate.endpoint(key=CLIENT.private, password=PASSWORD))


def test_key_then_keyboard_interactive_lets_in(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey", "keyboard-interactive"))
    assert enters(pool, gate.endpoint(auth=Auth.KEY, key=CLIENT.private, password=PASSWORD))


def test_the_key_is_tried_before_the_password(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey",), ("password",))
    enters(pool, gate.endpoint(key=keys.generate().private, password=PASSWORD))
    assert gate.guard.tried == ["publickey", "password"]


def test_auth_by_key_sends_no_password_in_its_place(
    pool: Pool, gatehouses: list[Gatehouse]
) -> None:
    gate = build(gatehouses, ("publickey",), ("password",))
    strange = keys.generate().private
    with pytest.raises(ShellError):
        enters(pool, gate.endpoint(auth=Auth.KEY, key=strange, password=PASSWORD))
    assert gate.guard.tried == ["publickey"]


def test_a_method_that_is_not_offered_is_not_tried(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey",))
    with pytest.raises(ShellError, match="Tried: nothing that it offers"):
        enters(pool, gate.endpoint(password=PASSWORD))
    assert gate.guard.tried == []


def test_a_refusal_says_what_was_tried_and_what_is_offered(
    pool: Pool, gatehouses: list[Gatehouse]
) -> None:
    gate = build(gatehouses, ("publickey",), ("password",))
    with pytest.raises(ShellError) as raised:
        enters(pool, gate.endpoint(password="wrong"))
    assert str(raised.value) == (
        "gate: it refused to let 'deploy' in. Tried: password. The host offers: publickey, "
        "password. Nothing was run. Check the user and the log-in on the host page."
    )
    assert (raised.value.phase, raised.value.started) == ("authenticate", False)


def test_a_missing_second_step_is_told(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey", "password"))
    with pytest.raises(ShellError, match=r"offers: password\. It accepted stored key"):
        enters(pool, gate.endpoint(key=CLIENT.private))


def test_what_keyboard_interactive_asked_is_told(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    prompts = [("Password: ", False), ("Verification code: ", False)]
    gate = build(gatehouses, ("keyboard-interactive",), prompts=prompts)
    with pytest.raises(ShellError, match="It asked: Password:, Verification code:"):
        enters(pool, gate.endpoint(password="wrong"))


def test_no_secret_is_in_the_error(pool: Pool, gatehouses: list[Gatehouse]) -> None:
    gate = build(gatehouses, ("publickey",), ("password",), ("keyboard-interactive",))
    with pytest.raises(ShellError) as raised:
        enters(pool, gate.endpoint(key=keys.generate().private, password="hunter2-secret"))
    assert "hunter2" not in repr(raised.value) and "PRIVATE" not in repr(raised.value)


def test_all_who_wait_for_one_connection_get_its_error(
    pool: Pool, gatehouses: list[Gatehouse]
) -> None:
    gate = build(gatehouses, ("password",))
    errors: list[str] = []

    def go() -> None:
        try:
            pool.lease(gate.endpoint(password="wrong"))
        except WalisshError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=go) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 5


# --- keys, against OpenSSH ------------------------------------------------------------


def pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, passphrase: bytes) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.BestAvailableEncryption(passphrase),
    ).decode()


@pytest.mark.parametrize(
    "key", [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP384R1())]
)
def test_pem_keys_with_a_passphrase_log_in(
    ssh_run: Runner, sshd: Sshd, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
) -> None:
    text = pem(key, b"open sesame")
    public = keys.host_key(keys.load(text, "open sesame"))
    with (sshd.folder / "authorized_keys").open("a") as file:
        file.write(f"{public.type} {public.base64}\n")
    endpoint = replace(sshd.endpoint(), private_key=text, passphrase="open sesame")
    assert ssh_run(endpoint, "echo in").text == "in\n"


def test_a_stored_key_without_its_passphrase_is_told(ssh_run: Runner, sshd: Sshd) -> None:
    text = pem(rsa.generate_private_key(65537, 2048), b"open sesame")
    with pytest.raises(ShellError, match="protected by a passphrase") as raised:
        ssh_run(replace(sshd.endpoint(), private_key=text), "true")
    assert raised.value.phase == "authenticate"


def test_a_strange_key_is_refused_with_its_fingerprint(ssh_run: Runner, sshd: Sshd) -> None:
    pair = keys.generate()
    fingerprint = keys.parse_public(pair.public).fingerprint
    with pytest.raises(ShellError, match="host offers: publickey") as raised:
        ssh_run(replace(sshd.endpoint(), private_key=pair.private), "true")
    assert f"stored key {fingerprint}" in str(raised.value)


def test_auth_by_key_without_a_key_is_told(ssh_run: Runner, sshd: Sshd) -> None:
    with pytest.raises(ShellError, match="no private key is stored"):
        ssh_run(replace(sshd.endpoint(auth=Auth.KEY), private_key=None), "true")


# --- the agent ------------------------------------------------------------------------


@pytest.fixture
def agent(sshd: Sshd, tmp_path: Path) -> Iterator[None]:
    """A running ssh-agent that holds the key which the server lets in."""
    path = tmp_path / "agent.sock"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL)
    (tmp_path / "key").write_text(sshd.client_key.private)
    (tmp_path / "key").chmod(0o600)
    before = os.environ.get("SSH_AUTH_SOCK")
    os.environ["SSH_AUTH_SOCK"] = str(path)
    while not path.exists():
        pass
    subprocess.run(["ssh-add", "-q", tmp_path / "key"], check=True)
    yield
    process.terminate()
    process.wait()
    if before is None:
        del os.environ["SSH_AUTH_SOCK"]
    else:
        os.environ["SSH_AUTH_SOCK"] = before


@pytest.mark.parametrize("auth", [Auth.AGENT, Auth.AUTO])
def test_the_agents_key_logs_in(ssh_run: Runner, sshd: Sshd, agent: None, auth: Auth) -> None:
    endpoint = replace(sshd.endpoint(auth=auth), private_key=None)
    assert ssh_run(endpoint, "echo in").text == "in\n"


def test_auth_by_agent_without_one_is_told(ssh_run: Runner, sshd: Sshd) -> None:
    before = os.environ.pop("SSH_AUTH_SOCK", None)
    try:
        with pytest.raises(ShellError, match="no SSH agent"):
            ssh_run(replace(sshd.endpoint(auth=Auth.AGENT), private_key=None), "true")
    finally:
        if before is not None:
            os.environ["SSH_AUTH_SOCK"] = before
