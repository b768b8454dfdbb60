"""Approving, editing, denying and stopping: each once, by the person whose it is."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from tests.fakes import call
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react import decisions
from walissh.react.host import HostKey
from walissh.react.turn import CommandRun, CommandStatus, Risk, TurnStatus
from walissh.store import commands, hosts, people, questions, sessions
from walissh.store.hosts import HostDraft


def waiting(world: World, command: str) -> CommandRun:
    world.script((call(command),), "Done.")
    turn = world.ask()
    world.play()
    return world.runs(turn)[0]


def test_second_click_on_approve_runs_nothing(world: World) -> None:
    run = waiting(world, "touch a")
    world.approve(run)
    with pytest.raises(ConflictError):
        world.approve(run)
    world.play()
    assert len(world.shell.ran) == 1


def test_two_clicks_at_once_approve_once(world: World, database_app: Flask) -> None:
    run = waiting(world, "touch a")

    def click(_: int) -> bool:
        with database_app.app_context():
            try:
                world.approve(run)
            except ConflictError:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(click, range(4))) == [False, False, False, True]


def test_approve_after_deny_runs_nothing(world: World) -> None:
    run = waiting(world, "touch a")
    decisions.deny(world.parts, run.id, world.person.id, "")
    with pytest.raises(ConflictError):
        world.approve(run)
    world.play()
    assert world.shell.ran == []


def test_an_edited_command_of_equal_risk_runs_as_edited(world: World) -> None:
    run = waiting(world, "touch a")
    world.approve(run, command="touch b")
    world.play()
    assert world.shell.ran == [(world.host.id, "touch b")]


def test_an_edit_that_raises_the_risk_waits_again(world: World) -> None:
    run = waiting(world, "touch a")
    edited = world.approve(run, command="rm -r /srv")
    world.play()
    assert (edited.status, edited.risk) == (CommandStatus.AWAITING_APPROVAL, Risk.DESTRUCTIVE)
    assert world.shell.ran == []


def test_an_edit_that_the_gate_refuses_is_an_error_and_still_waits(world: World) -> None:
    run = waiting(world, "touch a")
    with pytest.raises(InvalidError):
        world.approve(run, command="vi a")
    assert world.approve(run).status is CommandStatus.APPROVED


def test_a_destructive_command_needs_the_hosts_name(world: World) -> None:
    run = waiting(world, "rm -r /srv")
    with pytest.raises(InvalidError, match="web1"):
        world.approve(run)
    with pytest.raises(InvalidError):
        world.approve(run, confirm_host="web2")
    assert world.approve(run, confirm_host="web1").status is CommandStatus.APPROVED


def test_an_approval_of_a_text_that_was_edited_meanwhile_runs_nothing(world: World) -> None:
    run = waiting(world, "touch a")
    world.parts.commands.edit(
        run.id, world.person.id, "touch b", world.parts.gate.judge("touch b", world.host, "en")
    )
    with pytest.raises(ConflictError):
        world.parts.commands.approve(run.id, world.person.id, "touch a")


def test_another_persons_command_does_not_exist(world: World) -> None:
    run = waiting(world, "touch a")
    stranger = people.named("bob")
    with pytest.raises(NotFoundError):
        decisions.approve(world.parts, run.id, stranger.id)
    with pytest.raises(NotFoundError):
        decisions.deny(world.parts, run.id, stranger.id, "")


def test_another_persons_turn_cannot_be_stopped(world: World) -> None:
    turn = world.ask()
    with pytest.raises(NotFoundError):
        decisions.cancel(world.parts, turn.id, people.named("bob").id)


def test_a_turn_that_ended_cannot_be_stopped(world: World) -> None:
    world.script("Fine.")
    turn = world.ask()
    world.play()
    with pytest.raises(ConflictError):
        decisions.cancel(world.parts, turn.id, world.person.id)


def test_a_host_removed_before_the_edit_runs_nothing(world: World) -> None:
    run = waiting(world, "touch a")
    hosts.remove(world.host.id, world.person.id)
    with pytest.raises(ConflictError, match="removed"):
        world.approve(run, command="touch b")


def test_a_second_question_while_a_turn_is_open_is_refused(world: World) -> None:
    world.ask()
    with pytest.raises(ConflictError):
        world.ask()


def test_two_questions_at_once_open_one_turn(world: World, database_app: Flask) -> None:
    def post(number: int) -> bool:
        with database_app.app_context():
            try:
                world.ask(f"question {number}")
            except ConflictError:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(post, range(4))) == [False, False, False, True]


def test_a_repeated_key_gives_the_turn_it_gave_before(world: World) -> None:
    first = world.ask(key="k1")
    assert world.ask(key="k1").id == first.id
    world.script("Fine.")
    world.play()
    assert world.ask(key="k1").status is TurnStatus.DONE


@pytest.mark.parametrize("content", ["", "  \n", "\0", "x" * (questions.MAX_CHARS + 1)])
def test_an_empty_or_endless_question_is_refused_in_words(world: World, content: str) -> None:
    with pytest.raises(InvalidError):
        world.ask(content)


def test_half_a_surrogate_is_refused_in_words(world: World) -> None:
    with pytest.raises(InvalidError, match="Unicode"):
        world.ask("why \ud83d?")


def test_an_unknown_session_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        decisions.ask(world.parts, "no-such-id", world.person.id, "why?")


def test_an_approval_of_another_text_than_the_one_shown_runs_nothing(world: World) -> None:
    run = waiting(world, "touch a")
    world.approve(run, shown="touch a", command="rm -r /srv")
    with pytest.raises(ConflictError, match="edited meanwhile"):
        world.approve(run, shown="touch a")
    world.play()
    assert world.shell.ran == []


def test_an_approval_for_a_host_that_was_edited_is_refused_before_it_is_taken(
    world: World,
) -> None:
    run = waiting(world, "touch a")
    hosts.change(world.host.id, world.person.id, HostDraft("web1", "192.0.2.9", "ops"))
    with pytest.raises(ConflictError, match="changed or removed"):
        world.approve(run)
    assert world.parts.commands.of_turn(run.turn_id)[0].status is CommandStatus.AWAITING_APPROVAL


def test_an_edit_that_lacks_the_hosts_name_changes_nothing(world: World) -> None:
    run = waiting(world, "rm -r /srv")
    with pytest.raises(InvalidError):
        world.approve(run, command="rm -r /srv/a")
    assert world.parts.commands.of_turn(run.turn_id)[0].command == "rm -r /srv"


def test_what_waits_for_the_demo_host_survives_its_next_start(world: World) -> None:
    key = HostKey("ssh-ed25519", "AAAA", "SHA256:one")
    demo = hosts.register_demo(world.person.id, 1111, "private", key)
    sessions.change(world.session.id, world.person.id, host_ids=[demo.id])
    world.script((call("touch a", host=demo.name),), "Done.")
    turn = world.ask()
    world.play()
    hosts.register_demo(world.person.id, 2222, "private two", replace(key, fingerprint="SHA256:2"))
    world.approve(world.runs(turn)[0])
    world.play()
    assert world.shell.ran == [(demo.id, "touch a")]


def test_a_key_used_for_another_question_is_refused(world: World) -> None:
    world.ask("first", key="k1")
    with pytest.raises(ConflictError, match="Idempotency-Key"):
        world.ask("second", key="k1")


@pytest.mark.parametrize("edit", ["touch a", "touch b"])
def test_an_approval_that_comes_too_late_runs_nothing(world: World, edit: str) -> None:
    run = waiting(world, "touch a")
    late = utc_now() + timedelta(seconds=world.parts.limits.approval_s + 1)
    world.parts = replace(world.parts, clock=lambda: late)
    with pytest.raises(ConflictError, match="in time"):
        world.approve(run, command=edit)
    world.play()
    assert world.shell.ran == []
    (ended,) = commands.of_turn(run.turn_id)
    assert ended.status is CommandStatus.EXPIRED
