"""Orders that were found in an output: a person may call them harmless."""

from flask import Blueprint

from walissh import wiring
from walissh.react import telling
from walissh.store import flags
from walissh.web import auth
from walissh.web.api import shapes
from walissh.web.api.contract import declares

blueprint = Blueprint("flags", __name__)


@blueprint.post("/commands/<id:command_id>/harmless")
@declares({200: shapes.Command}, errors=(404, 409))
def call_harmless(command_id: str) -> shapes.Command:
    """Say that the orders in the output are harmless; once. The gate is as usual again."""
    run = flags.call_harmless(command_id, auth.person().id)
    telling.tell_command(wiring.parts(), run.id)
    return shapes.command(run)
