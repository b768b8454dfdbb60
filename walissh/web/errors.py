"""The one place where an error becomes a response."""

import logging
from http import HTTPStatus

from flask import Flask, Response, json, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from walissh.errors import (
    ConflictError,
    DeniedError,
    InvalidError,
    ModelError,
    NotFoundError,
    QueueError,
    ShellError,
    StoreError,
    WalisshError,
)
from walissh.store.password_hashes import BusyError
from walissh.web.rights import ForbiddenError

logger = logging.getLogger(__name__)

API = "/api/"
PROBLEM = "application/problem+json"
RETRY_AFTER_S = 5

STATUS: tuple[tuple[type[WalisshError], int], ...] = (
    (InvalidError, 400),
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (StoreError, 503),
    (QueueError, 503),
    (BusyError, 503),
    (ShellError, 502),
    (ModelError, 502),
)

WORDS = {
    400: "The request could not be read.",
    404: "There is nothing at this address.",
    405: "This address does not take this method; the header Allow says which.",
    413: "The request is too big: at most 16 MB are taken.",
    500: "Something went wrong in WaLiSSH itself. The log of the web part says what.",
}
"""Our sentences for what the framework found; others keep the framework's."""


def install(app: Flask) -> None:
    """Answer every error of *app* here."""
    app.register_error_handler(WalisshError, _on_ours)
    app.register_error_handler(HTTPException, _on_http)


def problem(status: int, detail: str, *, field: str = "") -> Response:
    """Return a problem document (RFC 9457); *field* names the part of the body."""
    told: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if field:
        told["field"] = field
    return Response(json.dumps(told), status, content_type=PROBLEM)


def status_of(error: WalisshError) -> int:
    """Return the HTTP status that stands for *error*."""
    if isinstance(error, DeniedError):
        return 401 if _is_api() else 403
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def _on_ours(error: WalisshError) -> ResponseReturnValue:
    status = status_of(error)
    if status >= 500:
        logger.error("request failed path=%s: %s", request.path, error)
    field = error.field if isinstance(error, InvalidError) else ""
    return _respond(error, status, str(error), field)


def _on_http(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error  # a redirect travels as an exception too
    response = _respond(error, error.code, _words(error), "")
    kept = {"allow", "retry-after"}
    response.headers.extend((n, v) for n, v in error.get_headers() if n.lower() in kept)
    return response


def _words(error: HTTPException) -> str:
    if isinstance(error, CSRFError):
        return f"The form was not accepted: {error.description} Reload the page and try again."
    return WORDS.get(error.code or 500, error.description or error.name)


def _respond(error: Exception, status: int, words: str, field: str) -> Response:
    response = problem(status, words, field=field) if _is_api() else _page(error, status)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="walissh"'
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _page(error: Exception, status: int) -> Response:
    from walissh.web.pages.errors import render  # which needs the sentences here

    return render(error, status)


def _is_api() -> bool:
    return request.path.startswith(API)
