"""Events of a talk: appended by jobs, followed by pages; replayed after a given id.

One Redis stream per session holds the events of its turns; a message on the channel of the
same name wakes the followers, who then read from the stream, so nothing falls between.
Redis may lose it all: a follower then rebuilds its page from the database.
"""

import json
import logging
import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError

from walissh.config import Settings

logger = logging.getLogger(__name__)

MAX_EVENTS = 20_000
KEEP_S = 24 * 3600
HEARTBEAT_S = 15.0
"""A lost client is noticed only on a write."""

READ_AT_ONCE = 500
RECONNECT_S = 1.0
_ID = re.compile(r"\d{1,20}-\d{1,20}")

_APPEND = """
local id = redis.call(
    'XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'name', ARGV[2], 'data', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('PUBLISH', KEYS[1], id)
return id
"""


@dataclass(frozen=True, slots=True)
class Event:
    """One event; *data* holds at least ``turn_id``."""

    id: str
    name: str
    data: Mapping[str, Any]


def is_event_id(text: str) -> bool:
    """Tell whether *text* has the form of an event's id."""
    return bool(_ID.fullmatch(text)) and max(_order(text)) < 2**64


class Stream:
    """The events of all sessions; one per process, with one listening thread."""

    def __init__(self, connection: "Redis", listener: "Redis") -> None:
        """Take a client for quick calls, and one without socket timeout to listen with."""
        self._redis = connection
        self._append = connection.register_script(_APPEND)
        self._hub = _Hub(listener)

    @classmethod
    def connect(cls, settings: Settings) -> "Stream":
        """Return a stream on the settings' Redis; connects lazily."""
        address = settings.redis_address
        # a blocking read would raise at the client's own socket timeout
        return cls(
            Redis.from_url(address, socket_connect_timeout=5, socket_timeout=10),
            Redis.from_url(address, socket_connect_timeout=5, socket_timeout=None),
        )

    def append(self, session_id: str, name: str, data: Mapping[str, object]) -> None:
        """Append an event (`react.needs.Publish`): a lost one is rebuilt from the database."""
        text = json.dumps(data, ensure_ascii=False)
        try:
            self._append(keys=[_key(session_id)], args=[MAX_EVENTS, name, text, KEEP_S])
        except RedisError as error:
            logger.warning("event lost session=%s name=%s: %s", session_id, name, error)

    def read(self, session_id: str, after: str = "0-0") -> list[Event]:
        """Return the events after the id *after*; [] if there are none or Redis is away."""
        events: list[Event] = []
        try:
            while True:
                got = self._redis.xrange(_key(session_id), f"({after}", "+", READ_AT_ONCE)
                events += [_event(each) for each in cast("list[Any]", got)]
                if len(cast("list[Any]", got)) < READ_AT_ONCE:
                    return events
                after = events[-1].id
        except RedisError as error:
            logger.warning("events not read session=%s: %s", session_id, error)
            return events

    def last_id(self, session_id: str) -> str:
        """Return the id of the newest event, "0-0" if there is none."""
        try:
            got = cast("list[Any]", self._redis.xrevrange(_key(session_id), count=1))
        except RedisError:
            return "0-0"
        return _event(got[0]).id if got else "0-0"

    def holds(self, session_id: str, event_id: str) -> bool:
        """Tell whether a replay after *event_id* would have no gap.

        An id from after the newest event was given by a Redis that has lost its memory.
        """
        try:
            oldest = cast("list[Any]", self._redis.xrange(_key(session_id), count=1))
        except RedisError:
            return False
        if not oldest:
            return False
        first, last = _event(oldest[0]).id, self.last_id(session_id)
        return _order(first) <= _order(event_id) <= _order(last)

    def follow(self, session_id: str, after: str) -> Iterator[Event | None]:
        """Yield the events after *after* as they come; None each 15 s of silence."""
        with self._hub.follower(_key(session_id)) as wake:
            while True:
                wake.clear()
                events = self.read(session_id, after)
                for each in events:
                    after = each.id
                    yield each
                if not events and not wake.wait(HEARTBEAT_S):
                    yield None


class _Hub:
    """One thread that listens for all followers of this process."""

    def __init__(self, listener: "Redis") -> None:
        self._redis = listener
        self._lock = threading.Lock()
        self._waiting: dict[str, set[threading.Event]] = defaultdict(set)
        self._thread: threading.Thread | None = None

    def follower(self, channel: str) -> "_Follower":
        return _Follower(self, channel)

    def join(self, channel: str, wake: threading.Event) -> None:
        with self._lock:
            self._waiting[channel].add(wake)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, daemon=True, name="events")
                self._thread.start()

    def leave(self, channel: str, wake: threading.Event) -> None:
        with self._lock:
            self._waiting[channel].discard(wake)
            if not self._waiting[channel]:
                del self._waiting[channel]

    def _listen(self) -> None:
        while True:
            try:
                with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:
                    # one pattern for all: subscribing per follower would race with its start
                    pubsub.psubscribe(_key("*"))
                    self._wake_all()
                    for message in pubsub.listen():
                        self._wake(message["channel"].decode())
            except RedisError as error:
                logger.warning("events: Redis is away, trying again: %s", error)
            time.sleep(RECONNECT_S)

    def _wake(self, channel: str) -> None:
        with self._lock:
            for wake in self._waiting.get(channel, ()):
                wake.set()

    def _wake_all(self) -> None:
        with self._lock:
            for waiting in self._waiting.values():
                for wake in waiting:
                    wake.set()


class _Follower:
    """Keeps a wake-up call in the hub while the follower lives."""

    def __init__(self, hub: _Hub, channel: str) -> None:
        self._hub, self._channel, self._wake = hub, channel, threading.Event()

    def __enter__(self) -> threading.Event:
        self._hub.join(self._channel, self._wake)
        return self._wake

    def __exit__(self, *_: object) -> None:
        self._hub.leave(self._channel, self._wake)


def _key(session_id: str) -> str:
    return f"walissh:events:{session_id}"


def _event(raw: tuple[bytes, dict[bytes, bytes]]) -> Event:
    event_id, fields = raw
    return Event(event_id.decode(), fields[b"name"].decode(), json.loads(fields[b"data"]))


def _order(event_id: str) -> tuple[int, int]:
    first, _, second = event_id.partition("-")
    return int(first), int(second or 0)
