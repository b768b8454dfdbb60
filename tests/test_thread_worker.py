"""The workers on threads: several jobs at once, none lost, a quick end."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.job import Job
from rq.serializers import JSONSerializer

from tests.services import ValkeyServer, clean_environment, run_valkey, until


@dataclass(slots=True)
class Crew:
    """A worker process with some threads, and its queue."""

    home: Path
    process: subprocess.Popen[str]
    redis: Redis
    queue: Queue

    def put(self, job: str, *args: object, **options: Any) -> Job:
        """Queue ``tests.thread_jobs.<job>``."""
        return self.queue.enqueue_call(f"tests.thread_jobs.{job}", args=args, **options)

    def notes(self, key: str) -> list[str]:
        """Return what the jobs noted under *key*."""
        return [each.decode() for each in self.redis.lrange(key, 0, -1)]

    def rows(self) -> list[str]:
        """Return the names in the table of workers."""
        with contextlib.closing(sqlite3.connect(self.home / "walissh.db")) as connection:
            return [name for (name,) in connection.execute("SELECT name FROM worker")]


@contextlib.contextmanager
def running_crew(home: Path, server: ValkeyServer, threads: int = 4) -> Iterator[Crew]:
    """Run a worker process; ends it with -9 at last."""
    home.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.thread_jobs", str(home), server.url, str(threads)],
        env=clean_environment(),
        cwd=Path(__file__).parent.parent,
        stderr=subprocess.PIPE,
        text=True,
    )
    client = server.client()
    crew = Crew(home, process, client, Queue("commands", client, serializer=JSONSerializer))
    try:
        until(lambda: client.scard("rq:workers:commands") == threads, what="the workers' start")
        yield crew
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def crew(tmp_path: Path, valkey_server: ValkeyServer) -> Iterator[Crew]:
    with running_crew(tmp_path / "home", valkey_server) as running:
        yield running


def test_a_slow_job_holds_up_no_other(crew: Crew) -> None:
    crew.put("pause", "slow", 30)
    until(lambda: crew.notes("slow") == ["started"])
    crew.put("note", "quick")
    until(lambda: crew.notes("quick"), limit_s=2, what="the quick job")


def test_jobs_run_inside_the_application_of_one_process(crew: Crew) -> None:
    for _ in range(8):
        crew.put("note", "seen")
    until(lambda: len(crew.notes("seen")) == 8)
    assert len({note.split()[0] for note in crew.notes("seen")}) == 1


def test_a_job_that_fails_leaves_its_thread_at_work(crew: Crew) -> None:
    jobs = [crew.put("fail") for _ in range(8)]
    until(lambda: all(job.get_status() == "failed" for job in jobs))
    crew.put("note", "after")
    until(lambda: crew.notes("after"), limit_s=5)
    assert crew.process.poll() is None


def test_a_time_limit_ends_only_its_own_job(crew: Crew) -> None:
    other = crew.put("pause", "other", 2.0)
    late = crew.put("pause", "late", 60, timeout=1)
    until(lambda: late.get_status() == "failed", limit_s=10)
    until(lambda: other.get_status() == "finished", limit_s=10)
    assert crew.notes("late") == ["started"]
    assert "JobTimeoutException" in (late.latest_result().exc_string or "")


def test_a_job_longer_than_its_heartbeat_is_left_alone(crew: Crew) -> None:
    job = crew.put("pause", "long", 12, retry=Retry(max=1))
    until(lambda: job.get_status() == "finished", limit_s=20)
    assert crew.notes("long") == ["started", "ended"]


def test_the_process_stands_in_the_table_of_workers(crew: Crew) -> None:
    crew.put("note", "name")
    until(lambda: crew.notes("name"))
    assert crew.rows() == [crew.notes("name")[0].split()[0]]


def test_sigterm_lets_a_short_job_finish(crew: Crew) -> None:
    crew.put("pause", "short", 1.0)
    until(lambda: crew.notes("short") == ["started"])
    crew.process.send_signal(signal.SIGTERM)
    assert crew.process.wait(5) == 0
    assert crew.notes("short") == ["started", "ended"]


def test_sigterm_does_not_wait_for_a_long_job(crew: Crew) -> None:
    crew.put("pause", "long", 60)
    until(lambda: crew.notes("long") == ["started"])
    began = time.monotonic()
    crew.process.send_signal(signal.SIGTERM)
    assert crew.process.wait(10) == 0
    assert time.monotonic() - began < 5
    assert crew.rows() == []


def test_a_job_can_see_that_its_process_ends(crew: Crew) -> None:
    crew.put("watch_the_end", "watch")
    until(lambda: crew.notes("watch") == ["started"])
    crew.process.send_signal(signal.SIGTERM)
    assert crew.process.wait(5) == 0
    assert crew.notes("watch") == ["started", "saw the end"]


def test_after_sigterm_no_new_job_is_taken(crew: Crew) -> None:
    for number in range(4):
        crew.put("pause", f"full-{number}", 1.0)
    until(lambda: all(crew.notes(f"full-{number}") for number in range(4)))
    crew.put("note", "left")
    crew.process.send_signal(signal.SIGTERM)
    assert crew.process.wait(6) == 0
    assert crew.notes("left") == []
    assert len(crew.queue) == 1


def test_the_job_of_a_killed_process_runs_again_within_15_s(
    tmp_path: Path, valkey_server: ValkeyServer
) -> None:
    with running_crew(tmp_path / "first", valkey_server) as first:
        first.put("pause", "twice", 60, retry=Retry(max=1))
        until(lambda: first.notes("twice") == ["started"])
    valkey_server.client().delete("rq:workers:commands")
    with running_crew(tmp_path / "second", valkey_server) as second:
        until(lambda: second.notes("twice") == ["started", "started"], limit_s=15)


def test_workers_outlive_a_restart_of_redis(tmp_path: Path) -> None:
    with run_valkey(tmp_path / "redis-home") as server, running_crew(tmp_path, server) as crew:
        server.kill()
        time.sleep(0.5)
        server.restart()
        crew.put("note", "back")
        until(lambda: crew.notes("back"), limit_s=15, what="the job after the restart")
        assert crew.process.poll() is None
