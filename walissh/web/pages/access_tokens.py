"""The API tokens of the person: on the settings page, made, shown once, revocable."""

from flask import Blueprint, Response, make_response, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import InvalidError
from walissh.store import people, people_passes
from walissh.store.people import Scope
from walissh.store.people_passes import Pass
from walissh.web import auth
from walissh.web.pages import answers

DAYS = (7, 30, 90, 365)
USUAL_DAYS = 90
DAY_S = 24 * 3600
MAX_LABEL_CHARS = 80

blueprint = Blueprint("access_tokens", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/settings/tokens")
def create() -> Response:
    """Make a token and show it, this once."""
    label, scope, days = _label(), _scope(), _days()
    plain = people.issue_token(
        auth.person().id, "api", label=label, scope=scope, ttl_s=days * DAY_S
    )
    return make_response(
        render_template("settings/token.html", token=plain, label=label, scope=scope, days=days)
    )


@blueprint.post("/settings/tokens/<id:token_id>/revoke")
def revoke(token_id: str) -> AnyResponse:
    """End a token."""
    people_passes.revoke(token_id, auth.person().id)
    back = url_for("settings.page", _anchor="tokens")
    return answers.go(back, said=gettext("The token is revoked."))


def of_visitor() -> list[Pass]:
    """Return the live tokens of who is asking, the newest first."""
    return people_passes.of(auth.person().id, "api")


def _label() -> str:
    label = request.form.get("label", "").strip()
    if len(label) > MAX_LABEL_CHARS or not label.isprintable():
        raise InvalidError(
            f"A label has at most {MAX_LABEL_CHARS} visible characters.", field="label"
        )
    return label


def _scope() -> Scope:
    scope = request.form.get("scope", people.READ)
    if scope == "all":
        return "all"
    if scope == "read":
        return "read"
    raise InvalidError("The scope must be read or all.", field="scope")


def _days() -> int:
    days = request.form.get("days", str(USUAL_DAYS))
    if days not in {str(each) for each in DAYS}:
        choices = ", ".join(str(each) for each in DAYS)
        raise InvalidError(f"A token lives for one of {choices} days.", field="days")
    return int(days)
