"""The thread in Redis and in the database: the database is the truth, Redis may do anything."""

from dataclasses import replace
from typing import Never, cast

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import TimeoutError as NoAnswerError
from redis.retry import Retry

from tests.world import World
from walissh.memory.working import PLAN, StepStatus, SubTask, TaskState
from walissh.react import plan
from walissh.react.followed import Asked, Intended, Intent, Meant, Tracked
from walissh.store import sessions, tracked
from walissh.store.tracked import TrackedSessions
from walissh.store.working import WorkingMemory

OPEN = plan.updated(TaskState(), ["stop it", "copy it"], "move the shop")
LEFT = plan.updated(OPEN, ["renew it"], "renew the certificate")
FULL = Tracked(
    intents=(Intended(Intent.CONTINUE, 0.9, "rule", "resumes"),),
    hosts=("web1", "db1"),
    service="nginx",
    goal="移动商店 🔥",
    plan=LEFT,
    answered=Asked("Which one?", ("web1", "db1")),
    meant=Meant("the other one", ("web1",)),
    resume=True,
    turn_id="t1",
)


def client(url: str) -> Redis:
    """Return a client as the product's own: it waits a moment and never retries."""
    return Redis.from_url(
        url, socket_timeout=0.2, socket_connect_timeout=0.2, retry=Retry(NoBackoff(), 0)
    )


class Kept:
    """The threads of one session on a real server."""

    def __init__(self, world: World, url: str) -> None:
        self.redis = client(url)
        self.working = WorkingMemory(self.redis)
        self.threads = TrackedSessions(self.redis, self.working)
        self.place = (world.session.id, world.person.id)

    def save(self, thread: Tracked) -> Tracked:
        return self.threads.save(*self.place, thread)

    def load(self) -> Tracked | None:
        return self.threads.load(*self.place)

    @property
    def keys(self) -> set[str]:
        return {str(key, "utf-8") for key in self.redis.scan_iter()}


@pytest.fixture
def kept(world: World, redis_url: str) -> Kept:
    return Kept(world, redis_url)


def test_a_thread_comes_back_as_it_was_kept(kept: Kept) -> None:
    saved = kept.save(FULL)
    assert saved == replace(FULL, version=1)
    assert kept.load() == saved


def test_a_session_without_a_thread_has_none(kept: Kept) -> None:
    assert kept.load() is None


def test_another_person_gets_none_of_it(kept: Kept) -> None:
    kept.save(FULL)
    assert kept.threads.load(kept.place[0], "someone") is None


def test_another_person_keeps_nothing_in_it(kept: Kept) -> None:
    saved = kept.save(FULL)
    assert tracked.keep(kept.place[0], "someone", replace(saved, goal="not hers")) is None
    assert kept.load() == saved


def test_a_session_that_is_gone_is_not_told_as_kept(kept: Kept) -> None:
    sessions.remove(*kept.place)
    assert kept.save(FULL) == FULL
    assert kept.keys == set()


def test_the_copy_in_redis_is_what_is_read(kept: Kept) -> None:
    saved = kept.save(FULL)
    kept.threads.cache(*kept.place, replace(saved, service="seen in redis"))
    now = kept.load()
    assert now is not None
    assert now.service == "seen in redis"


def test_an_emptied_redis_loses_nothing_and_is_filled_again(kept: Kept) -> None:
    saved = kept.save(FULL)
    kept.redis.flushall()
    assert kept.load() == saved
    assert len(kept.keys) == 2


def test_a_plan_that_expired_comes_from_the_database(kept: Kept) -> None:
    saved = kept.save(FULL)
    session, user = kept.place
    kept.redis.delete(f"wm:{user}:{session}:{PLAN}")
    assert kept.load() == saved


def test_a_copy_that_is_older_than_the_database_is_not_used(kept: Kept) -> None:
    saved = kept.save(FULL)
    newer = tracked.keep(*kept.place, replace(saved, goal="a newer goal"))
    assert kept.load() == newer


def test_a_copy_that_is_newer_than_the_database_is_not_used(kept: Kept) -> None:
    saved = kept.save(FULL)
    kept.threads.cache(*kept.place, replace(saved, goal="never stored", version=9))
    assert kept.load() == saved


def test_a_plan_of_another_version_than_the_copy_is_not_used(kept: Kept) -> None:
    saved = kept.save(FULL)
    session, user = kept.place
    other = plan.updated(saved.plan, ["drop it"], "what another worker is about to keep")
    kept.working.plan(user, session, PLAN, replace(other, notes={"thread_version": 2}))
    assert kept.load() == saved


def test_a_plan_that_says_no_version_is_not_used(kept: Kept) -> None:
    saved = kept.save(FULL)
    session, user = kept.place
    kept.working.plan(user, session, PLAN, plan.updated(saved.plan, ["drop it"], ""))
    assert kept.load() == saved


@pytest.mark.parametrize("where", ["goal", "step"])
def test_half_of_a_surrogate_pair_breaks_nothing(kept: Kept, where: str) -> None:
    half = "half a \ud83d"
    odd = replace(FULL, goal=half)
    if where == "step":
        odd = replace(FULL, plan=TaskState(half, (SubTask("a", half),)))
    saved = kept.save(odd)
    assert kept.load() == saved


@pytest.mark.parametrize("raw", ["", "{", "[]", "null", '{"version": 1}', '{"plan": 7}'])
def test_a_copy_that_cannot_be_read_is_not_used(kept: Kept, raw: str) -> None:
    saved = kept.save(FULL)
    session, user = kept.place
    kept.redis.set(f"ctx:{user}:{session}", raw)
    assert kept.load() == saved


def test_a_copy_of_another_kind_is_not_used(kept: Kept) -> None:
    saved = kept.save(FULL)
    session, user = kept.place
    kept.redis.delete(f"ctx:{user}:{session}")
    kept.redis.lpush(f"ctx:{user}:{session}", "x")
    assert kept.load() == saved


def test_a_worker_that_comes_back_late_overwrites_nothing(kept: Kept) -> None:
    early = kept.save(FULL)
    newer = kept.save(replace(early, goal="what another worker kept"))
    assert kept.save(replace(early, goal="too late")) == newer
    assert kept.load() == newer


def test_an_ended_plan_leaves_working_memory(kept: Kept) -> None:
    saved = kept.save(FULL)
    done = plan.updated(saved.plan, [{"title": "renew it", "status": "done"}], "")
    after = kept.save(replace(saved, plan=done))
    assert kept.load() == after
    assert not any(key.startswith("wm:") for key in kept.keys)


def test_a_deleted_session_leaves_nothing_in_redis(kept: Kept) -> None:
    kept.save(FULL)
    sessions.remove(*kept.place)
    kept.threads.forget(*kept.place)
    assert kept.keys == set()
    assert kept.load() is None
    assert kept.keys == set()


def test_with_redis_away_the_thread_is_the_same(world: World) -> None:
    kept = Kept(world, "redis://127.0.0.1:1")
    saved = kept.save(FULL)
    assert kept.load() == saved
    kept.threads.forget(*kept.place)


class Silent:
    """A connection to a server that never answers; it counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def silence(self, *given: object, **options: object) -> Never:
        self.asked += 1
        raise NoAnswerError("no answer")

    get = set = delete = unlink = pipeline = silence

    def register_script(self, script: str) -> object:
        return self.silence


def test_a_silent_redis_is_waited_for_once(world: World) -> None:
    silent = Silent()
    connection = cast("Redis", silent)
    threads = TrackedSessions(connection, WorkingMemory(connection))
    place = (world.session.id, world.person.id)
    saved = threads.save(*place, FULL)
    assert [threads.load(*place) for _ in range(10)] == [saved] * 10
    assert silent.asked == 1


def test_a_redis_that_was_away_is_filled_when_it_is_there(world: World, redis_url: str) -> None:
    kept = Kept(world, "redis://127.0.0.1:1")
    saved = kept.save(FULL)
    back = Kept(world, redis_url)
    assert back.load() == saved
    assert len(back.keys) == 2


def test_a_step_that_waits_for_another_survives_the_store(kept: Kept) -> None:
    steps = (
        SubTask("a", "stop it", StepStatus.FAILED, result={"text": "no rights"}),
        SubTask("b", "copy it", StepStatus.BLOCKED, after=("a",), history=({"status": "done"},)),
    )
    saved = kept.save(replace(FULL, plan=TaskState("move", steps)))
    assert tracked.snapshot(*kept.place) == saved
    assert kept.load() == saved
