"""Reaching a host: names, ports, hops and host keys."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.sshd import Runner, Sshd, SshdFactory, free_port
from walissh.errors import HostKeyChangedError, HostKeyUnknownError, ShellError
from walissh.react.host import Auth, Endpoint, Host, HostKey
from walissh.ssh import keys
from walissh.ssh.pool import Pool

pytest_plugins = ("tests.sshd",)


def nowhere(**changes: object) -> Endpoint:
    """Return a host of which only the address matters."""
    host = Host("id-x", "owner", "web1", "127.0.0.1", 1, "root", Auth.KEY)
    return Endpoint(replace(host, **changes), keys.generate().private, None, None)  # type: ignore[arg-type]


def other_key() -> HostKey:
    return keys.parse_public(keys.generate().public)


# --- resolve and connect --------------------------------------------------------------


@pytest.mark.parametrize("name", ["no-such-host.invalid", "a..b", "x" * 300, ""])
def test_a_name_that_does_not_resolve_is_told(ssh_run: Runner, name: str) -> None:
    with pytest.raises(ShellError, match=r"web1: the name .* does not resolve") as raised:
        ssh_run(nowhere(address=name), "true")
    assert (raised.value.phase, raised.value.started) == ("resolve", False)


def test_a_closed_port_is_told_soon(ssh_run: Runner) -> None:
    begun = time.monotonic()
    with pytest.raises(ShellError, match=r"web1: no connection to 127\.0\.0\.1") as raised:
        ssh_run(nowhere(port=free_port()), "true")
    assert (raised.value.phase, raised.value.started) == ("connect", False)
    assert time.monotonic() - begun < 5


@contextmanager
def listening(answer: bytes, *, hang_up: bool) -> Iterator[int]:
    """Accept connections on a port, say *answer*, and hang up or stay silent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                connection.sendall(answer)
                if hang_up:
                    connection.close()
                kept.append(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        for connection in kept:
            connection.close()


def test_a_host_that_never_answers_ends_the_wait() -> None:
    """After ten seconds by default; here the limit is shorter."""
    run = Runner(Pool(connect_limit_s=1))
    begun = time.monotonic()
    with (
        listening(b"", hang_up=False) as port,
        pytest.raises(ShellError, match="did not answer") as raised,
    ):
        run(nowhere(port=port), "true")
    assert (raised.value.phase, raised.value.started) == ("connect", False)
    assert time.monotonic() - begun < 4


def test_a_host_that_answers_a_letter_at_a_time_ends_the_wait() -> None:
    run = Runner(Pool(connect_limit_s=1))
    with (
        listening(b"wait\r\nwait\r\n", hang_up=False) as port,
        pytest.raises(ShellError, match="no SSH session") as raised,
    ):
        run(nowhere(port=port), "true")
    assert raised.value.phase == "connect"


def test_cancel_ends_the_wait_for_a_silent_host(ssh_run: Runner) -> None:
    begun = time.monotonic()
    with listening(b"", hang_up=False) as port:
        ran = ssh_run(nowhere(port=port), "true", cancelled=lambda: time.monotonic() > begun + 0.3)
    assert ran.exit.ended_by == "cancelled"
    assert ran.took_s < 2


def test_another_kind_of_server_is_told(ssh_run: Runner) -> None:
    with (
        listening(b"HTTP/1.1 400 Bad Request\r\n\r\n", hang_up=True) as port,
        pytest.raises(ShellError, match="no SSH session") as raised,
    ):
        ssh_run(nowhere(port=port), "true")
    assert raised.value.phase == "connect"


def test_a_server_that_is_too_busy_at_first_is_tried_again(ssh_run: Runner, sshd: Sshd) -> None:
    """It drops two connections, as sshd does over MaxStartups, then serves."""
    with listening_then(sshd.port, drop=2) as port:
        assert ssh_run(sshd.endpoint(port=port), "echo in").text == "in\n"


@contextmanager
def listening_then(target: int, *, drop: int) -> Iterator[int]:
    """Drop the first connections; pass the next one on to *target*."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            for _ in range(drop):
                listener.accept()[0].close()
            near, _ = listener.accept()
            far = socket.create_connection(("127.0.0.1", target))
            threading.Thread(target=copy, args=(near, far), daemon=True).start()
            copy(far, near)

        threading.Thread(target=accept, daemon=True).start()
        yield int(listener.getsockname()[1])


def copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    target.close()


# --- host keys ------------------------------------------------------------------------


def test_an_unknown_key_is_shown_and_remembered(ssh_run: Runner, sshd: Sshd) -> None:
    endpoint = sshd.endpoint(trusted_key=None)
    with pytest.raises(HostKeyUnknownError, match=r"Nothing was run.*trust it") as raised:
        ssh_run(endpoint, "true")
    assert raised.value.fingerprint == sshd.host_key.fingerprint
    assert ssh_run.endpoints.seen == [(endpoint.host.id, sshd.host_key)]


def test_a_changed_key_is_blocked_with_both_shown(ssh_run: Runner, sshd: Sshd) -> None:
    old = other_key()
    endpoint = sshd.endpoint(trusted_key=old)
    with pytest.raises(HostKeyChangedError) as raised:
        ssh_run(endpoint, "true")
    assert str(raised.value) == (
        f"web1: the host key changed (was {old.fingerprint}, now {sshd.host_key.fingerprint}). "
        "Nothing was run. If you reinstalled it, accept the new key on the host page."
    )
    assert (raised.value.trusted, raised.value.seen) == (
        old.fingerprint,
        sshd.host_key.fingerprint,
    )
    assert ssh_run.endpoints.seen == [(endpoint.host.id, sshd.host_key)]


@pytest.mark.parametrize("kind", ["rsa", "ecdsa", "ed25519"])
def test_any_key_of_a_server_with_several_can_be_the_trusted_one(
    ssh_run: Runner, many_keys: Sshd, kind: str
) -> None:
    trusted = keys.host_key(keys.load(HOST_KEYS[kind]))
    assert ssh_run(many_keys.endpoint(trusted_key=trusted), "echo in").text == "in\n"


def pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    ).decode()


HOST_KEYS = {
    "ed25519": keys.generate().private,
    "ecdsa": pem(ec.generate_private_key(ec.SECP256R1())),
    "rsa": pem(rsa.generate_private_key(65537, 2048)),
}


@pytest.fixture(scope="module")
def many_keys(sshd_factory: SshdFactory) -> Sshd:
    return sshd_factory(host_keys=tuple(HOST_KEYS.values()))


# --- hops -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hop(sshd_factory: SshdFactory) -> Sshd:
    return sshd_factory()


def test_two_hops_lead_to_the_host(ssh_run: Runner, sshd: Sshd, hop: Sshd) -> None:
    gate = hop.endpoint("gate")
    inner = sshd.endpoint("inner", jump=gate)
    ran = ssh_run(hop.endpoint("web1", jump=inner), "echo through; exit 4")
    assert (ran.text, ran.exit.exit_code) == ("through\n", 4)


def test_many_commands_share_a_hop(ssh_run: Runner, sshd: Sshd, hop: Sshd) -> None:
    gate = hop.endpoint("gate")
    for name in ("a", "b", "c"):
        assert ssh_run(sshd.endpoint(name, jump=gate), f"echo {name}").text == f"{name}\n"
    first, second = (ssh_run.pool.lease(gate) for _ in range(2))
    assert first is second


def test_the_hops_own_key_is_verified(ssh_run: Runner, sshd: Sshd, hop: Sshd) -> None:
    gate = hop.endpoint("gate", trusted_key=other_key())
    with pytest.raises(HostKeyChangedError, match=r"^gate: ") as raised:
        ssh_run(sshd.endpoint(jump=gate), "true")
    assert raised.value.host == "gate"
    assert ssh_run.endpoints.seen == [(gate.host.id, hop.host_key)]


def test_the_key_behind_a_hop_is_verified(ssh_run: Runner, sshd: Sshd, hop: Sshd) -> None:
    endpoint = sshd.endpoint(jump=hop.endpoint("gate"), trusted_key=None)
    with pytest.raises(HostKeyUnknownError, match=r"^web1: "):
        ssh_run(endpoint, "true")
    assert ssh_run.endpoints.seen == [(endpoint.host.id, sshd.host_key)]


def test_a_host_that_the_hop_cannot_reach_is_told(ssh_run: Runner, sshd: Sshd, hop: Sshd) -> None:
    endpoint = sshd.endpoint(jump=hop.endpoint("gate"), port=free_port())
    with pytest.raises(ShellError, match=r"jump host gate cannot reach 127\.0\.0\.1") as raised:
        ssh_run(endpoint, "true")
    assert (raised.value.host, raised.value.phase) == ("web1", "connect")


def test_a_hop_that_forwards_nothing_is_told(
    ssh_run: Runner, sshd: Sshd, sshd_factory: SshdFactory
) -> None:
    closed = sshd_factory(AllowTcpForwarding="no").endpoint("gate")
    with pytest.raises(ShellError, match="AllowTcpForwarding") as raised:
        ssh_run(sshd.endpoint(jump=closed), "true")
    assert raised.value.phase == "open_channel"


def test_a_hop_that_is_down_is_named(ssh_run: Runner, sshd: Sshd) -> None:
    gate = nowhere(name="gate", port=free_port())
    with pytest.raises(ShellError, match=r"^gate: no connection"):
        ssh_run(sshd.endpoint(jump=gate), "true")
