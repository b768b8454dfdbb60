"""The one handler for jobs that fail by an error that no step expected."""

import logging
from types import TracebackType

from rq.job import Job

from walissh import wiring
from walissh.react import agent

logger = logging.getLogger(__name__)


def put_right(
    job: Job, _kind: type[BaseException], error: BaseException, _where: TracebackType | None
) -> bool:
    """End the step that *job* left open, so that its turn does not wait for ever.

    Returns true: RQ goes on to note the job as failed, with the traceback.
    """
    logger.error("job failed job=%s: %s: %s", job.id, type(error).__name__, error)
    match (job.func_name, job.args):
        case ("workers.turns.think", [str(turn_id), int(step)]):
            agent.abandon_step(wiring.parts(), turn_id, step)
        case ("workers.commands.act", [str(command_id)]):
            agent.abandon_command(wiring.parts(), command_id)
    return True
