"""How a page's handler ends: a redirect for plain forms, a fragment for htmx."""

from flask import flash, redirect
from htmx_flask import make_response, request
from werkzeug.wrappers import Response


def is_fragment() -> bool:
    """Tell whether htmx asks, so that a part of the page is wanted."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def go(where: str, *, said: str = "") -> Response:
    """Lead on to *where*, whoever asked; *said* is shown there once."""
    if said:
        flash(said)
    if is_fragment():
        response: Response = make_response("", 204, redirect=where)
        return response
    return redirect(where, 303)


def fragment_or_go(html: str, where: str) -> Response:
    """Return *html* to htmx, and lead a plain form on to *where*."""
    if not is_fragment():
        return redirect(where, 303)
    response: Response = make_response(html)
    return response
