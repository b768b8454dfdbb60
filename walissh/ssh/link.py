"""One authenticated connection to one host, with its channels counted."""

import threading
import time
from collections.abc import Callable

import paramiko
from paramiko.common import cMSG_CHANNEL_REQUEST, cMSG_GLOBAL_REQUEST

from walissh.react.host import Endpoint
from walissh.ssh.wire import Wire, send_message

MAX_CHANNELS = 8  # a stock sshd refuses the 11th; the rest is for ending commands
BEAT_S = 1.0
_STALE_S = 0.5
_OPEN_LIMIT_S = 10.0
_STALE_OPEN_LIMIT_S = 4.0
MAX_UNANSWERED = 3


class Link:
    """A transport and the room in it; *close_below* gives back the hop's channel."""

    def __init__(
        self,
        endpoint: Endpoint,
        transport: paramiko.Transport,
        wire: Wire,
        close_below: Callable[[], None],
    ) -> None:
        self.endpoint = endpoint
        self.transport = transport
        self.retired = False
        self._wire = wire
        self._close_below = close_below
        self._lock = threading.Lock()
        self._taken = 0
        self._room = MAX_CHANNELS
        self._used_at = time.monotonic()
        self._beat_at = 0.0
        self._unanswered = 0
        self._closed = False

    @property
    def name(self) -> str:
        """The host's name."""
        return self.endpoint.host.name

    @property
    def alive(self) -> bool:
        """Tell whether new channels may be opened on it."""
        return not self.retired and self.transport.is_active()

    def take(self) -> bool:
        """Take one of the places for a channel; False if all are taken."""
        with self._lock:
            if not self.alive or self._taken >= self._room:
                return False
            self._taken += 1
            return True

    def give_back(self) -> None:
        """Free one place; the last one of a retired connection closes it."""
        with self._lock:
            self._taken -= 1
            self._used_at = time.monotonic()
            unused = self._taken == 0 and not self.alive
        if unused:
            self.close()

    def shrink(self) -> None:
        """Learn from a refusal: this host allows no more channels than are open now."""
        with self._lock:
            self._room = max(1, min(self._room, self._taken - 1))

    def open_session(self) -> paramiko.Channel:
        """Open a session channel; a silent connection gets less time to answer.

        Raises paramiko.ChannelException when the host refuses, else SSHException or
        EOFError.
        """
        silent_s = time.monotonic() - self._wire.heard_at
        limit_s = _STALE_OPEN_LIMIT_S if silent_s > _STALE_S else _OPEN_LIMIT_S
        return self.transport.open_session(timeout=limit_s)

    def start(self, channel: paramiko.Channel, line: str) -> None:
        """Run *line*, not waiting for the host's word; a refusal closes the channel.

        (paramiko's own call waits without a limit.)
        """
        request = paramiko.Message()
        request.add_byte(cMSG_CHANNEL_REQUEST)
        request.add_int(channel.remote_chanid)
        request.add_string("exec")
        request.add_boolean(True)
        request.add_string(line)
        send_message(self.transport, request)

    def idle_s(self) -> float:
        """Seconds without any channel; 0 while one is taken."""
        with self._lock:
            return 0.0 if self._taken else time.monotonic() - self._used_at

    def retire(self) -> None:
        """Take no new channels; close as soon as the running ones are done."""
        with self._lock:
            self.retired = True
            unused = self._taken == 0
        if unused:
            self.close()

    def close(self) -> None:
        """Close the connection and give the hop's channel back; once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self.retired = True
        self.transport.close()
        self._wire.close()
        self._close_below()

    def beat(self) -> bool:
        """Ask the other side for a sign of life when it is silent; False: it is dead.

        To be called often. Beats are counted, not seconds, so that a pause of our own
        process is not taken for a death of the host.
        """
        if not self.transport.is_active():
            return False
        with self._lock:
            now = time.monotonic()
            if self._wire.heard_at > self._beat_at:
                self._unanswered = 0
            if now - max(self._wire.heard_at, self._beat_at) < BEAT_S:
                return True
            self._beat_at = now
            self._unanswered += 1
            dead = self._unanswered > MAX_UNANSWERED
        if not dead:
            self._ask()
        return not dead

    def _ask(self) -> None:
        # keys being exchanged: sending would block, and the other side owes an answer anyway
        if not self.transport.clear_to_send.is_set():
            return
        request = paramiko.Message()
        request.add_byte(cMSG_GLOBAL_REQUEST)
        request.add_string("keepalive@openssh.com")
        request.add_boolean(True)
        send_message(self.transport, request)
