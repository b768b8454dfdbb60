"""The migrations lead from nothing, and from each earlier revision, to the models."""

import shutil
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from flask_migrate import downgrade, upgrade

from walissh.config import Settings, asset_dir
from walissh.store import database, history, people, sessions, turns
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


ALTERS_A_TABLE = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = {head!r}
branch_labels = depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("chat_session") as batch:
        batch.add_column(sa.Column("mood", sa.String(), nullable=True))
        batch.alter_column("title", existing_type=sa.String(), nullable=True)


def downgrade() -> None:
    with op.batch_alter_table("chat_session") as batch:
        batch.drop_column("mood")
"""


def test_a_table_that_is_copied_keeps_the_rows_that_hang_on_it(app: Flask, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(asset_dir("migrations"), folder)
    (folder / "versions" / "9999_later.py").write_text(ALTERS_A_TABLE.format(head=REVISIONS[0]))
    with app.app_context():
        upgrade()
        person = people.named("ann")
        talk = sessions.create(person.id, "a talk")
        turns.ask(talk.id, person.id, "why?", "en")
        upgrade(directory=str(folder))
        assert [m.content for m in history.page(talk.id, person.id, limit=9).items] == ["why?"]
        assert turns.of_session(talk.id)
