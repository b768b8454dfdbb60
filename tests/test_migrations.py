"""The migrations lead from nothing, and from each earlier revision, to the models."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from flask_migrate import downgrade, upgrade

from walissh.config import Settings, asset_dir
from walissh.store import database
from walissh.store.database import Base, db

REVISIONS = [
    script.revision for script in ScriptDirectory(str(asset_dir("migrations"))).walk_revisions()
]


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    """An app on an empty SQLite database."""
    app = Flask("test")
    database.init_app(app, Settings(home=tmp_path))
    return app


def differences() -> list[object]:
    with db.engine.connect() as connection:
        options = {"compare_type": False, "render_as_batch": True}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))


def test_an_empty_database_becomes_what_the_models_say(app: Flask) -> None:
    with app.app_context():
        upgrade()
        assert differences() == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_earlier_revision_becomes_what_the_models_say(app: Flask, revision: str) -> None:
    with app.app_context():
        upgrade(revision=revision)
        upgrade()
        assert differences() == []


def test_upgrading_twice_is_harmless(app: Flask) -> None:
    with app.app_context():
        upgrade()
        upgrade()
        assert differences() == []


def test_the_way_back_leads_to_nothing(app: Flask) -> None:
    with app.app_context():
        upgrade()
        downgrade(revision="base")
        upgrade()
        assert differences() == []
