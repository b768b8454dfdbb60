"""This worker process: its name, its sign of life in the database, its end."""

import logging
import signal
import threading
from types import FrameType

from flask import Flask

from walissh.errors import StoreError
from walissh.identity import worker_name as process_name
from walissh.store import workers

__all__ = ["beat", "leave", "process_name", "start", "stop_on_signals", "stopping"]

logger = logging.getLogger(__name__)

BEAT_EVERY_S = 3.0

_stop = threading.Event()


def stopping() -> bool:
    """Tell a job that its process is about to end: in 3 seconds it is cut off."""
    return _stop.is_set()


def stop_on_signals() -> threading.Event:
    """Return the event that SIGTERM and SIGINT set from now on."""
    _stop.clear()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _on_signal)
    return _stop


def _on_signal(_number: int, _frame: FrameType | None) -> None:
    # an Event's lock may be held by the very code that was interrupted
    threading.Thread(target=_stop.set, daemon=True).start()


def start(name: str, target: object, *args: object) -> threading.Thread:
    """Start *target* on a daemon thread called *name*."""
    thread = threading.Thread(target=target, args=args, name=name, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def beat(app: Flask, kind: str, stop: threading.Event) -> None:
    """Say every 3 s that this process lives, until *stop*."""
    with app.app_context():
        while not stop.is_set():
            try:
                workers.beat(process_name(), kind)
            except StoreError as error:
                logger.warning("no sign of life could be stored: %s", error)
            stop.wait(BEAT_EVERY_S)


def leave(app: Flask) -> None:
    """Take this process out of the table of workers, so that its work is seen at once."""
    try:
        with app.app_context():
            workers.leave(process_name())
    except StoreError as error:
        logger.warning("the end could not be stored: %s", error)
