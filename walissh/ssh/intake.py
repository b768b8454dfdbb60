"""Reading both streams of a channel without ever letting one wait for the other."""

import select
import time
from collections import deque

import paramiko

from walissh.ssh.output import Outlet, StreamName

_READ_BYTES = 8 * 1024 * 1024  # much at once: paramiko's buffer is slow to cut
_SLICE_BYTES = 32 * 1024


class Intake:
    """Moves what arrives on *channel* to *outlet*, a slice at a time.

    Slices keep the limit and the cancelling prompt while a flood is purified; nothing
    more is taken from the channel before they are done, so memory stays bounded by the
    channel's window.
    """

    def __init__(self, channel: paramiko.Channel, outlet: Outlet) -> None:
        self._channel = channel
        self._outlet = outlet
        self._backlog: deque[tuple[StreamName, memoryview]] = deque()
        self.heard_at = 0.0

    def take(self) -> bool:
        """Give one slice to the outlet; False if nothing has arrived."""
        if not self._backlog and not self._fetch():
            return False
        stream, data = self._backlog.popleft()
        if len(data) > _SLICE_BYTES:
            self._backlog.appendleft((stream, data[_SLICE_BYTES:]))
        self._outlet.feed(stream, bytes(data[:_SLICE_BYTES]))
        self.heard_at = time.monotonic()
        return True

    def pending(self) -> bool:
        """Tell whether something has arrived that is not taken yet."""
        channel = self._channel
        return bool(self._backlog) or channel.recv_ready() or channel.recv_stderr_ready()

    def at_eof(self) -> bool:
        """Tell whether all has been taken and nothing more can come."""
        ended = bool(self._channel.eof_received or self._channel.closed)
        return ended and not self.pending()

    def wait(self, timeout_s: float) -> None:
        """Wait until something arrives, the process has ended, or the time is up."""
        if self._backlog or timeout_s <= 0:
            return
        if self._channel.eof_received or self._channel.closed:
            self._channel.status_event.wait(timeout_s)
            return
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN)
        poll.poll(timeout_s * 1000)

    def _fetch(self) -> bool:
        channel = self._channel
        if channel.recv_ready():
            self._backlog.append(("stdout", memoryview(channel.recv(_READ_BYTES))))
        if channel.recv_stderr_ready():
            self._backlog.append(("stderr", memoryview(channel.recv_stderr(_READ_BYTES))))
        return bool(self._backlog)
