"""Who is asking: a bearer token for programs, a cookie for pages."""

import re
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from flask import Flask, g, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import DeniedError
from walissh.store import people
from walissh.store.people import Person, TokenKind

COOKIE = "walissh"
SIGN_IN = "/sign-in"

_LOCAL = re.compile(r"/(?![/\\])[^\x00-\x20\\\x7f]*")
_BEARER = re.compile(r"bearer +([!-~]+) *", re.IGNORECASE)

Answer = TypeVar("Answer", bound=AnyResponse)


def install(app: Flask) -> None:
    """Let templates ask who is signed in: ``visitor()``."""
    app.jinja_env.globals["visitor"] = visitor


def person() -> Person:
    """Return who is asking; raises DeniedError if nobody has been recognised."""
    found = visitor()
    if found is None:
        raise DeniedError("Sign in first.")
    return found


def visitor() -> Person | None:
    """Return who is asking, None for a stranger; a page's cookie is looked up once."""
    if "person" not in g:
        kind, plain = shown_pass()
        g.person = people.by_token(kind, plain) if plain else None
    found: Person | None = g.person
    return found


def shown_pass() -> tuple[TokenKind, str]:
    """Return what this request shows to be let in, "" for nothing."""
    shown: tuple[TokenKind, str] = g.get("shown_pass") or ("web", request.cookies.get(COOKIE, ""))
    return shown


def guard_api() -> None:
    """Let in bearer tokens only; for ``before_request``. Cookies are not looked at."""
    match = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    g.shown_pass = ("api", match[1] if match else "")
    g.person = people.by_token("api", match[1]) if match else None
    if g.person is None:
        raise DeniedError(
            "This needs a valid token in the header 'Authorization: Bearer TOKEN'."
            " Make one with: walissh token create"
        )


def guard_page() -> AnyResponse | None:
    """Send strangers to the sign-in page; for ``before_request`` of page blueprints."""
    if visitor() is not None:
        return None
    where = url_with_next(_wanted())
    if request.headers.get("HX-Request") == "true":
        # a redirect would be followed by the script, and the form put into a fragment
        return make_response("", 401, {"HX-Redirect": where})
    return redirect(where, 303)


def sign_in(response: Answer, someone: Person) -> Answer:
    """Give *someone* a cookie with *response*."""
    response.set_cookie(
        COOKIE,
        people.issue_token(someone.id, "web"),
        max_age=people.WEB_TTL_S,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    g.person = someone
    return response


def sign_out(response: Answer) -> Answer:
    """End the present cookie's life, here and in the database."""
    plain = request.cookies.get(COOKIE, "")
    if plain:
        people.revoke("web", plain)
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    g.person = None
    return response


def local_path(wanted: str) -> str:
    """Return *wanted* if it is a path on this site, else "/"."""
    return wanted if _LOCAL.fullmatch(wanted) else "/"


def url_with_next(wanted: str) -> str:
    """Return the address of the sign-in page that leads on to *wanted*."""
    path = local_path(wanted)
    return SIGN_IN if path == "/" else f"{SIGN_IN}?{urlencode({'next': path})}"


def _wanted() -> str:
    if request.headers.get("HX-Request") == "true":
        shown = urlsplit(request.headers.get("HX-Current-URL", ""))
        return shown.path
    if request.method != "GET":
        return "/"
    return request.full_path.rstrip("?")
