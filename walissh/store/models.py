"""The tables: five of memory, named as in the original design, and the operational ones.

Those of memory stand in ``memory_models``, those of the gate in ``gate_models``. Public ids
are random text; a ``number`` beside them gives the order of insertion.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from walissh.clock import utc_now
from walissh.store.columns import Number, owner
from walissh.store.database import Base, UtcDateTime, new_id
from walissh.store.gate_models import AuditRow, GateRuleRow, SecretRow, WithheldRow
from walissh.store.memory_models import (
    CoreMemoryRow,
    GroupRow,
    LineRow,
    MemoryEventRow,
    MemoryRow,
    MilestoneRow,
    PostingRow,
    ShelfRow,
)

__all__ = [
    "AuditRow",
    "ChunkRow",
    "CommandRow",
    "CoreMemoryRow",
    "CredentialRow",
    "DocumentRow",
    "GateRuleRow",
    "GroupRow",
    "HostRow",
    "LineRow",
    "MemoryEventRow",
    "MemoryRow",
    "MessageRow",
    "MilestoneRow",
    "MisleadRow",
    "OutputRow",
    "PersonRow",
    "PostingRow",
    "SecretRow",
    "SessionRow",
    "ShelfRow",
    "TokenRow",
    "TurnRow",
    "WithheldRow",
    "WorkerRow",
]

# --- people ---------------------------------------------------------------------------


class PersonRow(Base):
    """Somebody who signs in."""

    __tablename__ = "person"
    __table_args__ = (Index("ix_person_oidc_subject", "oidc_subject", unique=True),)
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    password_hash: Mapped[str | None]
    lang: Mapped[str | None]
    oidc_subject: Mapped[str | None]
    disabled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    welcomed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class TokenRow(Base):
    """A secret that lets somebody in: kind link (once), web (a cookie) or api.

    *scope* of an api token: "" for all that its person may, or read; *agent* is the browser.
    """

    __tablename__ = "access_token"
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    person_id: Mapped[str] = owner("person")
    kind: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str] = mapped_column(default="")
    scope: Mapped[str] = mapped_column(default="")
    agent: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


# --- servers --------------------------------------------------------------------------


class HostRow(Base):
    """A server; *revision* grows with each edit of where or how it is reached.

    *gate*: "" lets reading run unasked, ask asks for everything, read_only refuses the rest.
    *machine_id* is what the machine called itself when it was trusted, "" if it never did;
    *seen_machine_id* another one that was met since.
    """

    __tablename__ = "host"
    __table_args__ = (UniqueConstraint("owner_id", "name"),)
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    owner_id: Mapped[str] = owner("person")
    name: Mapped[str]
    address: Mapped[str]
    port: Mapped[int]
    user: Mapped[str] = mapped_column("login")
    auth: Mapped[str]
    jump_id: Mapped[str | None] = mapped_column(ForeignKey("host.id", ondelete="RESTRICT"))
    groups: Mapped[list[str]] = mapped_column(JSON, default=list)
    stage: Mapped[str] = mapped_column(default="")
    encoding: Mapped[str] = mapped_column(default="utf-8")
    gate: Mapped[str] = mapped_column(default="")
    machine_id: Mapped[str] = mapped_column(default="")
    seen_machine_id: Mapped[str] = mapped_column(default="")
    revision: Mapped[int] = mapped_column(default=1)
    trusted_key: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    trusted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    seen_key: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    check_status: Mapped[str] = mapped_column(default="")
    check_phase: Mapped[str] = mapped_column(default="")
    check_error: Mapped[str] = mapped_column(Text, default="")
    checked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class CredentialRow(Base):
    """One sealed secret of a host: kind key, passphrase, password or sudo.

    A password for a single command has the kind ``sudo:COMMAND_ID`` until that has begun.
    """

    __tablename__ = "credential"
    host_id: Mapped[str] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[str] = mapped_column(Text)


# --- the talk -------------------------------------------------------------------------


class SessionRow(Base):
    """A talk of one person."""

    __tablename__ = "chat_session"
    __table_args__ = (Index("ix_chat_session_recent", "user_id", "active_at"),)
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = owner("person")
    title: Mapped[str] = mapped_column(default="")
    host_ids: Mapped[list[str]] = mapped_column(JSON, default=list)
    pinned: Mapped[bool] = mapped_column(default=False)
    archived: Mapped[bool] = mapped_column(default=False)
    read_only: Mapped[bool] = mapped_column(default=False)
    tracked: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    summary: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    active_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class MessageRow(Base):
    """One message: user, assistant (with its tool calls) or tool."""

    __tablename__ = "chat_message"
    __table_args__ = (Index("ix_chat_message_talk", "session_id", "number"),)
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("chat_session.id", ondelete="CASCADE"))
    user_id: Mapped[str] = owner("person")
    turn_id: Mapped[str | None] = mapped_column(ForeignKey("turn.id"), index=True)
    role: Mapped[str]
    content: Mapped[str] = mapped_column(Text)
    tool_calls: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    tool_call_id: Mapped[str | None]
    meta: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class TurnRow(Base):
    """One question on its way to an answer; at most one is open in a session."""

    __tablename__ = "turn"
    __table_args__ = (
        UniqueConstraint("session_id", "idempotency_key"),
        Index(
            "one_open_turn",
            "session_id",
            unique=True,
            sqlite_where=text("finished_at IS NULL"),
            postgresql_where=text("finished_at IS NULL"),
        ),
        Index("ix_turn_open", "status", "queued_at"),
    )
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("chat_session.id", ondelete="CASCADE"))
    user_id: Mapped[str] = owner("person")
    status: Mapped[str]
    step: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    language: Mapped[str]
    question: Mapped[str] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[str] = mapped_column(Text, default="")
    citations: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    remembrance: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    intended: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    asked: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    diagnosed: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    prompt_tokens: Mapped[int] = mapped_column(default=0)
    completion_tokens: Mapped[int] = mapped_column(default=0)
    idempotency_key: Mapped[str | None]
    worker: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    queued_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    not_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    cancel_requested_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    settled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class CommandRow(Base):
    """One command on one host: the journal.

    *rule* names what decided at the gate. *flags* are the instructions found in its output
    (``safety.inject``), *unflagged_by* who called them harmless. *withheld*: its output shows
    credentials and is kept sealed, see ``WithheldRow``.
    """

    __tablename__ = "command_run"
    __table_args__ = (
        Index("ix_command_run_status", "status"),
        Index("ix_command_run_turn", "turn_id", "number"),
    )
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    turn_id: Mapped[str] = mapped_column(ForeignKey("turn.id", ondelete="CASCADE"))
    session_id: Mapped[str] = owner("chat_session")
    user_id: Mapped[str] = owner("person")
    step: Mapped[int]
    tool_call_id: Mapped[str]
    # no foreign key: the journal keeps the id of a host that was removed since
    host_id: Mapped[str] = mapped_column(index=True)
    host: Mapped[str]
    host_revision: Mapped[int]
    host_identity: Mapped[str]
    command: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str]
    risk: Mapped[str]
    reasons: Mapped[list[str]] = mapped_column(JSON, default=list)
    rule: Mapped[str] = mapped_column(default="")
    flags: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    unflagged_by: Mapped[str] = mapped_column(default="")
    withheld: Mapped[bool] = mapped_column(default=False)
    limit_s: Mapped[int]
    worker: Mapped[str] = mapped_column(default="")
    decided_by: Mapped[str] = mapped_column(default="")
    denial: Mapped[str] = mapped_column(Text, default="")
    exit_code: Mapped[int | None]
    ended_by: Mapped[str] = mapped_column(default="")
    error: Mapped[str] = mapped_column(Text, default="")
    phase: Mapped[str] = mapped_column(default="")
    output_head: Mapped[str] = mapped_column(Text, default="")
    output_tail: Mapped[str] = mapped_column(Text, default="")
    output_chars: Mapped[int] = mapped_column(BigInteger, default=0)
    output_lines: Mapped[int] = mapped_column(BigInteger, default=0)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    decided_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    queued_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class OutputRow(Base):
    """A piece of a command's purified output; *at* and *line* say where it begins."""

    __tablename__ = "command_output"
    command_id: Mapped[str] = mapped_column(
        ForeignKey("command_run.id", ondelete="CASCADE"), primary_key=True
    )
    at: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    line: Mapped[int] = mapped_column(BigInteger)
    chars: Mapped[int]
    text: Mapped[str] = mapped_column(Text)


class MisleadRow(Base):
    """One time that an intent was taken wrongly: by which rule, on which text, and how it showed.

    *sign* is correction, cancelled, denied or reworded; *meant* is the right intent, "" while
    nobody knows. At most one of a turn and sign.
    """

    __tablename__ = "intent_mislead"
    __table_args__ = (UniqueConstraint("turn_id", "sign"),)
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    user_id: Mapped[str] = owner("person")
    turn_id: Mapped[str] = mapped_column(ForeignKey("turn.id", ondelete="CASCADE"))
    rule: Mapped[str]
    taken: Mapped[str]
    meant: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(Text)
    sign: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


# --- knowledge ------------------------------------------------------------------------


class DocumentRow(Base):
    """A document of the knowledge base."""

    __tablename__ = "knowledge_document"
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = owner("person")
    title: Mapped[str]
    source: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class ChunkRow(Base):
    """A passage of a document."""

    __tablename__ = "knowledge_chunk"
    __table_args__ = (UniqueConstraint("document_id", "position"),)
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    document_id: Mapped[str] = mapped_column(
        ForeignKey("knowledge_document.id", ondelete="CASCADE")
    )
    position: Mapped[int]
    text: Mapped[str] = mapped_column(Text)


# --- operation ------------------------------------------------------------------------


class WorkerRow(Base):
    """A living worker process; *seen_at* is its heartbeat."""

    __tablename__ = "worker"
    name: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(index=True)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
