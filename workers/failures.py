"""The one handler for jobs that fail by an error that no step expected."""

import logging
import time
from types import TracebackType

from rq.job import Job

from walissh import wiring
from walissh.errors import StoreError
from walissh.react import course

logger = logging.getLogger(__name__)

TRIES = 10
PAUSE_S = 3.0


def put_right(
    job: Job, _kind: type[BaseException], error: BaseException, _where: TracebackType | None
) -> bool:
    """End the step that *job* left open, so that its turn does not wait for ever.

    Returns true: RQ goes on to note the job as failed, with the traceback.
    """
    logger.error("job failed job=%s: %s: %s", job.id, type(error).__name__, error)
    for _ in range(TRIES):
        try:
            _end_step(job)
        except StoreError as away:
            # raised further it would end this thread, and with it all jobs of the process
            logger.warning("not put right yet job=%s: %s", job.id, away)
            time.sleep(PAUSE_S)
        else:
            return True
    logger.error("left to upkeep job=%s", job.id)
    return True


def _end_step(job: Job) -> None:
    match (job.func_name, job.args):
        case ("workers.turns.think", [str(turn_id), int(step)]):
            course.abandon_step(wiring.parts(), turn_id, step)
        case ("workers.commands.act", [str(command_id)]):
            course.abandon_command(wiring.parts(), command_id)
