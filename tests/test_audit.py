"""The audit trail is a chain: a changed row is found."""

from concurrent.futures import ThreadPoolExecutor

from flask import Flask
from sqlalchemy import select, update

from tests.fakes import call
from tests.world import World
from walissh.store import audit, turns
from walissh.store.database import reading, writing
from walissh.store.models import AuditRow


def test_each_move_of_a_command_is_one_event(world: World) -> None:
    world.script((call("touch a"),), "Done.")
    turn = world.ask()
    world.play()
    (run,) = world.runs(turn)
    world.approve(run)
    world.play()
    with reading() as session:
        events = session.scalars(
            select(AuditRow).where(AuditRow.subject == run.id).order_by(AuditRow.number)
        )
        kinds = [row.kind for row in events]
    assert kinds == [
        "command_awaiting_approval",
        "command_approved",
        "command_running",
        "command_finished",
    ]


def test_events_hold_digests_and_not_texts(world: World) -> None:
    world.script((call("touch very-telling-name"),))
    world.ask("very-telling-question")
    world.play()
    with reading() as session:
        facts = str([row.facts for row in session.scalars(select(AuditRow))])
    assert "very-telling" not in facts and audit.digest_of("touch very-telling-name") in facts


def test_a_whole_chain_has_no_broken_link(world: World) -> None:
    assert audit.first_broken() is None


def test_a_row_that_was_changed_is_named(world: World) -> None:
    with writing() as session:
        number = session.scalars(select(AuditRow.number).order_by(AuditRow.number)).first()
        session.execute(
            update(AuditRow).where(AuditRow.number == number).values(actor="somebody else")
        )
    assert audit.first_broken() == number


def test_writers_at_once_make_one_chain(database_app: Flask) -> None:
    def write(number: int) -> None:
        with database_app.app_context(), writing() as session:
            audit.append(session, actor="a", kind="test", subject=str(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(20)))
    assert audit.first_broken() is None


def test_the_end_of_a_turn_is_one_event(world: World) -> None:
    world.script("Fine.")
    turn = world.ask()
    world.play()
    turns.settle(turn.id)
    with reading() as session:
        rows = list(session.scalars(select(AuditRow).where(AuditRow.subject == turn.id)))
    assert [row.kind for row in rows] == ["turn_done"]
    assert rows[0].facts["prompt_tokens"] == 10
