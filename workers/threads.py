"""RQ workers as threads of one process, so that its jobs share connections and pools.

RQ has no worker for threads: this is its SimpleWorker with a loop, a timeout and
heartbeats that suit a thread.
"""

import logging
import threading
import time
from collections.abc import Sequence
from typing import Literal

import redis
from flask import Flask
from rq import Queue, SimpleWorker
from rq.exceptions import DequeueTimeout
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import TimerDeathPenalty

from walissh.errors import WalisshError
from workers import failures, janitor, process
from workers.process import process_name, stopping

__all__ = [
    "QueueName",
    "ThreadWorker",
    "WorkerDiedError",
    "process_name",
    "run_workers",
    "stopping",
]

logger = logging.getLogger(__name__)

QueueName = Literal["turns", "commands"]

DEQUEUE_LIMIT_S = 2
WORKER_TTL_S = DEQUEUE_LIMIT_S + 15
"""RQ derives from it how long a read of Redis may take: the dequeue limit and 10 s."""
JOB_TTL_S = 8
"""A job of a killed process is given up when its last heartbeat is as old as this."""
PULSE_EVERY_S = 2.0
STOP_LIMIT_S = 3.0
LONGEST_PAUSE_S = 2.0


class WorkerDiedError(WalisshError):
    """A thread ended that should run for ever; the process ends and is started again."""


class DaemonTimerDeathPenalty(TimerDeathPenalty):
    """RQ's time limit for threads, with a timer that does not hold up the end."""

    def new_timer(self) -> threading.Timer:
        """Return a timer on a daemon thread."""
        timer = threading.Timer(self._timeout, self.handle_death_penalty)
        timer.daemon = True
        return timer


class ThreadWorker(SimpleWorker):
    """One thread's worker: one queue, so that RQ takes jobs by BLMOVE and loses none."""

    death_penalty_class = DaemonTimerDeathPenalty

    def __init__(self, app: Flask, name: QueueName, connection: redis.Redis) -> None:
        super().__init__(
            [name],
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=WORKER_TTL_S,
            log_job_description=False,
            exception_handlers=[failures.put_right],
        )
        self.log_result_lifespan = False
        self._app = app
        self._running: tuple[Job, Execution] | None = None

    @property
    def busy(self) -> bool:
        """Tell whether a job is being run."""
        return self._running is not None

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return how long a job counts as alive without a heartbeat, whatever its limit."""
        return JOB_TTL_S

    def perform_job(self, job: Job, queue: Queue, execution: Execution) -> bool:
        """Run the job inside the application's context."""
        self._running = (job, execution)
        try:
            with self._app.app_context():
                return super().perform_job(job, queue, execution)
        finally:
            self._running = None

    def pulse(self) -> None:
        """Prolong the heartbeat of the job that is being run, if any."""
        running = self._running
        if running is not None:
            self.maintain_heartbeats(*running)

    def loop(self, stop: threading.Event) -> None:
        """Take and run jobs until *stop*; while Redis is away, wait for it."""
        pause_s = 0.1
        while not stop.is_set():
            try:
                self._take_one()
                pause_s = 0.1
            except redis.RedisError as error:
                logger.warning("Redis does not answer, waiting: %s", error)
                stop.wait(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    def _take_one(self) -> None:
        self.heartbeat()
        try:
            taken = Queue.dequeue_any(
                self.queues,
                DEQUEUE_LIMIT_S,
                connection=self.connection,
                serializer=self.serializer,
                death_penalty_class=self.death_penalty_class,
            )
        except DequeueTimeout:
            return
        if taken is not None:
            job, queue = taken
            job.redis_server_version = self.get_redis_server_version()
            self.execute_job(job, queue)


def run_workers(app: Flask, name: QueueName, threads: int, *, connection: redis.Redis) -> None:
    """Run jobs of the queue *name* on *threads* threads until SIGTERM or SIGINT.

    Then no new job is taken, and those under way get 3 s; what is still running is left
    to the upkeep, which sees that this process has gone. Raises WorkerDiedError if a
    thread ends before.
    """
    stop = process.stop_on_signals()
    # without a beat the upkeep would take this process for dead, and its commands for lost
    loops = [process.start("beat", process.beat, app, name, stop)]
    crew = _hire(app, name, threads, connection, stop)
    loops += [
        process.start(f"{name}-{number}", worker.loop, stop)
        for number, worker in enumerate(crew, 1)
    ]
    loops.append(process.start("pulse", _pulse, crew, stop))
    while not stop.wait(0.2):
        if not all(thread.is_alive() for thread in loops):
            raise WorkerDiedError(f"A thread of the {name} worker died; its log says why.")
    _finish(app, crew)


def _hire(
    app: Flask, name: QueueName, threads: int, connection: redis.Redis, stop: threading.Event
) -> list[ThreadWorker]:
    while True:
        try:
            crew = [ThreadWorker(app, name, connection) for _ in range(threads)]
            for worker in crew:
                worker.register_birth()
        except redis.RedisError as error:
            logger.warning("Redis does not answer, waiting: %s", error)
            if stop.wait(LONGEST_PAUSE_S):
                return []
        else:
            return crew


def _pulse(crew: Sequence[ThreadWorker], stop: threading.Event) -> None:
    """Keep the running jobs alive; on, while they finish after *stop*, until the end."""
    while True:
        try:
            for worker in crew:
                worker.pulse()
            if crew and not stop.is_set():
                janitor.clean(crew[0], crew[0].queues[0])
        except redis.RedisError as error:
            logger.warning("no heartbeat could be sent: %s", error)
        time.sleep(PULSE_EVERY_S)


def _finish(app: Flask, crew: Sequence[ThreadWorker]) -> None:
    deadline = time.monotonic() + STOP_LIMIT_S
    while any(worker.busy for worker in crew) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.leave(app)
    for worker in crew:
        try:
            worker.register_death()
        except redis.RedisError as error:
            logger.warning("the end could not be told to Redis: %s", error)
            return
