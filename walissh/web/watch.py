"""Whether who follows a stream may still see it: streams outlive sign-out and deletion."""

import time
from collections.abc import Callable

from flask import current_app

from walissh.store import people
from walissh.web import auth

EACH = "WALISSH_WATCH_EACH_S"
"""How long an answer of the database holds; a key of the app's configuration."""

EACH_S = 3.0


class Watch:
    """Asks again, now and then, what was asked when the stream began.

    It begins inside the request; *exists* tells whether what is followed is still there.
    """

    def __init__(self, exists: Callable[[], bool] = lambda: True) -> None:
        self._pass = auth.shown_pass()
        self._exists = exists
        self._each_s = current_app.config.get(EACH, EACH_S)
        self._asked_at = time.monotonic()

    def is_over(self) -> bool:
        """Tell whether the stream must end: nobody is let in by its pass any more."""
        now = time.monotonic()
        if now - self._asked_at < self._each_s:
            return False
        self._asked_at = now
        return people.by_token(*self._pass) is None or not self._exists()
