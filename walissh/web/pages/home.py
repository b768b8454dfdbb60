"""The first page: choose hosts, ask; it teaches while there is nothing yet. And search."""

from contextlib import suppress
from datetime import datetime

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import InvalidError, WalisshError
from walissh.react import decisions
from walissh.store import hosts, sessions
from walissh.web import auth, i18n
from walissh.web.api import cursor
from walissh.web.pages import answers

PAGE_SESSIONS = 50

blueprint = Blueprint("home", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/")
def page() -> str:
    """Show the form of a new session."""
    return _form(request.args.getlist("host"), request.args.get("q", "")[:2000])


@blueprint.post("/sessions")
def create() -> Response:
    """Begin a session with its first question; nothing is left of it if that is refused."""
    me = auth.person()
    host_ids = request.form.getlist("host_ids")
    content = request.form.get("example") or request.form.get("content", "")
    try:
        talk = sessions.create(me.id, host_ids=host_ids)
    except InvalidError as error:
        return make_response(_form([], content, error), 400)
    try:
        decisions.ask(wiring.parts(), talk.id, me.id, content)
    except WalisshError as error:
        with suppress(WalisshError):  # with its question stored it stays, and is answered
            sessions.remove(talk.id, me.id)
        if not isinstance(error, InvalidError):
            raise
        return make_response(_form(host_ids, content, error), 400)
    return answers.go(url_for("talk.page", session_id=talk.id))


@blueprint.get("/sessions")
def search() -> str:
    """List sessions, those that mention ``?q=`` if given, the last active first."""
    query = request.args.get("q", "")[:200].replace("\0", "").strip()
    archived = request.args.get("archived") == "1"
    found = sessions.page(
        auth.person().id,
        query=query,
        limit=PAGE_SESSIONS,
        after=_cursor(request.args.get("after", "").replace("\0", "")),
        archived=archived,
    )
    after = f"{found.next[0].isoformat()}~{found.next[1]}" if found.next else ""
    return render_template(
        "sessions/page.html", found=found.items, query=query, archived=archived, after=after
    )


def _form(chosen: list[str], draft: str, error: InvalidError | None = None) -> str:
    mine = hosts.within_reach(auth.person().id)
    if not chosen and len(mine) == 1:
        chosen = [mine[0].id]
    return render_template(
        "home/page.html",
        all_hosts=mine,
        chosen=chosen or [each.id for each in mine if each.name == hosts.DEMO_NAME],
        draft=draft,
        error=i18n.sentence(str(error)) if error else "",
        offline=not wiring.settings().uses_openai,
    )


def _cursor(text: str) -> tuple[datetime, str] | None:
    at, _, session_id = text.partition("~")
    try:
        return (cursor.instant(at), session_id) if session_id else None
    except InvalidError:
        return None
