"""Turns: how an answer comes about."""

from flask import Blueprint
from pydantic import Field

from walissh import wiring
from walissh.errors import NotFoundError, QueueError
from walissh.react import decisions, telling
from walissh.react import turn as values
from walissh.react.turn import CommandRun, CommandStatus
from walissh.store import commands, history, memories, turns
from walissh.web import auth, remembering
from walissh.web.api import memory_shapes, shapes
from walissh.web.api.contract import declares
from walissh.web.api.reading import Body, Text

blueprint = Blueprint("turns", __name__)


class Confirmation(Body):
    """That a cause was the right one: on which host, and the fix as it was really made."""

    host: Text = Field("", description="Needed where the turn names causes on several hosts.")
    fix: Text = Field("", description="Empty: the fix that the answer proposed.")


@blueprint.get("/turns/<id:turn_id>")
@declares({200: shapes.Turn})
def get_turn(turn_id: str) -> shapes.Turn:
    """Return a turn with its steps, commands, answer and citations."""
    return told(mine(turn_id))


@blueprint.post("/turns/<id:turn_id>/cancel")
@declares({202: shapes.Turn}, errors=(404, 409))
def cancel_turn(turn_id: str) -> shapes.Turn:
    """Stop a turn: what waits is cancelled at once, what runs is ended by its worker."""
    return told(decisions.cancel(wiring.parts(), turn_id, auth.person().id))


@blueprint.post("/turns/<id:turn_id>/confirm")
@declares({200: memory_shapes.Memory}, body=Confirmation, errors=(404, 409))
def confirm_cause(turn_id: str, body: Confirmation) -> memory_shapes.Memory:
    """Say that the cause which the turn names was it; once. It is kept as a case."""
    turn = mine(turn_id)
    remembering.refuse_secrets(body.fix)
    kept = wiring.confirming().confirm(turn, "api", host=body.host, fix=body.fix)
    telling.tell_learned(wiring.parts(), turn)
    return memory_shapes.memory(kept, turn.user_id)


def mine(turn_id: str) -> values.Turn:
    """Return the turn if it is the asking person's; raises NotFoundError."""
    found = turns.get(turn_id)
    if found is None or found.user_id != auth.person().id:
        raise NotFoundError("There is no such turn.")
    return found


def told(turn: values.Turn) -> shapes.Turn:
    """Return the shape of a turn with all that hangs on it."""
    runs = [shapes.command(run, _ahead(run)) for run in commands.of_turn(turn.id)]
    given = turn.remembrance.recalled if turn.remembrance else ()
    remembered = memories.of_ids([each.memory_id for each in given], turn.user_id)
    return shapes.turn(turn, history.of_turn(turn.id), runs, remembered)


def _ahead(run: CommandRun) -> int | None:
    if run.status is not CommandStatus.APPROVED:
        return None
    try:
        return wiring.queue().ahead_of(run)
    except QueueError:
        return None
