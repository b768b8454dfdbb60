"""What an ended turn adds to the timeline of its session (ancestor: MilestoneTracker).

Told from what happened: the question, the journal of its commands, the answer's sentences
and what was learned. A cause is found only where the answer says so without a "perhaps";
a fix is applied only where a changing command ended with 0.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Protocol

from walissh.memory import tables
from walissh.memory.entry import Found, Memory, MemoryType, Milestone, Op
from walissh.memory.extract import causes
from walissh.react.turn import CommandRun, CommandStatus, Risk, Turn, TurnStatus
from walissh.safety import purify

MAX_CHARS = 120
KEPT = 20
"""How many marks of a session the cache and the prompt hold."""
MAX_FIXES = 3


class Kind(StrEnum):
    """What sort of thing happened."""

    GOAL_SET = "goal_set"
    CAUSE_FOUND = "cause_found"
    FIX_APPLIED = "fix_applied"
    VERIFIED = "verified"
    BLOCKED = "blocked"
    HANDED_OVER = "handed_over"
    PREFERENCE_LEARNED = "preference_learned"


@dataclass(frozen=True, slots=True)
class Mark:
    """A milestone that was seen; not stored yet. *text* is a line of at most 120 characters."""

    kind: Kind
    text: str
    payload: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnView:
    """An ended turn: what marks are told from.

    *commands* in the order of the journal; *learned* in this turn; *earlier* marks of the
    session, of which an open fix can be verified now; *asked* is what the turn ended by
    asking the person, "" if it did not.
    """

    turn: Turn
    commands: tuple[CommandRun, ...] = ()
    learned: tuple[Memory | Found, ...] = ()
    earlier: tuple[Milestone, ...] = ()
    asked: str = ""


class Learned(Protocol):
    """What a write to memory came to: *kind* is added, superseded, removed, refreshed, ..."""

    @property
    def kind(self) -> str:
        """Say what happened."""

    @property
    def memory(self) -> Memory | None:
        """Return the entry that was written or refreshed."""


class Timeline(Protocol):
    """Where marks are kept (``store.milestones``)."""

    def record(
        self, session_id: str, user_id: str, turn_id: str, marks: Sequence[Mark]
    ) -> list[Milestone]:
        """Store the marks that this turn has not yet; return those that are new."""

    def recent(self, session_id: str, user_id: str, limit: int) -> list[Milestone]:
        """Return the last marks of this session and owner, oldest first."""


class Cache(Protocol):
    """A quick copy of the last marks; it may lose all of them at any time."""

    def get(self, session_id: str, user_id: str) -> list[Milestone] | None:
        """Return the copy, None if there is none."""

    def put(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        """Replace the copy after a write."""

    def fill(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        """Make a copy where there is none: what a reader saw never replaces a writer's."""


class MilestoneTracker:
    """Records the marks of ended turns, and gives the last ones back."""

    def __init__(self, store: Timeline, cache: Cache) -> None:
        self._store = store
        self._cache = cache

    def detect_and_record(
        self,
        turn: Turn,
        runs: Sequence[CommandRun],
        learned: Sequence[Learned] = (),
        *,
        asked: str = "",
    ) -> list[Milestone]:
        """Store what the ended turn adds and return it; one that comes twice adds nothing.

        *asked* is what it ended by asking the person. Raises StoreError if the database is
        away.
        """
        earlier = self.recent(turn.session_id, turn.user_id)
        marks = detect(
            TurnView(
                turn=turn,
                commands=tuple(runs),
                learned=tuple(_new(learned)),
                earlier=tuple(each for each in earlier if each.turn_id != turn.id),
                asked=asked,
            )
        )
        if not marks:
            return []
        new = self._store.record(turn.session_id, turn.user_id, turn.id, marks)
        if new:
            last = self._store.recent(turn.session_id, turn.user_id, KEPT)
            self._cache.put(turn.session_id, turn.user_id, last)
        return new

    def recent(self, session_id: str, user_id: str, limit: int = KEPT) -> list[Milestone]:
        """Return the last *limit* marks of this session and owner, oldest first."""
        if limit > KEPT:
            return self._store.recent(session_id, user_id, limit)
        marks = self._cache.get(session_id, user_id)
        if marks is None:
            marks = self._store.recent(session_id, user_id, KEPT)
            self._cache.fill(session_id, user_id, marks)
        return marks[-limit:] if limit > 0 else []


def _new(learned: Sequence[Learned]) -> Iterator[Memory]:
    for change in learned:
        if change.memory is not None and change.kind in ("added", "superseded", "removed"):
            yield change.memory


def detect(view: TurnView) -> list[Mark]:
    """Return what the turn adds to the timeline, in the order in which it happened."""
    rooms = (_goal, _preferences, _cause, _fixes, _verified, _blocked, _handed_over)
    seen: dict[tuple[Kind, str], Mark] = {}
    for room in rooms:
        for mark in room(view):
            seen.setdefault((mark.kind, mark.text), mark)
    return list(seen.values())


# --- what happened ----------------------------------------------------------------------


def _goal(view: TurnView) -> Iterator[Mark]:
    question = _line(view.turn.question)
    worked_on = view.commands or view.asked
    if worked_on and question and not _goes_on(question):
        yield _mark(view, Kind.GOAL_SET, question)


def _goes_on(question: str) -> bool:
    pieces = [piece.strip() for piece in re.split(r"[,，、。.!！;；~…]+", question)]
    return all(_words()["no_goal"].fullmatch(piece) for piece in pieces if piece)


def _preferences(view: TurnView) -> Iterator[Mark]:
    for memory in view.learned:
        if memory.type is MemoryType.USER_PREFERENCE:
            # by its subject alone: what is deleted from memory must not live on here
            withdrawn = memory.op is Op.REMOVE
            payload = {"memory_id": memory.id} if isinstance(memory, Memory) else {}
            yield _mark(
                view,
                Kind.PREFERENCE_LEARNED,
                memory.subject,
                form="withdrawn" if withdrawn else "",
                **payload,
            )


def _cause(view: TurnView) -> Iterator[Mark]:
    if view.turn.status is not TurnStatus.DONE or view.asked:
        return
    sentence = causes.named(_CODE.sub(" ", view.turn.answer)[:MAX_ANSWER_CHARS])
    if sentence:
        yield _mark(view, Kind.CAUSE_FOUND, sentence)


def _fixes(view: TurnView) -> Iterator[Mark]:
    hosts: dict[str, list[str]] = {}
    for run in view.commands:
        if _changed(run):
            hosts.setdefault(run.command, []).append(run.host)
    for command, names in list(hosts.items())[:MAX_FIXES]:
        where = list(dict.fromkeys(names))
        yield _mark(view, Kind.FIX_APPLIED, command, where=", ".join(where), hosts=where)


def _verified(view: TurnView) -> Iterator[Mark]:
    if view.turn.status is not TurnStatus.DONE:
        return
    fixed = _open_fixes(view.earlier)
    checked: list[CommandRun] = []
    for run in view.commands:
        if _changed(run):
            fixed.add(run.host)
            checked = [each for each in checked if each.host != run.host]
        elif run.risk is Risk.READ_ONLY and run.went_well and run.host in fixed:
            checked.append(run)
    claim = next(filter(_claims_success, _sentences(view.turn.answer)), "")
    if checked and claim:
        where = list(dict.fromkeys(run.host for run in checked))
        yield _mark(view, Kind.VERIFIED, claim, where=", ".join(where), hosts=where)


def _blocked(view: TurnView) -> Iterator[Mark]:
    if view.turn.status in (TurnStatus.FAILED, TurnStatus.INTERRUPTED):
        yield _mark(view, Kind.BLOCKED, view.turn.error or view.turn.status.value)
        return
    told: set[tuple[str, str]] = set()
    for number, run in enumerate(view.commands):
        form = _HINDRANCE.get(run.status, "")
        if not form or (form in _PASSABLE and _went_on(view.commands[number + 1 :], run.host)):
            continue
        unreached = form == "unreached"
        subject = (run.error or run.phase) if unreached else run.command
        key = (form, run.host if unreached else run.command)
        if key not in told:
            told.add(key)
            yield _mark(view, Kind.BLOCKED, subject, where=run.host, form=form)


_HINDRANCE = {
    CommandStatus.FAILED: "unreached",
    CommandStatus.DENIED: "denied",
    CommandStatus.REFUSED: "refused",
    CommandStatus.EXPIRED: "expired",
    CommandStatus.UNKNOWN: "unknown",
}
_PASSABLE = ("unreached", "refused")
"""What is no hindrance if the agent found another way on that host."""


def _handed_over(view: TurnView) -> Iterator[Mark]:
    if view.turn.status is not TurnStatus.DONE:
        return
    if view.asked:
        yield _mark(view, Kind.HANDED_OVER, view.asked, form="asked")
        return
    for sentence in _sentences(view.turn.answer):
        if _says(sentence, "handed_over") and view.commands:
            yield _mark(view, Kind.HANDED_OVER, sentence)
            return


# --- how it is told apart -----------------------------------------------------------------


def _changed(run: CommandRun) -> bool:
    changes = run.risk in (Risk.MUTATING, Risk.DESTRUCTIVE, Risk.OPAQUE)
    return changes and run.went_well


def _went_on(later: Sequence[CommandRun], host: str) -> bool:
    return any(run.host == host and run.status is CommandStatus.FINISHED for run in later)


def _open_fixes(earlier: Sequence[Milestone]) -> set[str]:
    """Return the hosts whose last fix has not been verified yet."""
    hosts: set[str] = set()
    for mark in earlier:
        named = mark.payload.get("hosts", [])
        names = {str(each) for each in named} if isinstance(named, list) else set()
        if mark.kind == Kind.FIX_APPLIED:
            hosts |= names
        elif mark.kind == Kind.VERIFIED:
            hosts -= names
    return hosts


def _claims_success(sentence: str) -> bool:
    return _says(sentence, "works") and not _says(sentence, "broken")


def _says(sentence: str, what: str) -> bool:
    return bool(_words()[what].search(sentence))


@cache
def _words() -> dict[str, re.Pattern[str]]:
    lists = tables.read("walissh.memory", "milestones.yaml")
    return {name: re.compile("|".join(each), re.I) for name, each in lists.items()}


# --- how it is said -----------------------------------------------------------------------

_MARKUP = re.compile(
    r"\[\[?[0-9a-f:,m\- ]{1,40}\]?\](?!\()|^[\s>#*+-]+|^\s*\d+[.)、]\s+|[*_`]{1,3}"
)
_CODE = re.compile(r"^```.*?(?:^```|\Z)", re.M | re.S)
_END = re.compile(r"(?<=[。！？!?；])|(?<=[.;])\s+|\n+")
MAX_ANSWER_CHARS = 20_000

_FORMS = {
    (Kind.GOAL_SET, ""): ("目标：{}", "Goal: {}"),
    (Kind.CAUSE_FOUND, ""): ("查明原因：{}", "Cause found: {}"),
    (Kind.FIX_APPLIED, ""): ("已执行变更（{where}）：{}", "Change applied on {where}: {}"),
    (Kind.VERIFIED, ""): ("已验证（{where}）：{}", "Verified on {where}: {}"),
    (Kind.BLOCKED, ""): ("受阻：{}", "Blocked: {}"),
    (Kind.BLOCKED, "unreached"): (
        "受阻，{where} 上没有执行：{}",
        "Blocked, never ran on {where}: {}",
    ),
    (Kind.BLOCKED, "denied"): ("受阻，用户拒绝（{where}）：{}", "Blocked, denied on {where}: {}"),
    (Kind.BLOCKED, "refused"): (
        "受阻，安全检查不允许（{where}）：{}",
        "Blocked, refused by the gate on {where}: {}",
    ),
    (Kind.BLOCKED, "expired"): (
        "受阻，无人及时批准（{where}）：{}",
        "Blocked, nobody approved in time on {where}: {}",
    ),
    (Kind.BLOCKED, "unknown"): (
        "受阻，结果未知（{where}）：{}",
        "Blocked, outcome unknown on {where}: {}",
    ),
    (Kind.HANDED_OVER, ""): ("交给用户：{}", "Handed over: {}"),
    (Kind.HANDED_OVER, "asked"): ("等用户回答：{}", "Waiting for an answer: {}"),
    (Kind.PREFERENCE_LEARNED, ""): ("记住偏好：{}", "Preference learned: {}"),
    (Kind.PREFERENCE_LEARNED, "withdrawn"): ("取消偏好：{}", "Preference withdrawn: {}"),
}


def _mark(
    view: TurnView, kind: Kind, text: str, *, where: str = "", form: str = "", **payload: object
) -> Mark:
    sentence = _FORMS[kind, form][0 if view.turn.language == "zh" else 1]
    where = where if len(where) <= 40 else where[:39] + "…"
    room = MAX_CHARS - len(sentence.format("", where=where))
    line = _line(text)
    line = line if len(line) <= room else line[: room - 1] + "…"
    return Mark(kind, sentence.format(line, where=where), payload)


def _line(text: str) -> str:
    """Return *text* on one line, without secrets and control characters."""
    return " ".join(purify.clean(text[:MAX_ANSWER_CHARS]).split())


def _sentences(answer: str) -> Iterator[str]:
    prose = _CODE.sub("\n", answer[:MAX_ANSWER_CHARS])
    for piece in _END.split(prose):
        plain = _MARKUP.sub("", piece).strip(" \t，,；;")
        if plain:
            yield plain
