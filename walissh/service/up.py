"""``walissh up``: start every part, watch them, end them together."""

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import admission, home, listen, reach, valkey
from walissh.service.parts import Part, Spec, end_all

logger = logging.getLogger(__name__)

READY_LIMIT_S = 90.0
LOOK_EVERY_S = 0.1
PARTS_END_LIMIT_S = 3.5
REDIS_END_LIMIT_S = 0.8
DEMO = "demo-host"
DEMO_LIMIT_S = 10.0


class _Stop:
    """Turned true by the first signal that asks us to end."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # which is what nohup does
            signal.signal(signal.SIGHUP, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True


def run(settings: Settings, *, demo_host: bool, say: Callable[[str], None]) -> None:
    """Run everything until a signal comes; *say* gets the one line with the link.

    Raises StartError if it cannot begin (nothing is left running then), PartError if a
    part dies again and again (all others have ended then).
    """
    stop = _Stop()
    home.prepare(settings.home)
    held = home.lock(settings.home)
    try:
        with listen.open_socket(settings) as listener, listen.announced(settings):
            _check_services(settings)
            admission.check(settings, listener.getsockname())
            sys.stderr.write("Starting ...\n")
            sys.stderr.flush()
            from walissh.service import release  # slow, and of no use if we end before

            app = release.migrate(settings)
            specs = list(_specs(settings, listener, demo_host=demo_host))
            _keep(settings, specs, stop, lambda: say(release.greeting(settings, app)))
    finally:
        os.close(held)


def _check_services(settings: Settings) -> None:
    if settings.redis_url:
        reach.redis(settings)
    reach.database(settings)


def _specs(settings: Settings, listener: socket.socket, *, demo_host: bool) -> Iterator[Spec]:
    if not settings.redis_url:
        valkey.clear_leftovers(settings)
        mend = valkey.Mender(settings).mend
        command = tuple(valkey.command(settings))
        yield Spec("redis", command, foreign=True, umask=0o077, mend=mend)
    descriptor = listener.fileno()
    yield Spec("web", ("web", "--fd", str(descriptor)), pass_fds=(descriptor,))
    if demo_host:
        home.demo_ready(settings.home).unlink(missing_ok=True)
        yield Spec(DEMO, ("worker", DEMO))
    for kind in ("turns", "commands", "upkeep"):
        yield Spec(kind, ("worker", kind))


def _keep(
    settings: Settings, specs: list[Spec], stop: _Stop, when_ready: Callable[[], None]
) -> None:
    parts: list[Part] = []
    try:
        for spec in specs:
            part = Part(spec, settings.home / "logs")
            parts.append(part)
            part.start(time.monotonic())
            _wait_for_part(settings, parts, stop)
        _watch(parts, stop, lambda: _is_ready(settings, parts))
        if not stop.asked:
            when_ready()
        _watch(parts, stop, None)
    finally:
        _end(parts)


def _wait_for_part(settings: Settings, parts: list[Part], stop: _Stop) -> None:
    """Wait for the newest of *parts* where the next ones need it."""
    newest = parts[-1].spec
    if newest.foreign:
        _watch(parts, stop, lambda: valkey.is_ready(settings))
    elif newest.name == DEMO:
        # a command approved before this start must not meet the demo host's old port
        until = time.monotonic() + DEMO_LIMIT_S
        ready = home.demo_ready(settings.home)
        _watch(parts, stop, lambda: ready.exists() or time.monotonic() > until)


def _watch(parts: list[Part], stop: _Stop, ready: Callable[[], bool] | None) -> None:
    """Look after *parts* until *ready* says yes (None: never) or a signal comes."""
    deadline = time.monotonic() + READY_LIMIT_S
    while not stop.asked:
        now = time.monotonic()
        for part in parts:
            part.look(now)
        if ready is not None:
            if ready():
                return
            if now > deadline:
                raise StartError(_not_ready(parts))
        time.sleep(LOOK_EVERY_S)


def _is_ready(settings: Settings, parts: list[Part]) -> bool:
    has_demo = any(part.spec.name == DEMO for part in parts)
    if has_demo and not home.demo_ready(settings.home).exists():
        return False
    return listen.is_ready(settings)


def _not_ready(parts: list[Part]) -> str:
    logs = parts[0].log_path.parent
    return f"WaLiSSH was not ready after {READY_LIMIT_S:.0f} s. Read the files in {logs}."


def _end(parts: list[Part]) -> None:
    """End the redis part last: the others hand over their work through it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # once is enough; ending takes under 5 s
    end_all([part for part in parts if not part.spec.foreign], limit_s=PARTS_END_LIMIT_S)
    end_all([part for part in parts if part.spec.foreign], limit_s=REDIS_END_LIMIT_S)
