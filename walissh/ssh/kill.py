"""Ending a command on the far side, over a second channel."""

import secrets
import select
import time

import paramiko

from walissh.errors import WalisshError
from walissh.ssh import remote
from walissh.ssh.link import Link
from walissh.ssh.pool import Pool

_LIMIT_S = 4.5  # of the five seconds within which a stopped command is gone


def end_remote(pool: Pool, link: Link, run_id: str, started: remote.Started) -> str:
    """End all that the run started; return "" or what may still run, and where.

    Uses the same connection, beyond its places for commands, or else a new one.
    """
    deadline = time.monotonic() + _LIMIT_S
    left = _over_link(link, run_id, started, deadline)
    if left is None:
        left = _over_new_link(pool, link, run_id, started, deadline)
    if left is None:
        return (
            f"{link.name}: it could not be confirmed that the command has ended. Process group "
            f"{started.pid} may still run there; look with: ps -g {started.pid}"
        )
    if left:
        ids = " ".join(map(str, left))
        return (
            f"{link.name}: some of the command could not be ended (another user's process?) and "
            f"still runs: process {ids}. End it there with: sudo kill {ids}"
        )
    return ""


def _over_link(
    link: Link, run_id: str, started: remote.Started, deadline: float
) -> list[int] | None:
    """Return the ids still there; None if the host could not be asked."""
    if not link.transport.is_active():
        return None
    mark = f"walissh-{secrets.token_hex(8)}"
    try:
        channel = link.open_session()
    except (paramiko.SSHException, EOFError, OSError):
        return None
    try:
        link.start(channel, remote.kill_line(mark, run_id, started))
        channel.shutdown_write()
        text = _read_all(link, channel, deadline)
    except (paramiko.SSHException, EOFError, OSError):
        return None
    finally:
        channel.close()
    return remote.parse_left(text, mark)


def _over_new_link(
    pool: Pool, link: Link, run_id: str, started: remote.Started, deadline: float
) -> list[int] | None:
    link.retire()
    try:
        other = pool.lease(link.endpoint, gave_up=lambda: time.monotonic() > deadline)
    except WalisshError:
        return None
    if other is None:
        return None
    try:
        return _over_link(other, run_id, started, deadline)
    finally:
        other.give_back()


def _read_all(link: Link, channel: paramiko.Channel, deadline: float) -> str:
    """Read its output to the end; what there is when the time is up."""
    said = b""
    poll = select.poll()
    poll.register(channel.fileno(), select.POLLIN)
    while time.monotonic() < deadline and link.beat():
        poll.poll(100)
        if channel.recv_stderr_ready():
            channel.recv_stderr(65536)
        if channel.recv_ready():
            said += channel.recv(65536)
        elif channel.eof_received or channel.closed:
            break
    return said.decode("ascii", "replace")
