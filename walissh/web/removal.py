"""Deleting a session: what still runs in it is stopped first."""

from contextlib import suppress

from walissh import wiring
from walissh.errors import ConflictError
from walissh.react import decisions
from walissh.react.turn import Turn
from walissh.store import sessions, turns
from walissh.web.patience import wait_for

END_LIMIT_S = 5.0


def remove_session(session_id: str, user_id: str) -> None:
    """Stop the session's open turn, wait a little for its worker, and delete it all.

    Raises NotFoundError, and ConflictError if the turn takes longer to end.
    """
    talk = sessions.get(session_id, user_id)
    if talk is not None:
        _stop_open_turn(talk.id, talk.user_id)
    sessions.remove(session_id, user_id)
    wiring.parts().tracker.threads.forget(session_id, user_id)


def _stop_open_turn(session_id: str, user_id: str) -> None:
    turn = next((each for each in turns.of_session(session_id) if each.finished_at is None), None)
    if turn is None:
        return
    if not turn.cancel_requested:
        _cancel(turn, user_id)
    wait_for(lambda: _has_ended(turn.id) or None, limit_s=END_LIMIT_S)


def _cancel(turn: Turn, user_id: str) -> None:
    with suppress(ConflictError):  # it ended by itself meanwhile
        decisions.cancel(wiring.parts(), turn.id, user_id)


def _has_ended(turn_id: str) -> bool:
    now = turns.get(turn_id)
    return now is None or now.finished_at is not None
