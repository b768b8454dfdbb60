"""The data of a turn's events, by the name of the event."""

from collections.abc import Mapping

from pydantic import ConfigDict, Field

from walissh.react.turn import CommandStatus, Risk, TurnStatus
from walissh.web.api.shape import Shape
from walissh.web.api.shapes import Flag
from walissh.web.api.thread_shapes import PlanStep


class EventData(Shape):
    """What every event carries; more may be added."""

    model_config = ConfigDict(frozen=True, extra="allow")

    turn_id: str


class StatusEvent(EventData):
    """Where the turn stands; *note* says why it waits."""

    status: TurnStatus
    step: int
    attempt: int
    note: str = ""


class TextEvent(EventData):
    """A piece of a reply; with *whole* it stands for all of that step."""

    step: int
    attempt: int
    delta: str
    whole: bool = False


class CommandEvent(EventData):
    """The present state of a command."""

    id: str
    host: str
    host_id: str
    command: str
    reason: str
    risk: Risk
    reasons: list[str]
    status: CommandStatus
    exit_code: int | None
    error: str
    phase: str
    duration_s: float | None
    ended_by: str
    flags: list[Flag]
    unflagged_by: str


class OutputEvent(EventData):
    """A piece of a command's output that begins at the character *offset*."""

    command_id: str
    offset: int
    text: str


class QuestionEvent(EventData):
    """What the turn ends by asking; the session's next message is the answer."""

    text: str
    choices: list[str]


class PlanEvent(EventData):
    """The whole plan of the session, as it is from now on."""

    goal: str
    steps: list[PlanStep]


class CompactedEvent(EventData):
    """So many rounds, up to the message *until*, were folded into a summary for the model."""

    rounds: int
    until: str = Field(description="The id of the last folded message.")


class LearnedEvent(EventData):
    """The timeline and the memories of the session may be others now."""


class DoneEvent(EventData):
    """The end of the turn."""

    status: TurnStatus
    answer: str
    error: str


EVENT_SHAPES: Mapping[str, type[EventData]] = {
    "status": StatusEvent,
    "text": TextEvent,
    "command": CommandEvent,
    "output": OutputEvent,
    "question": QuestionEvent,
    "plan": PlanEvent,
    "compacted": CompactedEvent,
    "learned": LearnedEvent,
    "done": DoneEvent,
}
