"""The queues: RQ on Redis, one queue for turns and one for commands.

A lost job loses nothing: the database knows what is due, and upkeep queues it again; a
job that comes twice finds its step claimed.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import ShutDownImminentException
from rq.serializers import JSONSerializer
from rq.timeouts import BaseTimeoutException

from walissh.config import Settings
from walissh.errors import QueueError
from walissh.react.turn import CommandRun, Turn

logger = logging.getLogger(__name__)

JOB_ENDS: tuple[type[BaseException], ...] = (BaseTimeoutException, ShutDownImminentException)
"""What ends a job from outside: nothing inside it may take these for a fault of its own."""

TURNS = "turns"
COMMANDS = "commands"
THINK_LIMIT_S = 30 * 60
BRIEF_S = 0.2
GRACE_S = 120
"""What a job may take beyond its command's own limit: connecting, ending, storing."""


def connect(settings: Settings) -> "Redis":
    """Return a client for commands that answer at once; connects lazily."""
    return Redis.from_url(
        settings.redis_address,
        socket_connect_timeout=5,
        socket_timeout=10,
        health_check_interval=30,
    )


def connect_briefly(settings: Settings) -> "Redis":
    """Return a client for what a turn can do without: it waits a moment and never retries.

    The client's own retries take seconds for each call while Redis is away.
    """
    return Redis.from_url(
        settings.redis_address,
        socket_connect_timeout=BRIEF_S,
        socket_timeout=BRIEF_S,
        retry=Retry(NoBackoff(), 0),
    )


class JobQueue:
    """Puts the next step in the queue (`react.needs.Enqueue`)."""

    def __init__(self, connection: "Redis") -> None:
        self._turns = Queue(TURNS, connection=connection, serializer=JSONSerializer)
        self._commands = Queue(COMMANDS, connection=connection, serializer=JSONSerializer)

    def think(self, turn: Turn) -> None:
        """Queue the next model call of *turn*."""
        job_id = f"think-{turn.id}-{turn.step}-{turn.attempt}"
        with _left_to_upkeep(job_id):
            self._put(
                self._turns,
                "workers.turns.think",
                (turn.id, turn.step),
                job_id=job_id,
                limit_s=THINK_LIMIT_S,
            )

    def act(self, run: CommandRun) -> None:
        """Queue one approved command."""
        job_id = f"act-{run.id}"
        with _left_to_upkeep(job_id):
            self._put(
                self._commands,
                "workers.commands.act",
                (run.id,),
                job_id=job_id,
                limit_s=run.limit_s + GRACE_S,
            )

    def finish(self, turn_id: str) -> None:
        """Queue the after-work of an ended turn."""
        job_id = f"finish-{turn_id}"
        with _left_to_upkeep(job_id):
            self._put(
                self._turns, "workers.turns.finish", (turn_id,), job_id=job_id, limit_s=GRACE_S
            )

    def compact(self, turn_id: str) -> None:
        """Queue the folding of what is old in a turn's session."""
        job_id = f"compact-{turn_id}"
        with _left_to_upkeep(job_id):
            self._put(
                self._turns,
                "workers.turns.compact",
                (turn_id,),
                job_id=job_id,
                limit_s=THINK_LIMIT_S,
            )

    def check_host(self, host_id: str) -> None:
        """Queue one contact with a host; its result stands in the host's row.

        Raises QueueError: nothing else would ever queue it.
        """
        self._put(
            self._commands,
            "workers.commands.check_host",
            (host_id,),
            job_id=f"check-{host_id}",
            limit_s=GRACE_S,
        )

    def ahead_of(self, run: CommandRun) -> int | None:
        """Return how many commands stand before this one, None if it is not in the queue."""
        with _translated():
            position = self._commands.get_job_position(f"act-{run.id}")
        return None if position is None else int(position)

    @staticmethod
    def _put(
        queue: Queue, function: str, args: tuple[object, ...], *, job_id: str, limit_s: int
    ) -> None:
        with _translated():
            if queue.get_job_position(job_id) is not None:
                return  # upkeep asks again while a long queue has not come to it
            queue.enqueue_call(
                function,
                args=args,
                job_id=job_id,
                timeout=limit_s,
                result_ttl=0,
                failure_ttl=24 * 3600,
            )


@contextmanager
def _left_to_upkeep(job_id: str) -> Iterator[None]:
    """The step is stored: when Redis is back, upkeep finds it due and queues it."""
    try:
        yield
    except QueueError as error:
        logger.warning("not queued yet job=%s: %s", job_id, error)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        raise QueueError(f"Redis did not answer: {error}") from error
