"""One part of the installation: a process that is watched and started again."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from walissh.errors import WalisshError
from walissh.service import orphan

logger = logging.getLogger(__name__)

QUICK_DEATH_S = 5.0
DEATHS_TO_GIVE_UP = 5
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 10.0
LOG_LIMIT_BYTES = 10 * 1024 * 1024
LOOK_BACK_BYTES = 64 * 1024
PYTHON = (sys.executable, "-P", "-m")
"""With -P the folder we are started in is not a place to import from."""


class PartError(WalisshError):
    """A part died again and again; everything ends."""


@dataclass(frozen=True, slots=True)
class Spec:
    """How to start a part: the arguments of ``walissh``, or a *foreign* program's.

    A part of ours ties itself to us; a foreign one is started through ``service.orphan``.
    With *umask* -1 it keeps ours. *mend* gets the log of a life that ended at once, and
    tells whether it has done something about the cause: then the death does not count.
    """

    name: str
    argv: tuple[str, ...]
    foreign: bool = False
    umask: int = -1
    pass_fds: tuple[int, ...] = ()
    mend: Callable[[str], bool] | None = None


class Part:
    """A running or resting part; the clock is the monotonic one, passed in as *now*."""

    def __init__(self, spec: Spec, log_dir: Path) -> None:
        self.spec = spec
        self.log_path = log_dir / f"{spec.name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._log_start = 0
        self._again_at: float | None = None
        self._quick_deaths = 0
        self.pause_s = FIRST_PAUSE_S

    @property
    def running(self) -> bool:
        """Tell whether its process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The process id while it lives."""
        return self._process.pid if self._process is not None and self.running else None

    def start(self, now: float) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches us only."""
        _rotate(self.log_path)
        with self.log_path.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                _tied(self.spec),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, orphan.PARENT: str(os.getpid())},
                start_new_session=True,
                umask=self.spec.umask,
                pass_fds=self.spec.pass_fds,
            )
        self._started = now
        self._again_at = None

    def look(self, now: float) -> None:
        """Notice a death, start again after the pause; raises PartError on the fifth.

        Only deaths within 5 s of the start count; a longer life forgives them.
        """
        if self._again_at is not None:
            if now >= self._again_at:
                self.start(now)
            return
        if self._process is None or self._process.poll() is None:
            return
        self._sweep_group()
        code = self._process.returncode
        self._process = None
        self._mourn(code, now)

    def _mourn(self, code: int, now: float) -> None:
        quick = now - self._started < QUICK_DEATH_S
        if quick and self.spec.mend is not None and self.spec.mend(self._said()):
            self._again_at = now
            return
        if quick:
            self._quick_deaths += 1
        else:
            self._quick_deaths, self.pause_s = 0, FIRST_PAUSE_S
        if self._quick_deaths >= DEATHS_TO_GIVE_UP:
            raise PartError(
                f"The part {self.spec.name} died {DEATHS_TO_GIVE_UP} times right after its start "
                f"({_ending(code)}: {_last_line(self.log_path)}). Read {self.log_path}."
            )
        logger.warning(
            "part %s ended (%s); starting it again in %.1f s",
            self.spec.name,
            _ending(code),
            self.pause_s,
        )
        self._again_at = now + self.pause_s
        self.pause_s = min(self.pause_s * 2, LONGEST_PAUSE_S)

    def _said(self) -> str:
        with self.log_path.open("rb") as log:
            log.seek(max(self._log_start, self.log_path.stat().st_size - LOOK_BACK_BYTES))
            return log.read().decode("utf-8", "replace")

    def signal(self, number: int) -> None:
        """Send *number* to the process if it lives."""
        if self._process is not None and self.running:
            self._process.send_signal(number)

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        self._sweep_group()
        if self._process is not None:
            self._process.wait()

    def _sweep_group(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def end_all(parts: Sequence[Part], *, limit_s: float) -> None:
    """Ask *parts* to end, wait at most *limit_s*, then kill what is left."""
    for part in parts:
        part.signal(signal.SIGTERM)
    deadline = time.monotonic() + limit_s
    while any(part.running for part in parts) and time.monotonic() < deadline:
        time.sleep(0.02)
    for part in parts:
        part.kill()


def _tied(spec: Spec) -> list[str]:
    if not spec.foreign:
        return [*PYTHON, "walissh", *spec.argv]
    guard = [*PYTHON, "walissh.service.orphan", str(os.getpid())]
    return [*guard, str(int(signal.SIGTERM)), *spec.argv]


def _rotate(path: Path) -> None:
    if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
        path.replace(path.with_suffix(".log.1"))


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _last_line(path: Path) -> str:
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - 4096))
        lines = log.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip()[:300] if lines else "it said nothing"
