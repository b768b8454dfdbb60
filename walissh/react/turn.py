"""The values of a turn: every one is frozen, a step returns a new one.

What the pure core needs from outside is said in `react.needs`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from walissh.memory.entry import Block, Milestone, Place, Recollection, Routing
from walissh.react.circumstances import Circumstances, Flag
from walissh.react.diagnosed import Diagnosed
from walissh.react.followed import Asked, Intended, Intent, Tracked
from walissh.react.host import Host
from walissh.react.window.summary import Summary

Language = Literal["zh", "en"]
Role = Literal["system", "user", "assistant", "tool"]


_COMPACT = re.compile(r"\s*[/／]compact(?:\s+(?P<keep>.+))?\s*", re.DOTALL | re.IGNORECASE)


def compaction_asked(text: str) -> str | None:
    """Return what to keep if *text* is ``/compact``, a command to the talk itself; else None."""
    found = _COMPACT.fullmatch(text)
    return None if found is None else (found["keep"] or "").strip()


class TurnStatus(StrEnum):
    """Where a turn stands; the last four are final."""

    QUEUED = "queued"
    THINKING = "thinking"
    ACTING = "acting"
    AWAITING_APPROVAL = "awaiting_approval"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


OPEN_TURN = frozenset(
    {TurnStatus.QUEUED, TurnStatus.THINKING, TurnStatus.ACTING, TurnStatus.AWAITING_APPROVAL}
)


class CommandStatus(StrEnum):
    """Where a command run stands. ``failed``: it never ran; ``finished``: it ended."""

    PROPOSED = "proposed"
    REFUSED = "refused"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    DENIED = "denied"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    UNKNOWN = "unknown"


OPEN_COMMAND = frozenset(
    {
        CommandStatus.PROPOSED,
        CommandStatus.AWAITING_APPROVAL,
        CommandStatus.APPROVED,
        CommandStatus.RUNNING,
    }
)


class Risk(StrEnum):
    """What a command may do, as told from its text (see ``safety.risk``)."""

    READ_ONLY = "read_only"
    SECRET_EXPOSURE = "secret_exposure"  # noqa: S105  a class of risk, not a secret
    MUTATING = "mutating"
    OPAQUE = "opaque"
    DESTRUCTIVE = "destructive"


SEVERITY = (
    Risk.READ_ONLY,
    Risk.SECRET_EXPOSURE,
    Risk.MUTATING,
    Risk.OPAQUE,
    Risk.DESTRUCTIVE,
)
"""The order of risks: a later one is less safe."""


class Decision(StrEnum):
    """What the gate says; deny beats ask beats allow."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's judgement; *reasons* are sentences in the language asked for.

    *rule* names what decided, for the audit: ``risk``, ``never``, ``interactive``, ``session``,
    ``host``, ``role``, ``flagged``, ``secret``, ``sudo``, ``standing`` or ``rule:ID``.
    """

    risk: Risk
    decision: Decision
    reasons: tuple[str, ...]
    interactive: bool = False
    rule: str = ""


# --- what is said ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call by the model; *arguments* is the raw JSON text, broken or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the system message: its stable title ("" for none) and its text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a talk. Stored ones have id, turn and time; prompt ones need not."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    meta: Mapping[str, object] = field(default_factory=dict)
    id: str = ""
    turn_id: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call or the sum of a turn's."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is offered to the model; *parameters* is a JSON schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """All that a model gets: exactly one system message, first; then whole rounds.

    *reply_tokens* is the most that its reply may take, thoughts and all; 0 for no limit.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    hosts: tuple[str, ...]
    language: Language
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's whole answer to one request; no tool calls means it is the final one."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    diagnosed: tuple[Diagnosed, ...] = ()


# --- what is stored -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Session:
    """A talk of one person: the sidebar's row."""

    id: str
    user_id: str
    title: str
    host_ids: tuple[str, ...]
    pinned: bool
    archived: bool
    created_at: datetime
    active_at: datetime
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """Answer mark *n* rests on lines *first_line*..*last_line* (from 1) of a command's output."""

    n: int
    command_id: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that a turn was given: *mark* is how its answer may cite it ("m1").

    Only the id is kept: a deleted memory is gone from here too.
    """

    memory_id: str
    score: float
    reasons: tuple[str, ...]
    mark: str
    preference: bool = False


@dataclass(frozen=True, slots=True)
class Remembrance:
    """What a turn was given out of memory, as it is stored with the turn.

    *recorded* is false when the person's own words could not be looked at for memories yet;
    *cited* are the memories that the answer rests on. *place* is where it was asked; *own* are
    the preferences that the turn itself had kept since.
    """

    routing: Routing
    recalled: tuple[Recalled, ...] = ()
    cited: tuple[str, ...] = ()
    weight: float = 1.0
    proposal: str = ""
    version: int = 0
    recorded: bool = True
    place: Place = field(default_factory=Place)
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One question on its way to an answer. *step* counts finished model replies."""

    id: str
    session_id: str
    user_id: str
    status: TurnStatus
    step: int
    attempt: int
    language: Language
    question: str
    answer: str
    error: str
    citations: tuple[Citation, ...]
    usage: Usage
    cancel_requested: bool
    created_at: datetime
    finished_at: datetime | None
    not_before: datetime | None
    remembrance: Remembrance | None = None
    intended: Intended | None = None
    asked: Asked | None = None
    diagnosed: tuple[Diagnosed, ...] = ()

    @property
    def is_order(self) -> bool:
        """Whether the person told what to do, and did not ask."""
        return self.intended is not None and self.intended.intent is Intent.EXECUTE


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One command on one host: a row of the journal."""

    id: str
    turn_id: str
    session_id: str
    user_id: str
    step: int
    tool_call_id: str
    host_id: str
    host: str
    host_revision: int
    command: str
    reason: str
    status: CommandStatus
    risk: Risk
    reasons: tuple[str, ...]
    limit_s: int
    exit_code: int | None
    error: str
    phase: str
    ended_by: str
    output_head: str
    output_tail: str
    output_chars: int
    output_lines: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    decided_by: str = ""
    denial: str = ""
    host_identity: str = ""
    rule: str = ""
    flags: tuple[Flag, ...] = ()
    unflagged_by: str = ""
    withheld: bool = False

    @property
    def is_flagged(self) -> bool:
        """Tell whether its output gives orders that nobody has called harmless."""
        return bool(self.flags) and not self.unflagged_by

    @property
    def went_well(self) -> bool:
        """Tell whether it ran to its end and exited with 0."""
        return self.status is CommandStatus.FINISHED and self.exit_code == 0

    @property
    def duration_s(self) -> float | None:
        """Seconds from start to end; None while it has not ended or never ran."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A command as judged by the gate, before it is stored.

    *call_id* is the model's tool call that asked for it; *status* is approved,
    awaiting_approval or refused.
    """

    call_id: str
    host: Host
    command: str
    reason: str
    verdict: Verdict
    status: CommandStatus
    limit_s: int


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended. *ended_by*: exited, limit, cancelled or output_limit.

    *exit_code* is None unless the process exited by itself; *notice* says what may still
    run on the host, "" if nothing does.
    """

    exit_code: int | None
    ended_by: str
    notice: str = ""


@dataclass(frozen=True, slots=True)
class DynamicContext:
    """What one step of a turn knows (ancestor: DynamicContext, which was mutable)."""

    turn: Turn
    session: Session
    hosts: tuple[Host, ...]
    history: tuple[Message, ...]
    commands: tuple[CommandRun, ...]
    recollection: Recollection = field(default_factory=Recollection)
    core: tuple[Block, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    tracked: Tracked = field(default_factory=Tracked)
    summary: Summary = field(default_factory=Summary)
    circumstances: Circumstances = field(default_factory=Circumstances)
