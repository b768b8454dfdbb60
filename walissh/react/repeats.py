"""Tell when a turn runs in circles."""

from collections.abc import Sequence

from walissh.react.turn import CommandRun

SAME_IN_A_ROW = 3


def stuck(commands: Sequence[CommandRun]) -> bool:
    """Tell whether the last three runs were one command on one host with one result."""
    last = commands[-SAME_IN_A_ROW:]
    return len(last) == SAME_IN_A_ROW and len({_trace(each) for each in last}) == 1


def _trace(run: CommandRun) -> tuple[object, ...]:
    result = (run.status, run.exit_code, run.output_chars, run.output_head, run.output_tail)
    return run.host_id, run.command, result
