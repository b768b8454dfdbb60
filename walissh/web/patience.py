"""Waiting for what another process does: soon at first, then less and less often."""

import time
from collections.abc import Callable
from typing import TypeVar

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5

Found = TypeVar("Found")


def wait_for(
    look: Callable[[], Found | None],
    *,
    limit_s: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Found | None:
    """Return the first answer of *look* that is not None; None once *limit_s* have passed.

    The pauses double up to half a second: each look is a query, and many may wait at once.
    """
    until, pause_s = time.monotonic() + limit_s, FIRST_PAUSE_S
    while True:
        found = look()
        if found is not None or time.monotonic() >= until:
            return found
        sleep(min(pause_s, max(0.0, until - time.monotonic())))
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
