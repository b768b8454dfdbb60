"""Memory as lines of JSON, out and in again; what comes in goes through the checks of all."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import InvalidError, NotFoundError
from walissh.memory.entry import (
    FACTS,
    Channel,
    Found,
    Memory,
    MemoryState,
    MemoryType,
    Op,
    Origin,
    Source,
)
from walissh.store import (
    groups,
    memory_drafts,
    memory_rows,
    memory_sight,
    memory_writes,
    rows,
)
from walissh.store.database import FIRST, LAST, changed, new_id, reading, writing
from walissh.store.memory_drafts import Draft
from walissh.store.memory_family import Topic
from walissh.store.memory_writes import Writing
from walissh.store.models import GroupRow, HostRow, MemoryRow

AT_ONCE = 200
LINES_AT_ONCE = 10
PAUSE_S = 0.02
"""At least so long others may write between two batches; who waits asks that often."""
MAX_LINE_CHARS = 100_000
HISTORY = frozenset({MemoryState.SUPERSEDED, MemoryState.WITHDRAWN, MemoryState.WRONG})
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


# --- out ------------------------------------------------------------------------------


def export(owner_id: str) -> Iterator[dict[str, object]]:
    """Yield all of this person's own that is within reach, history too, oldest first."""
    last = 0
    while True:
        now = utc_now()
        asked = memory_sight.wish("all", now).also("after", last)
        with reading() as session:
            found = memory_sight.own(session.connection(), owner_id, asked, limit=AT_ONCE)
        yield from (_line(memory_rows.memory(seen, owner_id, now)) for seen in found)
        if len(found) < AT_ONCE:
            return
        last = found[-1].row.number


def _line(memory: Memory) -> dict[str, object]:
    known = {name: getattr(memory, name, None) for name in Line.model_fields}
    known |= {"origin": memory.source.origin, "worked": memory.payload.get("worked")}
    known["command"] = memory.payload.get("command", "")
    written = Line.model_validate(known).model_dump(mode="json")
    return {name: value for name, value in written.items() if value not in (None, "")}


# --- in -------------------------------------------------------------------------------


class TakenIn(tuple[int, list[str]]):
    """What an import came to: ``(taken, refused)``, and how many of the taken were *new*.

    The others are *known*: they were there already, or a later word of the person holds.
    *refused* says why of each line that was left out, by its number.
    """

    new: int

    def __new__(cls, new: int, known: int, refused: list[str]) -> "TakenIn":
        """Return it; *new* and *known* together were taken."""
        made = super().__new__(cls, (new + known, refused))
        made.new = new
        return made

    @property
    def taken(self) -> int:
        """How many lines were understood and need not be brought again."""
        return self[0]

    @property
    def known(self) -> int:
        """How many of the taken added nothing."""
        return self[0] - self.new

    @property
    def refused(self) -> list[str]:
        """Why lines were left out."""
        return self[1]


@dataclass(slots=True)
class _Intake:
    """What an import has come to so far; *ids* leads from ids of the file to our own."""

    owner_id: str
    channel: Literal["web", "api"]
    new: int = 0
    known: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    overtaken: list[tuple[str, str]] = field(default_factory=list)


def take_in(owner_id: str, lines: Iterable[str], channel: Channel) -> TakenIn:
    """Take in the lines of an export; return how many were new, known and refused.

    What counts is settled against what is there already; the same again adds nothing, and
    what was called wrong here after the line was written stays wrong. A host is found by
    its name within reach. Others write in between: a failure leaves the lines before it.
    Raises NotFoundError for an unknown person.
    """
    intake = _Intake(owner_id, "web" if channel == "web" else "api")
    parsed = _parsed(lines, intake)
    while batch := list(islice(parsed, LINES_AT_ONCE)):
        with _others_first(), memory_writes.opened(owner_id) as work:
            for number, line in batch:
                _take(work, intake, number, line)
    _link(intake)
    refused = [intake.refused[number] for number in sorted(intake.refused)]
    return TakenIn(intake.new, intake.known, refused)


@contextmanager
def _others_first() -> Iterator[None]:
    """Pause after a write as long as it took: SQLite has one writer, and is not fair."""
    began = time.monotonic()
    yield
    time.sleep(max(PAUSE_S, time.monotonic() - began))


def _parsed(lines: Iterable[str], intake: _Intake) -> Iterator[tuple[int, Line]]:
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            yield number, _read(text)
        except InvalidError as error:
            intake.refused[number] = f"Line {number}: {error}"


def _read(text: str) -> Line:
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


def _take(work: Writing, intake: _Intake, number: int, line: Line) -> None:
    try:
        draft = _draft(work, intake, line)
    except (InvalidError, NotFoundError) as error:
        intake.refused[number] = f"Line {number}: {error}"
        return
    past = line.state in HISTORY or line.op is Op.REMOVE
    kept = _keep_history(work, intake, line, draft) if past else _settle(work, line, draft)
    if line.id and kept.row is not None:
        intake.ids[line.id] = kept.row.id
    if kept.row is not None and kept.row in work.fresh:
        _carry_over(kept.row, line)
    intake.new += kept.is_new
    intake.known += not kept.is_new


def _carry_over(row: MemoryRow, line: Line) -> None:
    row.helped_times = max(row.helped_times, line.helped_times)
    row.recalled_times = max(row.recalled_times, line.recalled_times)
    row.proved_at = max(row.proved_at, min(line.proved_at or line.at, utc_now()))


def _draft(work: Writing, intake: _Intake, line: Line) -> Draft:
    names = ("type", "subject", "value", "content", "scope", "op", "symptom", "cause", "fix")
    same = {name: getattr(line, name) for name in (*names, "worked", "confidence", "stale_days")}
    host = _host(work.session, intake.owner_id, memory_drafts.plain(line.host))
    value = rows.host(host) if host is not None else None
    source = Source(line.origin, intake.channel)
    draft = memory_writes.drafted(work, Found(**same), source, host=value, at=line.at)
    command = memory_drafts.hide_secrets(memory_drafts.plain(line.command))
    return replace(
        draft,
        command=command[: memory_drafts.VALUE_CHARS],
        expires_at=line.expires_at,
        shared_with=_shared_with(work.session, intake.owner_id, line, host),
    )


def _host(session: Transaction, owner_id: str, name: str) -> HostRow | None:
    if not name:
        return None
    found = session.scalar(
        select(HostRow).where(HostRow.owner_id == owner_id, HostRow.name == name)
    )
    if found is None:
        raise NotFoundError(
            f"there is no host named {name[:80]} within reach. Add it, then import this line."
        )
    return found


def _shared_with(session: Transaction, owner_id: str, line: Line, host: HostRow | None) -> str:
    """Return the group, "" if the fact cannot be shared with it here."""
    group = groups.spelled(memory_drafts.plain(line.shared_with))
    may = group and line.type in FACTS and host is not None
    in_it = may and session.get(GroupRow, (group, owner_id)) is not None
    return group if in_it else ""


class _Kept(NamedTuple):
    """The entry that a line came to, None for a withdrawal of nothing; and if it added it."""

    row: MemoryRow | None
    is_new: bool


def _settle(work: Writing, line: Line, draft: Draft) -> _Kept:
    wrong = _called_wrong(work, line, draft)
    if wrong is not None:
        return _Kept(wrong, is_new=False)
    settled = memory_writes.settle(work, draft, outcome="imported")
    row = None if settled.seen is None else settled.seen.row
    return _Kept(row, is_new=settled.kind not in ("nothing", "refreshed"))


def _called_wrong(work: Writing, line: Line, draft: Draft) -> MemoryRow | None:
    """Return the entry that says the same and was called wrong since the line was written."""
    said_at = max(line.at, line.proved_at or line.at)
    for seen in work.families.entries(Topic.of_draft(draft)):
        row = seen.row
        same = memory_drafts.same_value(row.value, draft.found.value)
        if row.wrong_at is not None and said_at <= row.wrong_at and same:
            return row
    return None


def _keep_history(work: Writing, intake: _Intake, line: Line, draft: Draft) -> _Kept:
    """Keep what did not count any more as just that; once, however often it comes."""
    topic = Topic.of_draft(draft)
    family = work.families.entries(topic)
    row = next((seen.row for seen in family if _is_same(seen.row, draft)), None)
    if row is not None:
        return _Kept(row, is_new=False)
    row = memory_writes.new_row(intake.owner_id, draft)
    row.wrong_at = utc_now() if line.state is MemoryState.WRONG else None
    if line.superseded_by or line.state in (MemoryState.SUPERSEDED, MemoryState.WITHDRAWN):
        row.superseded_by = new_id()  # hidden at once; linked when all have come
    if line.op is Op.REMOVE and not line.superseded_by:
        row.superseded_by = None
    work.store(row)
    if line.superseded_by:
        intake.overtaken.append((row.id, line.superseded_by))
    work.families.forget(topic)
    work.tell(row, "kept", intake.channel)
    return _Kept(row, is_new=True)


def _is_same(row: MemoryRow, draft: Draft) -> bool:
    same_text = memory_drafts.same_value(row.value, draft.found.value)
    return row.at == draft.at and row.op == draft.found.op and same_text


def _link(intake: _Intake) -> None:
    known = [(mine, intake.ids[by]) for mine, by in intake.overtaken if by in intake.ids]
    for some in _batches(known):
        with _others_first(), writing() as session:
            for mine, by in some:
                changed(
                    session,
                    update(MemoryRow)
                    .where(MemoryRow.id == mine, MemoryRow.user_id == intake.owner_id)
                    .values(superseded_by=by),
                )


def _batches(pairs: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(pairs), LINES_AT_ONCE):
        yield pairs[start : start + LINES_AT_ONCE]
