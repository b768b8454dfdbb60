"""One command: approve, edit, deny, its place in the queue, its whole output."""

from contextlib import AbstractContextManager

from flask import Blueprint, make_response, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import InvalidError, QueueError
from walissh.react import decisions
from walissh.react.turn import CommandRun, CommandStatus
from walissh.store import commands, outputs
from walissh.web import auth, i18n, lending
from walissh.web.pages import answers, fragments, talk, view

PAGE_LINES = 1_000
MAX_TYPED_CHARS = 80

blueprint = Blueprint("commands", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.post("/commands/<command_id>/approve")
def approve(command_id: str) -> Response:
    """Let a waiting command run, as it stands or as the person edited it."""
    command = _one_line_ends(request.form.get("command"))
    try:
        with _lent(command_id):
            run = decisions.approve(
                wiring.parts(),
                command_id,
                auth.person().id,
                command=command,
                shown=_one_line_ends(request.form.get("shown")),
                confirm_host=_typed_host(),
                always=request.form.get("always", ""),
            )
    except InvalidError as error:
        return _refused(_mine(command_id), view.Refusal(command_id, _why(error), command))
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


def _lent(command_id: str) -> AbstractContextManager[None]:
    password = request.form.get("sudo_password", "")
    keep = request.form.get("sudo_for") == "host"
    return lending.lent(command_id, auth.person().id, password, keep=keep)


def _typed_host() -> str:
    return request.form.get("confirm_host", "").strip()


def _why(error: InvalidError) -> str:
    typed = _typed_host()
    if error.field != "confirm_host" or not typed:
        return i18n.sentence(str(error))
    return str(
        gettext(
            "“%(typed)s” is not the name of this host. Nothing was approved. Type its name to"
            " approve the command.",
            typed=typed[:MAX_TYPED_CHARS],
        )
    )


def _refused(run: CommandRun, refusal: view.Refusal) -> Response:
    """Show the card as it was, with what was typed and why that was not taken."""
    if answers.is_fragment():
        return make_response(fragments.card_html(view.of_command(run), refusal), 400)
    return make_response(talk.whole(run.session_id, refusal=refusal), 400)


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
