"""Tell what was done from what was seen, in English by tense and in Chinese by words."""

import re

from walissh.memory.extract import wording

_LEADING = (
    r"(?:(?:and|then|so|also|finally|afterwards|therefore|hence|now|after that|as a fix|for now"
    r"|in the end"
    r"|to (?:fix|solve|cure|stop|repair) (?:it|this|that)|i|we|i've|we've|have|has|just|already"
    r"|both|permanently"
    r"|temporarily|manually|simply|fix|what helped|done|ok)[,:]? +)*"
)
_FIRST_VERB = re.compile(rf"^{_LEADING}(?:re-)?(?P<v>[a-z]+)\b(?P<next>(?: \w+)?)", re.I)
_PASSIVE = re.compile(
    r"\b(?:was|were|been|got|is now|are now) (?:\w+ly |then |also |now "
    r"|since )*(?:re-)?(?P<v>[a-z]+)\b",
    re.I,
)
_PRESENT = re.compile(r"\b(?:is|are) (?P<v>[a-z]+) .{0,40}\b(?:now|instead|since)\b", re.I)
_NOW = re.compile(r"^\S*[\w.]+[_.-]\S+ (?:is|are) now (?:set to |at |on )?\S", re.I)
_ACTIVE = re.compile(
    r"^(?:the |an? )?[\w./-]+(?: [\w./-]+){0,3}? (?:re-)?(?P<v>[a-z]+ed|cut|set|put|brought"
    r"|split|took|freed) (?:the|it|its|all|an?|this)\b",
    re.I,
)
_EARLIER = re.compile(
    r"\b(?:last (?:week|night|month|year)|yesterday|earlier|previously|days? ago|during the"
    r"|someone|a colleague|by mistake"
    r"|by (?:an?|the) \w+)\b|上周|上个月|昨[天晚]|之前|当时|此前|上次|变更时|发布时|有人|同事"
    r"|误(?:删|改|操作|配|关|把|将|设|写|用|开)|曾",
    re.I,
)
_OWN = re.compile(
    r"^(?:(?:so|and|then|therefore)[, ]+)?(?:i|we)(?:'ve| have)? (?:\w+ly |then |also "
    r"|just )*(?P<v>[a-z]+)\b",
    re.I,
)
AFTER_ZH = re.compile(r"(?<![最然落滞前今之以])(?:之后|以后|后)(?![端台续缀面者置门])")
_TIME_ZH = re.compile(r"高峰|凌晨|早上|晚上|分钟|小时|一会|过了|\d\s?[点秒天]|时间|没有|不|无法")
_OWN_ZH = re.compile(r"^(?:我|我们|已经?)(?!的|方)")
_LATER = re.compile(
    r"^(?:已经?|我|于是|随后|随即|之后|然后|最后|把|将|通过|给|在|对|再|并|重|用|经)|(?:之后"
    r"|以后|后)(?=[，,]|$)|了(?![^，,]{0,2}的)"
)


# "has not run since it was started": the verb stands in a clause beside what is said
_ASIDE = re.compile(
    r"\b(?:since|when|until|because|as|if|before|whether|not|never|no|nothing|none)\b[^,;:]*$", re.I
)


def is_done(text: str) -> bool:
    """Tell whether *text* says first of all that something was done: "Removed the lock"."""
    return _is_done_en(text) or _is_done_zh(text)


def is_told(text: str) -> bool:
    """Tell whether *text* may say so in another form: "the lock was removed"."""
    if _EARLIER.search(text):
        return False
    passive = any(
        is_action(m["v"]) and not _ASIDE.search(text[: m.start()])
        for p in (_PASSIVE, _PRESENT)
        for m in p.finditer(text)
    )
    if _NOW.search(text):
        return True
    active = _ACTIVE.match(text)
    return passive or bool(active and is_action(active["v"])) or _acts_zh(text) is not None


def is_own(text: str) -> bool:
    """Tell whether *text* is what the speaker did: its reason is no cause of a fault."""
    own = _OWN.match(text)
    if own is not None and (is_action(own["v"]) or own["v"].lower() in {"believed", "thought"}):
        return True
    first = _FIRST_VERB.match(text)
    begins = first is not None and is_action(first["v"]) and text[:1].isupper()
    bare = (
        begins
        and first is not None
        and not re.match(r"\w+ (?:\w+ )?(?:was|were|is|are|had)\b", text)
    )
    return bare or bool(_OWN_ZH.match(text) and _acts_zh(text))


def is_action(verb: str) -> bool:
    """Tell whether *verb* is the past form of something that one does to a machine."""
    verb = verb.lower()
    if verb in wording.words("irregular"):
        return True
    return verb.endswith("ed") and len(verb) > 4 and verb not in wording.words("not_action")


def _is_done_en(text: str) -> bool:
    if wording.says("deed", text):
        return True
    first = _FIRST_VERB.match(text)
    if first is None or not (is_action(first["v"]) or first["v"] in wording.words("bare")):
        return False
    # "Blocked requests were seen" begins with a participle; "Set of" with a noun
    return not re.match(r"^\w+ \w+ (?:was|were|are|is|had)\b|^\w+ of\b", text)


def _is_done_zh(text: str) -> bool:
    if _EARLIER.search(re.split(r"[，,；;]", text, maxsplit=1)[0]):
        return False
    if _went_wrong(text):
        return False
    found = _acts_zh(text)
    if found is None:
        return _helped_zh(text)
    begins = found.start() == 0 or text[0] in "已我先再并又均都也将把给只后"
    return (
        (found.start() <= 1 and begins)
        or _LATER.search(text) is not None
        or wording.says("success", text)
    )


def _went_wrong(text: str) -> bool:
    """Tell whether *text* says "after X it was broken": what was done first is no remedy."""
    after = AFTER_ZH.search(text)
    rest = text[after.end() :] if after else ""
    return wording.says("defect", rest) and not wording.says("success", rest)


def _helped_zh(text: str) -> bool:
    """Tell whether *text* says "after X it was well again", whatever X is called."""
    after = AFTER_ZH.search(text)
    if after is None or after.start() < 2 or _TIME_ZH.search(text[: after.start()]):
        return False
    return wording.says("success", text[after.end() :])


def _acts_zh(text: str) -> re.Match[str] | None:
    if not re.search(r"[\u3400-\u9fff]", text):
        return None
    for match in wording.pattern("act_zh").finditer(text):
        if wording.says("not_done_zh", text[: match.start()]):
            continue
        if not wording.says("not_act_zh", text[match.end() :]):
            return match
    return None
