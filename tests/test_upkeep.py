"""The sweep puts right, once, what a dead process or a lost queue left behind."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from tests.fakes import call
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import ModelBusyError
from walissh.react.turn import CommandStatus, TurnStatus
from walissh.store import commands, due, turns
from walissh.store import workers as heartbeats
from walissh.store.database import writing
from walissh.store.models import TurnRow
from workers import upkeep


def sweep(world: World, after_s: float = 20) -> None:
    upkeep.put_right(world.parts, utc_now() + timedelta(seconds=after_s))


def test_a_turn_that_was_saved_but_not_queued_is_queued_once(world: World) -> None:
    turn = world.ask()
    world.queue.jobs.clear()
    sweep(world)
    sweep(world, after_s=21)
    assert world.queue.jobs == [("think", turn.id, 0)]


def test_a_fresh_turn_is_left_alone(world: World) -> None:
    world.ask()
    sweep(world, after_s=0)
    assert len(world.queue.jobs) == 1


def test_an_approved_command_that_was_not_queued_is_queued(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    turn = world.ask()
    world.step()
    world.queue.jobs.clear()
    sweep(world)
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_running_command_of_a_dead_worker_is_unknown_and_not_run_again(world: World) -> None:
    world.script((call("touch a"),))
    turn = world.ask()
    world.play()
    world.approve(world.runs(turn)[0])
    commands.claim(world.runs(turn)[0].id, "dead-worker")
    heartbeats.beat("dead-worker", "commands")
    sweep(world)
    world.play()
    assert world.shell.ran == []
    assert world.runs(turn)[0].status is CommandStatus.UNKNOWN
    ended = world.turn(turn)
    assert (ended.status, "touch a" in ended.error) == (TurnStatus.INTERRUPTED, True)


def test_after_an_interrupted_turn_the_next_question_tells_the_model_so(world: World) -> None:
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    commands.claim(world.runs(turn)[0].id, "dead-worker")
    sweep(world)
    world.queue.jobs.clear()
    world.script("I see.")
    again = world.ask("and now?")
    world.play()
    assert world.turn(again).status is TurnStatus.DONE
    contents = [m.content for m in world.model.requests[-1].messages if m.role == "tool"]
    assert "outcome unknown" in contents[0]


def test_a_running_command_of_a_living_worker_is_left_alone(world: World) -> None:
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    commands.claim(world.runs(turn)[0].id, "worker")
    heartbeats.beat("worker", "commands")
    sweep(world, after_s=5)
    assert world.runs(turn)[0].status is CommandStatus.RUNNING


def test_the_end_told_by_a_worker_taken_for_dead_is_kept(world: World) -> None:
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    run = commands.claim(world.runs(turn)[0].id, "slow")
    assert run is not None
    sweep(world)
    assert commands.finish(
        run.id,
        "slow",
        world.shell.run("", "", "", limit_s=1, on_output=print, cancelled=lambda: False),
    )
    assert world.runs(turn)[0].status is CommandStatus.FINISHED


def test_a_model_call_of_a_dead_worker_is_made_again(world: World) -> None:
    turn = world.ask()
    world.queue.jobs.clear()
    turns.claim(turn.id, 0, "dead-worker")
    world.script("Fine.")
    sweep(world)
    sweep(world, after_s=21)
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_model_call_that_kills_its_worker_each_time_is_given_up(world: World) -> None:
    world.limit(attempts=2)
    turn = world.ask()
    for attempt in range(2):
        turns.claim(turn.id, 0, f"dead-{attempt}")
        sweep(world, after_s=0)
    assert world.turn(turn).status is TurnStatus.INTERRUPTED


def test_a_postponed_turn_is_queued_when_its_time_has_come(world: World) -> None:
    world.script(ModelBusyError("busy", retry_after_s=8))
    turn = world.ask()
    world.play()
    sweep(world, after_s=5)
    assert world.queue.jobs == []
    sweep(world, after_s=9)
    assert [job[0] for job in world.queue.jobs] == ["think"]
    assert world.turn(turn).not_before is None


def test_an_approval_expires_visibly_and_the_model_is_told(world: World) -> None:
    world.script((call("touch a"),), "Nobody answered.")
    turn = world.ask()
    world.play()
    sweep(world, after_s=25 * 3600)
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.EXPIRED
    assert world.turn(turn).answer == "Nobody answered."


def test_a_step_lost_between_command_and_thought_is_made(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    turn = world.ask()
    world.step()
    run = commands.claim(world.runs(turn)[0].id, "w")
    assert run is not None
    ended = world.shell.run("", "", "", limit_s=1, on_output=print, cancelled=lambda: False)
    commands.finish(run.id, "w", ended)  # and the worker dies before it goes on
    world.queue.jobs.clear()
    sweep(world, after_s=0)
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE


@pytest.mark.parametrize("times", [1, 2])
def test_after_work_that_was_lost_is_done_once(world: World, times: int) -> None:
    world.script("Fine.")
    world.ask()
    world.step()
    world.queue.jobs.clear()
    for _ in range(times):
        sweep(world)
    world.play()
    assert due.unsettled_turns(utc_now() + timedelta(seconds=60)) == []


def test_after_a_night_in_the_queue_a_fresh_model_call_is_not_taken_for_lost(world: World) -> None:
    turn = world.ask()
    heartbeats.beat("worker", "turns")
    with writing() as session:
        long_ago = utc_now() - timedelta(hours=9)
        session.execute(update(TurnRow).values(queued_at=long_ago))
    turns.claim(turn.id, 0, "worker")
    sweep(world, after_s=1)
    assert world.turn(turn).status is TurnStatus.THINKING


def instant(second: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


def test_who_looks_without_a_break_may_judge() -> None:
    watch = upkeep.Watch()
    assert all(watch.judges(instant(s - s % 3), instant(s)) for s in range(30))


def test_who_has_slept_does_not_judge_until_the_others_had_time_to_speak() -> None:
    watch = upkeep.Watch()
    assert watch.judges(instant(0), instant(1))
    assert not watch.judges(instant(0), instant(100))
    assert not watch.judges(instant(101), instant(102))
    assert not any(watch.judges(instant(s), instant(s)) for s in (104, 107, 110, 113))
    assert watch.judges(instant(113), instant(114))


def test_who_could_not_store_its_own_sign_of_life_does_not_judge() -> None:
    assert not upkeep.Watch().judges(None, instant(0))
