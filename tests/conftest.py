"""What all tests share: real services as plugins, and a real throw-away database."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.world import World
from walissh.config import Settings
from walissh.store import database, seal
from walissh.store.database import Base, db

SERVER = os.environ.get("TEST_DATABASE_URL", "")

DEAR = ("tests/stories/", "tests/test_up.py")
"""Whole installations; they begin, so that the end is made of small pieces."""

pytest_plugins = ["tests.services", "tests.sshd", "tests.sudoer", "tests.scripted_model"]


def pytest_configure() -> None:
    """Let what we start keep its bytecode: an installation is six processes that import all."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole files to the workers of ``pytest -n``."""
    from tests.schedule import FileScheduling

    return FileScheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, after the order was shuffled, and give it time."""
    items.sort(key=lambda item: not item.nodeid.startswith(DEAR))
    for item in items:
        if item.nodeid.startswith(DEAR) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture(scope="session")
def memory_dir() -> Iterator[Path]:
    """A folder in RAM where there is one: every commit is synced, and disks are slow."""
    shared = Path("/dev/shm")
    parent = shared if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="walissh-test-", dir=parent) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def empty_database(memory_dir: Path) -> Path:
    """A database file with all tables and no rows, to copy."""
    home = memory_dir / "empty"
    home.mkdir()
    app = _app(home)
    with app.app_context():
        Base.metadata.create_all(db.engine)
        db.engine.dispose()
    return home / "walissh.db"


@pytest.fixture
def database_app(memory_dir: Path, empty_database: Path) -> Iterator[Flask]:
    """An app on a fresh database with all tables, inside its context.

    SQLite; or the server of TEST_DATABASE_URL, whose tables are made anew each time.
    """
    home = Path(tempfile.mkdtemp(dir=memory_dir))
    shutil.copy(empty_database, home / "walissh.db")
    app = _app(home, SERVER)
    with app.app_context():
        if SERVER:
            Base.metadata.drop_all(db.engine)
            Base.metadata.create_all(db.engine)
        yield app
        db.engine.dispose()
    shutil.rmtree(home)


def _app(home: Path, url: str = "") -> Flask:
    app = Flask("test")
    settings = Settings(home=home, secret_key="a key for tests only", database_url=url)
    app.config["WALISSH_SEAL_KEY"] = seal.derive(settings.secret_key, "secrets at rest")
    database.init_app(app, settings)
    return app


@pytest.fixture
def world(database_app: Flask) -> World:
    """A person with one host and one session, and an agent with scripted parts."""
    return World.new()
