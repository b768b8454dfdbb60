"""htmx, served out of the installed package that carries it, once its sum is checked."""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flask import Blueprint, Response, abort, request

from walissh.errors import StartError

VERSION = "2.0.11"
SHA256 = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
PACKAGE = "hedron_core"
KEEP_S = 365 * 24 * 3600

blueprint = Blueprint("assets", __name__)


@blueprint.get(f"/assets/htmx-{VERSION}.js")
def htmx() -> Response:
    """Send htmx; its address names its version, so it may be kept for ever."""
    response = Response(script(), content_type="text/javascript; charset=utf-8")
    response.headers["Cache-Control"] = f"public, max-age={KEEP_S}, immutable"
    response.set_etag(SHA256)
    response.make_conditional(request)
    return response


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """Say that there is none here: the page names its own."""
    abort(404)


@cache
def script() -> bytes:
    """Return htmx's source; raises StartError if it is missing or not the file we know."""
    # find_spec does not run the package, which would load much that is not needed
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StartError(f"The package {PACKAGE} is missing. Install it again: make setup")
    return checked(Path(next(iter(spec.submodule_search_locations))) / "static" / "htmx.min.js")


def checked(path: Path) -> bytes:
    """Return what stands in *path* if its sum is the known one."""
    if not path.is_file():
        raise StartError(f"{path} is missing. Install the locked packages again: make setup")
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise StartError(
            f"The htmx file of the package {PACKAGE} is not version {VERSION} (sha256 {found})."
            " Install the locked packages again: make setup"
        )
    return data
