"""The database: what means away, what means never, and that what was deleted is gone."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from tests.world import World
from walissh.errors import StoreError, StoreRefusedError
from walissh.react.host import HostKey
from walissh.store import database, history, hosts, sessions, turns
from walissh.store.database import db, reading, writing
from walissh.store.models import SessionRow

EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
SAID = "the tulip cache was full"


def on_sqlite() -> bool:
    return db.engine.dialect.name == "sqlite"


def on_disk() -> bytes:
    file = Path(db.engine.url.database or "")
    log = file.with_name(f"{file.name}-wal")
    return file.read_bytes() + (log.read_bytes() if log.exists() else b"")


def ask(world: World, said: str) -> None:
    turn = turns.ask(world.session.id, world.person.id, said, "en")
    with writing() as session:
        session.execute(
            text("UPDATE turn SET status = 'done', finished_at = created_at WHERE id = :id"),
            {"id": turn.id},
        )


@pytest.mark.parametrize(
    "edge",
    [
        datetime.min.replace(tzinfo=EAST),
        datetime.max.replace(tzinfo=WEST),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, tzinfo=UTC),
    ],
)
def test_the_edges_of_the_calendar_are_kept_within_it(world: World, edge: datetime) -> None:
    with writing() as session:
        row = session.get(SessionRow, world.session.id)
        assert row
        row.active_at = edge
    kept = sessions.get(world.session.id, world.person.id)
    assert kept
    assert kept.active_at.year == edge.year


def test_an_instant_is_kept_as_it_is(world: World) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=EAST)
    with writing() as session:
        row = session.get(SessionRow, world.session.id)
        assert row
        row.active_at = noon
    kept = sessions.get(world.session.id, world.person.id)
    assert kept
    assert kept.active_at == noon


def test_a_row_that_is_locked_means_away(world: World) -> None:
    rename = text("UPDATE person SET name = 'Ann' WHERE id = :id")
    with writing() as first:
        first.execute(rename, {"id": world.person.id})
        with pytest.raises(StoreError) as raised, writing(patience_ms=1) as second:
            second.execute(rename, {"id": world.person.id})
    assert not isinstance(raised.value, StoreRefusedError)


def test_a_statement_that_can_never_succeed_is_refused_without_its_text(
    database_app: Flask,
) -> None:
    with pytest.raises(StoreRefusedError) as raised, reading() as session:
        session.execute(text("SELECT :given"), {"given": {"tulip": 1}})
    assert "tulip" not in str(raised.value)


def test_a_text_with_a_nul_is_refused_for_good_or_kept(world: World) -> None:
    try:
        with writing() as session:
            row = session.get(SessionRow, world.session.id)
            assert row
            row.title = "a\0b"
    except StoreError as error:
        assert isinstance(error, StoreRefusedError)


def test_a_deleted_talk_is_in_no_file_of_the_database(world: World) -> None:
    ask(world, SAID)
    assert history.page(world.session.id, world.person.id, limit=9).items
    sessions.remove(world.session.id, world.person.id)
    if on_sqlite():
        assert SAID.encode() not in on_disk()


def test_a_deleted_host_is_in_no_file_of_the_database(world: World) -> None:
    host = hosts.add(world.person.id, hosts.HostDraft("tulip7", "192.0.2.77", "ops"))
    # not its address: the audit trail keeps that on purpose
    key = HostKey("ssh-ed25519", "VHVsaXA3VHVsaXA3", "SHA256:tulip")
    hosts.remember_seen_key(host.id, key)
    if on_sqlite():
        assert key.base64.encode() in on_disk()
    hosts.remove(host.id, world.person.id)
    if on_sqlite():
        assert key.base64.encode() not in on_disk()


def test_a_log_that_somebody_reads_is_emptied_later(world: World) -> None:
    ask(world, SAID)
    with reading() as session:
        session.execute(text("SELECT count(*) FROM person")).all()
        sessions.remove(world.session.id, world.person.id)
        assert database.empty_log() is not on_sqlite()
    assert database.empty_log()
    if on_sqlite():
        assert SAID.encode() not in on_disk()
