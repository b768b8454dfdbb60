"""What all tests share: real services as plugins, and a real throw-away database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.world import World
from walissh.config import Settings
from walissh.store import database, seal
from walissh.store.database import Base, db

pytest_plugins = ["tests.services", "tests.sshd", "tests.scripted_model"]


@pytest.fixture
def database_app(tmp_path: Path) -> Iterator[Flask]:
    """An app on a fresh SQLite database with all tables, inside its context."""
    app = Flask("test")
    settings = Settings(home=tmp_path, secret_key="a key for tests only")
    app.config["WALISSH_SEAL_KEY"] = seal.derive(settings.secret_key, "secrets at rest")
    database.init_app(app, settings)
    with app.app_context():
        Base.metadata.create_all(db.engine)
        yield app
        db.engine.dispose()


@pytest.fixture
def world(database_app: Flask) -> World:
    """A person with one host and one session, and an agent with scripted parts."""
    return World.new()
