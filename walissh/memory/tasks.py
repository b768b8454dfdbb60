"""The commands of a turn as sub-tasks of its task in working memory."""

from dataclasses import replace

from walissh.memory.working import StepStatus, SubTask, TaskState, moved
from walissh.react.turn import CommandRun, CommandStatus

_STATUS = {
    CommandStatus.PROPOSED: StepStatus.PENDING,
    CommandStatus.APPROVED: StepStatus.PENDING,
    CommandStatus.AWAITING_APPROVAL: StepStatus.BLOCKED,
    CommandStatus.RUNNING: StepStatus.RUNNING,
    CommandStatus.FAILED: StepStatus.FAILED,
    CommandStatus.UNKNOWN: StepStatus.FAILED,
    CommandStatus.REFUSED: StepStatus.CANCELLED,
    CommandStatus.DENIED: StepStatus.CANCELLED,
    CommandStatus.CANCELLED: StepStatus.CANCELLED,
    CommandStatus.EXPIRED: StepStatus.CANCELLED,
}

ENDED = (StepStatus.DONE, StepStatus.FAILED, StepStatus.CANCELLED, StepStatus.SKIPPED)


def followed(state: TaskState, run: CommandRun) -> TaskState:
    """Return the task with *run* as a sub-task in its present state."""
    step_id, status = f"command-{run.id}", _status(run)
    if all(each.id != step_id for each in state.steps):
        title = f"{run.host}: {run.command[:200]}"
        step = SubTask(step_id, title, status, result=_result(run))
        return replace(state, steps=(*state.steps, step))
    now = state.step(step_id).status
    if now is status:
        return state
    for each in _way(now, status):
        state = moved(state, step_id, each, _result(run))
    return state


def _status(run: CommandRun) -> StepStatus:
    if run.status is CommandStatus.FINISHED:
        return StepStatus.DONE if run.went_well else StepStatus.FAILED
    return _STATUS[run.status]


def _way(now: StepStatus, status: StepStatus) -> tuple[StepStatus, ...]:
    """Return the moves from *now* to *status*: an end that is told late passes by running."""
    if now in ENDED:
        return ()
    if status in (StepStatus.DONE, StepStatus.FAILED) and now is not StepStatus.RUNNING:
        return (StepStatus.RUNNING, status)
    return (status,)


def _result(run: CommandRun) -> dict[str, object]:
    return {"status": run.status.value, "exit_code": run.exit_code, "lines": run.output_lines}
