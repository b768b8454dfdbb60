"""The rules of the gate: list, make, revoke."""

from datetime import datetime

from flask import Blueprint
from pydantic import Field

from walissh.clock import utc_now
from walissh.errors import InvalidError
from walissh.react.circumstances import GateRule
from walissh.react.turn import Decision, Risk
from walissh.store import gate_rules, hosts
from walissh.store.gate_rules import Listed
from walissh.web import auth, rights
from walissh.web.api import cursor, shapes
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import Body, PageQuery, Text
from walissh.web.api.shape import Shape

blueprint = Blueprint("rules", __name__)


class Rule(Shape):
    """A rule; each field that is not empty must fit. *uses* counts the commands it decided.

    *state* is in_force, expired or revoked; *command_id* the command in whose approval it was
    made.
    """

    id: str
    decision: Decision
    command: str
    risk: str
    host: str
    host_id: str
    host_identity: str
    group: str
    role: str
    hours: str
    everyone: bool
    note: str
    command_id: str
    made_by: str
    created_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    state: str
    uses: int


class NewRule(Body):
    """A rule to put in force; *host* is the id or the name of one of the person's hosts."""

    decision: Decision
    command: Text = Field("", description="The exact command, or its words with * for one word.")
    risk: Risk | None = None
    host: Text = ""
    group: Text = Field("", description="A group of hosts, or a stage.")
    role: Text = ""
    hours: Text = Field("", description="Such as: mon-fri 9:00-18:00 Asia/Shanghai")
    everyone: bool = False
    note: Text = ""
    expires_at: datetime | None = None


class RulesQuery(PageQuery):
    """Which rules: *state* all shows those that ended too."""

    state: Text = Field("in_force", pattern="^(in_force|all)$")
    everybody: bool = Field(False, description="The rules of all people; for administrators.")


@blueprint.get("/rules")
@declares({200: shapes.Page[Rule]}, query=RulesQuery, errors=())
def list_rules(query: RulesQuery) -> shapes.Page[Rule]:
    """List the rules that bind the person, the newest first."""
    me, now = auth.person(), utc_now()
    found = gate_rules.listed(me.id, all_people=query.everybody and auth.may(me, rights.RULES_ALL))
    shown = [each for each in found if query.state == "all" or each.state(now) == "in_force"]
    begin = cursor.number(query.cursor)
    end = begin + query.limit
    items = [_told(each, now) for each in shown[begin:end]]
    more = end if len(shown) > end else None
    return shapes.Page[Rule](items=items, next=cursor.of_number(more))


@blueprint.post("/rules")
@declares({201: Rule}, body=NewRule, errors=(409,))
def make_rule(body: NewRule) -> Rule:
    """Put a rule in force; one for a host binds only while it is the same machine."""
    me = auth.person()
    rule = GateRule(
        id="",
        owner_id=me.id,
        decision=body.decision.value,
        command=body.command,
        risk=body.risk.value if body.risk else "",
        host_id=_host_id(body.host, me.id),
        group=body.group,
        role=body.role,
        hours=body.hours,
        everyone=body.everyone,
        note=body.note,
        expires_at=_instant(body.expires_at),
    )
    return _told(gate_rules.get(gate_rules.make(rule).id, me.id), utc_now())


@blueprint.get("/rules/<id:rule_id>")
@declares({200: Rule})
def get_rule(rule_id: str) -> Rule:
    """Return one rule, one that ended too."""
    return _told(gate_rules.get(rule_id, auth.person().id), utc_now())


@blueprint.delete("/rules/<id:rule_id>")
@declares({NOTHING: None}, errors=(404, 409))
def revoke_rule(rule_id: str) -> tuple[None, int]:
    """Take a rule out of force; it stays in the list of those that ended."""
    gate_rules.revoke(rule_id, auth.person().id)
    return None, NOTHING


def _host_id(wanted: str, person_id: str) -> str:
    if not wanted:
        return ""
    found = hosts.get(wanted, person_id) or hosts.find(wanted, person_id)
    if found is None:
        raise InvalidError("There is no such host.", field="host")
    return found.id


def _instant(given: datetime | None) -> datetime | None:
    if given is not None and given.tzinfo is None:
        raise InvalidError("expires_at needs its offset, such as Z.", field="expires_at")
    if given is not None and not 1 < given.year < 9999:  # no zone overflows
        raise InvalidError("expires_at must lie in the years 2 to 9998.", field="expires_at")
    return given


def _told(each: Listed, now: datetime) -> Rule:
    rule = each.rule
    return Rule(
        id=rule.id,
        decision=Decision(rule.decision),
        command=rule.command,
        risk=rule.risk,
        host=each.host,
        host_id=rule.host_id,
        host_identity=rule.host_identity,
        group=rule.group,
        role=rule.role,
        hours=rule.hours,
        everyone=rule.everyone,
        note=rule.note,
        command_id=rule.command_id,
        made_by=each.maker,
        created_at=rule.created_at,
        expires_at=rule.expires_at,
        revoked_at=each.revoked_at,
        state=each.state(now),
        uses=each.uses,
    )
