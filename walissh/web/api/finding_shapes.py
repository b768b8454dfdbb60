"""The JSON shapes of what a turn found out."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from walissh.react.diagnosed import Diagnosed
from walissh.web.api.shape import Shape


class Lines(Shape):
    """Lines *from* to *to* (from 1) of a command's output."""

    command_id: str
    first_line: int = Field(serialization_alias="from")
    last_line: int = Field(serialization_alias="to")


class Finding(Shape):
    """A cause that the answer names for one host, in the language of the turn.

    *finding* is its name in the playbooks, *sure* percent; *steps* lead from symptom to cause.
    *memory_id* is the case that was kept when a person confirmed it, empty before.
    """

    host: str
    finding: str
    severity: str
    symptom: str
    cause: str
    fix: str
    verify: str
    sure: int = Field(ge=0, le=100)
    steps: list[str]
    citations: list[Lines]
    confirmed_at: datetime | None
    memory_id: str


def findings(found: Sequence[Diagnosed]) -> list[Finding]:
    """Tell what was found."""
    return [
        Finding(
            host=each.host,
            finding=each.finding,
            severity=each.severity,
            symptom=each.symptom,
            cause=each.cause,
            fix=each.fix,
            verify=each.verify,
            sure=each.sure,
            steps=list(each.steps),
            citations=[Lines.model_validate(place) for place in each.places],
            confirmed_at=each.confirmed_at,
            memory_id=each.memory_id,
        )
        for each in found
    ]
