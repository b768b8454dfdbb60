"""The JSON shapes of a talk's thread: what is asked, meant, planned, and folded."""

from typing import Literal

from walissh.memory.working import StepStatus
from walissh.react.followed import Intent
from walissh.web.api.shape import Shape


class PlanStep(Shape):
    """One step; *after* names those that it waits for, *result* says what came of it."""

    id: str
    title: str
    status: StepStatus
    after: list[str]
    result: str


class Plan(Shape):
    """What the agent works through in a session, in its order."""

    goal: str
    steps: list[PlanStep]


class SummaryMark(Shape):
    """The first *folded* messages, up to the id *until*, go to the model as a summary only."""

    folded: int
    until: str


class Taken(Shape):
    """What a message was taken for: by the named *rule* or by the model; how sure, 0 to 1."""

    intent: Intent
    confidence: float
    by: Literal["rule", "model"]
    rule: str
