"""The gate: whether a command runs at once, waits for a click, or is refused.

A pure function of the command, the host and the language. Deny beats ask beats allow.
"""

import re
from functools import cache
from importlib.resources import files

import yaml

from walissh.react.circumstances import Circumstances
from walissh.react.host import Host
from walissh.react.turn import Decision, Language, Risk, Verdict
from walissh.safety import risk, shell
from walissh.safety.risk import Judgement, Reason

_REFUSED = frozenset({"empty", "too_long", "nul"})


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
        fault = "nul" if "\0" in command else shell.parse(command).fault
        if fault in _REFUSED:
            return _verdict(_refusal(fault), Decision.DENY, language)
        judgement = risk.classify(command)
        doomed = _forbidden(command, judgement)
        if doomed:
            return _verdict(doomed, Decision.DENY, language)
        return _verdict(judgement, _decide(judgement), language)


def _decide(judgement: Judgement) -> Decision:
    if judgement.interactive:
        return Decision.DENY
    return Decision.ALLOW if judgement.risk is Risk.READ_ONLY else Decision.ASK


def _verdict(judgement: Judgement, decision: Decision, language: Language) -> Verdict:
    reasons = tuple(risk.reason_text(each, language) for each in judgement.reasons)
    return Verdict(judgement.risk, decision, reasons, judgement.interactive)


def _refusal(code: str) -> Judgement:
    return Judgement(Risk.OPAQUE, interactive=False, reasons=(Reason(code),))


# --- the never-list -------------------------------------------------------------------

_FORK_BOMB = re.compile(r"(\S+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;?\s*\1")


@cache
def _never() -> re.Pattern[str]:
    text = (files("walissh.safety") / "never.yaml").read_text("utf-8")
    lines: list[str] = yaml.safe_load(text)
    return re.compile("|".join(f"(?:{line})" for line in lines))


def _forbidden(command: str, judgement: Judgement) -> Judgement | None:
    """Return why *command* is never run, None if it may be asked for."""
    if _FORK_BOMB.search(command):
        return Judgement(Risk.DESTRUCTIVE, judgement.interactive, (Reason("never", (command,)),))
    for text in risk.simple_texts(command):
        if _never().match(text):
            return Judgement(Risk.DESTRUCTIVE, judgement.interactive, (Reason("never", (text,)),))
    return None
