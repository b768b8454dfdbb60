"""``walissh up``: everything starts together, is watched, and ends together."""

import contextlib
import http.client
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import Installation, alive, begin_up, free_port, running_up, until, walissh

pytestmark = pytest.mark.timeout(400)  # whole installations, beside other tests

one_process = pytest.mark.xdist_group("running up")  # so that `running` is started once

PARTS = {"redis", "web", "turns", "commands", "upkeep", "demo-host"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for the tests that only look at it."""
    with running_up(tmp_path_factory.mktemp("up") / "home", "--demo-host") as installation:
        yield installation


def status(url: str) -> int:
    """Return the status of a GET, 0 if nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def refused(installation: Installation) -> str:
    """Wait for the end of a start that must fail; return its one line."""
    out, err = installation.process.communicate(timeout=60)
    assert installation.process.returncode == 2, err
    assert out == ""
    (line,) = err.splitlines()
    assert not (installation.home / "redis").exists(), "nothing was started"
    return line


# --- running --------------------------------------------------------------------------


@one_process
def test_the_link_is_the_only_line_printed(running: Installation) -> None:
    assert running.link.startswith(f"{running.url}/sign-in/")
    assert running.process.stdout is not None
    descriptor = running.process.stdout.fileno()
    os.set_blocking(descriptor, False)
    with pytest.raises(BlockingIOError):
        os.read(descriptor, 1)


@one_process
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_is_ready_when_it_says_so(running: Installation, path: str) -> None:
    assert status(running.url + path) == 200


@one_process
def test_every_part_is_a_process_of_its_own(running: Installation) -> None:
    assert set(running.parts()) == PARTS


@one_process
def test_home_is_private(running: Installation) -> None:
    assert stat.S_IMODE(running.home.stat().st_mode) == 0o700
    assert stat.S_IMODE((running.home / "redis" / "appendonlydir").stat().st_mode) == 0o700


@one_process
def test_a_second_up_on_the_same_home_is_refused(running: Installation) -> None:
    second = begin_up(running.home)
    out, err = second.process.communicate(timeout=60)
    assert (second.process.returncode, out) == (2, "")
    assert f"already runs on {running.home} (process {running.process.pid})" in err
    assert len(err.splitlines()) == 1
    assert status(running.url + "/readyz") == 200


@one_process
def test_a_port_in_use_is_refused(running: Installation, tmp_path: Path) -> None:
    line = refused(begin_up(tmp_path / "other", port=running.port))
    assert f"127.0.0.1:{running.port} is already in use" in line


@one_process
def test_doctor_finds_all_well(running: Installation) -> None:
    result = running.command("doctor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "All is well." in result.stdout


@one_process
def test_other_commands_know_the_address_that_was_given_to_up(running: Installation) -> None:
    elsewhere = {**running.environment, "WALISSH_BIND": "127.0.0.1:1"}
    link = walissh("sign-in-link", environment=elsewhere).stdout
    assert link.startswith(f"{running.url}/sign-in/")


@one_process
def test_nothing_of_the_logs_tells_the_link(running: Installation) -> None:
    assert running.link.rpartition("/")[2] not in running.logs()


# --- refused --------------------------------------------------------------------------


def test_an_unwritable_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = refused(begin_up(tmp_path / "file" / "home"))
    assert "cannot be used" in line
    assert "--home" in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:verysecret@127.0.0.1:1/walissh",
        "sqlite:////nowhere/at/all/walissh.db",
    ],
)
def test_a_broken_database_is_refused_in_one_line(tmp_path: Path, url: str) -> None:
    line = refused(begin_up(tmp_path / "home", DATABASE_URL=url))
    assert "DATABASE_URL" in line
    assert "verysecret" not in line


def test_a_shared_redis_that_does_not_answer_is_refused_in_one_line(tmp_path: Path) -> None:
    url = f"redis://:verysecret@127.0.0.1:{free_port()}/0"
    line = refused(begin_up(tmp_path / "home", REDIS_URL=url))
    assert "REDIS_URL" in line
    assert "verysecret" not in line
    assert not (tmp_path / "home" / "address").exists()


@pytest.mark.parametrize("bind", ["nonsense", "127.0.0.1:99999"])
def test_a_malformed_address_is_refused(tmp_path: Path, bind: str) -> None:
    line = refused(begin_up(tmp_path / "home", "--bind", bind))
    assert "WALISSH_BIND" in line
    assert bind in line


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    line = refused(begin_up(tmp_path / "home", "--bind", "203.0.113.7:8022"))
    assert "Cannot listen on 203.0.113.7:8022" in line


def test_an_unknown_brain_is_refused(tmp_path: Path) -> None:
    line = refused(begin_up(tmp_path / "home", WALISSH_BRAIN="clever"))
    assert "WALISSH_BRAIN='clever'" in line


def test_a_damaged_file_of_redis_is_put_aside_and_the_start_goes_on(tmp_path: Path) -> None:
    broken = tmp_path / "home" / "redis" / "appendonlydir"
    broken.mkdir(parents=True)
    (broken / "appendonly.aof.manifest").write_text("no manifest\n")
    with running_up(tmp_path / "home") as installation:
        (aside,) = (tmp_path / "home").glob("redis.broken-*")
        assert (aside / "appendonlydir" / "appendonly.aof.manifest").exists()
        installation.stop()
        assert installation.process.stderr is not None
        starting, said = installation.process.stderr.read().splitlines()
    assert starting == "Starting ..."
    assert str(aside) in said
    assert not (tmp_path / "home" / "address").exists()


# --- the end --------------------------------------------------------------------------


def _open_stream(installation: Installation) -> socket.socket:
    """Hold a request open that the server cannot finish."""
    connection = socket.create_connection(("127.0.0.1", installation.port))
    connection.sendall(b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
    return connection


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_signal_ends_all_within_5_s(tmp_path: Path, number: signal.Signals) -> None:
    with running_up(tmp_path / "home", "--demo-host") as installation:
        pids = installation.processes()
        streams = [_open_stream(installation) for _ in range(3)]
        began = time.monotonic()
        installation.process.send_signal(number)
        assert installation.process.wait(10) == 0
        assert time.monotonic() - began < 5
        assert not [pid for pid in pids if alive(pid)]
        for stream in streams:
            stream.close()


def test_kill_9_leaves_no_part_behind_and_the_next_start_works(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    with running_up(home, "--demo-host", port=port) as installation:
        pids = installation.processes()
        installation.kill()
        until(lambda: not [pid for pid in pids if alive(pid)], limit_s=5, what="the end of all")
    with running_up(home, "--demo-host", port=port) as again:
        assert status(again.url + "/readyz") == 200


# --- watched --------------------------------------------------------------------------


def test_a_part_that_dies_is_started_again(tmp_path: Path) -> None:
    with running_up(tmp_path / "home", "--demo-host") as installation:
        before = installation.parts()
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        until(lambda: _all_new(before, installation.parts()), limit_s=30, what="the restart")
        until(lambda: status(installation.url + "/readyz") == 200, limit_s=30, what="readiness")


def _all_new(before: dict[str, int], after: dict[str, int]) -> bool:
    return set(after) == PARTS and not set(before.values()) & set(after.values())


@pytest.mark.slow
def test_a_very_long_home_works(tmp_path: Path) -> None:
    home = tmp_path / ("a" * 80) / ("b" * 80)
    with running_up(home) as installation:
        assert status(installation.url + "/readyz") == 200


# --- one by one -----------------------------------------------------------------------


def test_the_lines_of_the_procfile_make_a_whole(tmp_path: Path) -> None:
    lines = (Path(__file__).parent.parent / "Procfile").read_text().splitlines()
    parts = dict(re.split(r":\s*walissh ", line, maxsplit=1) for line in lines)
    assert set(parts) == {"release", "redis", "web", "turns", "commands", "upkeep"}
    installation = begin_up(tmp_path / "home")  # for its settings only
    installation.kill()
    until(lambda: installation.process.poll() is not None)
    released = walissh(*parts.pop("release").split(), environment=installation.environment)
    assert released.returncode == 0, released.stderr
    with contextlib.ExitStack() as stack:
        for line in parts.values():
            stack.enter_context(_process(line.split(), installation))
        until(lambda: status(installation.url + "/readyz") == 200, limit_s=40, what="readiness")


@contextlib.contextmanager
def _process(arguments: list[str], installation: Installation) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "walissh", *arguments],
        env=installation.environment,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)
