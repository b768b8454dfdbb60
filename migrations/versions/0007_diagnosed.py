"""Keep with a turn what was diagnosed, and what a person confirmed of it."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turn", sa.Column("diagnosed", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("turn", "diagnosed")
