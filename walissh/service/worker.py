"""The worker parts: ``walissh worker turns | commands | upkeep | demo-host``."""

import logging
import threading
from collections.abc import Callable

from flask import Flask

from walissh import wiring
from walissh.config import Settings
from walissh.errors import WalisshError
from walissh.memory import longterm
from walissh.react import intent
from walissh.service import demo_host
from walissh.store import queue
from walissh.web import create_app
from workers import process, threads, upkeep

logger = logging.getLogger(__name__)

SWEEP_EVERY_S = 1.0
Beat = Callable[[Flask, str, threading.Event], None]


def run(settings: Settings, role: str) -> None:
    """Run the worker *role* until a signal comes."""
    app = create_app(settings)
    match role:
        case "turns":
            _load_brain(app)
            connection = queue.connect(settings)
            threads.run_workers(app, "turns", settings.turn_threads, connection=connection)
        case "commands":
            connection = queue.connect(settings)
            threads.run_workers(app, "commands", settings.command_threads, connection=connection)
        case "upkeep":
            keep_up(app)
        case _:
            demo_host.run(app, settings)


def _load_brain(app: Flask) -> None:
    """Take the time now, not from the first question."""
    with app.app_context():
        logger.info("brain ready name=%s", wiring.parts().model.name)
    # beside the first jobs, not before them: what they need of it they compile themselves
    process.start("warm-up", _warm_up)


def _warm_up() -> None:
    longterm.warm_up()
    intent.warm_up()


def keep_up(app: Flask, beat: Beat = process.beat) -> None:
    """Sweep each second until a signal comes; raises WorkerDiedError if the beat ends."""
    stop = process.stop_on_signals()
    thread = process.start("beat", beat, app, "upkeep", stop)
    watch = upkeep.Watch()
    while not stop.wait(SWEEP_EVERY_S):
        if not thread.is_alive():
            raise threads.WorkerDiedError("A thread of the upkeep worker died; its log says why.")
        _sweep(app, watch)
    process.leave(app)


def _sweep(app: Flask, watch: upkeep.Watch) -> None:
    try:
        with app.app_context():
            upkeep.sweep(watch)
    except WalisshError as error:
        logger.warning("sweep failed, the next one follows: %s", error)
