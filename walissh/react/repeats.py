"""Tell when a turn runs in circles."""

import re
from collections.abc import Hashable, Sequence

from walissh.react.turn import CommandRun, Message

TIMES = 3
LONGEST_CIRCLE = 3
WAITED_S = 5.0
"""A command that took so long waited for something: looking again is no loop."""
_WAITS = re.compile(r"(?:^|[\s;&|(])(?:sleep|wait|inotifywait|watch)\b|--wait\b|--pid=")
_RUN = "run_command"


def stuck(commands: Sequence[CommandRun], said: Sequence[Message] = ()) -> bool:
    """Tell whether the last moves were one circle of up to three, gone round three times.

    Of commands their results count; of other tools (in *said*, the messages of this turn)
    their arguments. Polling is no circle: a command that waits, or that took its time.
    """
    calls = [call for each in said for call in each.tool_calls]
    asked = [(call.name, call.arguments) for call in calls]
    others = asked if asked and asked[-1][0] != _RUN else []
    newest = commands[-TIMES * LONGEST_CIRCLE :]
    return _circles(others) or _circles([_trace(each) for each in newest], newest)


def _circles(traces: Sequence[Hashable], runs: Sequence[CommandRun] = ()) -> bool:
    for length in range(1, LONGEST_CIRCLE + 1):
        last = traces[-TIMES * length :]
        if len(last) == TIMES * length and last == [*last[:length]] * TIMES:
            return not any(map(_polls, runs[-length:]))
    return False


def _polls(run: CommandRun) -> bool:
    return (run.duration_s or 0.0) >= WAITED_S or _WAITS.search(run.command) is not None


def _trace(run: CommandRun) -> tuple[Hashable, ...]:
    result = (run.status, run.exit_code, run.output_chars, run.output_head, run.output_tail)
    return run.host_id, run.command, result
