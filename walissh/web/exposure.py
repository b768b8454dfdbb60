"""Nothing is answered beyond loopback while no admin can prove who they are.

``walissh up`` asks before it listens. A server that was started in another way, such as
``gunicorn app:app``, did not: each request is looked at by the socket that it came in on.
"""

import time

from flask import Flask, Response, request

from walissh import wiring
from walissh.config import Settings
from walissh.errors import StartError
from walissh.web import errors

NO_LASTS_S = 2.0
"""So long a no is not asked for again: a stranger's requests must not keep the database busy."""


class _Door:
    """Closed until the question was once answered by yes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open = False
        self._closed_until = 0.0
        self._why = ""

    def look(self) -> Response | None:
        """Return the refusal of this request, None if it may go on."""
        connection = request.environ.get("gunicorn.socket")
        if connection is None or self._open:
            return None
        bound = connection.getsockname()
        if isinstance(bound, str | bytes):  # a socket in the file system
            return None
        why = self._asked(bound)
        return None if not why else _refusal(why)

    def _asked(self, bound: tuple[str, int]) -> str:
        from walissh.service import admission  # takes Redis along, which few requests need

        if admission.is_loopback(bound[0]):
            return ""
        if time.monotonic() < self._closed_until:
            return self._why
        try:
            admission.check(self._settings, bound)
        except StartError as error:
            self._why, self._closed_until = str(error), time.monotonic() + NO_LASTS_S
            return self._why
        self._open = True
        return ""


def install(app: Flask) -> None:
    """Look at every request of *app* before anything else does."""
    with app.app_context():
        door = _Door(wiring.settings())
    app.before_request(door.look)


def _refusal(why: str) -> Response:
    if request.path.startswith(errors.API):
        return errors.problem(503, why)
    return Response(f"{why}\n", 503, content_type="text/plain; charset=utf-8")
