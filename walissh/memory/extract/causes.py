"""Find the established cause among statements, and what it was the cause of."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from walissh.memory.extract import deeds, halves, wording
from walissh.memory.extract.outline import Part
from walissh.memory.extract.statements import Statement, read


class Strength(IntEnum):
    """How a cause was told: by form, by a joint ("since"), by a word of cause, as the cause."""

    LOOSE = 0
    LINKED = 1
    CERTAIN = 2
    NAMED = 3


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause as said in statement *at*."""

    at: int
    text: str
    symptom: str = ""
    strength: Strength = Strength.CERTAIN


def find(statements: Sequence[Statement]) -> Cause | None:
    """Return the best-founded cause: labelled, then with a word of cause, then told by form."""
    claimed = [(at, each) for at, each in enumerate(statements) if each.asserted]
    for look in (_labelled, _worded, _linked, _loose):
        for at, statement in claimed:
            cause = look(at, statement)
            if cause is not None:
                return cause
    return _last_defect(claimed)


def named(text: str) -> str:
    """Return the sentence of *text* that tells an established cause in so many words, or ""."""
    told = read(text)
    cause = find(told)
    if cause is None or cause.strength < Strength.CERTAIN:
        return ""
    return "" if any(wording.says("open", each.text) for each in told) else told[cause.at].text


def _is_relief(symptom: str) -> bool:
    """Tell whether it is how things got better: "load fell after the restart"."""
    return wording.says("success", symptom) and not wording.says("fault", symptom)


def _last_defect(claimed: Sequence[tuple[int, Statement]]) -> Cause | None:
    """Return the defect that was told last before something was done: what came first was seen."""
    last = None
    for at, statement in claimed:
        last = _defective(at, statement) or last
        if last is not None and deeds.is_done(statement.text):
            break
    return last or _in_sequence(claimed)


def _in_sequence(claimed: Sequence[tuple[int, Statement]]) -> Cause | None:
    """Take "it was so, it went wrong; then this was done": what stood before the fault."""
    for (at, each), (_, after) in itertools.pairwise(claimed):
        first, _, rest = each.text.replace(",", "，").partition("，")
        told = wording.says("fault", rest) and _is_firm(each.text) and not _is_idle(rest, first)
        plain = len(first) > 3 and not wording.says("fault", first)
        if told and plain and each.part is Part.NONE and deeds.is_done(after.text):
            return Cause(at, first, rest, Strength.LOOSE) if not deeds.is_done(first) else None
    return None


# --- words of cause -------------------------------------------------------------------

_NO_PLACE = frozenset({Part.FIX, Part.ADVICE, Part.RESULT})
_NO_CAUSE = re.compile(
    r"^(?:not|n't|unclear|unknown|fixed|resolved|solved|gone|back|fine|ok|simple|clear|found"
    r"|known|that simple"
    r"|什么|未知|不明|以下|如下|多方面|这样)\b|^(?:未知|不明|什么|谁|哪)",
    re.I,
)


def _labelled(at: int, statement: Statement) -> Cause | None:
    if statement.part is not Part.CAUSE and not statement.found:
        return None
    cause = _worded(at, statement)
    if cause is None and statement.found:
        cause = _linked(at, statement)
    if cause is not None:
        return Cause(at, cause.text, cause.symptom, Strength.NAMED)
    if _is_sound("", statement.text, statement.text):
        return Cause(at, statement.text, strength=Strength.NAMED)
    return None


def _worded(at: int, statement: Statement) -> Cause | None:
    if statement.part in _NO_PLACE:
        return None
    for symptom, cause in halves.of(wording.patterns("worded"), statement.text):
        if _is_sound(symptom, cause, statement.text):
            named = _NAMED.search(statement.text) is not None
            return Cause(at, cause, symptom, Strength.NAMED if named else Strength.CERTAIN)
    return None


_NAMED = re.compile(
    r"根因|(?<!一个)原因|元凶|真凶|祸首|症结|\b(?:cause|reason|culprit)\b(?! (?:a|an|the)\b)", re.I
)


# what was not so, or what was not to be done, has no cause: "没有因内存不足被杀的进程"
_NO_FAULT = re.compile(
    r"(?:没有?|不是|并非|未|是否|有没有|不会|尚未|不需要?|无需|不必|不用|未见|未发现)$"
    r"|^(?:都|均|也)?(?:没有?|未|不)(?:再)?(?:影响|发生|出现|触发|收到)|^(?:都|均|也)?(?:不需要?|无需|不必|不用)"
    r"|^(?:no|none of|nothing|neither|zero) (?=.*\b(?:kill|fail|error|crash|restart|drop|los[st]|"
    r"denied|den(?:y|ies)|timeout|wrong|chang|need|block|stuck|slow|alarm|alert))"
    r"|\b(?:not|n't|never|no longer|rather than|instead of|whether|if)$|\bwould\b|"
    r"^(?:i|we) (?:did|do|have|will|had)(?: not|n't)\b",
    re.I,
)
# "since it started", "as PID 1", "because it was scheduled" tell when, in what role, or what for
_TEMPORAL = re.compile(
    r"(?:\S+ ){0,4}?(?:re)?(?:start|boot|launch|install|creat|deploy|releas|upgrad|migrat|enabl)\w*"
    r"(?: (?:up|at|on|in|last|this|yesterday|today|\d)\b.*)?$"
    r"|(?:the )?(?:(?:last|previous|latest|first|system|machine|host) )*"
    r"(?:re)?(?:start|boot|launch|deploy\w*|release|upgrade|update|change|outage)s?\b"
    r"(?: (?:of|on|at|in|last|this|\d)\b.*)?$"
    r"|\d+ ?(?::|点|天|分|小时|days?|hours?|minutes?|weeks?|am|pm)|启动以来",
    re.I,
)
_MOTIVE = re.compile(
    r"\b(?:need(?:s|ed)|require[sd]?|ask(?:s|ed) for|want(?:s|ed)|demand(?:s|ed)) "
    r"(?:it|this|that|one|a (?:reboot|restart))\b|^(?:you|your|i|we) |"
    r"^(?:\S+ ){0,3}(?:is|was|are|were) (?:planned|scheduled|requested|expected|intended)\b"
    r"|^(?:内核|系统|版本|例行|计划)\S{0,3}(?:升级|更新|维护)(?:[（(，,。]|$)|因为(?:这个|这样|此)$"
    r"|^(?:an? |the )?(?:kernel|planned|scheduled|unattended|routine)\b.{0,30}(?:upgrade|update"
    r"|maintenance)$|^(?:是)?(?:计划内|按计划|例行|预期|维护窗口|你要求|您要求|(?:你|您)的要求)|没有?(?:服务|人|任何\S{0,6})依赖",
    re.I,
)


def _is_idle(symptom: str, cause: str) -> bool:
    """Tell whether nothing went wrong there, or it is told when or what for."""
    if _NO_FAULT.search(symptom) or _NO_FAULT.search(cause) or _TEMPORAL.match(cause):
        return True
    return bool(_MOTIVE.search(cause) or _MOTIVE.search(symptom.removeprefix("因为")))


# --- told by form ---------------------------------------------------------------------


def _linked(at: int, statement: Statement) -> Cause | None:
    return _formed(at, statement, wording.patterns("linked"), Strength.LINKED)


def _loose(at: int, statement: Statement) -> Cause | None:
    return _formed(at, statement, wording.patterns("loose"), Strength.LOOSE)


def _formed(
    at: int, statement: Statement, patterns: Sequence[re.Pattern[str]], strength: Strength
) -> Cause | None:
    if statement.part in _NO_PLACE or not _is_firm(statement.text):
        return None
    if strength is Strength.LOOSE and statement.part is Part.SYMPTOM:
        return None
    for symptom, cause in halves.of(patterns, statement.text):
        if _is_sound(symptom, cause, statement.text) and not _is_relief(symptom):
            if _EARLIER.search(symptom):  # "had been broken by": that it broke is the cause
                return Cause(at, statement.text, strength=strength)
            return Cause(at, cause, symptom, strength)
    return None


_EARLIER = re.compile(r"\bhad been \w+(?:ed|en|wn|ut|ld|pt|un)$", re.I)


def _defective(at: int, statement: Statement) -> Cause | None:
    """Take a plain statement that something was wrong: what follows must be its remedy."""
    text = statement.text
    if statement.part in _NO_PLACE or not _is_firm(text):
        return None
    first = _FIRST_CLAUSE.split(text, maxsplit=1)[0]
    told = first if deeds.is_done(text) else text  # the remedy may stand in the same sentence
    if not wording.says("defect", told) or deeds.is_done(told):
        return None
    rest = text[len(first) :].strip(halves.AROUND)
    if _is_idle(first, rest or first):
        return None
    if wording.says("defect", first) or not wording.says("defect", rest) or len(first) <= 3:
        return Cause(at, text, strength=Strength.LOOSE)
    return Cause(at, rest, first, Strength.LOOSE)


_FIRST_CLAUSE = re.compile(
    r"[，;；]|,(?=[^,]*[\u3400-\u9fff])|,(?= (?:its?|the|their|an?|but|and|\S+ (?:was|were|is"
    r"|are|had|did))\b)"
)


def _is_firm(text: str) -> bool:
    return not any(wording.says(kind, text) for kind in ("hedge", "fine", "self_healed", "failure"))


# --- either -----------------------------------------------------------------------------


def _is_sound(symptom: str, cause: str, text: str) -> bool:
    """Tell whether it is a reason for a fault, said without doubt: no reason for a deed."""
    first = re.split(r"[，,。;；(（]", cause, maxsplit=1)[0]
    if len(cause) < 3 or _NO_CAUSE.match(cause):
        return False
    if _is_idle(symptom, cause):
        return False
    told = text[: text.find(first) + len(first)]
    if wording.says("hedge", symptom) or wording.says("hedge", told):
        return False
    return not (deeds.is_own(symptom) or deeds.is_own(cause))
