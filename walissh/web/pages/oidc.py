"""Signing in by an OpenID Connect provider: there and back, with state, nonce and PKCE."""

import hmac
import secrets
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, redirect, request, session, url_for
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.config_oidc import Oidc
from walissh.errors import ConflictError, DeniedError, NotFoundError
from walissh.store import people_oidc, people_passes
from walissh.store.oidc_flows import Flow, Flows
from walissh.store.people_oidc import Known
from walissh.web import auth
from walissh.web.pages import signin

if TYPE_CHECKING:  # its libraries are heavy, and most installations have no provider
    from walissh.web.pages.oidc_provider import Provider

STATE = "oidc_state"
"""Where the browser keeps the state of the sign-in that it began, signed."""

EXTENSION = "walissh_oidc"
STALE = "This sign-in was not begun in this browser, or it was used before. Start again."

blueprint = Blueprint("oidc", __name__)


@blueprint.get("/oidc/start")
def start() -> Response:
    """Send the browser to the provider."""
    from walissh.web.pages.oidc_provider import ProviderError

    wanted = auth.local_path(request.args.get("next", "/"))
    state, flow = secrets.token_urlsafe(32), _new_flow(wanted)
    try:
        where = _provider().begin(state, flow, _back())
        Flows.of(wiring.settings()).keep(state, flow)
    except ProviderError as error:
        return signin.refused(str(error), HTTPStatus.BAD_GATEWAY, wanted)
    session[STATE] = state
    return redirect(where, 303)


@blueprint.get("/oidc/callback")
def callback() -> Response:
    """Sign in whom the provider names; every cause of failure is told on the sign-in page."""
    from walissh.web.pages.oidc_provider import ProviderError

    try:
        flow = _taken()
        someone = people_oidc.enter(_known(_claims(flow)))
    except (DeniedError, ConflictError, ProviderError) as error:
        people_passes.note_failure("", "oidc", auth.address())
        theirs = isinstance(error, ProviderError)
        status = HTTPStatus.BAD_GATEWAY if theirs else HTTPStatus.FORBIDDEN
        return signin.refused(str(error), status)
    where = signin.first_stop(someone, flow.wanted)
    return auth.sign_in(redirect(where, 303), someone, "oidc")


def _new_flow(wanted: str) -> Flow:
    return Flow(secrets.token_urlsafe(32), secrets.token_urlsafe(48), wanted)


def _taken() -> Flow:
    """Return the sign-in that comes back, once, and only in the browser that began it."""
    mine, theirs = str(session.pop(STATE, "")), request.args.get("state", "")
    same = bool(mine) and hmac.compare_digest(mine.encode(), theirs.encode("utf-8", "replace"))
    flow = Flows.of(wiring.settings()).take(mine) if same else None
    if flow is None:
        raise DeniedError(STALE)
    return flow


def _claims(flow: Flow) -> Mapping[str, Any]:
    provider, told = _provider(), request.args
    if not provider.is_issuer(told.get("iss", provider.issuer)):
        raise DeniedError(STALE)  # an answer of another provider (RFC 9207)
    if not told.get("code"):
        raise DeniedError(
            f"The sign-in service {provider.issuer} let nobody in. Start again, or ask an admin."
        )
    return provider.finish(told["code"], flow, _back())


def _known(claims: Mapping[str, Any]) -> Known:
    configured = _configured()
    named = (claims.get(each) for each in ("preferred_username", "email", "name"))
    return Known(
        configured.issuer,
        str(claims["sub"]),
        [each for each in named if isinstance(each, str)],
        configured.role_of(frozenset(groups_of(claims, configured.claim))),
        rules=bool(configured.roles),
    )


def groups_of(claims: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the groups at *path*: the claim of that name, else what its dots lead to."""
    found: Any = claims.get(path)
    if found is None:
        found = claims
        for name in path.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
    for each in found if isinstance(found, list) else [found]:
        if isinstance(each, str):
            yield each


def _configured() -> Oidc:
    found = wiring.settings().oidc
    if found is None:
        raise NotFoundError("There is nothing at this address.")
    return found


def _provider() -> "Provider":
    configured = _configured()
    if EXTENSION not in current_app.extensions:
        from walissh.web.pages import oidc_provider

        current_app.extensions[EXTENSION] = oidc_provider.Provider(configured)
    found: Provider = current_app.extensions[EXTENSION]
    return found


def _back() -> str:
    return url_for("oidc.callback", _external=True)
