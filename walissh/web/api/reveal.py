"""Hidden values and withheld outputs, shown once to who owns the session; each look is noted."""

from flask import Blueprint
from pydantic import Field

from walissh.store import revealed
from walissh.store.secrets import MOST
from walissh.web import auth
from walissh.web.api.contract import declares
from walissh.web.api.reading import Body
from walissh.web.api.shape import Shape

blueprint = Blueprint("reveal", __name__)


class Wanted(Body):
    """Which placeholder; without one the withheld output of the command."""

    n: int | None = Field(None, ge=1, le=MOST, description="The number in ‹secret:N …›.")


class Numbered(Body):
    """Which placeholder."""

    n: int = Field(ge=1, le=MOST, description="The number in ‹secret:N …›.")


class Revealed(Shape):
    """What was hidden. It is sent once and is not to be stored."""

    text: str


@blueprint.post("/commands/<id:command_id>/reveal")
@declares({200: Revealed}, body=Wanted)
def reveal_of_command(command_id: str, body: Wanted) -> Revealed:
    """Show a hidden value of a command, or its withheld output; 404 once that is cut."""
    person = auth.person().id
    if body.n is None:
        return Revealed(text=revealed.output(command_id, person))
    return Revealed(text=revealed.secret_of_command(command_id, person, body.n))


@blueprint.post("/sessions/<id:session_id>/reveal")
@declares({200: Revealed}, body=Numbered)
def reveal_of_session(session_id: str, body: Numbered) -> Revealed:
    """Show a hidden value of a session, such as one in a message; 404 once that is cut."""
    return Revealed(text=revealed.secret(session_id, auth.person().id, body.n))
