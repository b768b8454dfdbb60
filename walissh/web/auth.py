"""Who is asking: a bearer token for programs, a cookie for pages; and whether they may."""

import re
from typing import TypedDict, TypeVar
from urllib.parse import urlencode, urlsplit

from flask import Flask, g, make_response, redirect, request, session
from werkzeug.wrappers import Response as AnyResponse

from walissh import wiring
from walissh.errors import DeniedError
from walissh.store import people, people_passes
from walissh.store.people import Person, TokenKind
from walissh.store.people_passes import Admission, Arrival, How
from walissh.web import rights
from walissh.web.rights import ForbiddenError

COOKIE = "walissh"
HOST_PREFIX = "__Host-"
"""A browser keeps a cookie of such a name only from this very host and over TLS, so no
neighbour under the same domain can plant one; without TLS it would keep none at all."""

SIGN_IN = "/sign-in"

_LOCAL = re.compile(r"/(?![/\\])[^\x00-\x20\\\x7f]*")
_BEARER = re.compile(r"bearer +([!-~]+) *", re.IGNORECASE)

Answer = TypeVar("Answer", bound=AnyResponse)


class Bounds(TypedDict):
    """Where a cookie goes and who can read it."""

    httponly: bool
    samesite: str
    secure: bool
    path: str


def install(app: Flask) -> None:
    """Let templates ask who is signed in and what they may: ``visitor()``, ``may("ask")``."""
    app.jinja_env.globals.update(visitor=visitor, may=visitor_may)
    app.before_request(guard_role)


def person() -> Person:
    """Return who is asking; raises DeniedError if nobody has been recognised."""
    found = visitor()
    if found is None:
        raise DeniedError("Sign in first.")
    return found


def visitor() -> Person | None:
    """Return who is asking, None for a stranger; a page's cookie is looked up once."""
    found = admission()
    return None if found is None else found.person


def admission() -> Admission | None:
    """Return who is asking with what lets them in, None for a stranger."""
    if "admission" not in g:
        kind, plain = shown_pass()
        g.admission = _look_up(kind, plain) if plain else None
    found: Admission | None = g.admission
    return found


def may(someone: Person, right: str) -> bool:
    """Tell whether a person has a right of `rights.RIGHTS`."""
    return rights.may(someone.role, right)


def visitor_may(right: str) -> bool:
    """Tell whether who is asking has a right; a stranger has none."""
    someone = visitor()
    return someone is not None and may(someone, right)


def require(right: str) -> Person:
    """Return who is asking if they have *right*; raises ForbiddenError if not."""
    someone = person()
    if not may(someone, right):
        raise ForbiddenError(
            f"Your role is {someone.role}, and this needs {rights.least(right)}. Ask an admin of"
            " this installation for it."
        )
    return someone


def shown_pass() -> tuple[TokenKind, str]:
    """Return what this request shows to be let in, "" for nothing."""
    shown: tuple[TokenKind, str] = g.get("shown_pass") or ("web", _cookie())
    return shown


def guard_api() -> None:
    """Let in bearer tokens only; for ``before_request``. Cookies are not looked at."""
    match = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    g.shown_pass = ("api", match[1] if match else "")
    g.admission = _look_up("api", match[1]) if match else None
    if g.admission is None:
        raise DeniedError(
            "This needs a valid token in the header 'Authorization: Bearer TOKEN'. Make one with:"
            " walissh token create"
        )
    if g.admission.by.scope == people.READ and request.method not in rights.SAFE:
        raise ForbiddenError(
            "This token may only read. Make another one with: walissh token create --scope all"
        )
    rights.check(g.admission.person.role, request.endpoint or "", request.method)


def guard_role() -> None:
    """Refuse what the role of a browser's person does not allow; for ``before_request``.

    Strangers are sent to the sign-in page by the blueprints, and those of the interface
    show no cookie.
    """
    endpoint = request.endpoint or ""
    if endpoint.startswith("api.") or not endpoint:
        return
    right = rights.needed(endpoint, request.method)
    if right == rights.READ:
        return
    someone = visitor()
    if someone is not None:
        rights.check(someone.role, endpoint, request.method)


def guard_page() -> AnyResponse | None:
    """Send strangers to the sign-in page; for ``before_request`` of page blueprints."""
    if visitor() is not None:
        return None
    where = url_with_next(_wanted())
    if request.headers.get("HX-Request") == "true":
        # a redirect would be followed by the script, and the form put into a fragment
        return make_response("", 401, {"HX-Redirect": where})
    return redirect(where, 303)


def sign_in(response: Answer, someone: Person, how: How = "link") -> Answer:
    """Give *someone* a new cookie with *response*; the one that was shown ends."""
    arrival = Arrival(how, address(), request.user_agent.string, replaces=_cookie())
    before = visitor()
    ttl_s = wiring.settings().sign_in_days * 24 * 3600
    plain = people_passes.sign_in(someone.id, arrival, ttl_s=ttl_s)
    if before is None or before.id != someone.id:
        session.pop("csrf_token", None)  # a form that a stranger knew is worth nothing now
    response.set_cookie(cookie_name(), plain, max_age=ttl_s, **_bounds())
    g.shown_pass = ("web", plain)
    g.pop("admission", None)
    return response


def sign_out(response: Answer) -> Answer:
    """End the present cookie's life, here and in the database."""
    plain = _cookie()
    if plain:
        people.revoke("web", plain)
    response.delete_cookie(cookie_name(), **_bounds())
    g.admission = None
    return response


def address() -> str:
    """Return where the request comes from, behind as many proxies as the settings trust."""
    return request.remote_addr or ""


def cookie_name(name: str = COOKIE) -> str:
    """Return the name of a cookie of ours: bound to this host where TLS allows it."""
    return f"{HOST_PREFIX}{name}" if request.is_secure else name


def _cookie() -> str:
    return request.cookies.get(cookie_name(), "")


def _bounds() -> Bounds:
    return {"httponly": True, "samesite": "Lax", "secure": request.is_secure, "path": "/"}


def _look_up(kind: TokenKind, plain: str) -> Admission | None:
    return people_passes.admitted(kind, plain, idle_s=wiring.settings().idle_hours * 3600)


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
