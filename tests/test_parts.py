"""The watch over one part: pauses that grow, and the fifth quick death."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.services import alive, until
from walissh.service.parts import Part, PartError, Spec, end_all

DIES = Spec("dies", (sys.executable, "-c", "raise SystemExit('no luck')"), foreign=True)
LIVES = Spec("lives", (sys.executable, "-c", "import time; time.sleep(60)"), foreign=True)
DEAF = Spec(
    "deaf",
    (
        sys.executable,
        "-c",
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); "
        "time.sleep(60)",
    ),
    foreign=True,
)


def _die(part: Part, now: float) -> None:
    until(lambda: not part.running)
    part.look(now)


def test_a_dead_part_is_started_after_a_pause(tmp_path: Path) -> None:
    part = Part(DIES, tmp_path)
    part.start(0.0)
    _die(part, 1.0)
    part.look(1.4)
    assert not part.running
    part.look(1.5)
    assert part.pid is not None or part.log_path.read_text().count("no luck") == 2
    part.kill()


def test_the_fifth_quick_death_is_the_last_and_says_why(tmp_path: Path) -> None:
    part, now = Part(DIES, tmp_path), 0.0
    part.start(now)
    with pytest.raises(PartError, match=r"dies died 5 times .* no luck"):
        for _ in range(5):
            _die(part, now)
            now += 20.0
            part.start(now)
    part.kill()


def test_a_death_after_5_s_counts_from_the_start_again(tmp_path: Path) -> None:
    part, now = Part(DIES, tmp_path), 0.0
    for _ in range(12):
        part.start(now)
        _die(part, now + 5.0)
        now += 100.0
    part.kill()


def test_the_pause_doubles_to_10_s(tmp_path: Path) -> None:
    part, pauses = Part(DIES, tmp_path), []
    part.start(0.0)
    for now in (0.0, 100.0, 200.0, 300.0):
        _die(part, now)
        pauses.append(part.pause_s)
        part.start(now + 100.0)
    part.kill()
    assert pauses == [1.0, 2.0, 4.0, 8.0]


def test_a_part_that_ignores_term_is_killed(tmp_path: Path) -> None:
    part = Part(DEAF, tmp_path)
    part.start(0.0)
    until(lambda: "deaf" in part.log_path.read_text())
    pid = part.pid
    end_all([part], limit_s=0.3)
    assert pid is not None
    assert not alive(pid)


def test_what_a_part_started_ends_with_it(tmp_path: Path) -> None:
    line = ("/bin/sh", "-c", "sleep 60 & echo $!; wait")
    part = Part(Spec("mother", line, foreign=True), tmp_path)
    part.start(0.0)
    until(lambda: part.log_path.read_text().strip())
    child = int(part.log_path.read_text())
    assert part.pid is not None
    os.kill(part.pid, signal.SIGKILL)
    until(lambda: not part.running)
    part.look(1.0)
    until(lambda: not alive(child), limit_s=2)


def test_a_full_log_is_put_aside_at_the_start(tmp_path: Path) -> None:
    part = Part(LIVES, tmp_path)
    part.log_path.write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    part.start(0.0)
    part.kill()
    assert part.log_path.stat().st_size == 0
    assert (tmp_path / "lives.log.1").exists()
