"""Signing in by the one-time link or by name and password, and signing out."""

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask import make_response as flask_response
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh import wiring
from walissh.errors import DeniedError
from walissh.store import people, people_passes
from walissh.store.password_hashes import BusyError
from walissh.store.people import Person
from walissh.web import auth, i18n, rates, rights
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
    except DeniedError as error:
        people_passes.note_failure(name, "password", auth.address())
        return refused(str(error), 403, wanted, name=name)
    except BusyError as error:
        return refused(str(error), 503, wanted, name=name)
    rates.forget_guesses()
    return auth.sign_in(redirect(first_stop(someone, wanted), 303), someone, "password")


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
        people_passes.note_failure("", "link", auth.address())
        words = gettext(
            "This link was used before or is too old. Get a new one with: walissh sign-in-link"
        )
        return flask_response(_form("/", error=words), 403)
    return auth.sign_in(redirect(first_stop(someone, "/"), 303), someone, "link")


@blueprint.post("/sign-out")
def sign_out() -> AnyResponse:
    """End this browser's session."""
    return auth.sign_out(redirect(auth.SIGN_IN, 303))


def first_stop(someone: Person, wanted: str) -> str:
    """Return where a browser goes after signing in; who may keep nothing is asked nothing."""
    may_keep = auth.may(someone, rights.MEMORY)
    return welcome.first_stop(someone, wanted) if may_keep else wanted


def refused(words: str, status: int, wanted: str = "/", *, name: str = "") -> Response:
    """Return the form with the reason why nobody was signed in."""
    return flask_response(_form(wanted, name=name, error=i18n.sentence(words)), status)


def too_many(wait_s: int) -> Response:
    """Return the form for a try too many; the next one is taken after *wait_s* seconds."""
    words = gettext(
        "Too many tries to sign in. Wait %(seconds)s seconds and try again, or use a link: on the"
        " server, walissh sign-in-link prints one.",
        seconds=wait_s,
    )
    return flask_response(_form("/", name=request.form.get("name", ""), error=words), 429)


def _form(wanted: str, *, name: str = "", error: str = "") -> str:
    start = url_for("oidc.start", next=wanted if wanted != "/" else None)
    oidc = start if wiring.settings().oidc is not None else ""
    return render_template("signin/page.html", wanted=wanted, name=name, error=error, oidc=oidc)
