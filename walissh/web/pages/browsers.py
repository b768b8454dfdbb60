"""The browsers in which the person is signed in: on the settings page, each revocable."""

from flask import Blueprint, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.store import people_passes
from walissh.store.people_passes import Pass
from walissh.web import auth
from walissh.web.pages import answers

# the longer name first: most browsers also call themselves by older ones
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)

blueprint = Blueprint("browsers", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/settings/browsers/<id:browser_id>/revoke")
def revoke(browser_id: str) -> Response:
    """Sign this person out of one browser, the present one too."""
    people_passes.revoke(browser_id, auth.person().id)
    return answers.go(_back(), said=gettext("That browser is signed out."))


@blueprint.post("/settings/browsers/revoke-others")
def revoke_others() -> Response:
    """Sign this person out of every browser but this one."""
    count = people_passes.revoke_browsers(auth.person().id, keep=present())
    said = ngettext("%(num)s browser is signed out.", "%(num)s browsers are signed out.", count)
    return answers.go(_back(), said=said)


def of_visitor() -> list[Pass]:
    """Return the browsers of who is asking, the newest first."""
    idle_s = wiring.settings().idle_hours * 3600
    return people_passes.of(auth.person().id, "web", idle_s=idle_s)


def present() -> str:
    """Return the id of the browser that asks."""
    admission = auth.admission()
    return admission.by.id if admission else ""


def name_of(agent: str) -> str:
    """Return a browser in two words, as "Firefox, Linux"; "" for one that says nothing."""
    known = (next((n for mark, n in each if mark in agent), "") for each in (BROWSERS, SYSTEMS))
    return ", ".join(each for each in known if each) or agent[:40]


def _back() -> str:
    return url_for("settings.page", _anchor="browsers")
