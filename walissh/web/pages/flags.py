"""Orders that were found in an output: shown on its card, and called harmless by a person."""

from flask import Blueprint, url_for
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.react import telling
from walissh.store import flags
from walissh.web import auth
from walissh.web.pages import answers, fragments, view

blueprint = Blueprint("flags", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/commands/<command_id>/harmless")
def harmless(command_id: str) -> Response:
    """Let the orders in the output no longer bind the session."""
    run = flags.call_harmless(command_id, auth.person().id)
    telling.tell_command(wiring.parts(), run.id)
    where = url_for("talk.page", session_id=run.session_id, _anchor=f"command-{run.id}")
    return answers.fragment_or_go(fragments.card_html(view.of_command(run)), where)
