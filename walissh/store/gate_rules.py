"""The rules of the gate: made, listed, revoked; none is ever changed or deleted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react.circumstances import ADMIN, GateRule
from walissh.react.turn import CommandRun, Decision
from walissh.store import audit, commands, rule_checks, rule_hours
from walissh.store.database import changed, new_id, reading, writing
from walissh.store.models import CommandRow, GateRuleRow, HostRow, PersonRow

wait = commands.wait


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule as it is shown: who made it, where it holds, and how often it decided."""

    rule: GateRule
    maker: str
    host: str
    revoked_at: datetime | None
    uses: int
    mine: bool

    def state(self, at: datetime) -> str:
        """Return in_force, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        ended = self.rule.expires_at is not None and self.rule.expires_at <= at
        return "expired" if ended else "in_force"


def make(rule: GateRule, *, zone: str = "") -> GateRule:
    """Put a rule in force; its id, its time and the host's identity are filled in here.

    *zone* is that of hours which name none. Raises InvalidError for a rule that cannot be,
    ConflictError for one too many.
    """
    with writing() as session:
        return put(session, rule, zone=zone)


def put(session: Transaction, rule: GateRule, *, zone: str = "") -> GateRule:
    """Put a rule in force inside the caller's transaction; raises as `make` does."""
    rule = rule_checks.checked(session, rule, zone)
    row = GateRuleRow(id=new_id(), **{name: getattr(rule, name) for name in _KEPT})
    session.add(row)
    session.flush()
    audit.append(
        session,
        actor=rule.owner_id,
        kind="rule_made",
        subject=row.id,
        decision=rule.decision,
        rule_command=audit.digest_of(rule.command) if rule.command else "",
        rule_risk=rule.risk,
        host=rule.host_id,
        identity=rule.host_identity,
        group=rule.group,
        role=rule.role,
        hours=rule.hours,
        everyone=rule.everyone,
        from_command=rule.command_id,
    )
    return _rule(row)


def approve_always(command_id: str, actor: str, command: str, rule: GateRule) -> CommandRun:
    """Approve exactly *command* and put *rule* in force, both or neither.

    Raises as `commands.approve` and `make` do.
    """
    return commands.approve(
        command_id, actor, command, along=lambda session: _put_quietly(session, rule)
    )


def _put_quietly(session: Transaction, rule: GateRule) -> None:
    put(session, rule)


def revoke(rule_id: str, actor: str) -> GateRule:
    """Take a rule out of force: the maker's own, or any by an administrator.

    Raises NotFoundError for a rule out of sight, ConflictError if it was revoked before.
    """
    with writing() as session:
        row = session.get(GateRuleRow, rule_id)
        admin = _is_admin(session, actor)
        if row is None or not (row.owner_id == actor or row.everyone or admin):
            raise NotFoundError("There is no such rule.")
        if row.owner_id != actor and not admin:
            raise InvalidError("An administrator made this rule for everyone; only one revokes it.")
        guard = update(GateRuleRow).where(
            GateRuleRow.id == rule_id, GateRuleRow.revoked_at.is_(None)
        )
        if not changed(session, guard.values(revoked_at=utc_now())):
            raise ConflictError("This rule was revoked before.")
        audit.append(session, actor=actor, kind="rule_revoked", subject=rule_id, host=row.host_id)
        return _rule(row)


def in_force(user_id: str, at: datetime) -> tuple[GateRule, ...]:
    """Return the rules that bind this person at that instant, their own and everyone's.

    Hours that cannot be read any more: what they allow is not allowed, what they forbid is.
    """
    with reading() as session:
        found = session.scalars(
            select(GateRuleRow)
            .where(_binds(user_id), rule_checks.lives(at))
            .order_by(GateRuleRow.created_at, GateRuleRow.id)
        )
        mine = [_rule(row) for row in found]
    return tuple(each for each in mine if _holds(each, at))


def listed(user_id: str, *, all_people: bool = False) -> list[Listed]:
    """Return the rules in this person's sight, the newest first, those that ended too.

    *all_people*: the rules of everybody, for an administrator.
    """
    found = select(GateRuleRow, PersonRow.name).join(
        PersonRow, PersonRow.id == GateRuleRow.owner_id
    )
    if not all_people:
        found = found.where(_binds(user_id))
    with reading() as session:
        made = session.execute(
            found.order_by(GateRuleRow.created_at.desc(), GateRuleRow.id.desc())
        ).all()
        uses = _uses(session, [row.id for row, _ in made])
        names = _host_names(session, {row.host_id for row, _ in made if row.host_id})
        return [
            Listed(
                rule=_rule(row),
                maker=name,
                host=names.get(row.host_id, ""),
                revoked_at=row.revoked_at,
                uses=uses.get(row.id, 0),
                mine=row.owner_id == user_id,
            )
            for row, name in made
        ]


def get(rule_id: str, user_id: str) -> Listed:
    """Return one rule in this person's sight; raises NotFoundError."""
    found = [each for each in listed(user_id) if each.rule.id == rule_id]
    if not found:
        raise NotFoundError("There is no such rule.")
    return found[0]


# --- inside ---------------------------------------------------------------------------

_KEPT = (
    "owner_id",
    "decision",
    "command",
    "risk",
    "host_id",
    "host_identity",
    "group",
    "role",
    "hours",
    "everyone",
    "note",
    "command_id",
    "expires_at",
)


def _rule(row: GateRuleRow) -> GateRule:
    kept = {name: getattr(row, name) for name in _KEPT}
    return GateRule(id=row.id, created_at=row.created_at, **kept)


def _binds(user_id: str) -> ColumnElement[bool]:
    return or_(GateRuleRow.owner_id == user_id, GateRuleRow.everyone)


def _holds(rule: GateRule, at: datetime) -> bool:
    holds = rule_hours.hold(rule.hours, at)
    return rule.decision != Decision.ALLOW if holds is None else holds


def _uses(session: Transaction, ids: Sequence[str]) -> dict[str, int]:
    named = [f"rule:{each}" for each in ids]
    counted = session.execute(
        select(CommandRow.rule, func.count())
        .where(CommandRow.rule.in_(named))
        .group_by(CommandRow.rule)
    )
    return {rule.removeprefix("rule:"): count for rule, count in counted}


def _host_names(session: Transaction, ids: set[str]) -> dict[str, str]:
    found = session.execute(select(HostRow.id, HostRow.name).where(HostRow.id.in_(ids)))
    return {row[0]: row[1] for row in found}


def _is_admin(session: Transaction, person_id: str) -> bool:
    person = session.get(PersonRow, person_id)
    return person is not None and person.role == ADMIN
