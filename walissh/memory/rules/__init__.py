"""Standing rules that bind: lines of the person's own that are checked, not only read.

``parse`` makes the lines of the block ``rules`` into rules, and says which of them it could
not make into one: those stay in the prompt as sentences.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from walissh.memory.rules import clause as clauses
from walissh.memory.rules import hours
from walissh.memory.rules.clause import NotUnderstoodError, Why
from walissh.memory.rules.hours import Window
from walissh.memory.rules.rule import Effect, StandingRule, Target
from walissh.react.turn import Language

__all__ = [
    "Effect",
    "Parsed",
    "StandingRule",
    "Target",
    "Unbound",
    "Window",
    "explain",
    "forbids",
    "parse",
]

MAX_LINE_CHARS = 240


@dataclass(frozen=True, slots=True)
class Unbound:
    """A line that could not be made into a rule, and why; *words* are those in question."""

    text: str
    why: Why
    words: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rules of a text and what of it could not be made into one, both in order."""

    rules: tuple[StandingRule, ...]
    unbound: tuple[Unbound, ...]


def parse(text: str, *, zone: str = "UTC", known: Iterable[str] = ()) -> Parsed:
    """Read a text line by line.

    *zone* is that of hours without one of their own; *known* are the names of the person's
    hosts and groups, by which "restart nas" is told from "restart nginx".
    """
    names = frozenset(each.lower() for each in known)
    zone = zone if hours.zone_of(zone) else "UTC"
    rules: list[StandingRule] = []
    unbound: list[Unbound] = []
    for line in _lines(text):
        for each in _read(line, zone, names):
            (rules if isinstance(each, StandingRule) else unbound).append(each)  # type: ignore[arg-type]
    return Parsed(tuple(rules), tuple(unbound))


def forbids(
    rule: StandingRule,
    *,
    command: str,
    host: str,
    groups: Sequence[str] = (),
    at: datetime,
    read_only: bool,
) -> bool:
    """Tell whether *rule* rules the command out altogether; `Effect.ASK` never does."""
    return rule.effect is not Effect.ASK and rule.applies(command, host, groups, at, read_only)


def explain(unbound: Unbound, language: Language) -> str:
    """Say why a line is no checked rule, and what would make it one."""
    zh, en = _WHY[unbound.why]
    return (zh if language == "zh" else en).format(unbound.text, unbound.words)


_WHY: dict[Why, tuple[str, str]] = {
    "no_effect": (
        "“{0}”不能作为规则检查，只会写进提示。要让它生效，请写成“不要…”“…前先问我”或“…只读”。",
        "“{0}” is not checked, it only stands in the prompt. To have it checked, write it as"
        " “never …”, “ask before …” or “… is read-only”.",
    ),
    "no_action": (
        "“{0}”里没有可以检查的操作，只会写进提示。请写明操作，例如重启、停止、删除、修改、安装。",
        "“{0}” names no action that can be checked, it only stands in the prompt. Name one, such"
        " as restart, stop, delete, change or install.",
    ),
    "not_understood": (
        "“{0}”没有完全读懂（{1}），只会写进提示。请去掉条件和说明，一行只写一条规则。",
        "“{0}” was not understood in full ({1}), so it only stands in the prompt. Leave out"
        " conditions and remarks, and write one rule in a line.",
    ),
    "zone": (
        "“{0}”里的时区 {1} 无法识别，只会写进提示。请写成 Asia/Shanghai 或 UTC+8 这样的形式。",
        "“{0}” names a time zone that is not known ({1}), so it only stands in the prompt. Write"
        " it as Europe/Berlin or UTC+1.",
    ),
}

# --- lines and clauses --------------------------------------------------------------------

_BULLET = re.compile(r"^\s*(?:[-*+•·>]+\s+|\d{1,2}[.)、]\s*|[（(]\d{1,2}[）)]\s*|[a-z][.)]\s+)+")
_ENDS = re.compile(r"[;；。!！]+\s*|\.\s+(?=[A-Z])|\.\s*$")
_COMMAS = re.compile(
    (
        r"\s*[,，]\s*(?:(?:and|but|also)\s+)?|\s+(?:and|but)\s+(?=never|don['’]?t|do not|always"
        r"|ask|no\b)"
    ),
    re.I,
)
_CONTEXT = re.compile(r"^(?P<where>(?:on|for|in|在|对)?\s*[^:：]{1,60})[:：]\s*(?P<rest>.+)$", re.I)


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = _BULLET.sub("", line).strip()
        if plain and not plain.startswith("#") and re.search(r"\w", plain):
            yield plain


def _read(line: str, zone: str, known: frozenset[str]) -> list[StandingRule | Unbound]:
    """Read a line as one rule, or as several that end in a full stop, a semicolon, a comma."""
    if len(line) > MAX_LINE_CHARS:
        return [Unbound(line, "not_understood", line[:20] + "…")]
    parts = [part.strip() for part in _ENDS.split(line) if part.strip()]
    if len(parts) < 2:
        return _clause(parts[0] if parts else line, zone, known)
    context = _CONTEXT.match(parts[0])
    if context:
        where = context["where"].strip()
        parts = [context["rest"], *parts[1:]]
        return [each for part in parts for each in _clause(f"{where}: {part}", zone, known)]
    return [each for part in parts for each in _clause(part, zone, known)]


def _clause(text: str, zone: str, known: frozenset[str]) -> list[StandingRule | Unbound]:
    whole = _one(text, zone, known)
    if isinstance(whole, StandingRule):
        return [whole]
    parts = [part for part in _COMMAS.split(text) if part.strip()]
    read = [_one(part, zone, known) for part in parts]
    if len(parts) > 1 and all(isinstance(each, StandingRule) for each in read):
        return read
    return [whole]


def _one(text: str, zone: str, known: frozenset[str]) -> StandingRule | Unbound:
    try:
        return clauses.read(text, zone=zone, known=known)
    except NotUnderstoodError as error:
        return Unbound(text, error.why, error.words)
