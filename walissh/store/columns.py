"""What columns of many tables have in common."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Integer
from sqlalchemy.orm import Mapped, mapped_column

Number = BigInteger().with_variant(Integer, "sqlite")
"""The order of insertion; SQLite counts up in a column of this type alone."""


def owner(table: str, **options: Any) -> Mapped[str]:
    """Return the column of the row that this one hangs on, and goes with."""
    return mapped_column(ForeignKey(f"{table}.id", ondelete="CASCADE"), index=True, **options)
