"""What the settings name is tried before anything is started; each fault is one line."""

from pathlib import Path

import pytest

from tests.services import free_port
from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import home, reach


def complaint(tmp_path: Path, database_url: str) -> str:
    with pytest.raises(StartError) as caught:
        reach.database(Settings(tmp_path, database_url=database_url))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@127.0.0.1:one/x",
        "postgresql://u@127.0.0.1:1/x?nonsense=1",
        "sqlite:///{home}/walissh.db?nonsense=1",
        "sqlite:///{home}/walissh.db?timeout=soon",
        "sqlite:///{home}/not/there/walissh.db",
    ],
)
def test_a_malformed_or_broken_database_url_is_one_line(tmp_path: Path, url: str) -> None:
    (tmp_path / "walissh.db").touch()
    line = complaint(tmp_path, url.format(home=tmp_path))
    assert line.startswith("The database cannot be used: ")
    assert line.endswith("Check DATABASE_URL.")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:a?mode=memory"])
def test_sqlite_without_a_file_is_refused(tmp_path: Path, url: str) -> None:
    assert "names no file" in complaint(tmp_path, url)


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "walissh.db").write_text("no database at all, but long enough to have a header" * 9)
    line = complaint(tmp_path, "")
    assert "file is not a database" in line
    assert str(tmp_path / "walissh.db") in line


def test_a_password_is_not_repeated(tmp_path: Path) -> None:
    url = f"postgresql://me:verysecret@127.0.0.1:{free_port()}/walissh"
    assert "verysecret" not in complaint(tmp_path, url)


def test_a_look_makes_no_database(tmp_path: Path) -> None:
    reach.database(Settings(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", ["/0", "/0?socket_timeout=soon", "/0?nonsense=1"])
def test_a_redis_that_cannot_be_reached_is_one_line(tmp_path: Path, options: str) -> None:
    url = f"redis://:verysecret@127.0.0.1:{free_port()}{options}"
    with pytest.raises(StartError, match=r"The Redis of REDIS_URL cannot be used: \S") as caught:
        reach.redis(Settings(tmp_path, redis_url=url))
    assert "\n" not in str(caught.value)
    assert "verysecret" not in str(caught.value)


def test_a_redis_that_answers_is_fine(tmp_path: Path, redis_url: str) -> None:
    reach.redis(Settings(tmp_path, redis_url=redis_url))


def test_a_lock_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(StartError, match="lock cannot be opened: Is a directory"):
        home.lock(tmp_path)
