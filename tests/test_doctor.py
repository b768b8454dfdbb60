"""``walissh doctor``: every part is looked at, whatever is broken before it."""

from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text, update

from tests.services import free_port
from walissh.config import Settings
from walissh.service import checks, release
from walissh.service.checks import Check
from walissh.store import audit
from walissh.store.database import db, writing
from walissh.store.models import AuditRow


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An installation that is not running."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Settings(home, bind=f"127.0.0.1:{free_port()}")


@pytest.fixture
def released(settings: Settings) -> Flask:
    """The application on a database with events of audit."""
    app = release.migrate(settings)
    with app.app_context(), writing() as session:
        for number in range(3):
            audit.append(session, actor="ann", kind="test", subject=str(number))
    with app.app_context():
        db.engine.dispose()
    return app


def found(settings: Settings) -> dict[str, Check]:
    return {check.name: check for check in checks.examine(settings)}


def test_nothing_there_is_said_and_nothing_is_made(settings: Settings) -> None:
    results = found(settings)
    assert "Run walissh up once" in results["key"].text
    assert "Run walissh up once" in results["database"].text
    assert not results["web"].ok
    assert not list(settings.home.iterdir())


def test_a_whole_audit_chain_holds(settings: Settings, released: Flask) -> None:
    results = found(settings)
    assert results["audit"].ok
    assert results["key"].ok


def test_a_changed_audit_event_is_named(settings: Settings, released: Flask) -> None:
    with released.app_context(), writing() as session:
        # the database itself refuses it: whoever owns the file can take that away
        session.execute(text("DROP TRIGGER audit_event_keeps_values"))
        session.execute(update(AuditRow).where(AuditRow.subject == "1").values(actor="eve"))
    result = found(settings)["audit"]
    assert not result.ok
    assert result.text.startswith("event 2 was changed")


def test_an_unreadable_key_does_not_end_the_look(settings: Settings, released: Flask) -> None:
    (settings.home / "secret.key").unlink()
    (settings.home / "secret.key").mkdir()
    results = found(settings)
    assert not results["key"].ok
    assert results["database"].ok
    assert results["audit"].ok
    assert "model" in results
