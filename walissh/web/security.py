"""What every response carries, how big a request may be, and forged forms."""

import time

from flask import Blueprint, Flask, Response, request
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from walissh import wiring
from walissh.web import auth

MAX_REQUEST_BYTES = 16 * 1024 * 1024
"""Takes a message of a million characters, each escaped to 12 bytes, so that it gets an
answer in words instead of a closed connection."""

DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_LIMIT_S = 10.0
SILENCE_LIMIT_S = 20.0
"""Between two pieces of a request's body, or of an answer that is not taken."""
PIECE_BYTES = 64 * 1024

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not no-referrer: over HTTPS the check of forms wants to see where they come from
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}

OVER_TLS = {"Strict-Transport-Security": "max-age=31536000"}
"""Said only where TLS is there: a browser that believed it without could not come back."""

FORM_COOKIE = "walissh_form"


class _Forms(SecureCookieSessionInterface):
    """The signed cookie that forms are checked by: over TLS bound to this host, as ours is."""

    def get_cookie_name(self, app: Flask) -> str:
        return auth.cookie_name(FORM_COOKIE)

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def install(app: Flask) -> None:
    """Set the limits and the headers of *app*, and guard its forms."""
    _trust_proxies(app)
    app.session_interface = _Forms()
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_REQUEST_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_REQUEST_BYTES,
        SESSION_COOKIE_SAMESITE="Lax",
        # a page stays open for days; its token lives as long as the browser's session
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.before_request(_be_impatient)
    CSRFProtect(app)
    app.after_request(_harden)
    app.after_request(_drain)


def _trust_proxies(app: Flask) -> None:
    """Believe as many proxies as the settings name about who asks, and whether over TLS.

    The host is not taken from them: one that passes ``Host`` on needs no other header, and a
    header that it does not set would be the client's own.
    """
    with app.app_context():
        count = wiring.settings().proxy
    if count:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # Flask's own way
            app.wsgi_app, x_for=count, x_proto=count, x_host=0
        )


def takes_no_cookies(app: Flask, blueprint: Blueprint) -> None:
    """Leave *blueprint* out of the check of forms: nothing there trusts a cookie."""
    app.extensions["csrf"].exempt(blueprint)


def _be_impatient() -> None:
    """Give up on a client that neither sends its body nor takes our answer.

    Without this each such client holds one of the web part's threads for ever; it needs
    no sign-in for it.
    """
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(SILENCE_LIMIT_S)


def _harden(response: Response) -> Response:
    told = {**HEADERS, **OVER_TLS} if request.is_secure else HEADERS
    for name, value in told.items():
        response.headers.setdefault(name, value)
    return response


def _drain(response: Response) -> Response:
    """Read what is left of a refused body, up to a limit.

    A server that closes while the client still sends makes it see a broken connection
    instead of the answer.
    """
    if response.status_code < 400 or request.method in ("GET", "HEAD"):
        return response
    body, left = request.environ["wsgi.input"], DRAIN_BYTES
    until = time.monotonic() + DRAIN_LIMIT_S
    while left > 0 and time.monotonic() < until:
        try:
            piece = body.read(min(PIECE_BYTES, left))
        except OSError:  # it sends no more
            break
        if not piece:
            break
        left -= len(piece)
    return response
