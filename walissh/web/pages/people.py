"""The page People, for admins: who may come in, as what, and how they get in the first time."""

from flask import Blueprint, Response, make_response, render_template, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react.circumstances import ADMIN, OPERATOR, ROLES, VIEWER
from walissh.store import people, people_passes, people_roles
from walissh.store.people import Person
from walissh.web import auth, errors, i18n
from walissh.web.pages import answers

blueprint = Blueprint("people", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.app_template_global()
def role_word(role: str) -> str:
    """Return the name of a role."""
    names = {ADMIN: gettext("admin"), OPERATOR: gettext("operator"), VIEWER: gettext("viewer")}
    return names.get(role, role)


@blueprint.get("/people")
def page() -> str:
    """List everybody."""
    return _page()


@blueprint.post("/people")
def add() -> Response:
    """Make a person, and show the link by which they come in first."""
    name, role = request.form.get("name", "").strip(), request.form.get("role", OPERATOR)
    try:
        someone = people.add(name, role=role, actor=_me())
    except (InvalidError, ConflictError) as error:
        return make_response(_page(name, role, str(error)), errors.status_of(error))
    return _shown_link(someone)


@blueprint.post("/people/<id:person_id>/link")
def link(person_id: str) -> Response:
    """Show a link that signs the person in once."""
    return _shown_link(_person(person_id))


@blueprint.post("/people/<id:person_id>/role")
def role(person_id: str) -> AnyResponse:
    """Give a person another role."""
    someone = people_roles.change_role(person_id, request.form.get("role", ""), actor=_me())
    said = gettext("%(name)s has another role from the next click on.", name=someone.name)
    return answers.go(_back(), said=said)


@blueprint.post("/people/<id:person_id>/disable")
def disable(person_id: str) -> AnyResponse:
    """Let a person in no more."""
    someone = people_roles.disable(person_id, actor=_me())
    said = gettext(
        "%(name)s is let in no more; their browsers, tokens and links have ended.",
        name=someone.name,
    )
    return answers.go(_back(), said=said)


@blueprint.post("/people/<id:person_id>/enable")
def enable(person_id: str) -> AnyResponse:
    """Let a person in again."""
    someone = people_roles.enable(person_id, actor=_me())
    return answers.go(_back(), said=gettext("%(name)s may come in again.", name=someone.name))


@blueprint.post("/people/<id:person_id>/sign-out")
def sign_out(person_id: str) -> AnyResponse:
    """Sign a person out of every browser, but not oneself out of this one."""
    someone = _person(person_id)
    admission = auth.admission()
    keep = admission.by.id if admission else ""
    count = people_passes.revoke_browsers(someone.id, keep=keep, actor=_me())
    said = ngettext("%(num)s browser is signed out.", "%(num)s browsers are signed out.", count)
    return answers.go(_back(), said=said)


def _page(name: str = "", role: str = OPERATOR, error: str = "") -> str:
    """Return everybody and the form for one more, as it was filled in if it was refused."""
    return render_template(
        "people/page.html",
        everyone=people_roles.everyone(),
        roles=ROLES,
        name=name,
        chosen=role,
        error=i18n.sentence(error),
    )


def _shown_link(someone: Person) -> Response:
    token = people.issue_token(someone.id, "link", actor=_me())
    address = url_for("signin.by_link", token=token, _external=True)
    minutes = people.LINK_TTL_S // 60
    return make_response(
        render_template("people/link.html", someone=someone, address=address, minutes=minutes)
    )


def _person(person_id: str) -> Person:
    found = people.get(person_id)
    if found is None:
        raise NotFoundError("There is no such person.")
    return found


def _me() -> str:
    return auth.person().id


def _back() -> str:
    return url_for("people.page")
