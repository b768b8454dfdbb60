"""Jobs for the tests of the thread worker, and the process that runs them."""

import sys
import threading
import time
from pathlib import Path

from flask import Flask, current_app
from redis import Redis

from walissh.config import Settings
from walissh.store import database, queue
from workers.threads import process_name, run_workers, stopping


def note(key: str) -> None:
    """Note that the job ran, and where."""
    _redis().rpush(key, f"{process_name()} {threading.current_thread().name}")


def pause(key: str, seconds: float) -> None:
    """Note the start, sleep in small steps (a time limit can end it), note the end."""
    _redis().rpush(key, "started")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.01)
    _redis().rpush(key, "ended")


def watch_the_end(key: str) -> None:
    """Run until the process is asked to end, and note it."""
    _redis().rpush(key, "started")
    while not stopping():
        time.sleep(0.01)
    _redis().rpush(key, "saw the end")


def fail() -> None:
    """Fail as a job must not."""
    raise ValueError("broken job")


def _redis() -> Redis:
    client: Redis = current_app.extensions["test_redis"]
    return client


def main(home: str, redis_url: str, threads: str) -> None:
    """Run workers of the queue "commands" on a database of their own in *home*."""
    settings = Settings(home=Path(home), redis_url=redis_url)
    app = Flask("jobs")
    database.init_app(app, settings)
    with app.app_context():
        database.Base.metadata.create_all(database.db.engine)
    app.extensions["test_redis"] = queue.connect(settings)
    run_workers(app, "commands", int(threads), connection=queue.connect(settings))


if __name__ == "__main__":
    main(*sys.argv[1:])
