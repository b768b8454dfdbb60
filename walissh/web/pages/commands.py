"""One command: approve, edit, deny, its place in the queue, its whole output."""

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import QueueError
from walissh.react import decisions
from walissh.react.turn import CommandRun, CommandStatus
from walissh.store import commands, outputs
from walissh.web import auth
from walissh.web.pages import answers, fragments, view

PAGE_LINES = 1_000

blueprint = Blueprint("commands", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/commands/<command_id>/approve")
def approve(command_id: str) -> Response:
    """Let a waiting command run, as it stands or as the person edited it."""
    run = decisions.approve(
        wiring.parts(),
        command_id,
        auth.person().id,
        command=_one_line_ends(request.form.get("command")),
        shown=_one_line_ends(request.form.get("shown")),
        confirm_host=request.form.get("confirm_host", "").strip(),
    )
    return _shown(run)


@blueprint.post("/commands/<command_id>/deny")
def deny(command_id: str) -> Response:
    """Refuse a waiting command; the reason goes to the agent."""
    reason = request.form.get("reason", "").strip()
    return _shown(decisions.deny(wiring.parts(), command_id, auth.person().id, reason))


@blueprint.get("/commands/<command_id>")
def card(command_id: str) -> Response:
    """Show the card alone to htmx, in its session to others."""
    return _shown(_mine(command_id))


@blueprint.get("/commands/<command_id>/place")
def place(command_id: str) -> str:
    """Show how many commands stand before this one."""
    run = _mine(command_id)
    ahead = _ahead(run) if run.status is CommandStatus.APPROVED else None
    return render_template("talk/_place.html", run=run, ahead=ahead)


@blueprint.get("/commands/<command_id>/output")
def output(command_id: str) -> str:
    """Show the whole output, a page of lines at a time, or the lines with ``?grep=``."""
    run = _mine(command_id)
    first = max(1, request.args.get("line", 1, type=int))
    grep = request.args.get("grep", "")[:200]
    found = outputs.read_lines(command_id, first, PAGE_LINES + 1, grep)
    return render_template(
        "commands/output.html",
        run=run,
        lines=[view.Line(number, text) for number, text in found[:PAGE_LINES]],
        first=first,
        grep=grep,
        next_line=found[PAGE_LINES][0] if len(found) > PAGE_LINES else None,
        total_chars=outputs.read(command_id, 0, 1).total,
    )


def _one_line_ends(text: str | None) -> str | None:
    """Undo what a browser does to line ends in a form."""
    return None if text is None else text.replace("\r\n", "\n")


def _mine(command_id: str) -> CommandRun:
    return commands.of_person(command_id, auth.person().id)


def _shown(run: CommandRun) -> Response:
    where = url_for("talk.page", session_id=run.session_id, _anchor=f"command-{run.id}")
    return answers.fragment_or_go(fragments.card_html(view.of_command(run)), where)


def _ahead(run: CommandRun) -> int | None:
    try:
        return wiring.queue().ahead_of(run)
    except QueueError:
        return None  # it is queued all the same; only its place is not known
