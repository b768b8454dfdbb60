"""Find the established cause among statements, and what it was the cause of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from walissh.memory.extract import deeds, wording
from walissh.memory.extract.statements import Part, Statement


class Strength(IntEnum):
    """How a cause was told: by its form, by a word such as "since", or by name."""

    LOOSE = 0
    LINKED = 1
    CERTAIN = 2


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


def _last_defect(claimed: Sequence[tuple[int, Statement]]) -> Cause | None:
    """Return the defect that was told last before something was done: what came first was seen."""
    last = None
    for at, statement in claimed:
        last = _defective(at, statement) or last
        if last is not None and deeds.is_done(statement.text):
            break
    return last


# --- words of cause -------------------------------------------------------------------

_ZH_CAUSE = (
    r"(?:根本|真正的?|直接|主要|最终|具体)?(?:原因|根因|元凶|真凶|罪魁祸首|祸首|症结|起因|诱因|源头|根源|病根|问题根源|肇因)"
)
_WORDED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        # Chinese
        rf"^(?P<s>.*?)的?(?:是)?{_ZH_CAUSE}(?:已经?)?(?:找到|查明|查清|明确|确定|确认|定位|锁定)?(?:了|到|为)?"
        r"(?:就|正|其实|确认|最终|同样|也)*(?:出?在于?|是因为|是由于|是|为|来自|[:：])\s*(?P<c>.+)$",
        r"^(?:因为|由于|因(?![此而素果为]))(?P<c>.+?)[，,]?(?<!会)(?:导致|造成|致使|使得|引起|引发)了?(?P<s>.+)$",
        r"^(?P<s>.+?)[，,]?\s*(?:都|就|正|主要|其实|确实|全)?是?(?:因为|由于|(?<![原起诱病根主])因(?![此而素果]))(?P<c>.+)$",
        r"^(?:因为|由于|因(?![此而素果]))(?P<c>[^，,]+)[，,](?P<s>.+)$",
        r"^(?P<s>.+?)(?:是|系|都是)?(?:由于?|受|被)(?P<c>.+?)所?(?:引起|导致|造成|触发|引发|所致|拖垮|拖慢|拖死|影响)的?"
        r"(?P<m>[:：，,（(].+)?$",
        r"^(?P<s>.+?)(?:是|系)(?P<c>.+?)(?:引起|导致|造成|触发|引发|惹)的(?P<m>[:：，,（(].+)?$",
        r"^(?P<s>.*?)(?:原来是?|定位到是?|定位为|查明是?|查出是?|查到是?|证实是|确认是|确定是|发现是|锁定在?"
        r"|问题就?(?:出在|在于|是)|毛病就?(?:出在|在于?)|坑在|锅在|根子在|源于|源自|归因于|归咎于|罪在|卡在|败在|输在)"
        r"[:：]?(?P<c>.+)$",
        r"^(?P<c>.+?)[，,]?(?:从而|进而|最终|结果|直接|才|间接|并|就)*(?<!会)(?:导致|造成|致使|引发|引起|触发|使得)了?(?P<s>.+)$",
        # English
        r"^(?P<s>.+?),? (?:\w+ly )?(?:because(?: of)?|due to|owing to|on account of|as a result of"
        r"|thanks to|on the grounds of|courtesy of)(?: the fact that)? (?P<c>.+)$",
        r"^(?P<s>.+?) (?:\w+ly )?(?:caused|triggered|brought on|brought about|produced|provoked|induced"
        r"|explained|driven) by (?P<c>.+)$",
        r"^(?P<s>.+?) (?:came|comes?|stemmed|stems?|resulted|results?|arose|arises?|originated|originates?)"
        r" (?:straight |directly |all )?from (?P<c>.+)$",
        r"^(?P<s>.*?)\b(?:traced|tracked|boils?|boiled|attributed|came|comes|narrowed|pinned|put)(?: it| this| them| that)?"
        r"(?: back| down)+(?: to| on)? (?P<c>.+)$|^(?P<s2>.*?)\b(?:traced|attributed) (?:\w+ )?to (?P<c2>.+)$",
        r"^(?:.{0,40}[,:] )?(?:the |its |and the )?(?:actual |real |true |root |underlying |direct |main )*"
        r"(?:cause|reason|culprit|trigger|explanation|offender|villain|root|(?<=the )(?:problem|issue|fault|trouble|source))\b"
        r"(?P<s>.{0,90}?)(?:\s*:\s+|,? (?:was|is|were|turned out to be|turned out|proved to be|lay|lies)(?: in| that)? )(?P<c>.+)$",
        r"^(?P<s>.+?) (?:was|were|is|are) (?:all |simply |mostly |entirely )?down to (?P<c>.+)$",
        r"^(?:i |we )?(?:have )?(?:traced|tracked|narrowed|pinned) (?P<s>.+?) (?:back |down )*(?:to|on) (?P<c>.+)$",
        r"^what (?!helped|fixed|solved|worked|i did)(?P<s>.+?) (?:was|were|is) (?P<c>.+)$",
        r"^(?P<s>.*?)\b(?:it )?(?:turns|turned) out(?: that| to be)?,? (?P<c>.+)$",
        r"^(?P<c>.+?),? (?:which |that |and (?:this|that) |this |has |had |in turn )*(?:caused(?! by)|causing"
        r"|led to|leading to|triggered(?! by)|triggering|resulted in|resulting in) (?P<s>.+)$",
        r"^(?P<c>.+?)(?:,| and)? (?:was|is|were) (?:the (?:root )?(?:cause|culprit|reason|trigger)|to blame|at fault|responsible|behind)"
        r"(?: (?:of|for|behind))?(?P<s>.*)$",
        r"^(?P<c>.+?),? (?:which|that|this) is why (?P<s>.+)$",
    )
)
_NO_PLACE = frozenset({Part.FIX, Part.ADVICE, Part.RESULT})
_NO_CAUSE = re.compile(
    r"^(?:not|n't|unclear|unknown|fixed|resolved|solved|gone|back|fine|ok|simple|clear|found|known|that simple"
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
        return Cause(at, cause.text, cause.symptom)
    if _is_sound("", statement.text, statement.text):
        return Cause(at, statement.text)
    return None


def _worded(at: int, statement: Statement) -> Cause | None:
    if statement.part in _NO_PLACE:
        return None
    for symptom, cause in _matches(_WORDED, statement.text):
        if _is_sound(symptom, cause, statement.text):
            return Cause(at, cause, symptom)
    return None


# --- told by form ---------------------------------------------------------------------

_LINKED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"^(?P<s>.*?(?:慢|失败|超时|报错|异常|卡死?|挂了?|断开|不通|起不来|不上|不了|不到|不出|丢失|高|升|告警|重启|崩溃|错误"
        r"|宕机|无法\S{1,8}|不能\S{1,8}|[45]\d\d))[，,]?就?是(?![否不真的]|因为|由于)(?P<c>.+)$",
        r"^(?P<s>.+?),? (?:since|as|because) (?!(?:of|a|an)? ?(?:\d|yesterday|last|then|this|monday|well|soon|long|far|usual|expected|root)\b)"
        r"(?P<c>(?:\S+ ){1,}.+)$",
        r"^(?P<s>[^,:;，：]+? (?:was|were|is|are|got|been|being|stayed) (?:\w+ly )?\w+(?:ed|en|wn|ut|ld|pt|un)"
        r"(?: (?:up|out|off|down|in|over|offline|full))?) by (?!hand\b)(?P<c>.+)$",
    )
)
_LOOSE = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"^(?:it|this|that|they|everything|all of (?:it|them))(?: all)? (?:was|were) (?:just |simply |only |all |actually |really )*"
        r"(?:down to )?(?P<c>(?:an?|the|our|one|two|some|my|\S+'s)\b.+)$",
        r"^(?P<s>[^:：]{2,60}?)(?<!\d)(?:：\s*|:\s+)(?P<c>.+)$",
        r"^(?P<s>.+?)\s+(?:—|–|--?)\s+(?P<c>.+)$",
        r"^(?P<c>.+?),? (?:so|hence|therefore|and so|which (?:meant|made|broke|blocked|kept|stopped|prevented|left|filled))"
        r" (?P<s>(?!i\b|we\b).+)$",
        r"^(?P<s>.+?),? (?:after|once|when|ever since|while|until) (?P<c>.+)$",
        r"^(?P<s>.+?) (?:failed|died|crashed|hung|stalled|choked|tripped|broke|stopped) (?:on|over|at|with) (?P<c>(?:an?|the|its|one) \S+ .+)$",
        r"^(?:i |we )?(?:found|discovered|noticed|identified|confirmed|determined)(?: out)?(?: that)?:? (?P<c>.+)$",
        r"^(?P<c>(?:\S+ ){2,}?)(?:had |has )?(?:prevented|blocked|broke|starved|killed|stopped|took down|brought down"
        r"|knocked out|filled|ate|hogged) (?P<s>.+)$",
        r"^(?P<c>.+?)[，,](?:所以|因此|因而|于是|以致|以至于?|故)(?P<s>.+)$",
        r"^(?P<s>.*?)(?:发现|确认|查到|查出|定位到|检查到)(?:了)?[:：，,]?(?P<c>.+)$",
    )
)


def _linked(at: int, statement: Statement) -> Cause | None:
    return _formed(at, statement, _LINKED, Strength.LINKED)


def _loose(at: int, statement: Statement) -> Cause | None:
    return _formed(at, statement, _LOOSE, Strength.LOOSE)


def _formed(
    at: int, statement: Statement, patterns: Sequence[re.Pattern[str]], strength: Strength
) -> Cause | None:
    if statement.part in _NO_PLACE or not _is_firm(statement.text):
        return None
    for symptom, cause in _matches(patterns, statement.text):
        if _is_sound(symptom, cause, statement.text) and not wording.says("success", symptom):
            return Cause(at, cause, symptom, strength)
    return None


def _defective(at: int, statement: Statement) -> Cause | None:
    """Take a plain statement that something was wrong: what follows must be its remedy."""
    text = statement.text
    if statement.part in _NO_PLACE or not _is_firm(text):
        return None
    first = _FIRST_CLAUSE.split(text, maxsplit=1)[0]
    told = first if deeds.is_done(text) else text  # the remedy may stand in the same sentence
    if not wording.says("defect", told) or deeds.is_done(told):
        return None
    rest = text[len(first) :].strip(_AROUND)
    if wording.says("defect", first) or not wording.says("defect", rest) or len(first) <= 3:
        return Cause(at, text, strength=Strength.LOOSE)
    return Cause(at, rest, first, Strength.LOOSE)


_FIRST_CLAUSE = re.compile(
    r"[，;；]|,(?=[^,]*[\u3400-\u9fff])|,(?= (?:its?|the|their|an?|but|and|\S+ (?:was|were|is|are|had|did))\b)"
)


def _is_firm(text: str) -> bool:
    return not any(wording.says(kind, text) for kind in ("hedge", "fine", "self_healed", "failure"))


# --- either -----------------------------------------------------------------------------

_AROUND = " \t,，、:：;；.。—–"
_BEFORE_SYMPTOM = re.compile(
    r"^(?:of|for|behind|why|with|that)\s+|^(?:经?(?:排查|核实|检查|确认)(?:后)?[，,]?)?(?:这次|本次|此次)?(?:发现|确认)?"
    r"|^(?:first|initially|then|so|and|but)[, ]+",
    re.I,
)

_AFTER_SYMPTOM = re.compile(r"(?:,? (?:is|are|was|were|has|had|been|but|and))+$|(?:就|都|主要|确实)$"
    r"|[，,](?:经?排查后?|检查后?|最终|最后|一查|查了一下)$", re.I)
_BEFORE_CAUSE = re.compile(r"^(?:了?[，,：:]\s*)?(?:就是|是)")


def _matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        match = pattern.match(text)
        if match is not None:
            said = match.groupdict()
            more = said.get("m") or ""
            cause = (said["c"] if "c" in said and said["c"] else said.get("c2")) or ""
            symptom = said.get("s") or said.get("s2") or ""
            cause = (cause.strip(_AROUND) + more).strip(_AROUND)
            yield _trimmed(symptom), _BEFORE_CAUSE.sub("", cause)


def _trimmed(symptom: str) -> str:
    symptom = _BEFORE_SYMPTOM.sub("", symptom.strip(_AROUND))
    return _AFTER_SYMPTOM.sub("", symptom).strip(_AROUND)


def _is_sound(symptom: str, cause: str, text: str) -> bool:
    """Tell whether it is a reason for a fault, said without doubt: no reason for a deed."""
    first = re.split(r"[，,。;；(（]", cause, maxsplit=1)[0]
    if len(cause) < 3 or _NO_CAUSE.match(cause):
        return False
    told = text[: text.find(first) + len(first)]
    if wording.says("hedge", symptom) or wording.says("hedge", told):
        return False
    return not (deeds.is_own(symptom) or deeds.is_own(cause))
