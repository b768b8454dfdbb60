"""Making one connection: reach the host, verify its key, log in."""

import logging
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import cast

import paramiko
from paramiko.common import OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED

from walissh.errors import (
    HostKeyChangedError,
    HostKeyUnknownError,
    ShellError,
    WalisshError,
)
from walissh.react.host import Endpoint, Host, HostKey
from walissh.ssh import keys, wire
from walissh.ssh.link import Link
from walissh.ssh.login import log_in
from walissh.ssh.wire import Wire

_AUTH_LIMIT_S = 20.0
_TRIES = 5
_WINDOW = 64 * 1024 * 1024  # the default 2 MiB allows 2 MiB per round trip
_CIPHERS = (
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
    "aes128-cbc",
    "aes256-cbc",
)
_LOG_NAME = "walissh.ssh.transport"


class UntrustedKeyError(WalisshError):
    """A host showed *key*, which is not the trusted one; *error* is what to raise.

    It goes to the thread that runs the command, which alone may talk to the database.
    """

    def __init__(self, error: ShellError, host_id: str, key: HostKey) -> None:
        super().__init__(str(error))
        self.error = error
        self.host_id = host_id
        self.key = key


class _DroppedError(Exception):
    """The host hung up before it said who it is, as a busy sshd does."""


def dial(
    endpoint: Endpoint, below: Link | None, close_below: Callable[[], None], limit_s: float
) -> Link:
    """Connect to the host, through *below* if it is behind a hop.

    Raises ShellError with phase resolve, connect, open_channel or authenticate, or
    UntrustedKeyError. *close_below* is for the link; it is not called on errors. *limit_s* is
    for all up to the host's key; logging in has its own limit.
    """
    with ExitStack() as opened:
        stream, transport = _shake_hands(endpoint.host, below, limit_s)
        opened.callback(stream.close)
        opened.callback(transport.close)
        _verify(transport, endpoint.host)
        log_in(transport, endpoint)
        opened.pop_all()
    return Link(endpoint, transport, stream, close_below)


def _shake_hands(host: Host, below: Link | None, limit_s: float) -> tuple[Wire, paramiko.Transport]:
    deadline = time.monotonic() + limit_s
    for attempt in range(_TRIES):
        try:
            return _reach(host, below, limit_s, deadline)
        except _DroppedError as error:
            if attempt == _TRIES - 1 or time.monotonic() > deadline - 1:
                raise _no_ssh(host, str(error)) from error
            wire.pause(attempt)
    raise AssertionError("the loop returns or raises")


def _reach(
    host: Host, below: Link | None, limit_s: float, deadline: float
) -> tuple[Wire, paramiko.Transport]:
    """Make one try; on every error what was opened is closed."""
    with ExitStack() as opened:
        stream = _through(below, host, limit_s) if below else wire.open_tcp(host, deadline)
        opened.callback(stream.close)
        left = max(deadline - time.monotonic(), 1.0)
        transport = _transport(stream, host, left)
        opened.callback(transport.close)
        _negotiate(transport, host, deadline)
        opened.pop_all()
    return stream, transport


def _through(below: Link, host: Host, limit_s: float) -> Wire:
    """Open a channel from the hop to the host."""
    target = (host.address.strip("[]"), host.port)
    try:
        channel = below.transport.open_channel(
            "direct-tcpip", target, ("127.0.0.1", 0), timeout=limit_s
        )
    except paramiko.ChannelException as error:
        raise _hop_refused(below, host, error) from error
    except (paramiko.SSHException, EOFError, OSError) as error:
        below.retire()
        raise ShellError(
            f"{host.name}: the jump host {below.name} gave no channel to it ({error}). "
            "Nothing was run. Try again, or test the jump host on the host page.",
            host=host.name,
            phase="connect",
        ) from error
    return Wire(channel)


def _hop_refused(below: Link, host: Host, error: paramiko.ChannelException) -> ShellError:
    if error.code == OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED:
        return ShellError(
            f"{host.name}: the jump host {below.name} does not forward connections. Nothing "
            "was run. Allow it there (AllowTcpForwarding in sshd_config).",
            host=host.name,
            phase="open_channel",
        )
    return ShellError(
        f"{host.name}: the jump host {below.name} cannot reach {host.address} port "
        f"{host.port} ({error.text}). Nothing was run. Check the address and port on the "
        "host page.",
        host=host.name,
        phase="connect",
    )


def _negotiate(transport: paramiko.Transport, host: Host, deadline: float) -> None:
    """Exchange versions and keys."""
    try:
        transport.start_client(timeout=max(deadline - time.monotonic(), 1.0))
        transport.get_remote_server_key()  # raises when the time ran out
    except (paramiko.SSHException, EOFError, OSError) as error:
        if time.monotonic() >= deadline - 0.2:
            raise _no_ssh(host, "it accepted the connection but did not answer") from error
        if not transport.remote_version:
            raise _DroppedError("it hung up at once") from error
        raise _no_ssh(host, str(error) or "it hung up") from error


def _transport(stream: Wire, host: Host, left: float) -> paramiko.Transport:
    transport = paramiko.Transport(cast(socket.socket, stream), default_window_size=_WINDOW)
    # its errors all reach a person as ShellError; its own log would say them twice
    logging.getLogger(_LOG_NAME).setLevel(logging.CRITICAL)
    transport.set_log_channel(_LOG_NAME)
    transport.banner_timeout = left
    transport.handshake_timeout = left
    transport.auth_timeout = _AUTH_LIMIT_S
    options = transport.get_security_options()
    options.ciphers = _CIPHERS
    options.key_types = _known_first(options.key_types, host.trusted_key)
    return transport


def _known_first(types: Sequence[str], trusted: HostKey | None) -> Sequence[str]:
    """Ask for the trusted type first, or a host with several keys would look changed."""
    if trusted is None:
        return types
    wanted = "rsa-sha2-" if trusted.type == "ssh-rsa" else trusted.type
    return tuple(sorted(types, key=lambda each: not each.startswith(wanted)))


def _verify(transport: paramiko.Transport, host: Host) -> None:
    seen = keys.host_key(transport.get_remote_server_key())
    trusted = host.trusted_key
    if trusted is None:
        raise UntrustedKeyError(_unknown(host, seen), host.id, seen)
    if (trusted.type, trusted.base64) != (seen.type, seen.base64):
        raise UntrustedKeyError(_changed(host, trusted, seen), host.id, seen)


def _unknown(host: Host, seen: HostKey) -> HostKeyUnknownError:
    return HostKeyUnknownError(
        f"{host.name}: its host key is not trusted yet ({seen.type} {seen.fingerprint}). "
        "Nothing was run. Compare it with the server's own and trust it on the host page.",
        host=host.name,
        fingerprint=seen.fingerprint,
    )


def _changed(host: Host, trusted: HostKey, seen: HostKey) -> HostKeyChangedError:
    return HostKeyChangedError(
        f"{host.name}: the host key changed (was {trusted.fingerprint}, now "
        f"{seen.fingerprint}). Nothing was run. If you reinstalled it, accept the new key on "
        "the host page.",
        host=host.name,
        trusted=trusted.fingerprint,
        seen=seen.fingerprint,
    )


def _no_ssh(host: Host, reason: str) -> ShellError:
    return ShellError(
        f"{host.name}: no SSH session with {host.address} port {host.port}: {reason}. Nothing "
        "was run. Check that an SSH server listens there and is not overloaded.",
        host=host.name,
        phase="connect",
    )
