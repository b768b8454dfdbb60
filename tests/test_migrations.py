"""The migrations lead from nothing, and from each earlier revision, to the models."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from flask_migrate import downgrade, upgrade
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Float,
    Integer,
    MetaData,
    Table,
    func,
    select,
    text,
)

from walissh.config import Settings, asset_dir
from walissh.memory.recall import Query
from walissh.store import (
    core_memory,
    database,
    history,
    memories,
    people,
    said,
    sessions,
    turns,
)
from walissh.store.database import WRITES, Base, db, reading
from walissh.store.models import PostingRow, ShelfRow
from walissh.store.reindex import reindex

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


# --- a database in use --------------------------------------------------------------------


SERVER = os.environ.get("TEST_DATABASE_URL", "")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "server"] if SERVER else ["sqlite"])
def used(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """A database of the first revision with a row, or some, in every table."""
    url = SERVER if request.param == "server" else ""
    app = Flask("used")
    database.init_app(app, Settings(home=tmp_path, database_url=url))
    with app.app_context():
        if url:
            _empty_server()
        upgrade(revision="0001")
        with db.engine.execution_options(**{WRITES: True}).begin() as connection:
            tables = MetaData()
            tables.reflect(connection)
            for name, rows in old_rows().items():
                table = tables.tables[name]
                for row in rows:
                    connection.execute(table.insert(), _filled(table, row))
            unused = {table.name for table in tables.sorted_tables} - set(old_rows())
            assert unused == {"alembic_version"}
        yield
        if url:
            _empty_server()
        db.engine.dispose()


def _empty_server() -> None:
    with db.engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))


def _filled(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """Return *row* with something in each column that must not be empty."""
    needed = [each for each in table.c if not each.nullable and each.name != "number"]
    return {each.name: _something(each) for each in needed} | row


def _something(column: Column[Any]) -> object:
    name, kind = column.name, column.type
    if isinstance(kind, DateTime):
        return NOON
    if isinstance(kind, JSON):
        return [] if name in ("host_ids", "groups", "citations", "tool_calls", "reasons") else {}
    if isinstance(kind, Boolean):
        return False
    return 1 if isinstance(kind, Integer | Float) else ""


def old_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows by table, those that others hang on first."""
    of_ann = {"user_id": "ann"}
    of_talk = {"session_id": "talk", "turn_id": "turn", **of_ann}
    fact = {**of_ann, "type": "SOFTWARE_FACT", "scope": "global", "subject": "valkey"}
    return {
        "person": [{"id": "ann", "name": "ann", "role": "operator"}],
        "worker": [{"name": "w1"}],
        "audit_event": [{"digest": "d1"}],
        "access_token": [{"id": "t1", "person_id": "ann", "digest": "d2"}],
        "host": [{"id": "web1", "owner_id": "ann", "name": "web1", "address": "192.0.2.1"}],
        "credential": [{"host_id": "web1", "kind": "key", "sealed": "x"}],
        "chat_session": [{"id": "talk", **of_ann, "title": "tulips"}],
        "turn": [
            {
                "id": "turn",
                "session_id": "talk",
                **of_ann,
                "status": "done",
                "language": "en",
                "finished_at": NOON,
                "settled_at": NOON,
            }
        ],
        "chat_message": [
            {"id": "m1", **of_talk, "role": "user", "content": "tulip exporter?"},
            {"id": "m2", **of_talk, "role": "tool", "content": "tulip output"},
            {"id": "m3", **of_talk, "role": "assistant", "content": "it hangs"},
        ],
        "chat_milestone": [{"id": "s1", **of_talk, "kind": "goal_set"}],
        "command_run": [{"id": "c1", **of_talk, "host_id": "web1"}],
        "command_output": [{"command_id": "c1", "at": 0, "line": 1}],
        "knowledge_document": [{"id": "k1", **of_ann}],
        "knowledge_chunk": [{"document_id": "k1"}],
        "core_memory": [
            {**of_ann, "block": "me", "version": 1, "content": "one"},
            {**of_ann, "block": "me", "version": 2, "content": "two"},
        ],
        "long_term_memory": [
            {"id": "f1", **fact, "content": "valkey 8.1.2", "host_id": "web1"},
            {"id": "f2", **fact, "content": "valkey 7", "deleted_at": NOON},
            {
                "id": "f3",
                **fact,
                "type": "TROUBLESHOOTING_CASE",
                "content": "the dahlia queue was full",
            },
        ],
    }


def test_all_rows_of_before_but_deleted_ones_are_there_afterwards(used: None) -> None:
    upgrade()
    assert differences() == []
    left = old_rows()
    left["long_term_memory"] = left["long_term_memory"][1:]
    with db.engine.connect() as connection:
        for name, rows in left.items():
            count = select(func.count()).select_from(table_of(name))
            assert connection.scalar(count) == len(rows), name


def table_of(name: str) -> Table:
    return Base.metadata.tables[name]


def test_core_memory_of_before_stays_in_force(used: None) -> None:
    upgrade()
    assert core_memory.get("ann", "me").content == "two"
    assert core_memory.proposals("ann") == []
    assert core_memory.restore("ann", "me", 1).content == "one"


def test_memories_of_before_are_read_and_deleted_ones_are_gone(used: None) -> None:
    upgrade()
    found = memories.recent("ann")
    assert [each.id for each in found] == ["f3", "f1"]
    assert (found[1].host, found[1].proved_at, found[1].at) == ("web1", NOON, NOON)
    assert memories.get("f2", "ann") is None


def test_what_was_said_and_remembered_before_is_indexed_bit_by_bit(used: None) -> None:
    upgrade()
    assert memories.recall("ann", Query("dahlia queue"), k=3) == []
    rounds = [reindex(1), reindex(1), reindex(1)]
    assert rounds == [2, 1, 0]
    assert [hit.memory.id for hit in memories.recall("ann", Query("dahlia queue"), k=3)] == ["f3"]
    assert [hit.memory.id for hit in memories.recall("ann", Query("valkey web1"), k=3)] == ["f1"]
    assert said.search("ann", Query("tulip exporter"), k=3)[0].id == "m1"


def test_what_is_indexed_later_is_deleted_with_its_words(used: None) -> None:
    upgrade()
    reindex(10)
    memories.delete("f3", "ann", "web")
    sessions.remove("talk", "ann")
    with reading() as session:
        docs = set(session.scalars(select(PostingRow.doc)))
        assert docs == {1}
        assert session.scalar(select(ShelfRow.texts).where(ShelfRow.kind == "message")) == 0


def test_the_way_back_keeps_the_rows_that_count(used: None) -> None:
    upgrade()
    core_memory.propose("ann", "me", "three", "")
    memories.mark_wrong("f3", "ann", "web")
    downgrade(revision="0001")
    upgrade()
    assert [each.id for each in memories.recent("ann")] == ["f1"]
    assert core_memory.get("ann", "me").content == "two"
