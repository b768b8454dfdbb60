"""The rules of the gate: all in force with who, when, from which command; make and revoke."""

from datetime import UTC, datetime, time, timedelta

from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, WalisshError
from walissh.react.circumstances import ROLES, GateRule
from walissh.react.turn import Decision, Risk
from walissh.store import gate_rules, hosts
from walissh.web import auth, errors, i18n, rights
from walissh.web.pages import answers

RISKS = tuple(each.value for each in Risk)
FIELDS = ("decision", "command", "risk", "host_id", "group", "role", "hours", "note", "until")

blueprint = Blueprint("rules", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/rules")
def page() -> str:
    """List the rules in force; ``?ended=1`` shows those that ended too, ``?all=1`` everybody's."""
    return _page()


@blueprint.post("/rules")
def make() -> AnyResponse:
    """Put a new rule in force."""
    typed = {name: _typed(name) for name in FIELDS}
    try:
        gate_rules.make(_rule(typed), zone=i18n.time_zone() or "")
    except (InvalidError, ConflictError) as error:
        return Response(_page(typed, error), errors.status_of(error), content_type="text/html")
    return answers.go(url_for("rules.page"), said=gettext("The rule is in force."))


@blueprint.post("/rules/<rule_id>/revoke")
def revoke(rule_id: str) -> AnyResponse:
    """Take a rule out of force."""
    gate_rules.revoke(rule_id, auth.person().id)
    return answers.go(url_for("rules.page"), said=gettext("The rule is revoked."))


def _page(typed: dict[str, str] | None = None, error: WalisshError | None = None) -> str:
    me, now = auth.person(), utc_now()
    rules_all = auth.may(me, rights.RULES_ALL)
    everybody = rules_all and "all" in request.args
    found = gate_rules.listed(me.id, all_people=everybody)
    shown = [(each, each.state(now)) for each in found]
    return render_template(
        "rules/page.html",
        rules=[each for each in shown if "ended" in request.args or each[1] == "in_force"],
        hidden=sum(state != "in_force" for _, state in shown),
        ended="ended" in request.args,
        everybody=everybody,
        rules_all=rules_all,
        all_hosts=hosts.within_reach(me.id),
        risks=RISKS,
        roles=ROLES,
        decisions=tuple(each.value for each in Decision),
        typed=typed or {"decision": "ask"},
        field=error.field if isinstance(error, InvalidError) else "",
        error=i18n.sentence(str(error)) if error else "",
    )


def _typed(name: str) -> str:
    return request.form.get(name, "").replace("\0", "").replace("\r\n", "\n").strip()


def _rule(typed: dict[str, str]) -> GateRule:
    return GateRule(
        id="",
        owner_id=auth.person().id,
        decision=typed["decision"],
        command=typed["command"],
        risk=typed["risk"],
        host_id=typed["host_id"],
        group=typed["group"],
        role=typed["role"],
        hours=typed["hours"],
        note=typed["note"],
        everyone=request.form.get("everyone") == "1",
        expires_at=_end_of(typed["until"]),
    )


def _end_of(day: str) -> datetime | None:
    """Return the end of that day on the person's clock, None for ""."""
    if not day:
        return None
    try:
        last = datetime.combine(datetime.fromisoformat(day).date(), time(), i18n.zone())
        return (last + timedelta(days=1)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidError(
            "The last day of a rule is a date like 2027-01-31.", field="until"
        ) from error
