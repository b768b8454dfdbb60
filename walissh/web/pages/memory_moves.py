"""Memory in and out as JSON lines, and the list of what was changed."""

from flask import Blueprint, Response, render_template, request, stream_with_context, url_for
from flask_babel import ngettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import InvalidError
from walissh.memory.intake import Intake
from walissh.store import memories, memory_events
from walissh.web import auth, remembering
from walissh.web.pages import answers

PAGE = 100
SHOWN_REFUSALS = 50

blueprint = Blueprint("memory_moves", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/memory/events")
def events() -> str:
    """List the changes of memory: what, when, through which channel."""
    me, before = auth.person().id, request.args.get("before", "")[:18]
    page = memory_events.page(me, limit=PAGE, before=int(before) if before.isdecimal() else None)
    ids = list(dict.fromkeys(each.memory_id for each in page.items if each.memory_id))
    known = {each.id: each for each in memories.of_ids(ids, me)}
    return render_template("memory/events.html", page=page, known=known)


@blueprint.get("/memory/transfer")
def transfer() -> str:
    """Show how memory is taken out and in."""
    return render_template("memory/transfer.html", refused=())


@blueprint.get("/memory/export")
def export() -> Response:
    """Return all that the person owns as a file of JSON lines."""
    body = stream_with_context(remembering.lines_of(auth.person().id))
    response = Response(body, content_type="application/x-ndjson")
    response.headers["Content-Disposition"] = 'attachment; filename="walissh-memory.jsonl"'
    return response


@blueprint.post("/memory/transfer")
def take_in() -> AnyResponse:
    """Take in a file of JSON lines; each line that is refused is shown with why."""
    upload = request.files.get("file")
    data = upload.read() if upload is not None else b""
    if not data.strip():
        raise InvalidError("The file holds no line. Choose a file that was exported here.")
    came = remembering.take_in(auth.person().id, data, "web")
    told = _told(came)
    if not came.refused:
        return answers.go(url_for("memory.page"), said=told)
    refused = came.refused[:SHOWN_REFUSALS]
    return Response(render_template("memory/transfer.html", refused=refused, told=told), 200)


def _told(came: Intake) -> str:
    taken = ngettext("%(num)s line was taken.", "%(num)s lines were taken.", came.taken)
    known = ngettext("%(num)s was known already.", "%(num)s were known already.", came.known)
    refused = ngettext("%(num)s was refused.", "%(num)s were refused.", len(came.refused))
    said = [(taken, True), (known, came.known), (refused, came.refused)]
    return " ".join(text for text, there in said if there)
