"""A cause that an answer names: its person says that this was it, and it is kept as a case."""

from flask import Blueprint, make_response, request, url_for
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import InvalidError, NotFoundError
from walissh.react import telling
from walissh.react.turn import Turn
from walissh.store import turns
from walissh.web import auth, i18n, remembering
from walissh.web.pages import answers, fragments, talk, view
from walissh.web.pages.view import Doubt

blueprint = Blueprint("causes", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/turns/<turn_id>/confirm")
def confirm(turn_id: str) -> Response:
    """Keep the cause as a case, with the fix as it was really made if one was typed."""
    turn = _mine(turn_id)
    host, fix = request.form.get("host", ""), request.form.get("fix", "").strip()
    try:
        remembering.refuse_secrets(fix)
        wiring.confirming().confirm(turn, "web", host=host, fix=fix)
    except InvalidError as error:
        return _refused(turn, Doubt(turn.id, host, fix, i18n.sentence(str(error))))
    telling.tell_learned(wiring.parts(), turn)
    where = url_for("talk.page", session_id=turn.session_id, _anchor=f"cause-{turn.id}")
    return answers.fragment_or_go(fragments.cause_html(view.of_turn(_mine(turn.id))), where)


def _refused(turn: Turn, doubt: Doubt) -> Response:
    """Show what was typed, and why it was not taken."""
    if answers.is_fragment():
        return make_response(fragments.cause_html(view.of_turn(turn), doubt), 400)
    return make_response(talk.whole(turn.session_id, doubt=doubt), 400)


def _mine(turn_id: str) -> Turn:
    found = turns.get(turn_id)
    if found is None or found.user_id != auth.person().id:
        raise NotFoundError("There is no such turn.")
    return found
