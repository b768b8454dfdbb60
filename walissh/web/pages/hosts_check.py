"""Testing a host, and trusting the key that it shows."""

from contextlib import suppress

from flask import Blueprint, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import QueueError
from walissh.react.host import Host
from walissh.store import hosts
from walissh.web import auth
from walissh.web.pages import answers
from walissh.web.pages.hosts import mine, stamp

MOST_LOOKS = 90
"""After so many seconds the page stops asking: the worker may be away."""

blueprint = Blueprint("hosts_check", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/hosts/<host_id>/test")
def test(host_id: str) -> Response:
    """Try to reach a host; the check's line then asks for its result each second."""
    host = mine(host_id)
    wiring.queue().check_host(host.id)
    before = stamp(host)
    html = _line(host, before, 0, trying=True)
    return answers.fragment_or_go(html, url_for("hosts.one", host_id=host.id, testing=before))


@blueprint.get("/hosts/<host_id>/check")
def check(host_id: str) -> Response:
    """Show the check's line: still trying while nothing new is known."""
    host = mine(host_id)
    before = request.args.get("before", "")
    looks = request.args.get("looks", 0, type=int) + 1
    waits = stamp(host) == before
    html = _line(host, before, looks, trying=waits and looks <= MOST_LOOKS, given_up=waits)
    response = answers.fragment_or_go(html, url_for("hosts.one", host_id=host_id))
    if not waits:
        # keys and buttons may look different now
        response.headers["HX-Refresh"] = "true"
    return response


@blueprint.post("/hosts/<host_id>/trust")
def trust(host_id: str) -> Response:
    """Trust the key and the machine that the person saw, and no other; then test again."""
    form = request.form
    host = hosts.trust(
        host_id, auth.person().id, form.get("fingerprint") or "?", form.get("machine") or "?"
    )
    with suppress(QueueError):  # it is trusted all the same
        wiring.queue().check_host(host_id)
    said = (
        gettext("The new machine of %(name)s is trusted now.", name=host.name)
        if form.get("machine")
        else gettext("The key of %(name)s is trusted now.", name=host.name)
    )
    where = url_for("hosts.one", host_id=host_id, testing=stamp(host))
    return answers.go(where, said=said)


def _line(host: Host, before: str, looks: int, *, trying: bool, given_up: bool = False) -> str:
    return render_template(
        "hosts/_check.html",
        host=host,
        trying=trying,
        before=before,
        looks=looks,
        given_up=given_up,
    )
