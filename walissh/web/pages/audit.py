"""The audit trail for people: what was done, by whom, where, filtered and paged."""

from datetime import datetime, time, timedelta
from urllib.parse import urlencode

from flask import Blueprint, render_template, request, url_for

from walissh.react.turn import Risk
from walissh.store import audit_reads, hosts
from walissh.store.audit_reads import Wanted
from walissh.web import auditing, auth, i18n
from walissh.web.pages import audit_words

PAGE = 50
FILTERS = ("who", "host", "kind", "risk", "since", "until")

blueprint = Blueprint("audit", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/audit")
def page() -> str:
    """Show the events that fit, the newest first."""
    typed = {name: _typed(name) for name in FILTERS}
    found = audit_reads.page(_wanted(typed), limit=PAGE, before=_before())
    following = {name: value for name, value in typed.items() if value}
    return render_template(
        "audit/page.html",
        events=found.items,
        names=audit_reads.names(found.items),
        next=_older(following, found.next),
        typed=typed,
        filtered=bool(following),
        sees_all=auditing.sees_all(auth.person()),
        kinds=audit_words.ALL_KINDS,
        risks=[each.value for each in Risk],
        all_hosts=hosts.within_reach(auth.person().id),
    )


def _older(following: dict[str, str], before: int | None) -> str:
    """Return the address of the next page, "" at the end."""
    return f"{url_for('audit.page')}?{urlencode({**following, 'before': before})}" if before else ""


def _typed(name: str) -> str:
    return request.args.get(name, "").replace("\0", "").strip()[:200]


def _before() -> int | None:
    text = request.args.get("before", "")
    return int(text[:18]) if text.isascii() and text.isdecimal() else None


def _wanted(typed: dict[str, str]) -> Wanted:
    until = _day(typed["until"])
    return auditing.wanted(
        auth.person(),
        who=typed["who"],
        host=typed["host"],
        kind=typed["kind"],
        risk=typed["risk"],
        since=_day(typed["since"]),
        until=until + timedelta(days=1) if until else None,
    )


def _day(text: str) -> datetime | None:
    """Return the beginning of a day on the person's clock; None for what is no day."""
    try:
        day = datetime.fromisoformat(text).date() if text else None
    except ValueError:
        return None
    if day is None or not 1 < day.year < 9999:
        return None
    return datetime.combine(day, time(), i18n.zone())
