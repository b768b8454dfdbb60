"""The sweep: finds what a dead process or a lost queue left behind, and puts it right once."""

import logging
from datetime import datetime, timedelta

from walissh import wiring
from walissh.identity import worker_name as process_name
from walissh.react import course, telling, texts
from walissh.react.parts import Parts
from walissh.react.turn import CommandStatus, Turn, TurnStatus
from walissh.safety import withhold
from walissh.store import commands, database, due, memory_events, reindex, secrets, turns, workers

logger = logging.getLogger(__name__)


EVENTS = 200
REINDEXED_AT_ONCE = 20

TIDY_EACH_S = 60

BREAK_S = 8
"""Own signs of life so far apart mean that all of us slept, or could store nothing."""


class Watch:
    """Knows since when upkeep looks without a break: who slept cannot tell who died."""

    def __init__(self) -> None:
        self._since: datetime | None = None
        self._beat: datetime | None = None
        self._tidied: datetime | None = None
        self.indexed = False
        """Whether all that is older than the index of words has got into it."""

    def tidies(self, now: datetime) -> bool:
        """Tell, once a minute, that it is time to tidy up."""
        due = self._tidied is None or now - self._tidied >= timedelta(seconds=TIDY_EACH_S)
        if due:
            self._tidied = now
        return due

    def judges(self, beat: datetime | None, now: datetime) -> bool:
        """Tell whether a silent worker is dead, given our own last stored sign of life."""
        if beat is None or now - beat > timedelta(seconds=BREAK_S):
            return False
        if self._beat is not None and beat - self._beat > timedelta(seconds=BREAK_S):
            self._since = beat
        self._beat = beat
        return self._since is None or now - self._since > timedelta(seconds=workers.DEAD_AFTER_S)


def sweep(watch: Watch) -> None:
    """Make one round; the process of upkeep calls it each second."""
    parts = wiring.parts()
    now = parts.clock()
    put_right(parts, now, judge=watch.judges(workers.seen(process_name()), now))
    if watch.tidies(now):
        parts.mind.tidy()
        _forget_secrets(now)
        database.empty_log()  # what was deleted while others read is gone from the log too
    if not watch.indexed:
        watch.indexed = reindex.reindex(REINDEXED_AT_ONCE) == 0


def _forget_secrets(now: datetime) -> None:
    """Cut hidden values that are older than they are kept."""
    secrets.drop_older(now - timedelta(days=withhold.LONGEST_DAYS))


def put_right(parts: Parts, now: datetime, *, judge: bool = True) -> None:
    """Queue again what is due at *now*, and end what nobody works on any more."""
    requeue(parts, now)
    expire_approvals(parts, now)
    if judge:
        release_commands(parts, now)
        release_turns(parts, now)
    for turn in due.stalled_turns():
        # the move was lost between the end of a command and the next step
        course.advance(parts, turn.id)
    tell_preferences(parts)
    workers.forget_old(now)


def requeue(parts: Parts, now: datetime) -> None:
    """Queue turns, commands and after-work that are due and in no queue."""
    for turn in due.turns_to_queue(now):
        parts.enqueue.think(turn)
    for run in due.commands_to_queue(now):
        parts.enqueue.act(run)
    for turn_id in due.unsettled_turns(now):
        parts.enqueue.finish(turn_id)


def tell_preferences(parts: Parts) -> None:
    """Tell the running tasks of a person what changed; what waits under the old is void."""
    events = memory_events.unpublished(EVENTS)
    for user_id in dict.fromkeys(event.user_id for event in events):
        for turn in due.open_turns(user_id):
            if parts.mind.is_outdated(turn):
                parts.publish(turn.session_id, "user_preference_updated", {"turn_id": turn.id})
                _void_waiting(parts, turn)
    memory_events.mark_published([event.id for event in events])


def _void_waiting(parts: Parts, turn: Turn) -> None:
    why = texts.preference_changed(turn.language)
    for run in commands.of_turn(turn.id, turn.step):
        if run.status in (CommandStatus.AWAITING_APPROVAL, CommandStatus.APPROVED):
            course.expire(parts, run, why)


def expire_approvals(parts: Parts, now: datetime) -> None:
    """End the waiting of commands that nobody decided in time."""
    for run in due.undecided_commands(now - timedelta(seconds=parts.limits.approval_s)):
        if commands.expire(run.id):
            telling.tell_command(parts, run.id)
            course.advance(parts, run.turn_id)


def release_commands(parts: Parts, now: datetime) -> None:
    """Mark the commands of dead workers unknown: they are never run again by themselves."""
    for run in due.orphaned_commands(now, workers.DEAD_AFTER_S):
        logger.warning("worker gone command=%s", run.id)
        if commands.lose(run.id, texts.lost_worker(course.language_of(parts, run))):
            telling.tell_command(parts, run.id)
            course.interrupt(parts, run.turn_id)


def release_turns(parts: Parts, now: datetime) -> None:
    """Let the model calls of dead workers be made again: nothing of them was stored."""
    for turn in due.orphaned_turns(now, workers.DEAD_AFTER_S):
        logger.warning("worker gone turn=%s step=%s", turn.id, turn.step)
        if turn.attempt >= parts.limits.attempts:
            course.close(parts, turn, TurnStatus.INTERRUPTED, texts.gave_up(turn.language), {})
        else:
            turns.postpone(turn, now, "")
