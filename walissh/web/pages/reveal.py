"""Look behind a placeholder or at a withheld output; nothing of it can be loaded again."""

from flask import Blueprint, Flask, render_template, request

from walissh.errors import NotFoundError
from walissh.react.turn import CommandRun
from walissh.safety import placeholders
from walissh.store import commands, revealed
from walissh.web import auth, i18n
from walissh.web.pages import answers

SHOWN = 24
"""So many placeholders of one command have a button."""

blueprint = Blueprint("reveal", __name__)
blueprint.before_request(auth.guard_page)


def install(app: Flask) -> None:
    """Give templates ``hidden_in(run)``."""
    app.jinja_env.globals.update(hidden_in=hidden_in)


@blueprint.post("/commands/<command_id>/reveal")
def show(command_id: str) -> str:
    """Show one hidden value (form field *n*), or the withheld output."""
    number = request.form.get("n", type=int)
    person = auth.person().id
    run = commands.of_person(command_id, person)
    told, wrong = "", ""
    try:
        told = _revealed(run.id, person, number)
    except NotFoundError as error:
        wrong = i18n.sentence(str(error))
    page = "talk/_withheld.html" if answers.is_fragment() else "commands/revealed.html"
    return render_template(page, run=run, told=told, number=number, wrong=wrong)


def hidden_in(run: CommandRun) -> list[int]:
    """Return the numbers of the placeholders in a command and its output, in order."""
    text = "\n".join((run.command, run.output_head, run.output_tail, run.error))
    return list(dict.fromkeys(placeholders.numbers(text)))[:SHOWN]


def _revealed(command_id: str, person: str, number: int | None) -> str:
    if number is None:
        return revealed.output(command_id, person)
    return revealed.secret_of_command(command_id, person, number)
