"""Create the index of words: what each owner's texts are found by."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "recall_shelf",
        sa.Column("number", NUMBER, autoincrement=True, nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("texts", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["person.id"],
            name=op.f("fk_recall_shelf_owner_id_person"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_recall_shelf")),
        sa.UniqueConstraint("owner_id", "kind", name=op.f("uq_recall_shelf_owner_id_kind")),
    )
    op.create_table(
        "recall_line",
        sa.Column("shelf", NUMBER, nullable=False),
        sa.Column("doc", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("cluster", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        _on_shelf("recall_line"),
        sa.PrimaryKeyConstraint("shelf", "doc", name=op.f("pk_recall_line")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_recall_line_cluster", "recall_line", ["shelf", "cluster", "position"])
    op.create_table(
        "recall_posting",
        sa.Column("shelf", NUMBER, nullable=False),
        sa.Column("term", sa.String(), nullable=False),
        sa.Column("doc", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("tf", sa.Integer(), nullable=False),
        _on_shelf("recall_posting"),
        sa.PrimaryKeyConstraint("shelf", "term", "doc", name=op.f("pk_recall_posting")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_recall_posting_doc", "recall_posting", ["shelf", "doc"])


def _on_shelf(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["shelf"],
        ["recall_shelf.number"],
        name=op.f(f"fk_{table}_shelf_recall_shelf"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    op.drop_table("recall_posting")
    op.drop_table("recall_line")
    op.drop_table("recall_shelf")
