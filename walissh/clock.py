"""Time as a value: the one place that asks what time it is."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present instant, aware and in UTC; tests pass their own."""


def utc_now() -> datetime:
    """Return the present instant, aware, in UTC."""
    return datetime.now(UTC)
