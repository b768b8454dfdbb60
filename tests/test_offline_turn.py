"""The offline brain inside a real turn: the real agent, gate and database, this machine."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.offline_talk import BRAIN, Machine, machine, this_machine
from tests.world import World
from walissh.react.turn import CommandStatus, Exit, TurnStatus
from walissh.safety.policy import ReadOnlyGate


class LocalShell:
    """Runs commands on *where*, as a shell over SSH would."""

    def __init__(self, where: Machine = this_machine) -> None:
        self.where = where

    def run(
        self,
        run_id: str,
        host_id: str,
        command: str,
        *,
        limit_s: int,
        on_output: Callable[[str], None],
        cancelled: Callable[[], bool],
        revision: int | None = None,
    ) -> Exit:
        ended = self.where(command)
        if ended.output:
            on_output(ended.output)
        return Exit(ended.exit_code, "exited")

    def check(self, host_id: str) -> None:
        return None


@pytest.fixture
def offline(world: World) -> World:
    """The world with the offline brain, the real gate and real commands."""
    world.parts = replace(world.parts, model=BRAIN, gate=ReadOnlyGate(), shell=LocalShell())
    return world


def test_slow_machine_is_answered_unasked_with_three_cited_outputs(offline: World) -> None:
    turn = offline.ask("why is this machine slow?")
    offline.play()
    ended, runs = offline.turn(turn), offline.runs(turn)
    assert ended.status is TurnStatus.DONE
    assert {run.status for run in runs} == {CommandStatus.FINISHED}
    assert len({each.command_id for each in ended.citations}) >= 3
    assert "[1]" in ended.answer
    assert "[[" not in ended.answer


def test_a_command_that_changes_waits_and_then_shows_its_result(offline: World) -> None:
    turn = offline.ask("run `touch /nowhere/at/all`")
    offline.play()
    (run,) = offline.runs(turn)
    assert run.status is CommandStatus.AWAITING_APPROVAL
    offline.approve(run)
    offline.play()
    assert "exit code 1" in offline.turn(turn).answer


def test_the_next_question_starts_afresh(offline: World) -> None:
    offline.parts = replace(offline.parts, shell=LocalShell(machine("busybox")))
    for words in ("cpu load", "and memory?"):
        turn = offline.ask(words)
        offline.play()
    ids = {run.id for run in offline.runs(turn)}
    assert {each.command_id for each in offline.turn(turn).citations} <= ids
