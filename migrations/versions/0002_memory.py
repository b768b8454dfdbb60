"""Say of each memory what proves it and what became of it; keep its changes and groups."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

MEMORY = "long_term_memory"
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _describe_memories()
    op.add_column("core_memory", sa.Column("reason", sa.Text(), nullable=False, server_default=""))
    op.add_column("core_memory", sa.Column("confirmed_at", TIME, nullable=True))
    op.add_column("core_memory", sa.Column("rejected_at", TIME, nullable=True))
    op.execute("UPDATE core_memory SET confirmed_at = at")  # before, all were in force at once
    op.add_column("person", sa.Column("welcomed_at", TIME, nullable=True))
    op.add_column("turn", sa.Column("remembrance", sa.JSON(), nullable=False, server_default="{}"))
    op.create_table(
        "memory_event",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("memory_id", sa.String(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("changes_preference", sa.Boolean(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("published_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["person.id"],
            name=op.f("fk_memory_event_user_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_memory_event")),
        sa.UniqueConstraint("id", name=op.f("uq_memory_event_id")),
    )
    op.create_index("ix_memory_event_person", "memory_event", ["user_id", "number"])
    op.create_index("ix_memory_event_memory_id", "memory_event", ["memory_id"])
    op.create_index(
        "ix_memory_event_preference", "memory_event", ["user_id", "changes_preference", "number"]
    )
    op.create_index(
        "ix_memory_event_outbox",
        "memory_event",
        ["number"],
        sqlite_where=sa.text("published_at IS NULL"),
        postgresql_where=sa.text("published_at IS NULL"),
    )
    op.create_table(
        "person_group",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["person.id"],
            name=op.f("fk_person_group_person_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("name", "person_id", name=op.f("pk_person_group")),
    )
    op.create_index("ix_person_group_person_id", "person_group", ["person_id"])


def _describe_memories() -> None:
    # a server default only fills the rows of before: the models give every new value
    text = {"host": "", "op": "add", "origin": "user", "channel": "agent", "shared_with": ""}
    for name, value in text.items():
        op.add_column(MEMORY, sa.Column(name, sa.String(), nullable=False, server_default=value))
    op.add_column(MEMORY, sa.Column("value", sa.Text(), nullable=False, server_default=""))
    op.add_column(MEMORY, sa.Column("stale_days", sa.Integer(), nullable=True))
    op.add_column(MEMORY, sa.Column("wrong_at", TIME, nullable=True))
    op.add_column(
        MEMORY, sa.Column("helped_times", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        MEMORY,
        sa.Column("proved_at", TIME, nullable=False, server_default="1970-01-01 00:00:00.000000"),
    )
    op.execute("UPDATE long_term_memory SET proved_at = at")
    op.execute(
        "UPDATE long_term_memory SET host = COALESCE("
        "(SELECT host.name FROM host WHERE host.id = long_term_memory.host_id), '')"
    )
    # what a person deletes is gone, not marked
    op.execute("DELETE FROM long_term_memory WHERE deleted_at IS NOT NULL")
    op.drop_column(MEMORY, "deleted_at")
    op.create_index("ix_long_term_memory_shared", MEMORY, ["shared_with"])
    op.create_index("ix_long_term_memory_person", MEMORY, ["user_id", "number"])
    op.create_index("ix_long_term_memory_superseded", MEMORY, ["superseded_by"])


def downgrade() -> None:
    op.drop_table("person_group")
    op.drop_table("memory_event")
    op.drop_column("turn", "remembrance")
    op.drop_column("person", "welcomed_at")
    # what does not count must not come to count where nothing can say so
    op.execute("DELETE FROM core_memory WHERE confirmed_at IS NULL")
    for name in ("rejected_at", "confirmed_at", "reason"):
        op.drop_column("core_memory", name)
    for name in ("superseded", "person", "shared"):
        op.drop_index(f"ix_long_term_memory_{name}", MEMORY)
    op.add_column(MEMORY, sa.Column("deleted_at", TIME, nullable=True))
    op.execute("UPDATE long_term_memory SET deleted_at = wrong_at")
    op.execute("DELETE FROM long_term_memory WHERE op = 'remove'")
    for name in ("proved_at", "helped_times", "wrong_at", "stale_days", "value"):
        op.drop_column(MEMORY, name)
    for name in ("shared_with", "channel", "origin", "op", "host"):
        op.drop_column(MEMORY, name)
