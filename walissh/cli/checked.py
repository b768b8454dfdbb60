"""What ``walissh check`` came to: its status, its lines on a terminal, its JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from walissh.react.turn import Language

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from walissh.brain.parse import Place
    from walissh.brain.report import Blind, Found, Outlook


class Status(StrEnum):
    """The states of monitoring plugins."""

    OK = "ok"
    WARNING = "warning"
    UNKNOWN = "unknown"
    CRITICAL = "critical"


WORST_LAST: Final = (Status.OK, Status.WARNING, Status.UNKNOWN, Status.CRITICAL)
EXIT_CODES: Final[Mapping[Status, int]] = {
    Status.OK: 0,
    Status.WARNING: 1,
    Status.CRITICAL: 2,
    Status.UNKNOWN: 3,
}
MAX_LINES: Final = 20
"""So many lines of one place of evidence are told."""

_SHOWN_LINES: Final = 2
_LINE_CHARS: Final = 160
_COMMAND_CHARS: Final = 60
_PHRASES: Final[Mapping[str, tuple[str, str]]] = {
    "ok": ("正常", "OK"),
    "warning": ("警告", "WARNING"),
    "critical": ("严重", "CRITICAL"),
    "unknown": ("未知", "UNKNOWN"),
    "severity_critical": ("严重", "critical"),
    "severity_warning": ("警告", "warning"),
    "severity_note": ("注意", "note"),
    "hosts": ("{status}：{count} 台主机（{parts}）", "{status}: hosts {count} ({parts})"),
    "host": (
        "{host}：{status}（{commands} 条命令，{seconds} 秒）",
        "{host}: {status} (commands {commands}, {seconds} s)",
    ),
    "lost": ("{host}：{status}：{error}", "{host}: {status}: {error}"),
    "finding": ("{severity}：{text}", "{severity}: {text}"),
    "step": ("线索：{text}", "clue: {text}"),
    "evidence": ("证据：{command}：{text}", "evidence: {command}: {text}"),
    "fix": ("修复（未执行）：{text}", "to fix (not run): {text}"),
    "verify": ("之后核实：{text}", "then check: {text}"),
    "ruled_out": ("已排除：{text}", "ruled out: {text}"),
    "unseen": (
        "没有看到：{why}（{command}）：{reason}",
        "could not see: {why} ({command}): {reason}",
    ),
    "needs_approval": ("需要批准，未执行", "it would need approval, not run"),
    "unusable": ("没有可用的输出", "no usable output"),
    "nothing_seen": ("没有任何可用的结果", "nothing gave a usable result"),
    "unforeseen": (
        "WaliSSH 自身出错，没有结果：{error}",
        "a fault of WaliSSH itself, nothing is known: {error}",
    ),
    "stopped": ("被中止", "stopped before it ended"),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The lines *first* to *last* of one command's output, at most `MAX_LINES` of them."""

    command_id: str
    command: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """One host; *error* says why it could not be checked, or not to the end.

    *left_out* are commands that would have waited for approval.
    """

    host: str
    error: str = ""
    found: "Outlook | None" = None
    evidence: "Mapping[Place, Evidence]" = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    commands: int = 0
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """The state of the host: what is not seen is never called fine."""
        found = self.found
        unknown = bool(self.error) or found is None or _is_mostly_unseen(found)
        states = [Status.UNKNOWN if unknown else Status.OK]
        states += [_status(each.severity) for each in (_with_steps(found) if found else ())]
        return worst(states)


def worst(states: Iterable[Status]) -> Status:
    """Return the worst state; unknown without any."""
    return max(states, key=WORST_LAST.index, default=Status.UNKNOWN)


def phrase(key: str, language: Language, **values: object) -> str:
    """Return the fixed words *key* in *language*."""
    zh, en = _PHRASES[key]
    return (zh if language == "zh" else en).format(**values)


def _is_mostly_unseen(found: "Outlook") -> bool:
    said = len(found.findings) + len(found.facts) + len(found.ruled_out)
    return found.is_blind or len(found.unseen) > max(said, found.answered)


def _status(severity: str) -> Status:
    return Status(severity) if severity in ("critical", "warning") else Status.OK


def _with_steps(found: "Outlook") -> "Iterator[Found]":
    for each in found.findings:
        yield each
        yield from each.steps


def places(found: "Outlook") -> "list[Place]":
    """Return each place of evidence once."""
    said = [*_with_steps(found), *found.facts, *found.ruled_out]
    return list(dict.fromkeys(place for each in said for place in each.places))


# --- on a terminal ---------------------------------------------------------------------


def text(hosts: Sequence[Checked], language: Language) -> str:
    """Return the short report: the state of all in the first line, then each host."""
    lines = [_summary(hosts, language)]
    for each in hosts:
        lines += _host(each, language)
    return "\n".join(lines)


def _summary(hosts: Sequence[Checked], language: Language) -> str:
    counts = Counter(each.status for each in hosts)
    comma = "，" if language == "zh" else ", "
    parts = comma.join(
        f"{phrase(status, language)} {counts[status]}"
        for status in reversed(WORST_LAST)
        if counts[status]
    )
    status = phrase(worst(counts), language)
    return phrase("hosts", language, status=status, count=len(hosts), parts=parts)


def _host(one: Checked, language: Language) -> list[str]:
    status, found = phrase(one.status, language), one.found
    if one.error:
        head = phrase("lost", language, host=one.host, status=status, error=one.error)
    elif found is None or found.is_blind:
        why = phrase("nothing_seen", language)
        head = phrase("lost", language, host=one.host, status=status, error=why)
    else:
        cost = {"commands": one.commands, "seconds": f"{one.seconds:.1f}"}
        head = phrase("host", language, host=one.host, status=status, **cost)
    if found is None or (one.error and found.is_blind):
        return [head]
    lines = [line for each in found.findings for line in _finding(each, one, language)]
    lines += [phrase("ruled_out", language, text=each.text) for each in found.ruled_out]
    lines += dict.fromkeys(_unseen(each, one, language) for each in found.unseen)
    return [head, *(f"  {each}" for each in lines)]


def _finding(found: "Found", one: Checked, language: Language) -> list[str]:
    from walissh.brain import report

    severity = phrase(f"severity_{found.severity}", language)
    said = report.claim(found, language)
    lines = [phrase("finding", language, severity=severity, text=said)]
    lines += [f"  {phrase('step', language, text=each.text)}" for each in found.steps]
    lines += [f"  {_shown(one.evidence[each], language)}" for each in found.places[:_SHOWN_LINES]]
    for key, told in (("fix", found.fix), ("verify", found.verify)):
        lines += [f"  {phrase(key, language, text=told)}"] if told else []
    return lines


def _shown(evidence: Evidence, language: Language) -> str:
    line = evidence.text.strip().partition("\n")[0].strip()
    cut = line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
    return phrase("evidence", language, command=_short(evidence.command), text=cut)


def _short(command: str) -> str:
    """Return the beginning of *command* in one line: some are whole scripts."""
    line = " ".join(command.split())
    return line if len(line) <= _COMMAND_CHARS else line[: _COMMAND_CHARS - 1] + "…"


def _unseen(unseen: "Blind", one: Checked, language: Language) -> str:
    reason = _reason(unseen, one, language)
    command = _short(unseen.command)
    return phrase("unseen", language, why=unseen.why, command=command, reason=reason)


def _reason(unseen: "Blind", one: Checked, language: Language) -> str:
    if unseen.command in one.left_out:
        return phrase("needs_approval", language)
    return unseen.reason or phrase("unusable", language)


# --- for programs ----------------------------------------------------------------------


def as_json(hosts: Sequence[Checked], seconds: float, language: Language) -> dict[str, object]:
    """Return the report as one JSON object; ``docs/playbooks.md`` describes it."""
    return {
        "status": worst(each.status for each in hosts).value,
        "seconds": round(seconds, 2),
        "hosts": [_host_json(each, language) for each in hosts],
    }


def _host_json(one: Checked, language: Language) -> dict[str, object]:
    found = one.found
    return {
        "host": one.host,
        "status": one.status.value,
        "error": one.error,
        "findings": [_finding_json(each, one) for each in found.findings] if found else [],
        "facts": [_claim_json(each, one) for each in found.facts] if found else [],
        "ruled_out": [_claim_json(each, one) for each in found.ruled_out] if found else [],
        "unseen": [_unseen_json(each, one, language) for each in found.unseen] if found else [],
        "left_out": sorted(one.left_out),
        "commands": one.commands,
        "seconds": round(one.seconds, 2),
    }


def _finding_json(found: "Found", one: Checked) -> dict[str, object]:
    return {
        **_claim_json(found, one),
        "severity": found.severity,
        "fix": found.fix,
        "verify": found.verify,
        "sure": found.sure,
        "steps": [_claim_json(each, one) for each in found.steps],
    }


def _claim_json(found: "Found", one: Checked) -> dict[str, object]:
    evidence = [one.evidence[each] for each in found.places if each in one.evidence]
    return {
        "name": found.name,
        "text": found.text,
        "evidence": [_evidence_json(each) for each in evidence],
        "silent": list(found.silent),
    }


def _evidence_json(evidence: Evidence) -> dict[str, object]:
    return {
        "command_id": evidence.command_id,
        "command": evidence.command,
        "lines": [evidence.first, evidence.last],
        "text": evidence.text,
    }


def _unseen_json(unseen: "Blind", one: Checked, language: Language) -> dict[str, object]:
    reason = _reason(unseen, one, language)
    return {"why": unseen.why, "command": unseen.command, "reason": reason}
