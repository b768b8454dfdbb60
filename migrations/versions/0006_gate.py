"""Keep what the gate decides by, what it withholds, and who may come in."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TEXTS = (
    ("access_token", "scope"),
    ("access_token", "agent"),
    ("host", "gate"),
    ("host", "machine_id"),
    ("host", "seen_machine_id"),
    ("command_run", "rule"),
    ("command_run", "unflagged_by"),
)
SEALED = {
    "sqlite": (
        "CREATE TRIGGER audit_event_keeps_rows BEFORE DELETE ON audit_event"
        " BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END",
        "CREATE TRIGGER audit_event_keeps_values BEFORE UPDATE ON audit_event"
        " BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END",
        # INSERT OR REPLACE takes a row away without a DELETE
        "CREATE TRIGGER audit_event_keeps_places BEFORE INSERT ON audit_event"
        " WHEN EXISTS (SELECT 1 FROM audit_event"
        " WHERE number = NEW.number OR digest = NEW.digest)"
        " BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END",
    ),
    "postgresql": (
        "CREATE FUNCTION audit_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'audit_event is append-only'"
        " USING ERRCODE = 'integrity_constraint_violation'; END $$",
        "CREATE TRIGGER audit_event_keeps_rows BEFORE DELETE OR UPDATE ON audit_event"
        " FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only()",
        "CREATE TRIGGER audit_event_keeps_all BEFORE TRUNCATE ON audit_event"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only()",
    ),
}
UNSEALED = {
    "sqlite": (
        "DROP TRIGGER audit_event_keeps_places",
        "DROP TRIGGER audit_event_keeps_values",
        "DROP TRIGGER audit_event_keeps_rows",
    ),
    "postgresql": (
        "DROP TRIGGER audit_event_keeps_all ON audit_event",
        "DROP TRIGGER audit_event_keeps_rows ON audit_event",
        "DROP FUNCTION audit_event_is_append_only()",
    ),
}
"""The audit trail takes rows and gives none back, whoever speaks to the database."""

SWITCHES = (("chat_session", "read_only"), ("command_run", "withheld"))


def upgrade() -> None:
    for table, name in TEXTS:
        op.add_column(table, sa.Column(name, sa.String(), nullable=False, server_default=""))
    for table, name in SWITCHES:
        op.add_column(
            table, sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.add_column("command_run", sa.Column("flags", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("access_token", sa.Column("last_used_at", sa.DateTime(timezone=True)))
    op.add_column("person", sa.Column("oidc_subject", sa.String()))
    op.add_column("person", sa.Column("disabled_at", sa.DateTime(timezone=True)))
    op.create_index("ix_person_oidc_subject", "person", ["oidc_subject"], unique=True)
    _create_withheld()
    _create_secrets()
    _create_rules()
    for statement in SEALED[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_withheld() -> None:
    op.create_table(
        "command_withheld",
        sa.Column("command_id", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["command_id"],
            ["command_run.id"],
            name=op.f("fk_command_withheld_command_id_command_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("command_id", "at", name=op.f("pk_command_withheld")),
    )


def _create_secrets() -> None:
    op.create_table(
        "session_secret",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_session.id"],
            name=op.f("fk_session_secret_session_id_chat_session"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "place", name=op.f("pk_session_secret")),
        sa.UniqueConstraint(
            "session_id", "digest", name=op.f("uq_session_secret_session_id_digest")
        ),
    )


def _create_rules() -> None:
    op.create_table(
        "gate_rule",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("risk", sa.String(), nullable=False),
        sa.Column("host_id", sa.String(), nullable=False),
        sa.Column("host_identity", sa.String(), nullable=False),
        sa.Column("host_group", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("hours", sa.String(), nullable=False),
        sa.Column("everyone", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("command_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["person.id"],
            name=op.f("fk_gate_rule_owner_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gate_rule")),
    )
    op.create_index(op.f("ix_gate_rule_owner_id"), "gate_rule", ["owner_id"])


def downgrade() -> None:
    for statement in UNSEALED[op.get_bind().dialect.name]:
        op.execute(statement)
    for table in ("gate_rule", "session_secret", "command_withheld"):
        op.drop_table(table)
    op.drop_index("ix_person_oidc_subject", "person")
    for table, name in (
        ("person", "disabled_at"),
        ("person", "oidc_subject"),
        ("access_token", "last_used_at"),
        ("command_run", "flags"),
        *SWITCHES,
        *TEXTS,
    ):
        op.drop_column(table, name)
