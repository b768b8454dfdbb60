"""The gate: whether a command runs at once, waits for a click, or is refused.

A pure function of the command, the host, the circumstances and the language. The never-list
stands above all; then deny beats ask beats allow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from walissh.react.circumstances import VIEWER, Circumstances, GateRule, HostGate
from walissh.react.host import Host
from walissh.react.turn import Decision, Language, Risk, Verdict
from walissh.safety import never, plain, risk, rules, shell
from walissh.safety.risk import Judgement, Reason

_REFUSED = frozenset({"empty", "too_long", "control"})
_DISGUISES = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Turns or hides what is shown: nobody could approve what they see."""

_WEIGHT = {Decision.ALLOW: 0, Decision.ASK: 1, Decision.DENY: 2}
_TEXT = "\ue000"
"""Keeps the place of a person's own words: reasons cut long parts short, these stay whole."""


class ReadOnlyGate:
    """Lets through what surely only reads and ends by itself; all else waits or is refused."""

    def judge(
        self,
        command: str,
        host: Host,
        language: Language,
        circumstances: Circumstances | None = None,
    ) -> Verdict:
        """Say what *command* may do on *host* and whether it runs, waits or is refused."""
        fault = _fault(command)
        if fault:
            return _refused(_refusal(fault), "risk", language)
        judgement = risk.classify(command)
        doomed = never.met_in(command)
        if doomed:
            why = (Reason("never", (doomed,)),)
            fatal = Judgement(Risk.DESTRUCTIVE, judgement.interactive, why)
            return _refused(fatal, "never", language)
        case = _Case(command, host, judgement, circumstances or Circumstances(), language)
        return _weighed(case, list(_rulings(case)))


@dataclass(frozen=True, slots=True)
class _Case:
    command: str
    host: Host
    judgement: Judgement
    given: Circumstances
    language: Language

    @property
    def only_reads(self) -> bool:
        return self.judgement.risk is Risk.READ_ONLY

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(each for each in (*self.host.groups, self.host.stage) if each)

    def says(self, code: str, text: str = "") -> str:
        return risk.reason_text(Reason(code, (_TEXT,)), self.language).replace(_TEXT, text)


@dataclass(frozen=True, slots=True)
class _Ruling:
    """One word on a case; *reason* "" where the command's own reasons say it."""

    decision: Decision
    rule: str
    reason: str = ""


def _weighed(case: _Case, rulings: list[_Ruling]) -> Verdict:
    """Let the hardest word count; of equal ones, the first is named and all are given."""
    decided = max(rulings, key=lambda each: _WEIGHT[each.decision])
    said = [each.reason for each in rulings if each.decision is decided.decision and each.reason]
    if not said or not case.only_reads or case.judgement.interactive:
        said += _reasons(case.judgement, case.language)
    return Verdict(
        case.judgement.risk,
        decided.decision,
        tuple(dict.fromkeys(said)),
        case.judgement.interactive,
        decided.rule,
    )


def _rulings(case: _Case) -> Iterator[_Ruling]:
    """Give every word on the case, the more particular before the text of the command."""
    yield from _by_person(case)
    yield from _by_host(case)
    yield from _by_rules(case)
    yield from _by_standing(case)
    if case.given.flagged and case.only_reads and not plain.is_plain(case.command, case.judgement):
        yield _Ruling(Decision.ASK, "flagged", case.says("flagged"))
    yield _by_text(case)
    if case.host.id in case.given.sudo_unmet and _is_with_sudo(case.command):
        # only what waits has a field for it
        yield _Ruling(Decision.ASK, "sudo", case.says("sudo_unmet", case.host.name))


def _is_with_sudo(command: str) -> bool:
    return any(text.partition(" ")[0] == "sudo" for text in risk.simple_texts(command))


def _by_person(case: _Case) -> Iterator[_Ruling]:
    if case.given.role == VIEWER:
        yield _Ruling(Decision.DENY, "role", case.says("role_viewer"))
    if case.given.read_only_session and not case.only_reads:
        yield _Ruling(Decision.DENY, "session", case.says("session_read_only"))


def _by_host(case: _Case) -> Iterator[_Ruling]:
    if case.host.gate is HostGate.READ_ONLY and not case.only_reads:
        yield _Ruling(Decision.DENY, "host", case.says("host_read_only", case.host.name))
    if case.host.gate is HostGate.ASK:
        yield _Ruling(Decision.ASK, "host", case.says("host_ask", case.host.name))


def _by_rules(case: _Case) -> Iterator[_Ruling]:
    for decision in (Decision.DENY, Decision.ASK):
        for rule in rules.against(decision, case.command, case.host, case.judgement, case.given):
            reason = case.says(f"rule_{decision.value}", _named(rule))
            yield _Ruling(decision, f"rule:{rule.id}", reason)


def _named(rule: GateRule) -> str:
    """Return the words of a rule that tell it from others."""
    return rule.note or rule.command or rule.risk or rule.group or rule.hours or rule.id


def _by_standing(case: _Case) -> Iterator[_Ruling]:
    """Give what the person's own standing rules say: each but "ask" refuses."""
    for rule in case.given.standing:
        if rule.applies(case.command, case.host.name, case.groups, case.given.at, case.only_reads):
            asks = rule.effect.value == "ask"
            code, decision = (
                ("standing_ask", Decision.ASK) if asks else ("standing_deny", Decision.DENY)
            )
            yield _Ruling(decision, "standing", case.says(code, rule.text))


def _by_text(case: _Case) -> _Ruling:
    if case.judgement.interactive:
        return _Ruling(Decision.DENY, "interactive")
    if case.only_reads:
        return _Ruling(Decision.ALLOW, "risk")
    rule = rules.allowing(case.command, case.host, case.judgement, case.given)
    if rule is not None:
        return _Ruling(Decision.ALLOW, f"rule:{rule.id}", case.says("rule_allow", _named(rule)))
    unflagged = replace(case.given, flagged=False)
    if case.given.flagged and rules.allowing(case.command, case.host, case.judgement, unflagged):
        return _Ruling(Decision.ASK, "flagged", case.says("flagged_rule"))
    return _Ruling(Decision.ASK, "risk")


def _refused(judgement: Judgement, rule: str, language: Language) -> Verdict:
    reasons = _reasons(judgement, language)
    return Verdict(judgement.risk, Decision.DENY, reasons, judgement.interactive, rule)


def _reasons(judgement: Judgement, language: Language) -> tuple[str, ...]:
    return tuple(risk.reason_text(each, language) for each in judgement.reasons)


def _fault(command: str) -> str:
    """Return why *command* is not even asked for, "" if it may be."""
    if "\0" in command:
        return "nul"
    if _DISGUISES.search(command):
        return "disguise"
    fault = shell.parse(command).fault
    return fault if fault in _REFUSED else ""


def _refusal(code: str) -> Judgement:
    return Judgement(Risk.OPAQUE, interactive=False, reasons=(Reason(code),))
