"""Create the five tables of memory and the operational ones."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_event",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("previous", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_event")),
        sa.UniqueConstraint("digest", name=op.f("uq_audit_event_digest")),
    )
    with op.batch_alter_table("audit_event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_event_subject"), ["subject"], unique=False)

    op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("lang", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker")),
    )
    with op.batch_alter_table("worker", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_worker_kind"), ["kind"], unique=False)

    op.create_table(
        "access_token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["person.id"],
            name=op.f("fk_access_token_person_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_access_token_digest")),
    )
    with op.batch_alter_table("access_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_access_token_person_id"), ["person_id"], unique=False)

    op.create_table(
        "chat_session",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("host_ids", sa.JSON(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_chat_session_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_session")),
    )
    with op.batch_alter_table("chat_session", schema=None) as batch_op:
        batch_op.create_index("ix_chat_session_recent", ["user_id", "active_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_chat_session_user_id"), ["user_id"], unique=False)

    op.create_table(
        "core_memory",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("block", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_core_memory_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_core_memory")),
        sa.UniqueConstraint(
            "user_id", "block", "version", name=op.f("uq_core_memory_user_id_block_version")
        ),
    )
    op.create_table(
        "host",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("auth", sa.String(), nullable=False),
        sa.Column("jump_id", sa.String(), nullable=True),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("encoding", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("trusted_key", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("trusted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_key", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("check_status", sa.String(), nullable=False),
        sa.Column("check_phase", sa.String(), nullable=False),
        sa.Column("check_error", sa.Text(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["jump_id"], ["host.id"], name=op.f("fk_host_jump_id_host"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["person.id"], name=op.f("fk_host_owner_id_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
        sa.UniqueConstraint("owner_id", "name", name=op.f("uq_host_owner_id_name")),
    )
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_host_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "knowledge_document",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_knowledge_document_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_document")),
    )
    with op.batch_alter_table("knowledge_document", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_knowledge_document_user_id"), ["user_id"], unique=False
        )

    op.create_table(
        "long_term_memory",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("host_id", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("source_message_id", sa.String(), nullable=True),
        sa.Column("source_command_id", sa.String(), nullable=True),
        sa.Column("superseded_by", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("recalled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("recalled_times", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_long_term_memory_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_long_term_memory")),
        sa.UniqueConstraint("id", name=op.f("uq_long_term_memory_id")),
    )
    with op.batch_alter_table("long_term_memory", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_long_term_memory_host_id"), ["host_id"], unique=False)
        batch_op.create_index(
            "ix_long_term_memory_subject", ["user_id", "type", "subject", "at"], unique=False
        )

    op.create_table(
        "credential",
        sa.Column("host_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_credential_host_id_host"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", "kind", name=op.f("pk_credential")),
    )
    op.create_table(
        "knowledge_chunk",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_document.id"],
            name=op.f("fk_knowledge_chunk_document_id_knowledge_document"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_knowledge_chunk")),
        sa.UniqueConstraint(
            "document_id", "position", name=op.f("uq_knowledge_chunk_document_id_position")
        ),
    )
    op.create_table(
        "turn",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("citations", sa.JSON(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_session.id"],
            name=op.f("fk_turn_session_id_chat_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["person.id"], name=op.f("fk_turn_user_id_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turn")),
        sa.UniqueConstraint(
            "session_id", "idempotency_key", name=op.f("uq_turn_session_id_idempotency_key")
        ),
    )
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.create_index("ix_turn_open", ["status", "queued_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_turn_user_id"), ["user_id"], unique=False)
        batch_op.create_index(
            "one_open_turn",
            ["session_id"],
            unique=True,
            sqlite_where=sa.text("finished_at IS NULL"),
            postgresql_where=sa.text("finished_at IS NULL"),
        )

    op.create_table(
        "chat_message",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("tool_calls", sa.JSON(), nullable=False),
        sa.Column("tool_call_id", sa.String(), nullable=True),
        sa.Column("meta", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_session.id"],
            name=op.f("fk_chat_message_session_id_chat_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turn.id"], name=op.f("fk_chat_message_turn_id_turn")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_chat_message_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_chat_message")),
        sa.UniqueConstraint("id", name=op.f("uq_chat_message_id")),
    )
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.create_index("ix_chat_message_talk", ["session_id", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_chat_message_turn_id"), ["turn_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_chat_message_user_id"), ["user_id"], unique=False)

    op.create_table(
        "chat_milestone",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_session.id"],
            name=op.f("fk_chat_milestone_session_id_chat_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"],
            ["turn.id"],
            name=op.f("fk_chat_milestone_turn_id_turn"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_chat_milestone_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_chat_milestone")),
        sa.UniqueConstraint("id", name=op.f("uq_chat_milestone_id")),
    )
    with op.batch_alter_table("chat_milestone", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_chat_milestone_session_id"), ["session_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_chat_milestone_user_id"), ["user_id"], unique=False)

    op.create_table(
        "command_run",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("tool_call_id", sa.String(), nullable=False),
        sa.Column("host_id", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("host_revision", sa.Integer(), nullable=False),
        sa.Column("host_identity", sa.String(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("risk", sa.String(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("limit_s", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("denial", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("output_head", sa.Text(), nullable=False),
        sa.Column("output_tail", sa.Text(), nullable=False),
        sa.Column("output_chars", sa.BigInteger(), nullable=False),
        sa.Column("output_lines", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_session.id"],
            name=op.f("fk_command_run_session_id_chat_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turn.id"], name=op.f("fk_command_run_turn_id_turn"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_command_run_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_command_run")),
        sa.UniqueConstraint("id", name=op.f("uq_command_run_id")),
    )
    with op.batch_alter_table("command_run", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_command_run_host_id"), ["host_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_command_run_session_id"), ["session_id"], unique=False)
        batch_op.create_index("ix_command_run_status", ["status"], unique=False)
        batch_op.create_index("ix_command_run_turn", ["turn_id", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_command_run_user_id"), ["user_id"], unique=False)

    op.create_table(
        "command_output",
        sa.Column("command_id", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["command_id"],
            ["command_run.id"],
            name=op.f("fk_command_output_command_id_command_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("command_id", "at", name=op.f("pk_command_output")),
    )


def downgrade() -> None:
    op.drop_table("command_output")
    with op.batch_alter_table("command_run", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_command_run_user_id"))
        batch_op.drop_index("ix_command_run_turn")
        batch_op.drop_index("ix_command_run_status")
        batch_op.drop_index(batch_op.f("ix_command_run_session_id"))
        batch_op.drop_index(batch_op.f("ix_command_run_host_id"))

    op.drop_table("command_run")
    with op.batch_alter_table("chat_milestone", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_milestone_user_id"))
        batch_op.drop_index(batch_op.f("ix_chat_milestone_session_id"))

    op.drop_table("chat_milestone")
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_message_user_id"))
        batch_op.drop_index(batch_op.f("ix_chat_message_turn_id"))
        batch_op.drop_index("ix_chat_message_talk")

    op.drop_table("chat_message")
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.drop_index(
            "one_open_turn",
            sqlite_where=sa.text("finished_at IS NULL"),
            postgresql_where=sa.text("finished_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_turn_user_id"))
        batch_op.drop_index("ix_turn_open")

    op.drop_table("turn")
    op.drop_table("knowledge_chunk")
    op.drop_table("credential")
    with op.batch_alter_table("long_term_memory", schema=None) as batch_op:
        batch_op.drop_index("ix_long_term_memory_subject")
        batch_op.drop_index(batch_op.f("ix_long_term_memory_host_id"))

    op.drop_table("long_term_memory")
    with op.batch_alter_table("knowledge_document", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_knowledge_document_user_id"))

    op.drop_table("knowledge_document")
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_host_owner_id"))

    op.drop_table("host")
    op.drop_table("core_memory")
    with op.batch_alter_table("chat_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_session_user_id"))
        batch_op.drop_index("ix_chat_session_recent")

    op.drop_table("chat_session")
    with op.batch_alter_table("access_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_access_token_person_id"))

    op.drop_table("access_token")
    with op.batch_alter_table("worker", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_worker_kind"))

    op.drop_table("worker")
    op.drop_table("person")
    with op.batch_alter_table("audit_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_event_subject"))

    op.drop_table("audit_event")
