"""The page of a session: the talk, asking, stopping, and what is done to a session."""

from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext
from htmx_flask import make_response
from werkzeug.wrappers import Response as AnyResponse

from walissh import wiring
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react import decisions, texts
from walissh.react.turn import Session
from walissh.store import hosts, sessions, turns
from walissh.web import auth, errors, i18n, removal
from walissh.web.pages import answers, fragments, view

SHOWN_TURNS = 30

blueprint = Blueprint("talk", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/sessions/<session_id>")
def page(session_id: str) -> str:
    """Show a session; ``?all=1`` shows its first turns too."""
    return whole(session_id, draft=request.args.get("q", "")[:2000])


def whole(session_id: str, *, draft: str = "", error: str = "", **more: object) -> str:
    """Return the whole page; a refused question comes back as *draft* with its *error*."""
    # taken before the rows are read: what comes in between is then told twice, not lost
    after = wiring.stream().last_id(session_id)
    talk = session(session_id)
    asked = turns.of_session(talk.id)
    hidden = 0 if "all" in request.args else max(0, len(asked) - SHOWN_TURNS)
    shown = view.of_turns(talk.user_id, asked[hidden:])
    return render_template(
        "talk/page.html",
        talk=talk,
        heading=talk.title or (texts.title(asked[0].question) if asked else ""),
        turns=shown,
        hidden=hidden,
        newest=shown[-1] if shown else None,
        after=after,
        context=fragments.context(talk),
        all_hosts=hosts.within_reach(auth.person().id),
        draft=draft,
        error=error,
        **more,
    )


@blueprint.post("/sessions/<session_id>/ask")
def ask(session_id: str) -> AnyResponse:
    """Take a question and lead on to its turn; what is refused is not lost."""
    me, content = auth.person(), request.form.get("content", "")
    try:
        turn = decisions.ask(wiring.parts(), session_id, me.id, content)
    except (InvalidError, ConflictError) as refused:
        if answers.is_fragment():
            raise
        page = whole(session_id, draft=content, error=i18n.sentence(str(refused)))
        return Response(page, errors.status_of(refused))
    where = url_for("talk.page", session_id=session_id, _anchor=f"turn-{turn.id}")
    if not answers.is_fragment():
        return answers.go(where)
    response: Response = make_response(fragments.new_turn_html(turn), trigger="walissh:asked")
    return response


@blueprint.post("/turns/<turn_id>/cancel")
def cancel(turn_id: str) -> AnyResponse:
    """Stop a turn and the processes of its commands."""
    turn = decisions.cancel(wiring.parts(), turn_id, auth.person().id)
    where = url_for("talk.page", session_id=turn.session_id, _anchor=f"turn-{turn.id}")
    if not answers.is_fragment():
        return answers.go(where)
    response: Response = make_response(fragments.status_html(view.of_turn(turn)))
    return response


@blueprint.post("/sessions/<session_id>/rename")
def rename(session_id: str) -> AnyResponse:
    """Give the session another title."""
    sessions.change(session_id, auth.person().id, title=request.form.get("title", ""))
    return answers.go(url_for("talk.page", session_id=session_id))


@blueprint.post("/sessions/<session_id>/hosts")
def choose_hosts(session_id: str) -> AnyResponse:
    """Choose the hosts that the session is about."""
    chosen = request.form.getlist("host_ids")
    sessions.change(session_id, auth.person().id, host_ids=chosen)
    return answers.go(url_for("talk.page", session_id=session_id))


@blueprint.post("/sessions/<session_id>/pin")
def pin(session_id: str) -> AnyResponse:
    """Pin the session to the top of the list, or let it go."""
    sessions.change(session_id, auth.person().id, pinned=request.form.get("on") == "1")
    return answers.go(url_for("talk.page", session_id=session_id))


@blueprint.post("/sessions/<session_id>/read-only")
def read_only(session_id: str) -> AnyResponse:
    """Let the session only read, or let it change machines again."""
    only = request.form.get("on") == "1"
    sessions.change(session_id, auth.person().id, read_only=only)
    reads = gettext("From now on only plain reading runs in this session; the rest is refused.")
    changes = gettext("This session may change machines again: it asks before it does.")
    return answers.go(url_for("talk.page", session_id=session_id), said=reads if only else changes)


@blueprint.post("/sessions/<session_id>/archive")
def archive(session_id: str) -> AnyResponse:
    """Take the session out of the list, or put it back."""
    away = request.form.get("on") == "1"
    sessions.change(session_id, auth.person().id, archived=away)
    gone = gettext("Archived: it stands under “All sessions” now, with “archived ones” ticked.")
    back = gettext("It stands in the list again.")
    return answers.go(url_for("talk.page", session_id=session_id), said=gone if away else back)


@blueprint.get("/sessions/<session_id>/delete")
def confirm_delete(session_id: str) -> str:
    """Ask once more before a session is deleted."""
    return render_template("talk/delete.html", talk=session(session_id))


@blueprint.post("/sessions/<session_id>/delete")
def delete(session_id: str) -> AnyResponse:
    """Delete the session with all its messages and outputs; what runs is stopped first."""
    removal.remove_session(session_id, auth.person().id)
    return answers.go(url_for("home.page"), said=gettext("The session was deleted."))


def session(session_id: str) -> Session:
    """Return the person's session; raises NotFoundError."""
    talk = sessions.get(session_id, auth.person().id)
    if talk is None:
        raise NotFoundError("There is no such session.")
    return talk
