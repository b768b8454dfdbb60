"""The left column of every page: what waits, what runs, sessions by day, hosts."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Flask, Response, make_response, render_template, request
from flask_babel import gettext

from walissh.react.host import Host
from walissh.react.turn import CommandRun, CommandStatus, Session
from walissh.store import commands, core_memory, hosts, sessions
from walissh.web import auth
from walissh.web.pages import view, words

SHOWN_SESSIONS = 40

blueprint = Blueprint("sidebar", __name__)
blueprint.before_request(auth.guard_page)


@dataclass(frozen=True, slots=True)
class Sidebar:
    """All that the column shows. *days* are pairs of a heading and its sessions."""

    waiting: tuple[CommandRun, ...]
    running: tuple[CommandRun, ...]
    queued: int
    days: tuple[tuple[str, tuple[Session, ...]], ...]
    busy: Mapping[str, str]
    hosts: tuple[Host, ...]
    proposals: int
    query: str

    @property
    def sig(self) -> str:
        """A text that changes when the column must be drawn again."""
        running = [each.id for each in self.running]
        parts = (self.waiting, running, self.queued, self.days, self.busy, self.hosts)
        return view.digest(*parts, self.proposals)


def look(user_id: str, query: str = "") -> Sidebar:
    """Return the column of a person; *query* narrows the sessions."""
    active = commands.active(user_id)
    page = sessions.page(user_id, query=query, limit=SHOWN_SESSIONS)
    return Sidebar(
        waiting=_those(active, CommandStatus.AWAITING_APPROVAL),
        running=_those(active, CommandStatus.RUNNING),
        queued=len(_those(active, CommandStatus.APPROVED)),
        days=_by_day(page.items),
        busy=sessions.busy(user_id),
        hosts=tuple(hosts.within_reach(user_id)),
        proposals=len(core_memory.proposals(user_id)),
        query=query,
    )


@blueprint.record_once
def _install(state: object) -> None:
    app: Flask = state.app  # type: ignore[attr-defined]  # untyped in Flask
    app.jinja_env.globals["sidebar"] = lambda: look(auth.person().id)


@blueprint.get("/sidebar")
def lists() -> Response:
    """Show the lists alone; 204 when the page has them in this form already."""
    shown = look(auth.person().id, request.args.get("q", "")[:200].replace("\0", "").strip())
    if request.args.get("sig") == shown.sig:
        return make_response("", 204)
    return make_response(render_template("sidebar/_lists.html", side=shown))


def _those(active: list[CommandRun], status: CommandStatus) -> tuple[CommandRun, ...]:
    return tuple(each for each in active if each.status is status)


def _by_day(items: tuple[Session, ...]) -> tuple[tuple[str, tuple[Session, ...]], ...]:
    days: dict[str, list[Session]] = {}
    for each in sorted(items, key=lambda one: not one.pinned):  # stable: newest first within
        heading = gettext("Pinned") if each.pinned else words.day(each.active_at)
        days.setdefault(heading, []).append(each)
    return tuple((heading, tuple(found)) for heading, found in days.items())
