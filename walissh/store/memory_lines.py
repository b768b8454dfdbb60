"""Memory as lines of JSON: what one entry of an export says, and how it is read."""

import json
from datetime import timedelta
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from walissh.clock import utc_now
from walissh.errors import InvalidError
from walissh.memory.entry import Memory, MemoryState, MemoryType, Op, Origin
from walissh.store.database import FIRST, LAST

MAX_LINE_CHARS = 100_000
AHEAD = timedelta(days=1)
"""How far the clock of another machine may be ahead."""


class Line(BaseModel):
    """One line of an export. Ids name entries within the file only; fields may be added."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(default="", max_length=64)
    type: MemoryType
    scope: str = "global"
    host: str = ""
    subject: str
    value: str = ""
    content: str
    symptom: str = ""
    cause: str = ""
    fix: str = ""
    worked: bool | None = None
    command: str = ""
    op: Op = Op.ADD
    state: MemoryState = MemoryState.VALID
    origin: Origin = Origin.USER
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    at: AwareDatetime
    proved_at: AwareDatetime | None = None
    expires_at: AwareDatetime | None = None
    stale_days: Annotated[int, Field(ge=1, le=100_000)] | None = None
    superseded_by: str | None = None
    shared_with: str = ""
    recalled_times: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    helped_times: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


def written(memory: Memory) -> dict[str, object]:
    """Return an entry as it is exported, without what is empty."""
    known = {name: getattr(memory, name, None) for name in Line.model_fields}
    known |= {"origin": memory.source.origin, "worked": memory.payload.get("worked")}
    known["command"] = memory.payload.get("command", "")
    values = Line.model_validate(known).model_dump(mode="json")
    return {name: value for name, value in values.items() if value not in (None, "")}


def read(text: str) -> Line:
    """Return what a line says; raises InvalidError."""
    if len(text) > MAX_LINE_CHARS:
        raise InvalidError(f"it is longer than {MAX_LINE_CHARS:,} characters.")
    try:
        line = Line.model_validate(json.loads(text.lstrip("\ufeff")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"]) or "the line"
        raise InvalidError(f"{place}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:  # numbers without end, too
        raise InvalidError("it is not one JSON object.") from error
    _check_dates(line)
    return line


def _check_dates(line: Line) -> None:
    """Refuse what other zones do not have, and what is not yet."""
    given = [each for each in (line.at, line.proved_at, line.expires_at) if each is not None]
    if any(not FIRST.year < each.year < LAST.year for each in given):
        raise InvalidError("its dates must lie in the years 2 to 9998.")
    if max(line.at, line.proved_at or line.at) > utc_now() + AHEAD:
        raise InvalidError("its date is in the future.")
