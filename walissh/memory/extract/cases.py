"""Learn from an assistant's conclusion what broke, why, and what was done about it.

Only an established cause with a remedy that did not fail is a case: no guesses, plans,
questions, refusals or textbook knowledge. Ancestor: recordAssistantConclusion.
"""

import re

from walissh.memory.entry import Found, MemoryType
from walissh.memory.extract import causes, cuts, deeds, outline, remedies, statements, wording
from walissh.memory.extract.causes import Cause, Strength
from walissh.memory.extract.outline import Part
from walissh.memory.extract.remedies import Remedy
from walissh.memory.extract.statements import Statement

MAX_CHARS = 20_000
MAX_SUBJECT_CHARS = 40
MAX_CUT = 30
"""Statements that are cut finer: a longer report does not tell all in one sentence."""
STALE_DAYS = 365


def from_assistant(text: str) -> list[Found]:
    """Return the cases that *text* closes; of a list of incidents, each of them."""
    text = text[:MAX_CHARS]
    for parts in outline.blocks(text):
        each = [case for part in parts for case in _cases(part)]
        if len(each) > 1:
            return each
    return _cases(text)


def _cases(text: str) -> list[Found]:
    told = statements.read(text)
    if not told or wording.says("taught", told[0].text) or wording.says("quoted", told[0].text):
        return []
    return _case(told) or _case(cuts.finer(told) if len(told) <= MAX_CUT else [])


def _case(told: list[Statement]) -> list[Found]:
    cause = causes.find(told)
    if cause is None:
        return []
    remedy = remedies.find(told, cause)
    if remedy is None or not _is_founded(told, cause, remedy):
        return []
    return [_found(told, cause, remedy)]


def _is_founded(told: list[Statement], cause: Cause, remedy: Remedy) -> bool:
    """Ask for more where no word of cause was said: something wrong, or a remedy that helped."""
    if cause.strength is Strength.NAMED:
        return True
    if any(wording.says("open", each.text) for each in told):
        return False
    if cause.strength is Strength.CERTAIN:
        return True
    seen = _symptom(told, cause)
    wrong = bool(seen) and (wording.says("defect", cause.text) or wording.says("fault", seen))
    return remedy.worked is True or cause.strength is Strength.LINKED or wrong


def _found(told: list[Statement], cause: Cause, remedy: Remedy) -> Found:
    why = (remedy.cause or cause.text).strip(" ,，;；。").rstrip(".")
    symptom = _symptom(told, cause)
    return Found(
        type=MemoryType.TROUBLESHOOTING_CASE,
        subject=_subject(symptom or why),
        value=why,
        content=" → ".join(filter(None, (symptom, why, remedy.text))),
        symptom=symptom,
        cause=why,
        fix=remedy.text,
        worked=remedy.worked,
        confidence=_confidence(cause, remedy),
        stale_days=STALE_DAYS,
    )


def _confidence(cause: Cause, remedy: Remedy) -> float:
    proved = 0.9 if remedy.worked else 0.7
    return proved if cause.strength >= Strength.CERTAIN else proved - 0.2


# --- symptom and subject ------------------------------------------------------------------

_SETTLED = re.compile(
    r"(?:已经?|都|全部)?(?:处理|解决|修复|恢复|定位|查明|搞定)(?:完毕|完成|好)?了?$|(?:是真的"
    r"|属实)$"
    r"|\b(?:is|are|was|were|has been|have been) (?:now )?(?:resolved|fixed|solved|handled)$",
    re.I,
)
_POINTING = re.compile(
    r"^(?:it|this|that|they|the|these|those|其|它|这|此|该问题|问题|故障)?$", re.I
)


def _symptom(told: list[Statement], cause: Cause) -> str:
    labelled = [each.text for each in told if each.part is Part.SYMPTOM]
    if labelled:
        return labelled[0]
    own = _SETTLED.sub("", cause.symptom).strip(" ，,")
    if own and not _POINTING.match(own):
        return own
    for each in reversed(told[: cause.at]):
        seen = _SETTLED.sub("", each.text).strip(" ，,")
        if len(seen) > 3 and each.asserted and not deeds.is_done(seen):
            return seen
    return ""


_LEAD_WORDS = re.compile(
    r"^(?:(?:the|an?|our|all|some|every)\s+)+|^(?:[a-z]+-?[a-z]*\d+)(?:\s*(?:上|的|上的)\s*"
    r"|'s\s+|\s+(?=\S))",
    re.I,
)
_SUBJECT_END = re.compile(
    r"[，,。;；:：(（「\"']|\s(?:with|because|on|at|for|after|when|since|and)\s"
)


def _subject(symptom: str) -> str:
    """Return a short lower-case name: the head of *symptom* without article and host."""
    head = _LEAD_WORDS.sub("", symptom.strip())
    head = _SUBJECT_END.split(head, maxsplit=1)[0] or symptom
    if len(head) > MAX_SUBJECT_CHARS:
        head = head[:MAX_SUBJECT_CHARS].rsplit(" ", 1)[0]
    return head.strip().lower()
