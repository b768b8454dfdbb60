"""Jobs of the queue ``turns``."""

from walissh import wiring
from walissh.react import agent, compaction, course


def think(turn_id: str, step: int) -> None:
    """Make one model call of a turn."""
    agent.think(wiring.parts(), turn_id, step)


def finish(turn_id: str) -> None:
    """Do the after-work of an ended turn."""
    course.finish(wiring.parts(), turn_id)


def compact(turn_id: str) -> None:
    """Fold what is old in the session of a turn, ahead of need."""
    compaction.ahead(wiring.parts(), turn_id)
