"""Signing in by the one-time link or by name and password, and signing out."""

from flask import Blueprint, Response, redirect, render_template, request
from flask import make_response as flask_response
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import DeniedError
from walissh.store import people
from walissh.web import auth, i18n
from walissh.web.pages import welcome

blueprint = Blueprint("signin", __name__)


@blueprint.get("/sign-in")
def page() -> AnyResponse | str:
    """Show the form; who is signed in goes on."""
    wanted = auth.local_path(request.args.get("next", "/"))
    if auth.visitor() is not None:
        return redirect(wanted, 303)
    return _form(wanted)


@blueprint.post("/sign-in")
def by_password() -> AnyResponse:
    """Sign in with name and password."""
    wanted = auth.local_path(request.form.get("next", "/"))
    name = request.form.get("name", "")
    try:
        someone = people.check_password(name, request.form.get("password", ""))
    except (DeniedError, people.BusyError) as error:
        status = 403 if isinstance(error, DeniedError) else 503
        return flask_response(_form(wanted, name=name, error=i18n.sentence(str(error))), status)
    return auth.sign_in(redirect(welcome.first_stop(someone, wanted), 303), someone)


@blueprint.route("/sign-in/<token>", methods=["GET"])
def by_link(token: str) -> AnyResponse:
    """Sign in with a link that works once; a look ahead does not spend it."""
    if request.method == "HEAD" or request.headers.get("Sec-Purpose"):
        return Response(status=200)
    now, owner = auth.visitor(), people.by_token("link", token)
    if now is not None and owner is not None and owner.id != now.id:
        return flask_response(render_template("signin/change.html", token=token, owner=owner))
    return _by_link(token)


@blueprint.post("/sign-in/<token>")
def change(token: str) -> AnyResponse:
    """Sign in with a link though somebody else is signed in: they said so."""
    return _by_link(token)


def _by_link(token: str) -> AnyResponse:
    someone = people.use_link(token)
    if someone is None:
        if auth.visitor() is not None:
            return redirect("/", 303)  # the link was opened twice by the same person
        words = gettext(
            "This link was used before or is too old. Get a new one with: walissh sign-in-link"
        )
        return flask_response(_form("/", error=words), 403)
    if auth.visitor() is not None:
        people.revoke("web", auth.shown_pass()[1])  # one browser, one life
    return auth.sign_in(redirect(welcome.first_stop(someone, "/"), 303), someone)


@blueprint.post("/sign-out")
def sign_out() -> AnyResponse:
    """End this browser's session."""
    return auth.sign_out(redirect(auth.SIGN_IN, 303))


def _form(wanted: str, *, name: str = "", error: str = "") -> str:
    return render_template("signin/page.html", wanted=wanted, name=name, error=error)
