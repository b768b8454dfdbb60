"""Cut a sentence that tells a fault, its cause and its remedy in one breath.

"The certificate had expired, renewing it helped" and "after the renewal the page is back, the
old certificate had expired" tell the same: whichever comes first becomes a statement of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from walissh.memory.extract import deeds, wording
from walissh.memory.extract.outline import Part
from walissh.memory.extract.statements import Statement

MAX_CLAUSES = 12

_JOINT = re.compile(
    r"\s*(?:(?:；|;\s|\s[—–]\s|:\s|：)|[，,]\s*(?=[\u3400-\u9fff])|，"
    r"|,\s+(?:(?:and|but|so)\s+)?(?:(?:it|this|that) (?:was|is|got|has been) )?"
    r"(?=(?:which|because|since|as|after|once|by|until|fixed|solved|resolved|cured|gone|i|we"
    r"|(?:re)?\w{3,}(?:ing|ed)|\S+ (?:had|has) been|the \S+ had)\b)"
    r"|(?:,|\s)\s*(?=(?:until|and) (?:i|we)\b))\s*",
    re.I,
)
# the whole in one clause: what was done (f), against what (s), and where that came from (c)
_WHOLE = (
    re.compile(
        r"^(?:通过|用|靠|借助)?(?P<f>\S.{1,60}?)(?:解决|修复|消除|处理|排除)(?:了|掉)?(?:由于|因为|因|由)?"
        r"(?P<c>[^，,。]{2,60}?)(?:所|而)?(?P<l>导致|引起|造成|引发|产生)的?(?P<s>[^，,。]{2,60})$"
    ),
    re.compile(
        r"^(?:i |we )?(?:fixed|solved|resolved|cured|stopped|ended|cleared) (?P<s>.{3,80}?),? "
        r"(?:which (?:was|were) )?(?P<l>caused by|due to|coming from|that came from|brought on by)"
        r" (?P<c>.{3,90}?),? (?:by|through|via|with) (?P<f>\w+ing .{3,90})$",
        re.I,
    ),
)


def finer(told: Sequence[Statement]) -> list[Statement]:
    """Return the statements, those that hold a remedy beside something else cut in two."""
    return [piece for each in told for piece in _cut(each)]


def _cut(statement: Statement) -> Iterator[Statement]:
    if statement.part is not Part.NONE:
        yield statement
        return
    pieces = _whole(statement.text) or _apart(statement.text)
    for number, piece in enumerate(pieces):
        remedied = _is_remedy(piece)
        why = number == 1 and not remedied and wording.says("gone_wrong", piece)
        part = Part.CAUSE if why else Part.NONE
        yield replace(statement, text=piece, part=part, found=statement.found and not remedied)


def _whole(text: str) -> tuple[str, str] | None:
    for shape in _WHOLE:
        match = shape.match(text)
        if match and match["l"].isascii():
            return f"{match['s']} was {match['l']} {match['c']}", f"{match['f']} fixed it"
        if match:
            return f"{match['c']}{match['l']}{match['s']}", f"{match['f']}，已解决"
    return None


def _apart(text: str) -> tuple[str, ...]:
    """Return (the rest, the remedy) or (the remedy, the rest), else the text as it is."""
    for joint in list(_JOINT.finditer(text))[:MAX_CLAUSES]:
        head, tail = text[: joint.start()], text[joint.end() :]
        if len(head) < 3 or len(tail) < 3 or wording.says("hedge", head):
            continue
        if _begins_remedy(tail) and not _is_remedy(head):
            return head, tail
        if _is_remedy(head) and _is_reason(tail):
            return head, tail
    return (text,)


def _is_remedy(text: str) -> bool:
    done = deeds.is_done(text) or wording.says("remedied", text)
    return done and wording.says("success", text) and not wording.says("failure", text)


def _begins_remedy(text: str) -> bool:
    first = re.split(r"[，,；;]", text, maxsplit=1)[0]
    if wording.says("fault", first) and not _is_remedy(first) and not deeds.is_done(first):
        return False
    return _is_remedy(text)


def _is_reason(text: str) -> bool:
    return wording.says("reason", text) or wording.says("defect", text)
