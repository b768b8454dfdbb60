"""Keep the thread of a session, its summary, what a message was taken for and what it asked."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ADDED = (
    ("chat_session", "tracked"),
    ("chat_session", "summary"),
    ("turn", "intended"),
    ("turn", "asked"),
)


def upgrade() -> None:
    for table, name in ADDED:
        op.add_column(table, sa.Column(name, sa.JSON(), nullable=False, server_default="{}"))
    op.create_table(
        "intent_mislead",
        sa.Column("number", NUMBER, autoincrement=True, nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("taken", sa.String(), nullable=False),
        sa.Column("meant", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sign", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _goes_with("user_id", "person"),
        _goes_with("turn_id", "turn"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_intent_mislead")),
        sa.UniqueConstraint("turn_id", "sign", name=op.f("uq_intent_mislead_turn_id_sign")),
    )
    op.create_index(op.f("ix_intent_mislead_user_id"), "intent_mislead", ["user_id"])


def _goes_with(column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column],
        [f"{table}.id"],
        name=op.f(f"fk_intent_mislead_{column}_{table}"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    op.drop_table("intent_mislead")
    for table, name in reversed(ADDED):
        op.drop_column(table, name)
