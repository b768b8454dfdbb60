"""What templates say of values: times, durations, states and risks in the page's language."""

import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from flask import Flask, g
from flask_babel import format_date, format_datetime, format_decimal, format_time, gettext
from markupsafe import Markup

from walissh.clock import utc_now
from walissh.config import asset_dir
from walissh.react.host import HostCheck
from walissh.react.turn import Citation, CommandRun, CommandStatus, Risk, TurnStatus
from walissh.store import hosts
from walissh.web import auth, i18n, lending, markdown
from walissh.web.pages import assets

HUES = 8
TINTS = 16
"""Each hue comes plain and outlined (host.css)."""

MAX_WHY_CHARS = 200

_OTHER_HOST = re.compile(r"no host named (?P<quote>['\"])(?P<name>.*?)(?P=quote) in this session")
_MARK = re.compile(r"\[\[[0-9a-f]{4,40}[:\d-]{0,24}\]?\]?")


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(
        htmx_version=assets.VERSION,
        tint=tint,
        risk_word=risk_word,
        command_word=command_word,
        refused_call=refused_call,
        turn_word=turn_word,
        asks_sudo=lending.asks_sudo,
        check_word=check_word,
        check_mark=check_mark,
        phase_word=phase_word,
        stylesheets=stylesheets(),
        now=utc_now,
    )
    app.jinja_env.filters.update(
        clock=clock,
        moment=moment,
        duration=duration,
        number=number,
        markdown=prose,
        growing=growing,
    )


def stylesheets() -> list[str]:
    """Return the style sheets in the order in which they build on each other."""
    found = sorted(each.name for each in Path(asset_dir("static") / "css").glob("*.css"))
    first = ["tokens.css", "base.css"]
    return first + [each for each in found if each not in (*first, "print.css")]


def tint(host_id: str) -> str:
    """Return the class of a host's own colour: the same on every page and day."""
    if "tints" not in g:
        someone = auth.visitor()
        mine = hosts.within_reach(someone.id) if someone else []
        g.tints = tints([each.id for each in sorted(mine, key=lambda host: str(host.created_at))])
    found: str = g.tints.get(host_id) or f"tint-{_first_tint(host_id)}"
    return found


def tints(host_ids: Sequence[str]) -> dict[str, str]:
    """Return each host's colour; hosts are given oldest first, so that a new one takes none."""
    taken: dict[int, str] = {}
    for host_id in host_ids:
        first = _first_tint(host_id)
        tries = ((first + 3 * n) % HUES + HUES * (n // HUES) for n in range(TINTS))
        free = next((each for each in tries if each not in taken), None)
        if free is not None:
            taken[free] = host_id
    return {host_id: f"tint-{n}" for n, host_id in taken.items()}


def _first_tint(host_id: str) -> int:
    return zlib.crc32(host_id.encode()) % HUES


def clock(at: datetime | None) -> str:
    """Return hour and minute."""
    return "" if at is None else str(format_time(at, "HH:mm"))


def moment(at: datetime | None) -> str:
    """Return the whole date and time."""
    return "" if at is None else str(format_datetime(at, "yyyy-MM-dd HH:mm:ss z"))


def day(at: datetime) -> str:
    """Return "Today", "Yesterday" or the date."""
    today = datetime.now(i18n.zone()).date()
    ago = (today - at.astimezone(i18n.zone()).date()).days
    if ago in (0, 1):
        return str(gettext("Today") if ago == 0 else gettext("Yesterday"))
    return str(format_date(at, "yyyy-MM-dd"))


def duration(seconds: float | None) -> str:
    """Return a stretch of time: "0.21 s", "45 s", "12 min 5 s", "2 h 10 min"."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.2f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def number(count: int) -> str:
    """Return a number as the page's language writes it."""
    return str(format_decimal(count))


def prose(
    text: str,
    citations: tuple[Citation, ...] = (),
    memories: tuple[str, ...] = (),
    turn_id: str = "",
) -> Markup:
    """Return a model's Markdown as safe HTML."""
    return markdown.render(text, citations, memories, turn_id)


def growing(text: str) -> Markup:
    """Return Markdown that still comes; marks that are not resolved yet are left out."""
    return markdown.render_growing(_MARK.sub("", text))


def risk_word(risk: Risk) -> str:
    """Return what a command may do, in a word or two."""
    return {
        Risk.READ_ONLY: gettext("read-only"),
        Risk.SECRET_EXPOSURE: gettext("SHOWS SECRETS"),
        Risk.MUTATING: gettext("CHANGES"),
        Risk.OPAQUE: gettext("UNCLEAR"),
        Risk.DESTRUCTIVE: gettext("DESTRUCTIVE"),
    }[risk]


def command_word(run: CommandRun) -> str:
    """Return where a command stands; an ended one tells its exit code."""
    if run.status is CommandStatus.FINISHED:
        return _ending(run)
    if run.status is CommandStatus.CANCELLED and run.started_at is None:
        return str(gettext("stopped, not run"))
    return {
        CommandStatus.PROPOSED: gettext("proposed"),
        CommandStatus.REFUSED: gettext("refused"),
        CommandStatus.AWAITING_APPROVAL: gettext("waits for you"),
        CommandStatus.APPROVED: gettext("queued"),
        CommandStatus.DENIED: gettext("denied"),
        CommandStatus.RUNNING: gettext("running"),
        CommandStatus.FAILED: gettext("did not run"),
        CommandStatus.CANCELLED: gettext("stopped"),
        CommandStatus.EXPIRED: gettext("nobody decided in time"),
        CommandStatus.UNKNOWN: gettext("interrupted, outcome unknown"),
    }[run.status]


def _ending(run: CommandRun) -> str:
    if run.exit_code is not None:
        return str(gettext("exit %(code)s", code=run.exit_code))
    return {
        "limit": gettext("ended at its time limit"),
        "output_limit": gettext("ended: too much output"),
    }.get(run.ended_by, gettext("ended without an exit code"))


def refused_call(why: str) -> str:
    """Return one line about a call of the model that could not be carried out."""
    other = _OTHER_HOST.match(why)
    if other:
        return str(
            gettext(
                "asked for host %(host)s, which is not chosen here: nothing was run",
                host=other["name"],
            )
        )
    return str(gettext("a call that could not be carried out: %(why)s", why=why[:MAX_WHY_CHARS]))


def turn_word(status: TurnStatus) -> str:
    """Return where a turn stands."""
    return {
        TurnStatus.QUEUED: gettext("queued"),
        TurnStatus.THINKING: gettext("thinking"),
        TurnStatus.ACTING: gettext("running commands"),
        TurnStatus.AWAITING_APPROVAL: gettext("waits for you"),
        TurnStatus.DONE: gettext("done"),
        TurnStatus.FAILED: gettext("failed"),
        TurnStatus.CANCELLED: gettext("stopped"),
        TurnStatus.INTERRUPTED: gettext("interrupted"),
    }[status]


def check_word(check: HostCheck | None) -> str:
    """Return how the last contact with a host went."""
    return {
        "ok": gettext("ok"),
        "unknown_key": gettext("key not trusted yet"),
        "key_changed": gettext("key changed"),
        "machine_changed": gettext("another machine"),
        "failed": gettext("failed"),
    }.get(check.status if check else "", gettext("not tested"))


def check_mark(check: HostCheck | None) -> str:
    """Return the sign that stands before that word."""
    status = check.status if check else ""
    return {"ok": "●", "failed": "○", "": "·"}.get(status, "◐")


def phase_word(phase: str) -> str:
    """Return at which step of reaching a host it went wrong."""
    return {
        "resolve": gettext("finding its address"),
        "connect": gettext("connecting"),
        "host_key": gettext("checking its host key"),
        "authenticate": gettext("logging in"),
        "open_channel": gettext("opening a channel"),
        "run": gettext("running"),
        "sudo": gettext("asking sudo"),
    }.get(phase, phase)
