"""How often a stranger may try to get in, per address and per name.

Counted by flask-limiter in the Redis of the settings. While that is away each web process
counts in its own memory: an admin can sign in to look at what is broken, and a process
gives nobody more tries than before.
"""

import hashlib
import logging
import math
import time
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, current_app, request
from flask_limiter import Limiter, RateLimitExceeded, RequestLimit
from limits import parse
from limits.errors import StorageError

from walissh import wiring
from walissh.config import Settings
from walissh.store.queue import connect_briefly
from walissh.web import auth

logger = logging.getLogger(__name__)

Refusal = Callable[[int], Response]
"""Answers a try too many, given the seconds after which the next one is taken."""

EXTENSION = "walissh_rates"
PER_ADDRESS = "100 per 1 minute"
PER_NAME = "10 per 10 minute"
"""Guesses at one password; a right one forgets those before it."""

PER_ADDRESS_KEY, PER_NAME_KEY = "WALISSH_TRIES_PER_ADDRESS", "WALISSH_TRIES_PER_NAME"
"""Other limits, as keys of the app's configuration."""

WAYS_IN = ("signin.by_password", "signin.by_link", "signin.change", "oidc.start", "oidc.callback")
GUESSED = "signin.by_password"
ADDRESSES, NAMES = "sign-in-address", "sign-in-name"
PREFIX = "walissh"


def install(app: Flask, refuse: Refusal) -> None:
    """Limit the ways into *app*, whose views must be there already; connects to nothing."""
    with app.app_context():
        settings = wiring.settings()
    limiter = _limiter(app, settings)
    app.extensions[EXTENSION] = limiter
    app.register_error_handler(RateLimitExceeded, _answer)

    def breached(limit: RequestLimit) -> Response:
        return _refused(limit, refuse)

    by_address = limiter.shared_limit(
        _per_address, ADDRESSES, key_func=_address, on_breach=breached
    )
    by_name = limiter.shared_limit(_per_name, NAMES, key_func=_name, on_breach=breached)
    for endpoint in WAYS_IN:
        view: Callable[..., Any] = by_address(app.view_functions[endpoint])
        app.view_functions[endpoint] = by_name(view) if endpoint == GUESSED else view


def forget_guesses() -> None:
    """Let the name of this request be tried as often as before: it was its person."""
    limiter: Limiter = current_app.extensions[EXTENSION]
    try:
        limiter.limiter.clear(parse(_per_name()), PREFIX, _name(), NAMES)
    except StorageError as error:
        logger.info("tries of a name not forgotten: %s", error)


def _limiter(app: Flask, settings: Settings) -> Limiter:
    briefly = connect_briefly(settings).connection_pool  # it answers at once, or not at all
    return Limiter(
        auth.address,
        app=app,
        storage_uri=_storage(settings.redis_address),
        storage_options={"connection_pool": briefly, "wrap_exceptions": True},  # type: ignore[dict-item]  # told as text only
        strategy="moving-window",
        key_prefix=PREFIX,
        in_memory_fallback_enabled=True,
    )


def _storage(address: str) -> str:
    """Return the address of Redis as the limiter writes it."""
    return f"redis+{address}" if address.startswith("unix://") else address


def _per_address() -> str:
    return str(current_app.config.get(PER_ADDRESS_KEY, PER_ADDRESS))


def _per_name() -> str:
    return str(current_app.config.get(PER_NAME_KEY, PER_NAME))


def _address() -> str:
    return auth.address() or "unknown"


def _name() -> str:
    """Return what stands for the name that is tried; it may be a password in the wrong field."""
    name = request.form.get("name", "")
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


def _refused(limit: RequestLimit, refuse: Refusal) -> Response:
    # the end of the window is told in whole seconds, a second late: never more than a window
    wait_s = min(max(1, math.ceil(limit.reset_at - time.time())), limit.limit.get_expiry())
    response = refuse(wait_s)
    response.status_code = 429
    response.headers["Retry-After"] = str(wait_s)
    return response


def _answer(error: RateLimitExceeded) -> Response:
    logger.warning("too many tries to sign in address=%s path=%s", auth.address(), request.endpoint)
    response = error.response
    return response if isinstance(response, Response) else Response(status=429)
