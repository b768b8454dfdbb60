"""What a rule of the gate must be before it is put in force."""

import unicodedata
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError
from walissh.react.circumstances import ADMIN, ROLES, VIEWER, GateRule, identity_of
from walissh.react.host import Host
from walissh.react.turn import Decision, Risk
from walissh.safety import placeholders, redact, rules
from walissh.store import rows, rule_hours
from walissh.store.models import GateRuleRow, HostRow, PersonRow

MAX_COMMAND_CHARS = 10_000
MAX_NOTE_CHARS = 200
MAX_RULES = 500
"""So many rules of one person are in force at once at most: each command is held against all."""


def lives(at: datetime) -> ColumnElement[bool]:
    """Say in SQL that a rule is neither revoked nor past its end at that instant."""
    lasts = or_(GateRuleRow.expires_at.is_(None), GateRuleRow.expires_at > at)
    return GateRuleRow.revoked_at.is_(None) & lasts


def checked(session: Transaction, rule: GateRule, zone: str) -> GateRule:
    """Return *rule* as it is kept; raises InvalidError that names the field."""
    rule = replace(
        rule,
        command=rule.command.strip(),
        group=" ".join(rule.group.split()),
        note=" ".join(rule.note.split())[:MAX_NOTE_CHARS],
        hours=rule_hours.checked(rule.hours, zone),
    )
    _check_words(rule)
    _check_reach(session, rule)
    if rule.decision == Decision.ALLOW:
        _check_allowing(rule)
    in_force_now = select(func.count()).where(
        GateRuleRow.owner_id == rule.owner_id, lives(utc_now())
    )
    if (session.scalar(in_force_now) or 0) >= MAX_RULES:
        raise ConflictError(f"At most {MAX_RULES} rules are in force at once. Revoke some first.")
    return replace(rule, host_identity=_identity(session, rule))


def _check_words(rule: GateRule) -> None:
    if rule.decision not in list(Decision):
        raise InvalidError("A rule says allow, ask or deny.", field="decision")
    if rule.risk and rule.risk not in list(Risk):
        raise InvalidError("There is no such class of risk.", field="risk")
    if rule.role and rule.role not in ROLES:
        raise InvalidError("There is no such role.", field="role")
    if len(rule.command) > MAX_COMMAND_CHARS or "\0" in rule.command:
        raise InvalidError(
            f"The command of a rule has at most {MAX_COMMAND_CHARS} characters and no NUL.",
            field="command",
        )
    # rules are shown to others; what holds a placeholder would be another's number there
    for field in ("command", "note"):
        text = getattr(rule, field)
        if redact.redact(text) != text or placeholders.there(text):
            raise InvalidError("A rule keeps no secrets. Leave the secret out.", field=field)
    texts = (rule.group, rule.note)
    if any(unicodedata.category(each)[0] == "C" for text in texts for each in text):
        raise InvalidError("A group or note of a rule has visible characters only.", field="group")
    if rule.expires_at is not None and rule.expires_at <= utc_now():
        raise InvalidError("This end of the rule lies in the past.", field="expires_at")


def _check_reach(session: Transaction, rule: GateRule) -> None:
    person = session.get(PersonRow, rule.owner_id)
    if person is None or person.role == VIEWER:
        raise InvalidError("A viewer makes no rules.", field="role")
    if rule.everyone and rule.host_id:
        raise InvalidError(
            "A host belongs to one person, so a rule for everyone names a group or none.",
            field="host",
        )
    if rule.everyone and person.role != ADMIN:
        raise InvalidError("Only an administrator makes a rule for everyone.", field="everyone")


def check_stays(session: Transaction, before: Host, after: Host) -> None:
    """Raise InvalidError if its owner may not take a host out of a group or stage.

    Only an admin may where a rule for everyone stands against something there.
    """
    left = {each for each in (*before.groups, before.stage) if not rules.in_group(after, each)}
    person = session.get(PersonRow, before.owner_id) if left else None
    if person is None or person.role == ADMIN:
        return
    found = select(GateRuleRow.group).where(
        GateRuleRow.everyone, GateRuleRow.decision != Decision.ALLOW, lives(utc_now())
    )
    bound = {each.casefold() for each in session.scalars(found)}
    for group in sorted(left):
        if group.casefold() in bound:
            raise InvalidError(
                f"A rule for everyone holds in {group}. Only an administrator takes a host out"
                " of it.",
                field="groups",
            )


def _check_allowing(rule: GateRule) -> None:
    if not (rule.host_id or rule.group):
        raise InvalidError(
            "What is allowed for good is allowed somewhere: name a host or a group.",
            field="host",
        )
    if rule.risk in rules.NEVER_ALLOWED:
        raise InvalidError(
            "No rule lets run unasked what destroys, shows secrets or cannot be judged.",
            field="risk",
        )
    if rule.command and rules.is_pattern(rule.command) and rules.leaves_program_open(rule.command):
        raise InvalidError(
            "A rule that allows must name the program: a star stands for a later word only.",
            field="command",
        )


def _identity(session: Transaction, rule: GateRule) -> str:
    if not rule.host_id:
        return ""
    row = session.get(HostRow, rule.host_id)
    if row is None or row.owner_id != rule.owner_id:
        raise InvalidError("There is no such host.", field="host")
    return identity_of(rows.host(row))
