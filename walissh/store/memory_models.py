"""The tables of memory, named as in the original design, and those of its index of words."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from walissh.clock import utc_now
from walissh.store.columns import Number, owner
from walissh.store.database import Base, UtcDateTime, new_id

# --- memory ---------------------------------------------------------------------------


class MilestoneRow(Base):
    """A mark on the timeline of a session."""

    __tablename__ = "chat_milestone"
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    session_id: Mapped[str] = owner("chat_session")
    user_id: Mapped[str] = owner("person")
    turn_id: Mapped[str | None] = mapped_column(ForeignKey("turn.id", ondelete="CASCADE"))
    kind: Mapped[str]
    text: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class MemoryRow(Base):
    """One entry of the append-only history of what is remembered.

    Each says what it is, whom and where it holds for, what proves it, and what became of it;
    whether it counts is computed when read, *superseded_by* only caches that.
    """

    __tablename__ = "long_term_memory"
    __table_args__ = (
        Index("ix_long_term_memory_subject", "user_id", "type", "subject", "at"),
        Index("ix_long_term_memory_shared", "shared_with"),
        Index("ix_long_term_memory_person", "user_id", "number"),
        Index("ix_long_term_memory_superseded", "superseded_by"),
    )
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    type: Mapped[str]
    scope: Mapped[str] = mapped_column(default="global")
    host_id: Mapped[str | None] = mapped_column(index=True)
    host: Mapped[str] = mapped_column(default="")
    subject: Mapped[str]
    value: Mapped[str] = mapped_column(Text, default="")
    content: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    op: Mapped[str] = mapped_column(default="add")
    origin: Mapped[str] = mapped_column(default="user")
    channel: Mapped[str] = mapped_column(default="agent")
    confidence: Mapped[float] = mapped_column(default=1.0)
    source_message_id: Mapped[str | None]
    source_command_id: Mapped[str | None]
    shared_with: Mapped[str] = mapped_column(default="")
    superseded_by: Mapped[str | None]
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    proved_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    stale_days: Mapped[int | None]
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    wrong_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    recalled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    recalled_times: Mapped[int] = mapped_column(default=0)
    helped_times: Mapped[int] = mapped_column(default=0)


class MemoryEventRow(Base):
    """One change of what is remembered, without its text.

    *changes_preference*: running tasks are told of it; *published_at* empties that outbox.
    """

    __tablename__ = "memory_event"
    __table_args__ = (
        Index("ix_memory_event_person", "user_id", "number"),
        Index("ix_memory_event_preference", "user_id", "changes_preference", "number"),
        Index(
            "ix_memory_event_outbox",
            "number",
            sqlite_where=text("published_at IS NULL"),
            postgresql_where=text("published_at IS NULL"),
        ),
    )
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    kind: Mapped[str]
    channel: Mapped[str]
    memory_id: Mapped[str | None] = mapped_column(index=True)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    changes_preference: Mapped[bool] = mapped_column(default=False)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    published_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class RefinementRow(Base):
    """The one call of a model that a turn may have about what it taught: made, or begun."""

    __tablename__ = "turn_refinement"
    turn_id: Mapped[str] = mapped_column(
        ForeignKey("turn.id", ondelete="CASCADE"), primary_key=True
    )
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class GroupRow(Base):
    """A person's place in a named group that facts of hosts may be shared with."""

    __tablename__ = "person_group"
    name: Mapped[str] = mapped_column(primary_key=True)
    person_id: Mapped[str] = mapped_column(
        ForeignKey("person.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class CoreMemoryRow(Base):
    """One version of a short named block; in the prompt once it is confirmed."""

    __tablename__ = "core_memory"
    __table_args__ = (UniqueConstraint("user_id", "block", "version"),)
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    block: Mapped[str]
    version: Mapped[int]
    content: Mapped[str] = mapped_column(Text)
    by: Mapped[str]
    reason: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    confirmed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    rejected_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


# --- the index of words ---------------------------------------------------------------


class ShelfRow(Base):
    """What of one owner is indexed together: kind memory, message or knowledge.

    *texts* and *length* are how many lines stand on it, and the sum of their lengths.
    """

    __tablename__ = "recall_shelf"
    __table_args__ = (UniqueConstraint("owner_id", "kind"),)
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    owner_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    kind: Mapped[str]
    texts: Mapped[int] = mapped_column(BigInteger, default=0)
    length: Mapped[int] = mapped_column(BigInteger, default=0)


class LineRow(Base):
    """One indexed text: *cluster* is its session or host, *position* its place in that."""

    __tablename__ = "recall_line"
    __table_args__ = (
        Index("ix_recall_line_cluster", "shelf", "cluster", "position"),
        {"sqlite_with_rowid": False},
    )
    shelf: Mapped[int] = mapped_column(
        Number, ForeignKey("recall_shelf.number", ondelete="CASCADE"), primary_key=True
    )
    doc: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    length: Mapped[int]
    cluster: Mapped[str] = mapped_column(default="")
    position: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PostingRow(Base):
    """How often one word stands in one text."""

    __tablename__ = "recall_posting"
    __table_args__ = (
        Index("ix_recall_posting_doc", "shelf", "doc"),  # without it, to take a text out reads all
        {"sqlite_with_rowid": False},
    )
    shelf: Mapped[int] = mapped_column(
        Number, ForeignKey("recall_shelf.number", ondelete="CASCADE"), primary_key=True
    )
    term: Mapped[str] = mapped_column(primary_key=True)
    doc: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    tf: Mapped[int]
