"""The connections of this process, shared by all commands."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from dataclasses import dataclass, field

import paramiko

from walissh.errors import ShellError, WalisshError
from walissh.react.host import Endpoint
from walissh.ssh import wire
from walissh.ssh.connect import dial
from walissh.ssh.hosts import route
from walissh.ssh.link import Link

_IDLE_S = 300.0
_CONNECT_LIMIT_S = 10.0
_POLL_S = 0.1
_OPEN_TRIES = 5

_Route = tuple[tuple[str, int], ...]


def _never() -> bool:
    return False


def _nothing() -> None:
    return None


@dataclass(slots=True)
class _Group:
    """The connections of one route, and the one attempt to make another."""

    links: list[Link] = field(default_factory=list)
    flight: Future[None] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Pool:
    """Connections by route, each with its own lock: a slow host delays no other one.

    Connecting happens in a thread per attempt; all who wait for the same host share its
    outcome, good or bad.
    """

    def __init__(
        self, *, idle_s: float = _IDLE_S, connect_limit_s: float = _CONNECT_LIMIT_S
    ) -> None:
        self._idle_s = idle_s
        self._connect_limit_s = connect_limit_s
        self._groups: dict[_Route, _Group] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._sweeper: threading.Thread | None = None

    def lease(self, endpoint: Endpoint, *, gave_up: Callable[[], bool] = _never) -> Link | None:
        """Return a connection with a place taken on it; None if *gave_up* turned true.

        The place is freed by ``link.give_back()``. Raises ShellError or
        UntrustedKeyError.
        """
        group = self._group(endpoint)
        while not gave_up():
            with group.lock:
                for link in group.links:
                    if link.take():
                        return link
                flight = group.flight or self._take_off(group, endpoint)
            _wait(flight, endpoint, gave_up)
        return None

    def open_session(
        self, endpoint: Endpoint, *, gave_up: Callable[[], bool] = _never
    ) -> tuple[Link, paramiko.Channel] | None:
        """Lease a connection and open a session channel; None if *gave_up* turned true.

        A refused channel is tried again, after a while or on another connection.
        """
        for attempt in range(_OPEN_TRIES):
            link = self.lease(endpoint, gave_up=gave_up)
            if link is None:
                return None
            channel = _try_open(link, last=attempt == _OPEN_TRIES - 1)
            if channel is not None:
                return link, channel
            wire.pause(attempt)
        raise AssertionError("the last try returns or raises")

    def retire(self, host_id: str) -> None:
        """Make no further use of the connections to a host; running commands go on."""
        with self._lock:
            groups = [
                group for way, group in self._groups.items() if host_id in (i for i, _ in way)
            ]
        for group in groups:
            with group.lock:
                links, group.links = group.links, []
            for link in links:
                link.retire()

    def close(self) -> None:
        """Close every connection; commands that still run lose theirs."""
        self._closing.set()
        with self._lock:
            groups, self._groups = list(self._groups.values()), {}
        for group in groups:
            for link in list(group.links):
                link.close()

    def _group(self, endpoint: Endpoint) -> _Group:
        with self._lock:
            return self._groups.setdefault(route(endpoint), _Group())

    def _take_off(self, group: _Group, endpoint: Endpoint) -> Future[None]:
        """Start connecting; the caller holds the group's lock."""
        flight: Future[None] = Future()
        group.flight = flight
        threading.Thread(
            target=self._fly,
            args=(group, endpoint, flight),
            name=f"ssh-connect-{endpoint.host.name}",
            daemon=True,
        ).start()
        return flight

    def _fly(self, group: _Group, endpoint: Endpoint, flight: Future[None]) -> None:
        error: WalisshError | None = None
        link: Link | None = None
        try:
            link = self._connect(endpoint)
        except WalisshError as refused:
            error = refused
        finally:
            self._land(group, link)
            if error is not None:
                flight.set_exception(error)
            elif link is not None:
                flight.set_result(None)
            else:
                flight.cancel()  # an unforeseen error: nobody may wait for ever

    def _land(self, group: _Group, link: Link | None) -> None:
        with group.lock:
            group.flight = None
            group.links = [each for each in group.links if each.alive]
            if link is not None:
                group.links.append(link)
        if link is not None:
            self._start_sweeper()
            if self._closing.is_set():
                link.close()

    def _connect(self, endpoint: Endpoint) -> Link:
        if endpoint.jump is None:
            return dial(endpoint, None, _nothing, self._connect_limit_s)
        below = self.lease(endpoint.jump)
        assert below is not None  # noqa: S101  nobody gives up here
        with ExitStack() as place:  # freed on every way out that gives no link
            place.callback(below.give_back)
            link = dial(endpoint, below, below.give_back, self._connect_limit_s)
            place.pop_all()
        return link

    def _start_sweeper(self) -> None:
        with self._lock:
            if self._sweeper is None:
                self._sweeper = threading.Thread(target=self._sweep, name="ssh-sweep", daemon=True)
                self._sweeper.start()

    def _sweep(self) -> None:
        while not self._closing.wait(min(self._idle_s / 2, 30.0)):
            with self._lock:
                groups = list(self._groups.values())
            for group in groups:
                self._sweep_group(group)
            self._forget_empty()

    def _sweep_group(self, group: _Group) -> None:
        with group.lock:
            old = [each for each in group.links if each.idle_s() > self._idle_s]
            group.links = [each for each in group.links if each.alive and each not in old]
        for link in old:
            link.retire()

    def _forget_empty(self) -> None:
        """Drop groups without connections, such as those of older revisions."""
        with self._lock:
            for way, group in list(self._groups.items()):
                if not group.links and group.flight is None and not group.lock.locked():
                    del self._groups[way]


def _wait(flight: Future[None], endpoint: Endpoint, gave_up: Callable[[], bool]) -> None:
    while not gave_up():
        try:
            flight.result(timeout=_POLL_S)
        except TimeoutError:
            continue
        except CancelledError as error:
            raise ShellError(
                f"{endpoint.host.name}: connecting failed for a reason that is in WaLiSSH's "
                "log. Nothing was run. Try again.",
                host=endpoint.host.name,
                phase="connect",
            ) from error
        return


def _try_open(link: Link, *, last: bool) -> paramiko.Channel | None:
    """Open a session channel; None if it is worth another try.

    The place on *link* is freed unless a channel is returned.
    """
    with ExitStack() as place:
        place.callback(link.give_back)
        try:
            channel = link.open_session()
        except paramiko.ChannelException as error:
            link.shrink()
            reason = f"it refused another channel: {error.text}"
            cause: Exception = error
        except (paramiko.SSHException, EOFError, OSError) as error:
            link.retire()
            reason, cause = f"the connection is dead ({error})", error
        else:
            place.pop_all()
            return channel
    if not last:
        return None
    raise ShellError(
        f"{link.name}: no session on it: {reason}. Nothing was run. Try again later, or raise "
        "MaxSessions in its sshd_config.",
        host=link.name,
        phase="open_channel",
    ) from cause
