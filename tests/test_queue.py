"""Steps are put in the queue once, with room for their own limits."""

from dataclasses import replace

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tests.fakes import call
from tests.world import World
from walissh.errors import QueueError
from walissh.react.turn import CommandRun
from walissh.store.queue import COMMANDS, GRACE_S, TURNS, JobQueue


@pytest.fixture
def redis(redis_url: str) -> "Redis":
    """A client of a real, empty server."""
    return Redis.from_url(redis_url)


def a_run(world: World) -> CommandRun:
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    return world.runs(turn)[0]


def test_a_command_of_half_an_hour_outlives_the_default_limit_of_a_job(
    world: World, redis: "Redis"
) -> None:
    run = replace(a_run(world), limit_s=1800)
    JobQueue(redis).act(run)
    job = Job.fetch(f"act-{run.id}", connection=redis, serializer=JSONSerializer)
    assert job.timeout == 1800 + GRACE_S > Queue.DEFAULT_TIMEOUT


def test_a_step_that_is_queued_twice_stands_there_once(world: World, redis: "Redis") -> None:
    queue, turn = JobQueue(redis), world.ask()
    queue.think(turn)
    queue.think(turn)
    assert Queue(TURNS, connection=redis, serializer=JSONSerializer).count == 1


def test_a_command_knows_how_many_stand_before_it(world: World, redis: "Redis") -> None:
    queue, run = JobQueue(redis), a_run(world)
    others = [replace(run, id=f"other-{n}") for n in range(2)]
    for each in (*others, run):
        queue.act(each)
    assert queue.ahead_of(run) == 2
    Queue(COMMANDS, connection=redis, serializer=JSONSerializer).empty()
    assert queue.ahead_of(run) is None


def test_jobs_take_ids_as_json_and_no_pickle(world: World, redis: "Redis") -> None:
    turn = world.ask()
    JobQueue(redis).think(turn)
    job = Job.fetch(f"think-{turn.id}-0-0", connection=redis, serializer=JSONSerializer)
    assert (job.func_name, list(job.args)) == ("workers.turns.think", [turn.id, 0])


def test_with_redis_away_a_step_is_left_to_upkeep_and_a_check_is_refused(world: World) -> None:
    queue = JobQueue(Redis(port=1, socket_connect_timeout=1))
    queue.think(world.ask())
    with pytest.raises(QueueError):
        queue.check_host("h")
