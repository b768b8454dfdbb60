"""Memory as lines of JSON, out and in again; what comes in goes through the checks of all."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Literal, NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import InvalidError, NotFoundError, WalisshError
from walissh.memory.entry import (
    FACTS,
    Channel,
    Found,
    MemoryState,
    Op,
    Source,
)
from walissh.react.host import Host
from walissh.store import (
    groups,
    memory_drafts,
    memory_lines,
    memory_rows,
    memory_sight,
    memory_work,
    memory_writes,
    rows,
)
from walissh.store.database import changed, new_id, reading, writing
from walissh.store.memory_drafts import Draft
from walissh.store.memory_family import Topic, Wordings
from walissh.store.memory_lines import Line
from walissh.store.memory_rows import Seen
from walissh.store.memory_work import Writing
from walissh.store.models import GroupRow, HostRow, MemoryRow

AT_ONCE = 200
FEWEST_LINES, MOST_LINES = 10, 200
WRITING_S = 0.02
PAUSE_S = 0.025
"""At least so long others may write between two batches; who waits asks that often."""
HISTORY = frozenset({MemoryState.SUPERSEDED, MemoryState.WITHDRAWN, MemoryState.WRONG})


# --- out ------------------------------------------------------------------------------


def export(owner_id: str) -> Iterator[dict[str, object]]:
    """Yield all of this person's own that is within reach, history too, oldest first."""
    last = 0
    while True:
        now = utc_now()
        asked = memory_sight.wish("all", now).also("after", last)
        with reading() as session:
            found = memory_sight.own(session.connection(), owner_id, asked, limit=AT_ONCE)
        yield from (memory_lines.written(memory_rows.memory(seen, owner_id, now)) for seen in found)
        if len(found) < AT_ONCE:
            return
        last = found[-1].row.number


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
    """What an import has come to so far; *ids* leads from ids of the file to our own,
    *hosts* from their names to hosts."""

    owner_id: str
    channel: Literal["web", "api"]
    new: int = 0
    known: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    overtaken: list[tuple[str, str]] = field(default_factory=list)
    hosts: dict[str, Host] = field(default_factory=dict)
    wordings: Wordings = field(default_factory=Wordings)

    def refuse(self, number: int, why: WalisshError) -> None:
        """Note that a line was left out."""
        self.refused[number] = f"Line {number}: {why}"


def take_in(owner_id: str, lines: Iterable[str], channel: Channel) -> TakenIn:
    """Take in the lines of an export; return how many were new, known and refused.

    What counts is settled against what is there already; the same again adds nothing, and
    what was called wrong here after the line was written stays wrong. A host is found by
    its name within reach. Others write in between: a failure leaves the lines before it.
    Raises NotFoundError for an unknown person.
    """
    intake = _Intake(owner_id, "web" if channel == "web" else "api")
    parsed, pace = _parsed(lines, intake), _Pace()
    while batch := list(islice(parsed, pace.lines)):
        ready = _ready(intake, batch)
        with pace.writing(), memory_work.opened(owner_id, wordings=intake.wordings) as work:
            _take_all(work, intake, ready)
    _link(intake, pace)
    refused = [intake.refused[number] for number in sorted(intake.refused)]
    return TakenIn(intake.new, intake.known, refused)


class _Pace:
    """How many *lines* are written at once: SQLite has one writer, and is not fair.

    As many as take about ``WRITING_S``; then others may write for as long, and at least for
    ``PAUSE_S``, of which the work on the next lines is a part.
    """

    def __init__(self) -> None:
        self.lines = FEWEST_LINES
        self._others_until = 0.0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait until others had their turn, and see how long this one takes."""
        time.sleep(max(0.0, self._others_until - time.monotonic()))
        began = time.monotonic()
        yield
        ended = time.monotonic()
        took_s = ended - began
        fitting = round(self.lines * WRITING_S / max(took_s, 0.001))
        self.lines = min(max(fitting, FEWEST_LINES), 2 * self.lines, MOST_LINES)
        self._others_until = ended + max(PAUSE_S, took_s)


def _parsed(lines: Iterable[str], intake: _Intake) -> Iterator[tuple[int, Line]]:
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            yield number, memory_lines.read(text)
        except InvalidError as error:
            intake.refuse(number, error)


class _Ready(NamedTuple):
    """A line, by its *number*, checked before the transaction that writes it."""

    number: int
    line: Line
    draft: Draft
    host: Host | None


def _ready(intake: _Intake, batch: Iterable[tuple[int, Line]]) -> list[_Ready]:
    """Return the lines that may be written: to check them takes as long as to write them."""
    ready = []
    with reading() as session:
        mine = select(GroupRow.name).where(GroupRow.person_id == intake.owner_id)
        named = frozenset(session.scalars(mine))
        for number, line in batch:
            try:
                host = _host(session, intake, memory_drafts.plain(line.host))
                ready.append(_Ready(number, line, _draft(intake, line, host, named), host))
            except (InvalidError, NotFoundError) as error:
                intake.refuse(number, error)
    return ready


def _draft(intake: _Intake, line: Line, host: Host | None, named: Collection[str]) -> Draft:
    name = host.name if host else ""
    source = Source(line.origin, intake.channel)
    found = Found(**{each: getattr(line, each) for each in _OF_FOUND})
    command = memory_drafts.hide_secrets(memory_drafts.plain(line.command))
    group = groups.spelled(memory_drafts.plain(line.shared_with))
    may = host is not None and line.type in FACTS and group in named
    return Draft(
        found=memory_drafts.checked(found, source, name),
        source=source,
        at=line.at,
        host_id=host.id if host else None,
        host=name,
        command=command[: memory_drafts.VALUE_CHARS],
        expires_at=line.expires_at,
        shared_with=group if may else "",  # a fact that cannot be shared with it here
    )


_OF_FOUND = tuple(each.name for each in fields(Found))


def _take_all(work: Writing, intake: _Intake, ready: Sequence[_Ready]) -> None:
    there: list[_Ready] = []
    for each in ready:
        try:
            if each.host is not None:
                memory_writes.require_host(work, each.host)
            there.append(each)
        except NotFoundError as error:  # it went in between
            intake.refuse(each.number, error)
    work.families.read(Topic.of_draft(each.draft) for each in there)
    for each in there:
        _take(work, intake, each.line, each.draft)


def _take(work: Writing, intake: _Intake, line: Line, draft: Draft) -> None:
    past = line.state in HISTORY or line.op is Op.REMOVE
    kept = _keep_history(work, intake, line, draft) if past else _settle(work, line, draft)
    if line.id and kept.row is not None:
        intake.ids[line.id] = kept.row.id
    if kept.row is not None and kept.row.id in work.stored:
        _carry_over(kept.row, line)
    intake.new += kept.is_new
    intake.known += not kept.is_new


def _carry_over(row: MemoryRow, line: Line) -> None:
    row.helped_times = max(row.helped_times, line.helped_times)
    row.recalled_times = max(row.recalled_times, line.recalled_times)
    row.proved_at = max(row.proved_at, min(line.proved_at or line.at, utc_now()))


def _host(session: Transaction, intake: _Intake, name: str) -> Host | None:
    if not name:
        return None
    if name not in intake.hosts:
        query = select(HostRow).where(HostRow.owner_id == intake.owner_id, HostRow.name == name)
        found = session.scalar(query)
        if found is None:
            raise NotFoundError(
                f"there is no host named {name[:80]} within reach. Add it, then import this line."
            )
        intake.hosts[name] = rows.host(found)
    return intake.hosts[name]


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
    work.families.add(topic, Seen(row, draft.host_id, draft.host, None, None))
    if line.superseded_by:
        intake.overtaken.append((row.id, line.superseded_by))
    work.tell(row, "kept", intake.channel)
    return _Kept(row, is_new=True)


def _is_same(row: MemoryRow, draft: Draft) -> bool:
    same_text = memory_drafts.same_value(row.value, draft.found.value)
    return row.at == draft.at and row.op == draft.found.op and same_text


def _link(intake: _Intake, pace: _Pace) -> None:
    remaining = iter([(mine, intake.ids[by]) for mine, by in intake.overtaken if by in intake.ids])
    while some := list(islice(remaining, pace.lines)):
        with pace.writing(), writing() as session:
            for mine, by in some:
                changed(
                    session,
                    update(MemoryRow)
                    .where(MemoryRow.id == mine, MemoryRow.user_id == intake.owner_id)
                    .values(superseded_by=by),
                )
