"""The person's own settings: language, password, browsers and tokens."""

from flask import Blueprint, render_template, request, url_for
from flask_babel import gettext, refresh
from werkzeug.wrappers import Response

from walissh.errors import InvalidError
from walissh.store import people
from walissh.web import auth, i18n
from walissh.web.pages import access_tokens, answers, browsers

COOKIE_TTL_S = 365 * 24 * 3600

blueprint = Blueprint("settings", __name__)


@blueprint.get("/settings")
def page() -> str | Response:
    """Show the settings of who is signed in."""
    return auth.guard_page() or _page()


def _page() -> str:
    return render_template(
        "settings/page.html",
        browsers=browsers.of_visitor(),
        present=browsers.present(),
        browser_name=browsers.name_of,
        tokens=access_tokens.of_visitor(),
        days=access_tokens.DAYS,
        usual_days=access_tokens.USUAL_DAYS,
    )


@blueprint.post("/language")
def language() -> Response:
    """Choose the language of the page, before signing in too."""
    lang = request.form.get("lang", "")
    if lang not in i18n.LANGUAGES:
        raise InvalidError("The language must be zh or en.", field="lang")
    someone = auth.visitor()
    if someone is not None:
        people.set_language(someone.id, lang)
    response = answers.go(auth.local_path(request.form.get("next", "/")))
    response.set_cookie(
        i18n.LANG_COOKIE,
        lang,
        max_age=COOKIE_TTL_S,
        samesite="Lax",
        httponly=True,
        secure=request.is_secure,
    )
    return response


@blueprint.post("/settings/password")
def password() -> Response:
    """Set a new password; a session that is signed in is proof enough for the first one."""
    refused = auth.guard_page()
    if refused is not None:
        return refused
    me = auth.person()
    if me.has_password:
        people.check_password(me.name, request.form.get("old", ""))
    people.set_password(me.id, request.form.get("new", ""))
    refresh()
    response = answers.go(url_for("settings.page"), said=gettext("The password was set."))
    return auth.sign_in(response, me, "password")  # the old cookie went with the old password
