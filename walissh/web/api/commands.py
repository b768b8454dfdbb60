"""Commands: decisions of a person, and the whole output."""

from flask import Blueprint
from pydantic import Field

from walissh import wiring
from walissh.react import decisions
from walissh.react.turn import OPEN_COMMAND
from walissh.store import commands, outputs
from walissh.web import auth, lending
from walissh.web.api import shapes
from walissh.web.api.contract import declares
from walissh.web.api.reading import Body, Query, Text

blueprint = Blueprint("commands", __name__)

MAX_OUTPUT_CHARS = 1_000_000


class Approval(Body):
    """A yes, perhaps to an edited *command*; a destructive one needs the host's name."""

    command: Text | None = None
    shown: Text | None = Field(
        None, description="The text that was decided on: 409 if the command is another by now."
    )
    confirm_host: Text | None = None
    sudo_password: Text | None = Field(
        None,
        repr=False,
        json_schema_extra={"writeOnly": True},
        description="What sudo is told there, for this command alone. Never shown again.",
    )
    keep_sudo_password: bool = Field(
        False, description="Seal it for the host, for its later commands too."
    )
    always: Text | None = Field(
        None,
        description="Make a rule of it: host, or group:NAME. From then on exactly this command"
        " runs there unasked.",
    )


class Denial(Body):
    """A no, with words for the agent."""

    reason: Text | None = None


class OutputQuery(Query):
    """Which characters of the output."""

    offset: int = Field(0, ge=0, lt=2**63 - MAX_OUTPUT_CHARS)
    limit: int = Field(65_536, ge=1, le=MAX_OUTPUT_CHARS)


@blueprint.get("/commands/<id:command_id>")
@declares({200: shapes.Command})
def get_command(command_id: str) -> shapes.Command:
    """Return one command."""
    return shapes.command(commands.of_person(command_id, auth.person().id))


@blueprint.post("/commands/<id:command_id>/approve")
@declares({200: shapes.Command}, body=Approval, errors=(404, 409))
def approve_command(command_id: str, body: Approval) -> shapes.Command:
    """Let a waiting command run; once. An edit of a higher risk waits again."""
    given = body.sudo_password or ""
    person_id = auth.person().id
    with lending.lent(command_id, person_id, given, keep=body.keep_sudo_password):
        run = decisions.approve(
            wiring.parts(),
            command_id,
            person_id,
            command=body.command,
            shown=body.shown,
            confirm_host=body.confirm_host or "",
            always=body.always or "",
        )
    return shapes.command(run)


@blueprint.post("/commands/<id:command_id>/deny")
@declares({200: shapes.Command}, body=Denial, errors=(404, 409))
def deny_command(command_id: str, body: Denial) -> shapes.Command:
    """Refuse a waiting command; once. The agent goes on without it."""
    return shapes.command(
        decisions.deny(wiring.parts(), command_id, auth.person().id, body.reason or "")
    )


@blueprint.get("/commands/<id:command_id>/output")
@declares({200: shapes.Output}, query=OutputQuery)
def read_output(command_id: str, query: OutputQuery) -> shapes.Output:
    """Return a part of the whole purified output."""
    run = commands.of_person(command_id, auth.person().id)
    part = outputs.read(command_id, query.offset, query.limit)
    end = part.offset + len(part.text)
    return shapes.Output(
        offset=part.offset,
        text=part.text,
        total=part.total,
        next=end if end < part.total else None,
        complete=run.status not in OPEN_COMMAND,
    )
