"""A turn that ended by asking: its card, and the answer that a click gives."""

from flask import Blueprint, Response, request, url_for
from htmx_flask import make_response
from werkzeug.wrappers import Response as AnyResponse

from walissh import wiring
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react import decisions
from walissh.react.turn import Turn
from walissh.store import turns
from walissh.web import auth, errors, i18n
from walissh.web.pages import answers, fragments, questions, talk

KEY = "answer of {turn_id}"
"""One answer by click for each question; the API takes no key with a space in it."""

blueprint = Blueprint("asked", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/turns/<turn_id>/answer")
def answer(turn_id: str) -> AnyResponse:
    """Send the chosen answer as the session's next message, once."""
    asking = _mine(turn_id)
    try:
        turn = _answered(asking, _choice(asking))
    except ConflictError as refused:
        if answers.is_fragment():
            raise
        page = talk.whole(asking.session_id, error=i18n.sentence(str(refused)))
        return Response(page, errors.status_of(refused))
    if not answers.is_fragment():
        return answers.go(
            url_for("talk.page", session_id=turn.session_id, _anchor=f"turn-{turn.id}")
        )
    response: AnyResponse = make_response(fragments.new_turn_html(turn), trigger="walissh:asked")
    return response


def _answered(asking: Turn, choice: str) -> Turn:
    """Ask on with *choice*; the same one twice is one message, however fast it comes."""
    given = questions.answer_to(asking)
    if given is not None:
        return _same(given, choice)
    me, key = auth.person().id, KEY.format(turn_id=asking.id)
    try:
        return decisions.ask(wiring.parts(), asking.session_id, me, choice, key)
    except ConflictError:
        given = questions.answer_to(asking)  # another tab may have been faster
        if given is None:
            raise
        return _same(given, choice)


def _same(given: Turn, choice: str) -> Turn:
    """Return the turn of the answer that was *given* if it is this one."""
    if given.question != choice.replace("\r\n", "\n"):
        raise ConflictError(
            "This question was answered before, and that answer stands. Write a message to"
            " say something else."
        )
    return given


def _choice(asking: Turn) -> str:
    """Return the text of the choice that was clicked: the form sends only its number."""
    number = request.form.get("choice", -1, type=int)
    if asking.asked is None or not 0 <= number < len(asking.asked.choices):
        raise InvalidError("There is no such answer to choose. Write yours as a message.")
    return asking.asked.choices[number]


def _mine(turn_id: str) -> Turn:
    found = turns.get(turn_id)
    if found is None or found.user_id != auth.person().id:
        raise NotFoundError("There is no such turn.")
    return found
