"""The worker parts: ``walissh worker turns | commands | upkeep | demo-host``."""

import logging
import threading

from flask import Flask

from walissh.config import Settings
from walissh.errors import WalisshError
from walissh.store import queue
from walissh.web import create_app
from workers import process, threads, upkeep

logger = logging.getLogger(__name__)

SWEEP_EVERY_S = 1.0


def run(settings: Settings, kind: threads.QueueName) -> None:
    """Run the jobs of one queue until a signal comes."""
    count = settings.turn_threads if kind == "turns" else settings.command_threads
    app = create_app(settings)
    threads.run_workers(app, kind, count, connection=queue.connect(settings))


def run_upkeep(settings: Settings) -> None:
    """Sweep each second until a signal comes; an error is logged and the next sweep made."""
    app = create_app(settings)
    stop = process.stop_on_signals()
    process.start("beat", process.beat, app, "upkeep", stop)
    while not stop.wait(SWEEP_EVERY_S):
        _sweep(app)
    process.leave(app)


def _sweep(app: Flask) -> None:
    try:
        with app.app_context():
            upkeep.sweep()
    except WalisshError as error:
        logger.warning("sweep failed, the next one follows: %s", error)


def wait_for_end(stop: threading.Event) -> None:
    """Sleep until a signal comes."""
    while not stop.wait(1.0):
        pass
