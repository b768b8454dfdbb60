"""Rules that come of an approval: when they may, and what they say."""

from typing import Protocol

from walissh.errors import InvalidError
from walissh.react.circumstances import GateRule
from walissh.react.host import Host
from walissh.react.turn import CommandRun, CommandStatus, Decision, Risk, Verdict
from walissh.safety import risk, rules

ON_HOST = "host"
IN_GROUP = "group:"
"""How far "always" reaches: ``host``, or ``group:NAME`` of one of the host's groups."""


class Rules(Protocol):
    """``store.gate_rules`` as an approval uses it."""

    def approve_always(
        self, command_id: str, actor: str, command: str, rule: GateRule
    ) -> CommandRun:
        """Approve exactly *command* and put *rule* in force, in one transaction."""

    def wait(self, command_id: str, verdict: Verdict) -> bool:
        """Have a command asked for that was let through unasked; False if it moved on."""


def scopes(run: CommandRun, host: Host | None) -> tuple[str, ...]:
    """Return for where a waiting command may be allowed for good; () if nowhere.

    Only what waits for no other reason than that it changes something: a rule would not
    let the rest run anyway.
    """
    waits = run.status is CommandStatus.AWAITING_APPROVAL and run.rule in ("", "risk")
    if host is None or not waits or run.risk is not Risk.MUTATING or run.is_flagged:
        return ()
    # a star would be read as any word; what shows secrets beside its change is never allowed
    if rules.is_pattern(run.command) or risk.classify(run.command).exposes:
        return ()
    groups = dict.fromkeys(each for each in (*host.groups, host.stage) if each)
    return (ON_HOST, *(f"{IN_GROUP}{each}" for each in groups))


def always(run: CommandRun, host: Host, scope: str, user_id: str) -> GateRule:
    """Return the rule that allows exactly this command there; raises InvalidError."""
    if scope not in scopes(run, host):
        raise InvalidError("This command cannot be allowed for good there.", field="always")
    return GateRule(
        id="",
        owner_id=user_id,
        decision=Decision.ALLOW,
        command=run.command,
        host_id=host.id if scope == ON_HOST else "",
        group=scope.removeprefix(IN_GROUP) if scope != ON_HOST else "",
        command_id=run.id,
    )
