"""Find what was done about a cause, and whether it helped."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from walissh.memory.extract import deeds, wording
from walissh.memory.extract.causes import Cause, Strength
from walissh.memory.extract.outline import Part
from walissh.memory.extract.statements import Statement

MAX_STATEMENTS = 3


@dataclass(frozen=True, slots=True)
class Remedy:
    """What was done. *worked* is None when it was only advised, or the outcome is not told.

    *cause* is the cause without the remedy, if both stood in one sentence.
    """

    text: str
    worked: bool | None
    cause: str = ""


def find(statements: Sequence[Statement], cause: Cause) -> Remedy | None:
    """Return the remedy: done after the cause was told, or before, or firmly advised.

    None when there is none, or when what was done did not help.
    """
    behind = list(enumerate(statements))[cause.at + 1 :]
    before = list(enumerate(statements))[: cause.at]
    for place in (behind, before):
        done = _done(place)
        if done:
            at = place.index(done[0])
            return _settled(place[at:] if place is behind else [*done, *behind], done)
        if place is behind:
            inner = _inside(cause, behind)
            if inner is not None:
                return inner
    return (
        _advised(behind) if cause.strength >= Strength.CERTAIN and not _unfinished(behind) else None
    )


# --- done -----------------------------------------------------------------------------

_Placed = tuple[int, Statement]


def _done(placed: Sequence[_Placed]) -> list[_Placed]:
    """Return the statements that tell the remedy: from the first one on, while they do."""
    usable = [(at, s) for at, s in placed if s.asserted and not wording.says("failure", s.text)]
    usable = [(at, s) for at, s in usable if not wording.says("hedge", _kernel(s.text))]
    for tells in (_is_labelled, _is_done, _is_told):
        start = next((at for at, each in usable if tells(each)), None)
        if start is not None:
            return list(_run(usable, start))
    return []


def _run(usable: Sequence[_Placed], start: int) -> Iterator[_Placed]:
    last = start
    for at, statement in usable:
        follows = at == last + 1 and at < start + MAX_STATEMENTS
        more = _is_labelled(statement) or _is_done(statement) or _is_told(statement)
        if at == start or (follows and more and not _is_outcome(statement.text)):
            last = at
            yield at, statement


def _is_labelled(statement: Statement) -> bool:
    return statement.part is Part.FIX and not re.match(
        r"(?:tbd|none|n/?a|pending|no\b|待定|暂无|无$|没有|未)", statement.text, re.I
    )


def _is_done(statement: Statement) -> bool:
    return _is_free(statement) and deeds.is_done(statement.text)


def _is_told(statement: Statement) -> bool:
    return _is_free(statement) and deeds.is_told(statement.text)


def _is_free(statement: Statement) -> bool:
    known = statement.part in (Part.NONE, Part.FIX)
    return known and not wording.says("advice", statement.text)


def _settled(placed: Sequence[_Placed], done: Sequence[_Placed]) -> Remedy | None:
    worked = _worked([each for _, each in placed])
    if worked is False:
        return None
    text = "; ".join(dict.fromkeys(_kernel(each.text) for _, each in done))
    return Remedy(text, worked)


def _worked(statements: Sequence[Statement]) -> bool | None:
    """Return what the last word on it is."""
    worked: bool | None = None
    for each in statements:
        if each.part is Part.PLAN or wording.says("question", each.text):
            continue
        if wording.says("failure", each.text):
            worked = False
        elif wording.says("success", each.text) and not wording.says("hedge", each.text):
            worked = True
        if wording.says("open", each.text):
            return False
    return worked


# --- in the sentence of the cause -------------------------------------------------------

_THEN = re.compile(
    r"[，,；;]\s*(?:(?:and |so |then |therefore |hence )*(?=(?:i|we|fixed|solved|resolved"
    r"|cured)\b)|(?=[a-z]+(?:ed|et|an|ut)\b))"
    r"|[，,；;。]\s*(?=[\u3400-\u9fff]|[a-z])|\s+(?:—|–|--)\s+|(?:,)? (?:and|so) (?=(?:i|we)\b)",
    re.I,
)


def _inside(cause: Cause, behind: Sequence[_Placed]) -> Remedy | None:
    for cut in _THEN.finditer(cause.text):
        first, rest = cause.text[: cut.start()], cause.text[cut.end() :]
        if not _tells_outcome(rest, behind) or _goes_on(rest):
            continue
        if deeds.is_done(rest) and not wording.says("hedge", rest) and len(first) > 2:
            worked = _worked([Statement(rest), *(each for _, each in behind)])
            return None if worked is False else Remedy(_kernel(rest), worked, first)
    return None


def _goes_on(rest: str) -> bool:
    """Tell whether *rest* begins with more of the fault, and what was done comes later."""
    first = re.split(r"[，,；;]", rest, maxsplit=1)[0]
    return first != rest and wording.says("fault", first) and not deeds.is_done(first)


def _tells_outcome(rest: str, behind: Sequence[_Placed]) -> bool:
    texts = [rest, *(each.text for _, each in behind)]
    own = deeds.is_own(rest) or re.match(r"(?:fixed|solved|resolved|已|把|将)", rest, re.I)
    return bool(own) or any(wording.says("success", text) for text in texts)


# --- advised ----------------------------------------------------------------------------

_ADVICE = re.compile(
    r"^(?:i |we )?(?:strongly )?(?:recommend(?:ation|ed fix|ed)?|suggest(?:ion|ed fix)?"
    r"|advi[sc]e|propose)(?:ing)?s?"
    r"(?: (?:is|that|you|we|to))*[:：]?\s*(?:to )?|^(?:the (?:fix|remedy|solution) (?:is"
    r"|would be)(?: to)?)[:：]?\s*"
    r"|^.*?(?:建议|推荐|需要?|应当?该?)(?:您|你|是|为|：|:|先|尽快|后续|将来)*",
    re.I,
)


def _advised(behind: Sequence[_Placed]) -> Remedy | None:
    for _, each in behind:
        advice = each.part is Part.ADVICE or wording.says("advice", each.text)
        if not advice or not each.asserted or wording.says("hedge", each.text):
            continue
        what = _ADVICE.sub("", each.text, count=1).strip(" ，,：:")
        pointing = re.match(r"(?:that|it|this|they|those) |(?:这|那|它)", what, re.I)
        if what and not pointing and not wording.pattern("watch").match(what):
            return Remedy(_kernel(what), None)
    return None


def _unfinished(behind: Sequence[_Placed]) -> bool:
    return any(wording.says("open", each.text) for _, each in behind)


# --- the deed without its outcome ---------------------------------------------------------

_CLAUSE = re.compile(
    r"(\s*[，,；;]\s*(?:and |so |then )?| and (?=(?:the|all|it|they|now|every|\w+ (?:is|are|was"
    r"|were|have|has|can|resumed|recovered|works?|came))\b)|\s+(?:—|–)\s+)",
    re.I,
)
_OPENING = re.compile(
    r"^(?:目前|现在|已经|已|我们|我|于是|随后|随即|之后|然后|最后|所以)+[，,]?|^(?:(?:so|then"
    r"|and|therefore|finally|after that|now)[, ]+)*(?:(?:i|we)(?:'ve| have)? )?",
    re.I,
)


def _kernel(text: str) -> str:
    """Return *text* without the clauses that tell only how things are since."""
    pieces = _CLAUSE.split(text)
    kept = _before_after(pieces[0])
    for joint, clause in zip(pieces[1::2], pieces[2::2], strict=True):
        if not _is_outcome(clause):
            kept += joint + _before_after(clause)
    return _OPENING.sub("", kept).strip(" ,，;；。.") or text


def _before_after(clause: str) -> str:
    """Return what stands before "after which ..." in a Chinese clause."""
    match = deeds.AFTER_ZH.search(clause)
    rest = clause[match.end() :] if match else ""
    if match and match.start() > 1 and (not rest or wording.says("success", rest)):
        return clause[: match.start()].rstrip()
    return clause


def _is_outcome(clause: str) -> bool:
    if not wording.says("success", clause):
        return False
    goes_on = re.match(r"并|再|同时|然后|已|把|将|重", clause)
    return not goes_on and not (clause.isascii() and deeds.is_done(clause))
