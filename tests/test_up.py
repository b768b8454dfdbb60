"""``walissh up``: everything starts together, is watched, and ends together."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import (
    Installation,
    alive,
    begin_up,
    free_port,
    refused,
    running_up,
    status,
    until,
    walissh,
)
from walissh.service import home

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


@pytest.mark.slow  # the quick one is in tests/test_valkey.py
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


def test_kill_9_leaves_no_part_behind_that_holds_the_port_or_the_folder(tmp_path: Path) -> None:
    with running_up(tmp_path / "home", "--demo-host") as installation:
        pids = installation.processes()
        installation.kill()
        until(lambda: not [pid for pid in pids if alive(pid)], limit_s=5, what="the end of all")
        os.close(home.lock(installation.home))
        # Not by binding it: an outgoing connection of a neighbour may have drawn this number.
        until(lambda: nobody_at(installation.port), limit_s=5, what="the free port")


def nobody_at(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) != 0


# --- watched --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_very_long_home_works(tmp_path: Path) -> None:
    with running_up(tmp_path / ("a" * 80) / ("b" * 80)) as installation:
        assert status(installation.url + "/readyz") == 200


# --- one by one -----------------------------------------------------------------------


@pytest.mark.slow
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
