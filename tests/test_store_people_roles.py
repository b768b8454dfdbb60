"""Roles, disabling, and what is written of who came in."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select, update

from tests.fakes import call
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import ConflictError, DeniedError, NotFoundError
from walissh.react.turn import CommandStatus, TurnStatus
from walissh.store import audit, commands, due, people, people_passes, people_roles, turns
from walissh.store.database import reading, writing
from walissh.store.models import AuditRow, TokenRow
from walissh.store.people import TokenKind
from walissh.store.people_passes import Arrival

PASSES: tuple[TokenKind, ...] = ("web", "api")


def kinds() -> list[str]:
    with reading() as session:
        return list(session.scalars(select(AuditRow.kind).order_by(AuditRow.number)))


def last_event() -> AuditRow:
    with reading() as session:
        row = session.scalar(select(AuditRow).order_by(AuditRow.number.desc()).limit(1))
    assert row is not None
    return row


def test_two_admins_who_demote_each_other_at_once_leave_one(database_app: Flask) -> None:
    admins = [people.first_admin(), people.add("zoe", role="admin")]

    def demote(person: people.Person) -> bool:
        with database_app.app_context():
            try:
                people_roles.change_role(person.id, "viewer", actor="test")
            except ConflictError:
                return False
            return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(demote, admins)) == [False, True]


def test_a_disabled_admin_does_not_count_as_the_one_that_is_left(database_app: Flask) -> None:
    first, zoe = people.first_admin(), people.add("zoe", role="admin")
    people_roles.disable(zoe.id, actor=first.id)
    with pytest.raises(ConflictError, match="last admin"):
        people_roles.change_role(first.id, "operator", actor=first.id)


def test_disabling_ends_every_pass_and_none_can_be_made(database_app: Flask) -> None:
    ann = people.named("ann")
    passes = {kind: people.issue_token(ann.id, kind) for kind in PASSES}
    link = people.issue_token(ann.id, "link")
    people_roles.disable(ann.id, actor="test")
    assert [people_passes.admitted(kind, plain) for kind, plain in passes.items()] == [None, None]
    assert people.use_link(link) is None
    for kind in (*PASSES, "link"):
        with pytest.raises(ConflictError, match="disabled"):
            people.issue_token(ann.id, kind)
    with pytest.raises(ConflictError, match="disabled"):
        people_passes.sign_in(ann.id, Arrival("oidc"))


def test_each_decision_is_one_event_that_names_who_took_it(database_app: Flask) -> None:
    admin, ann = people.first_admin(), people.named("ann")
    before = len(kinds())
    people_roles.change_role(ann.id, "viewer", actor=admin.id)
    event = last_event()
    assert (event.actor, event.subject) == (admin.id, ann.id)
    assert event.facts == {"before": "operator", "role": "viewer"}
    people_roles.change_role(ann.id, "viewer", actor=admin.id)
    people_roles.disable(ann.id, actor=admin.id)
    people_roles.enable(ann.id, actor=admin.id)
    people.issue_token(ann.id, "api", actor=admin.id, scope="read")
    people_passes.revoke(people_passes.of(ann.id, "api")[0].id, ann.id, actor=admin.id)
    people_passes.revoke_browsers(ann.id, actor=admin.id)
    assert kinds()[before:] == [
        "person_role_changed",
        "person_disabled",
        "person_enabled",
        "api_token_issued",
        "api_token_revoked",
        "browsers_revoked",
    ]
    assert audit.first_broken() is None


def test_who_came_in_is_told_with_how_and_from_where(database_app: Flask) -> None:
    ann = people.named("ann")
    cookie = people_passes.sign_in(ann.id, Arrival("password", "192.0.2.7", "Firefox"))
    event = last_event()
    assert (event.kind, event.actor) == ("signed_in", ann.id)
    assert (event.facts["how"], event.facts["address"]) == ("password", "192.0.2.7")
    people.revoke("web", cookie)
    assert last_event().kind == "web_token_ended"


def test_a_failure_names_a_person_and_never_what_else_was_typed(database_app: Flask) -> None:
    ann = people.named("ann")
    people_passes.note_failure("ann", "password", "192.0.2.7")
    assert last_event().subject == ann.id
    people_passes.note_failure("my secret password", "password", "192.0.2.7")
    event = last_event()
    assert "secret" not in f"{event.subject}{event.facts}"
    assert event.facts["known"] is False


@pytest.mark.parametrize("name", ["ann\0", "\0", "", "\ud800", "ann' or 1=1", "x" * 100_000])
def test_what_is_no_name_fails_as_any_other_and_is_told(database_app: Flask, name: str) -> None:
    people.named("ann")
    with pytest.raises(DeniedError, match=re.escape(people.WRONG)):
        people.check_password(name, "correct horse")
    people_passes.note_failure(name, "password", "192.0.2.7")
    assert (last_event().kind, last_event().facts["known"]) == ("sign_in_failed", False)


def test_the_use_of_a_pass_is_written_once_a_minute(database_app: Flask) -> None:
    ann = people.named("ann")
    token = people.issue_token(ann.id, "api")

    def used_at() -> object:
        return people_passes.of(ann.id, "api")[0].used_at

    assert used_at() is None
    people_passes.admitted("api", token)
    first = used_at()
    people_passes.admitted("api", token)
    assert first is not None
    assert used_at() == first
    early = utc_now() - timedelta(seconds=90)
    with writing() as session:
        session.execute(update(TokenRow).values(last_used_at=early))
    people_passes.admitted("api", token)
    assert used_at() != early


def test_a_browser_ends_by_idleness_and_a_token_does_not(database_app: Flask) -> None:
    ann = people.named("ann")
    passes = {kind: people.issue_token(ann.id, kind) for kind in PASSES}
    with writing() as session:
        session.execute(update(TokenRow).values(last_used_at=utc_now() - timedelta(hours=2)))
    let_in = {
        kind: people_passes.admitted(kind, plain, idle_s=3600) is not None
        for kind, plain in passes.items()
    }
    assert let_in == {"web": False, "api": True}
    assert people_passes.of(ann.id, "web", idle_s=3600) == []


def test_a_person_who_is_not_there_is_not_found(database_app: Flask) -> None:
    for decide in (people_roles.disable, people_roles.enable):
        with pytest.raises(NotFoundError):
            decide("none", actor="test")
    with pytest.raises(NotFoundError):
        people_roles.change_role("none", "viewer", actor="test")


def disabled(person_id: str) -> None:
    people_roles.disable(person_id, actor="boss")


def demoted(person_id: str) -> None:
    people_roles.change_role(person_id, "viewer", actor="boss")


@pytest.mark.parametrize("end", [disabled, demoted])
def test_what_waits_of_somebody_let_in_no_more_is_over_at_once(
    world: World, end: Callable[[str], None]
) -> None:
    world.script((call("touch a", call_id="c1"), call("touch b", call_id="c2")), "Done.")
    turn = world.ask()
    world.play()
    end(world.person.id)
    assert {run.status for run in world.runs(turn)} == {CommandStatus.CANCELLED}
    with reading() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.kind == "command_cancelled"))
        assert [row.actor for row in rows] == ["boss", "boss"]
    assert [each.id for each in due.stalled_turns()] == [turn.id]
    assert audit.first_broken() is None


def test_what_runs_of_somebody_let_in_no_more_is_ended_by_its_worker(world: World) -> None:
    world.script((call("ls"),), "Done.")
    turn = world.ask()
    world.step()
    assert commands.claim(world.runs(turn)[0].id, "w1")
    disabled(world.person.id)
    assert turns.is_cancelled(turn.id)
    assert world.runs(turn)[0].status is CommandStatus.RUNNING


def test_a_turn_of_somebody_else_goes_on(world: World) -> None:
    world.script((call("touch a"),), "Done.")
    turn = world.ask()
    world.play()
    disabled(people.named("bob").id)
    people_roles.change_role(world.person.id, "admin", actor="boss")
    assert world.turn(turn).status is TurnStatus.AWAITING_APPROVAL
