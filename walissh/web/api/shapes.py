"""What goes out: the JSON shapes of the interface, made from values."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import Field

from walissh.memory.entry import Memory, MemoryType
from walissh.react import turn as values
from walissh.react.turn import CommandRun, CommandStatus, Risk, TurnStatus
from walissh.web.api.finding_shapes import Finding, findings
from walissh.web.api.shape import Shape
from walissh.web.api.thread_shapes import Plan, SummaryMark, Taken

Item = TypeVar("Item")


class Page(Shape, Generic[Item]):
    """A part of a list; *next* is the cursor of the part after it."""

    items: list[Item]
    next: str | None


class Session(Shape):
    """A talk. *turn* is the status of its open turn, *waiting* counts commands to decide."""

    id: str
    title: str
    host_ids: list[str]
    pinned: bool
    archived: bool
    read_only: bool
    created_at: datetime
    active_at: datetime
    turn: TurnStatus | None
    waiting: int


class SessionInFull(Session):
    """One session with its thread: null where there is no plan, or nothing was folded."""

    plan: Plan | None
    summary: SummaryMark | None


class ToolCall(Shape):
    """A call of the model; *arguments* is raw JSON text."""

    id: str
    name: str
    arguments: str


class Message(Shape):
    """One message of a talk: role user, assistant or tool."""

    id: str
    role: str
    content: str
    turn_id: str
    created_at: datetime | None
    tool_calls: list[ToolCall]
    tool_call_id: str | None
    meta: dict[str, Any]


class Flag(Shape):
    """An order that was found in an output: its words, and what kind of order they are."""

    kind: str
    text: str


class Command(Shape):
    """One command on one host. The middle of a long output is at ``/output``."""

    id: str
    turn_id: str
    session_id: str
    step: int
    tool_call_id: str
    host: str
    host_id: str
    host_identity: str
    command: str
    reason: str
    risk: Risk
    reasons: list[str]
    rule: str = Field(
        description="What decided: risk, never, interactive, session, host, role, flagged,"
        " standing, secret, sudo or rule:ID."
    )
    status: CommandStatus
    decided_by: str
    denial: str
    exit_code: int | None
    error: str
    phase: str
    ended_by: str
    limit_s: int
    duration_s: float | None
    output_head: str
    output_tail: str
    output_chars: int
    output_lines: int
    flags: list[Flag] = Field(description="Orders in the output; none was followed.")
    unflagged_by: str = Field(description="Who called them harmless, empty if nobody did.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    ahead: int | None = Field(None, description="Commands before it in the queue.")


class Step(Shape):
    """One reply of the model that called tools, and the commands that came of it."""

    step: int
    text: str
    tools: list[ToolCall]
    commands: list[Command]


class Citation(Shape):
    """Mark *n* of the answer rests on lines *from* to *to* (from 1) of a command's output."""

    n: int
    command_id: str
    first_line: int = Field(serialization_alias="from")
    last_line: int = Field(serialization_alias="to")


class Usage(Shape):
    """Tokens of all model calls of a turn."""

    prompt_tokens: int
    completion_tokens: int


class Recalled(Shape):
    """A memory that a turn was given; *mark* is how the answer may cite it, ``[m1]``."""

    memory_id: str
    type: MemoryType
    host: str
    content: str
    at: datetime
    score: float
    reason: str
    mark: str
    preference: bool
    cited: bool


class Turn(Shape):
    """A question on its way to an answer.

    *content* is the person's message and *intent* what it was taken for, *question* what the
    turn asks back at its end, with *choices* of answers; *partial* what a failed reply had said;
    *findings* are the causes that the answer names.
    """

    id: str
    session_id: str
    status: TurnStatus
    content: str
    answer: str
    partial: str
    question: str | None
    choices: list[str]
    intent: Taken | None
    error: str
    language: str
    step: int
    steps: list[Step]
    citations: list[Citation]
    findings: list[Finding]
    recalled: list[Recalled]
    usage: Usage
    cancel_requested: bool
    created_at: datetime
    finished_at: datetime | None
    not_before: datetime | None


class Accepted(Shape):
    """The turn that will answer."""

    turn_id: str


class Output(Shape):
    """Characters of an output from *offset*; *next* is where to read on, None at its end.

    *complete* is false while more may come.
    """

    offset: int
    text: str
    total: int
    next: int | None
    complete: bool


class Milestone(Shape):
    """A mark on the timeline of a session."""

    id: str
    kind: str
    text: str
    payload: dict[str, Any]
    turn_id: str | None
    at: datetime


def session(talk: values.Session, busy: Mapping[str, str], waiting: Mapping[str, int]) -> Session:
    """Tell a session; *busy* and *waiting* are of all sessions, by id."""
    open_turn = busy.get(talk.id)
    return Session(
        id=talk.id,
        title=talk.title,
        host_ids=list(talk.host_ids),
        pinned=talk.pinned,
        archived=talk.archived,
        read_only=talk.read_only,
        created_at=talk.created_at,
        active_at=talk.active_at,
        turn=TurnStatus(open_turn) if open_turn else None,
        waiting=waiting.get(talk.id, 0),
    )


def message(said: values.Message) -> Message:
    """Tell a message."""
    return Message.model_validate(said)


def command(run: CommandRun, ahead: int | None = None) -> Command:
    """Tell a command; *ahead* of it stand so many in the queue."""
    told = Command.model_validate(run)
    return told if ahead is None else told.model_copy(update={"ahead": ahead})


def turn(
    value: values.Turn,
    said: Sequence[values.Message],
    commands: Sequence[Command],
    remembered: Sequence[Memory],
) -> Turn:
    """Tell a turn with its messages, its commands and what it was given out of memory."""
    replies = [each for each in said if each.role == "assistant"]
    return Turn(
        id=value.id,
        session_id=value.session_id,
        status=value.status,
        content=value.question,
        answer=value.answer,
        partial="".join(each.content for each in replies if each.meta.get("partial")),
        question=value.asked.text if value.asked else None,
        choices=list(value.asked.choices) if value.asked else [],
        intent=Taken.model_validate(value.intended) if value.intended else None,
        error=value.error,
        language=value.language,
        step=value.step,
        steps=_steps(replies, commands),
        citations=[Citation.model_validate(each) for each in value.citations],
        findings=findings(value.diagnosed),
        recalled=recalled(value.remembrance, remembered),
        usage=Usage.model_validate(value.usage),
        cancel_requested=value.cancel_requested,
        created_at=value.created_at,
        finished_at=value.finished_at,
        not_before=value.not_before,
    )


def recalled(given: values.Remembrance | None, remembered: Sequence[Memory]) -> list[Recalled]:
    """Tell what a turn was given; a memory that is not in *remembered* is gone."""
    by_id = {each.id: each for each in remembered}
    return [
        Recalled(
            memory_id=each.memory_id,
            type=by_id[each.memory_id].type,
            host=by_id[each.memory_id].host,
            content=by_id[each.memory_id].content,
            at=by_id[each.memory_id].at,
            score=each.score,
            reason="; ".join(each.reasons),
            mark=each.mark,
            preference=each.preference,
            cited=given is not None and each.memory_id in given.cited,
        )
        for each in (given.recalled if given else ())
        if each.memory_id in by_id
    ]


def milestone(mark: object) -> Milestone:
    """Tell a milestone of `store.milestones`."""
    return Milestone.model_validate(mark)


def _steps(replies: Sequence[values.Message], commands: Sequence[Command]) -> list[Step]:
    return [
        Step(
            step=number,
            text=reply.content,
            tools=[ToolCall.model_validate(each) for each in reply.tool_calls],
            commands=[each for each in commands if each.step == number],
        )
        for number, reply in enumerate(replies, 1)
        if reply.tool_calls
    ]
