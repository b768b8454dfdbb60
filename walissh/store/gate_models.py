"""The tables of the gate: its rules, what it keeps sealed, and the trail of what was done."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from walissh.clock import utc_now
from walissh.store.columns import Number, owner
from walissh.store.database import Base, UtcDateTime, new_id


class WithheldRow(Base):
    """A sealed piece of the output of a command that shows credentials, in order of *at*."""

    __tablename__ = "command_withheld"
    command_id: Mapped[str] = mapped_column(
        ForeignKey("command_run.id", ondelete="CASCADE"), primary_key=True
    )
    at: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    sealed: Mapped[str] = mapped_column(Text)


class SecretRow(Base):
    """A secret that was met in a session: *place* is its number in its placeholder.

    *digest* is keyed, so that the same value has the same number and no value can be tried.
    """

    __tablename__ = "session_secret"
    __table_args__ = (UniqueConstraint("session_id", "digest"),)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("chat_session.id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str]
    digest: Mapped[str]
    sealed: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)


class GateRuleRow(Base):
    """A rule of the gate, as told in ``react.circumstances.GateRule``; never deleted, revoked."""

    __tablename__ = "gate_rule"
    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    owner_id: Mapped[str] = owner("person")
    decision: Mapped[str]
    command: Mapped[str] = mapped_column(Text, default="")
    risk: Mapped[str] = mapped_column(default="")
    host_id: Mapped[str] = mapped_column(default="")
    host_identity: Mapped[str] = mapped_column(default="")
    group: Mapped[str] = mapped_column("host_group", default="")
    role: Mapped[str] = mapped_column(default="")
    hours: Mapped[str] = mapped_column(default="")
    everyone: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str] = mapped_column(Text, default="")
    command_id: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=utc_now)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class AuditRow(Base):
    """One link of the audit chain: *digest* covers the row and the digest before it."""

    __tablename__ = "audit_event"
    number: Mapped[int] = mapped_column(Number, primary_key=True, autoincrement=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    actor: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str] = mapped_column(index=True)
    facts: Mapped[dict[str, Any]] = mapped_column(JSON)
    previous: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
