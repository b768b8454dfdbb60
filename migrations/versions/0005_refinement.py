"""Note which turns have had their memories refined: each has it once."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turn_refinement",
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn_id"],
            ["turn.id"],
            name=op.f("fk_turn_refinement_turn_id_turn"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turn_refinement")),
    )


def downgrade() -> None:
    op.drop_table("turn_refinement")
