"""What runs now: running, queued and waiting commands, with their place and a way to stop."""

from flask import Blueprint, render_template

from walissh.react.turn import CommandRun, CommandStatus
from walissh.store import commands, sessions
from walissh.web import auth
from walissh.web.pages import answers, view

blueprint = Blueprint("running", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/running")
def page() -> str:
    """Show the list; htmx gets the list alone."""
    me = auth.person().id
    active = commands.active(me)
    titles = {
        each: (talk.title if (talk := sessions.get(each, me)) else "")
        for each in {run.session_id for run in active}
    }
    template = "running/_list.html" if answers.is_fragment() else "running/page.html"
    return render_template(
        template,
        running=_cards(active, CommandStatus.RUNNING),
        queued=_cards(active, CommandStatus.APPROVED),
        waiting=_cards(active, CommandStatus.AWAITING_APPROVAL),
        titles=titles,
        thinking={each: status for each, status in sessions.busy(me).items() if each not in titles},
    )


def _cards(active: list[CommandRun], status: CommandStatus) -> list[view.Card]:
    stages = view.stages_of(active[0].user_id) if active else {}
    return [
        view.Card(run, stages.get(run.host_id, ""), view.Output())
        for run in active
        if run.status is status
    ]
