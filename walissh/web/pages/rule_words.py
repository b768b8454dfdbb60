"""What templates say of the gate's rules: decisions, risks, where a rule holds, what decided."""

from flask import Flask
from flask_babel import gettext

from walissh.clock import utc_now
from walissh.react import ruling
from walissh.react.circumstances import ADMIN, OPERATOR, VIEWER, GateRule, HostGate
from walissh.react.turn import CommandRun, CommandStatus, Decision
from walissh.store import gate_rules, hosts


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(
        always_scopes=always_scopes,
        always_word=always_word,
        decision_word=decision_word,
        role_word=role_word,
        gate_word=gate_word,
        rule_state_word=rule_state_word,
    )
    app.jinja_env.filters["named_rule"] = named_rule


def always_scopes(run: CommandRun) -> tuple[str, ...]:
    """Return for where a waiting command may be allowed for good, as `ruling.scopes` does.

    Not where exactly that is allowed already.
    """
    if run.status is not CommandStatus.AWAITING_APPROVAL:
        return ()
    scopes = ruling.scopes(run, hosts.get(run.host_id, run.user_id))
    there = _allowed(run) if scopes else frozenset()
    return tuple(each for each in scopes if each not in there)


def _allowed(run: CommandRun) -> frozenset[str]:
    """Return the scopes of the rules that allow exactly this command, at all times."""
    return frozenset(
        ruling.ON_HOST if each.host_id else f"{ruling.IN_GROUP}{each.group}"
        for each in gate_rules.in_force(run.user_id, utc_now())
        if each.command == run.command
        and (each.host_id, each.host_identity) in (("", ""), (run.host_id, run.host_identity))
        and _always_allows(each)
    )


def _always_allows(rule: GateRule) -> bool:
    bounds = rule.risk or rule.hours or rule.role or rule.expires_at
    return rule.decision == Decision.ALLOW and not bounds


def always_word(scope: str, run: CommandRun) -> str:
    """Return what allowing it for good there means."""
    if scope == ruling.ON_HOST:
        return str(gettext("always exactly this on %(host)s", host=run.host))
    group = scope.removeprefix(ruling.IN_GROUP)
    return str(gettext("always exactly this on all of %(group)s", group=group))


def decision_word(decision: str) -> str:
    """Return what a rule does."""
    return {
        "allow": gettext("runs unasked"),
        "ask": gettext("is asked for"),
        "deny": gettext("is refused"),
    }.get(decision, decision)


def role_word(role: str) -> str:
    """Return a role in the page's language."""
    return {
        ADMIN: gettext("administrator"),
        OPERATOR: gettext("operator"),
        VIEWER: gettext("viewer"),
    }.get(role, role)


def gate_word(gate: str) -> str:
    """Return what a host says for itself."""
    return {
        HostGate.USUAL.value: gettext("reading runs unasked, changes ask"),
        HostGate.ASK.value: gettext("everything asks, reading too"),
        HostGate.READ_ONLY.value: gettext("reading only, changes are refused"),
    }.get(gate, gate)


def rule_state_word(state: str) -> str:
    """Return whether a rule is in force."""
    return {
        "in_force": gettext("in force"),
        "expired": gettext("expired"),
        "revoked": gettext("revoked"),
    }.get(state, state)


def named_rule(rule: str) -> str:
    """Return what decided on a command, "" where its own text did: the reasons say that."""
    if rule.startswith("rule:"):
        return str(gettext("a rule"))
    return {
        "never": gettext("the never-list"),
        "session": gettext("the read-only switch of this session"),
        "host": gettext("the setting of the host"),
        "role": gettext("your role"),
        "flagged": gettext("an order in an earlier output"),
        "standing": gettext("your standing rules"),
    }.get(rule, "")
