"""What was run for a step of the plan: noted with the step, its end told from the journal.

A process may die between a command and the next `update_plan`. So the calls are noted with
the step in the same write that stores the commands, and nothing is done twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from walissh.memory.working import StepStatus, SubTask, TaskState
from walissh.react import plan as plans
from walissh.react.turn import OPEN_COMMAND, CommandRun, CommandStatus, Proposal

NOTE = "run"
MOST = 12
"""So many commands are kept with a step, the newest."""
MAX_COMMAND_CHARS = 300

_UNSETTLED = frozenset({StepStatus.PENDING, StepStatus.RUNNING, StepStatus.FAILED})
_OfTurn = Callable[[str], Sequence[CommandRun]]


@dataclass(frozen=True, slots=True)
class Undertaking:
    """A command that was begun for a step; *state* is "" until its end is known."""

    turn: str
    call: str
    host: str
    command: str
    state: str = ""

    @property
    def went_well(self) -> bool:
        """Tell whether it must not be run once more."""
        return self.state == "exit 0"


def noted(plan: TaskState, proposals: Iterable[Proposal], turn_id: str) -> TaskState:
    """Return *plan* with the commands noted in the step that is under way, or is next."""
    step = plans.next_step(plan)
    begun = [_begun(each, turn_id) for each in proposals]
    if step is None or not begun:
        return plan
    return _with(plan, step, (*of(step), *begun))


def told(plan: TaskState, of_turn: _OfTurn) -> TaskState:
    """Return *plan* with what became of the commands of its unsettled steps."""
    for step in plan.steps:
        mine = of(step)
        if step.status in _UNSETTLED and mine:
            runs = {
                turn_id: of_turn(turn_id) for turn_id in dict.fromkeys(each.turn for each in mine)
            }
            plan = _with(plan, step, tuple(_ended(each, runs[each.turn]) for each in mine))
    return plan


def of(step: SubTask) -> tuple[Undertaking, ...]:
    """Return what was begun for a step, oldest first."""
    kept = step.result.get(NOTE)
    if not isinstance(kept, list | tuple):
        return ()
    return tuple(_read(each) for each in kept if isinstance(each, Mapping))


def state(run: CommandRun) -> str:
    """Say in a few words how a command stands."""
    if run.status is CommandStatus.FINISHED:
        by_itself = run.ended_by in ("exited", "sudo")
        return f"exit {run.exit_code}" if by_itself else f"stopped: {run.ended_by}"
    if run.status is CommandStatus.UNKNOWN:
        return "interrupted, outcome unknown"
    if run.status is CommandStatus.CANCELLED and run.started_at is not None:
        return "cancelled while it ran"
    if run.status in OPEN_COMMAND:
        return run.status.value.replace("_", " ")
    return f"not run: {run.status.value}"


def _begun(proposal: Proposal, turn_id: str) -> Undertaking:
    return Undertaking(
        turn_id, proposal.call_id, proposal.host.name, proposal.command[:MAX_COMMAND_CHARS]
    )


def _ended(noted: Undertaking, runs: Iterable[CommandRun]) -> Undertaking:
    """Return it with its end; call ids may repeat, and a person may have edited the text."""
    mine = [run for run in runs if (run.tool_call_id, run.host) == (noted.call, noted.host)]
    same = [run for run in mine if run.command[:MAX_COMMAND_CHARS] == noted.command]
    run = next(iter(same or mine), None)
    if run is None:
        return noted
    return replace(noted, command=run.command[:MAX_COMMAND_CHARS], state=state(run))


def _with(plan: TaskState, step: SubTask, kept: Sequence[Undertaking]) -> TaskState:
    rows = [
        {"turn": u.turn, "call": u.call, "host": u.host, "command": u.command, "state": u.state}
        for u in kept[-MOST:]
    ]
    marked = replace(step, result={**step.result, NOTE: rows})
    return replace(plan, steps=tuple(marked if each.id == step.id else each for each in plan.steps))


def _read(row: Mapping[str, object]) -> Undertaking:
    def text(name: str) -> str:
        return str(row.get(name, ""))

    return Undertaking(text("turn"), text("call"), text("host"), text("command"), text("state"))
