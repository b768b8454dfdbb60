"""Events are replayed after an id, without gap or repeat, and wake their followers."""

import threading
from collections.abc import Iterator

import pytest
from redis import Redis

from walissh.stream import Event, Stream, is_event_id


@pytest.fixture
def stream(redis_url: str) -> Stream:
    """A stream on a real, empty server."""
    Redis.from_url(redis_url).flushall()
    return Stream(Redis.from_url(redis_url), Redis.from_url(redis_url))


def take(events: Iterator[Event | None], count: int) -> list[str]:
    return [each.data["n"] for each in (next(events) for _ in range(count)) if each]


def test_a_late_follower_gets_all_from_the_beginning(stream: Stream) -> None:
    for number in range(3):
        stream.append("s1", "text", {"n": number})
    assert take(stream.follow("s1", "0-0"), 3) == [0, 1, 2]


def test_a_follower_that_comes_back_goes_on_where_it_was(stream: Stream) -> None:
    for number in range(4):
        stream.append("s1", "text", {"n": number})
    second = stream.read("s1")[1]
    assert take(stream.follow("s1", second.id), 2) == [2, 3]


def test_a_waiting_follower_is_woken(stream: Stream) -> None:
    follower = stream.follow("s1", "0-0")
    timer = threading.Timer(0.2, stream.append, ("s1", "text", {"n": 7}))
    timer.start()
    assert take(follower, 1) == [7]
    timer.join()


def test_sessions_do_not_hear_each_other(stream: Stream) -> None:
    stream.append("s1", "text", {"n": 1})
    assert stream.read("s2") == []


def test_a_long_replay_comes_whole(stream: Stream) -> None:
    for number in range(1203):
        stream.append("s1", "text", {"n": number})
    assert [event.data["n"] for event in stream.read("s1")] == list(range(1203))


def test_chinese_and_emoji_come_back_as_they_were(stream: Stream) -> None:
    stream.append("s1", "text", {"n": "磁盘满了 🔥"})
    assert stream.read("s1")[0].data["n"] == "磁盘满了 🔥"


def test_a_stream_that_was_lost_does_not_hold_an_old_id(stream: Stream) -> None:
    stream.append("s1", "text", {"n": 1})
    seen = stream.last_id("s1")
    assert stream.holds("s1", seen)
    stream._redis.flushall()
    assert not stream.holds("s1", seen)
    stream.append("s1", "text", {"n": 2})
    assert not stream.holds("s1", seen)


def test_with_redis_away_an_event_is_lost_and_nothing_breaks() -> None:
    away = Redis(port=1, socket_connect_timeout=1)
    stream = Stream(away, away)
    stream.append("s1", "text", {"n": 1})
    assert stream.read("s1") == []


@pytest.mark.parametrize(
    ("text", "valid"), [("1-0", True), ("", False), ("x", False), ("1", False)]
)
def test_the_form_of_an_id_is_checked(text: str, valid: bool) -> None:
    assert is_event_id(text) is valid


def test_an_id_from_the_future_is_not_held(stream: Stream) -> None:
    stream.append("s1", "text", {"n": 1})
    assert not stream.holds("s1", "9999999999999-0")
    assert not is_event_id("99999999999999999999-0")
