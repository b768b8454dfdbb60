"""The sweep: finds what a dead process or a lost queue left behind, and puts it right once."""

import logging
from datetime import timedelta

from walissh import wiring
from walissh.react import agent, telling, texts
from walissh.react.turn import TurnStatus
from walissh.store import commands, turns, workers

logger = logging.getLogger(__name__)


def sweep() -> None:
    """Queue again what is due, and end what nobody works on any more."""
    requeue()
    expire_approvals()
    release_dead_workers()
    advance_stalled()


def requeue() -> None:
    """Queue turns, commands and after-work that are due and in no queue."""
    parts, now = wiring.parts(), wiring.parts().clock()
    for turn in turns.overdue(now):
        parts.enqueue.think(turn)
    for run in commands.overdue(now):
        parts.enqueue.act(run)
    for turn_id in turns.unsettled(now):
        parts.enqueue.finish(turn_id)


def expire_approvals() -> None:
    """End the waiting of commands that nobody decided in time."""
    parts, limit_s = wiring.parts(), wiring.settings().approval_limit_s
    for run in commands.undecided(parts.clock() - timedelta(seconds=limit_s)):
        if commands.expire(run.id):
            telling.tell_command(parts, run.id)
            agent.advance(parts, run.turn_id)


def release_dead_workers() -> None:
    """Mark commands of dead workers unknown; let their model calls be made again."""
    parts, now = wiring.parts(), wiring.parts().clock()
    for run in commands.orphans(now, workers.DEAD_AFTER_S):
        logger.warning("worker gone command=%s", run.id)
        if commands.lose(run.id, texts.lost_worker(parts.language)):
            telling.tell_command(parts, run.id)
            agent.interrupt(parts, run.turn_id)
    for turn in turns.orphans(now, workers.DEAD_AFTER_S):
        logger.warning("worker gone turn=%s step=%s", turn.id, turn.step)
        if turn.attempt >= parts.limits.attempts:
            agent.close(parts, turn, TurnStatus.INTERRUPTED, texts.gave_up(turn.language), {})
        else:
            turns.postpone(turn, now, "")


def advance_stalled() -> None:
    """Make the move that was lost between the end of a command and the next step."""
    for turn in turns.stalled():
        agent.advance(wiring.parts(), turn.id)
