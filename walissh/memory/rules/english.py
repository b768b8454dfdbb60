"""The English grammar of standing rules: never, ask before, read-only, only between."""

import re
from dataclasses import dataclass
from functools import cache

from walissh.memory.rules.rule import Effect
from walissh.memory.rules.vocabulary import alternatives, vocabulary


@dataclass(frozen=True, slots=True)
class Spoken:
    """Effect, canonical verbs, and the words for what they are done to."""

    effect: Effect
    actions: tuple[str, ...]
    about: str
    only: bool = False


_CONSENT = (
    r"(?:ok(?:ay)?|approval|permission|consent|confirmation|go-?ahead|blessing|sign-?off|agreement"
    r"|say-?so|nod|authori[sz]ation|green light)"
)
_MY = r"(?:(?:my|our|an?|the|any|a human|human|explicit|express|prior|written|clear|previous)\s+)*"
_ASKING = re.compile(
    rf"[,;:–-]?\s*\b(?:but\s+)?(?:"
    rf"(?:without|only with|except with|subject to|not without|only after|pending"
    rf"|until you (?:have|get)|before)\s+(?:first\s+)?"
    rf"(?:(?:getting|having|asking for|obtaining|receiving|requesting"
    rf"|me giving)\s+)?{_MY}{_CONSENT}"
    rf"(?:\s+(?:first|from me|by me|beforehand))*"
    rf"|(?:without|only after|before)\s+(?:first\s+)?(?:asking|checking with"
    rf"|consulting(?: with)?|confirming with|clearing (?:it|this) with"
    rf"|talking to|running (?:it|this) by)(?:\s+(?:me|us))?(?:\s+first)?"
    rf"|(?:unless|until|except (?:when|if)|only (?:if|when|after)|once)\s+i(?:['’]ve"
    rf"| have)?\s+(?:explicitly |clearly |expressly |personally )?"
    rf"(?:say|said|tell|told|ask|asked|approve|approved|agree|agreed|confirm|confirmed|allow"
    rf"|allowed|permit|permitted|request|requested|okay|ok|okayed)"
    rf"(?:\s+(?:so|it|you|to|for|yes|first|that|this|otherwise))*"
    rf"|(?:needs?|requires?|must have)\s+{_MY}{_CONSENT}(?:\s+(?:first|from me|by me))*"
    rf")",
    re.I,
)
_ASK_FIRST = re.compile(
    rf"^(?:(?:always|please|you must|you should|you need to|you have to|make sure (?:to|you)"
    rf"|be sure to|remember to|first)\s+)*"
    rf"(?:(?:i (?:want|need|have|would like) to be asked|i must be asked|let me know|ask"
    rf"|check with|confirm with|consult|talk to|come to|confirm|check|ask for|tell"
    rf"|warn|notify|inform|run it by|clear it with)"
    rf"(?:\s+(?:me|us|first|explicitly))*(?:\s+for\s+{_MY}{_CONSENT})?"
    rf"|(?:get|wait for|obtain|request|seek|ask for|require"
    rf"|have)\s+{_MY}{_CONSENT}(?:\s+(?:first|from me))*)"
    rf"\s*[,:]?\s*(?:(?:before|prior to|ahead of|when|whenever|if)\b(?:\s+(?:you|ever"
    rf"|you want to|you need to|you have to|you are about to))*)\s*",
    re.I,
)
_ASK_LAST = re.compile(
    rf"[,;:–-]\s*(?:(?:always|please|you must|you should|first|then)\s+)*(?:(?:ask|check with"
    rf"|confirm with|consult|tell|warn|notify)"
    rf"(?:\s+(?:me|us|first|beforehand|before|for {_CONSENT}))*|(?:get|wait for"
    rf"|ask for)\s+{_MY}{_CONSENT}(?:\s+first)?)\s*$",
    re.I,
)
_BEFORE = re.compile(
    r"^(?:before|prior to|whenever|when|if)\s+(?:you\s+(?:ever\s+|want to\s+|need to\s+"
    r"|have to\s+|are about to\s+)?)?",
    re.I,
)
_REASON = re.compile(
    r"(?i)\s*(?:[,(–-]\s*)?\b(?:because|since (?:it|that|this|they|we)|as (?:it|this|that"
    r"|they|we)\b|so that|or else|otherwise"
    r"|it is (?:the|our|a)|it['’]s (?:the|our|a)|that['’]s (?:the|our|a)|they are (?:the|our)).*$"
)
_OPENING = re.compile(
    r"(?i)^(?:(?:rule(?: \d+)?|policy|note|important|warning|standing rule|remember|attention"
    r"|strict|reminder)\s*[:!-]\s*"
    r"|(?:please|kindly|from now on|in (?:the )?future|going forward|as a rule|always|and|but"
    r"|also|so|ok|well|remember"
    r"|in general|generally|every day|daily|at any time|under all circumstances"
    r"|no matter what|whatever happens)\b\s*,?\s*|[,:;.–-]+\s*)+"
)
_CLOSING = re.compile(
    r"(?i)[\s,;:.!–-]*(?:\b(?:please|ever|again|at all|at any time|any time"
    r"|under any circumstances"
    r"|in any case|whatsoever|no matter what|no exceptions?|period|full stop|thanks?"
    r"|ok)\b[\s,;:.!–-]*)*$"
)
_SUBJECT = r"(?:you|we|the agent|the assistant|walissh|anyone|anybody|nobody|no one|no-one)"
_NEVER = re.compile(
    rf"^(?:(?P<nobody>nobody|no one|no-one)\s+(?:may|can|must|should|shall|is allowed to"
    rf"|is permitted to|ever|gets to|is to)\s+(?:ever\s+)?"
    rf"|(?:{_SUBJECT}\s+)?(?:(?:must|should|may|can|shall|will|do|please|are"
    rf"|is)\s+)?(?:absolutely\s+|strictly\s+)?"
    rf"(?:never(?:\s+ever)?|not(?:\s+ever)?|don['’]?t(?:\s+ever)?|mustn['’]?t|shouldn['’]?t"
    rf"|cannot|can['’]?t|shan['’]?t|won['’]?t|aren['’]?t|ain['’]?t)\s+"
    rf"(?:(?:be\s+)?(?:allowed|permitted|supposed|authori[sz]ed)\s+to\s+|to\s+|you\s+|even\s+"
    rf"|try to\s+|attempt to\s+|think (?:about|of)\s+)*"
    rf"|(?:under no circumstances?|in no case|at no time|by no means|on no account"
    rf"|never ever)\s*,?\s*(?:(?:{_SUBJECT}\s+)?(?:should|may|must|can|do"
    rf"|are)\s+(?:{_SUBJECT}\s+)?(?:to\s+)?)?"
    rf"|(?:it is|it['’]s|{_SUBJECT} are)\s+(?:strictly |absolutely )?(?:forbidden|prohibited"
    rf"|not allowed|not permitted|never ok|not ok)\s+to\s+"
    rf"|(?P<gerund>(?:refrain|abstain|desist)\s+from\s+|(?P<soft>avoid)\s+|(?:stop"
    rf"|quit)\s+(?=\w+ing\b)))",
    re.I,
)
_NO = re.compile(
    (
        r"^(?:absolutely |strictly )?no(?:\s+more|\s+further)?\s+(?:(?:unattended|unplanned"
        r"|automatic"
        r"|manual|direct|random|live)\s+)*"
    ),
    re.I,
)
_NO_NEED = re.compile(
    r"(?i)no (?:need|reason|problem|point|way|rush|hurry|worr|doubt|idea|more than|matter|longer)"
)
_FORBIDDEN = re.compile(
    r"\s+(?:is|are|remains?|stays?)?\s*(?:strictly\s+|absolutely\s+|always\s+|completely\s+)?"
    r"(?:forbidden|prohibited|banned|disallowed|verboten|(?:not|never)\s+(?:allowed|permitted"
    r"|ok(?:ay)?|acceptable|an option|to happen)"
    r"|out of the question|off the table|a no-go|taboo)\s*$",
    re.I,
)
_PASSIVE = re.compile(
    r"^(?P<about>.*?)\s*\b(?:(?:must|should|may|can|shall|is|are|will|ought)\s*(?:not|never"
    r"|n['’]?t)|mustn['’]?t|shouldn['’]?t|cannot|can['’]t|isn['’]?t|aren['’]?t)\s+"
    r"(?:ever\s+)?(?:to\s+)?(?:be\s+|get\s+)(?:ever\s+)?(?P<rest>.*)$",
    re.I,
)
_OFF_LIMITS = re.compile(
    r"^(?:(?P<about>.+?)\s+(?:is|are)\s+(?:strictly\s+|absolutely\s+"
    r"|completely\s+)?(?:off[- ]limits?|untouchable|sacrosanct|sacred|no-go areas?"
    r"|hands[- ]off)"
    r"|(?:keep (?:your )?hands off|hands off|stay away from|keep away from|keep out of"
    r"|stay out of|steer clear of)(?:\s+of)?\s+(?P<about2>.+)"
    r"|leave\s+(?P<about3>.+?)\s+(?:alone|untouched|be|as (?:it|they) (?:is|are)|in peace))\s*$",
    re.I,
)
_READ_ONLY = re.compile(
    r"(?:\b(?:treat|consider|keep|handle|regard|leave)\s+)?(?P<about>.*?)\s*(?:\b(?:is|are|as"
    r"|be|to be|stays?|remains?|must (?:be|stay|remain)|should (?:be|stay|remain)|has|have"
    r"|gets?)\s+)*"
    r"(?:strictly\s+|always\s+|only\s+|purely\s+)*"
    r"(?:\bread[- ]?only\b(?:\s+(?:access|mode|commands?|operations?|use|usage|rights?"
    r"|permissions?|please|only|allowed))*"
    r"|\b(?:only|just)\s+(?:ever\s+)?(?:read|look|observe|inspect|view|(?:run|use|execute|do"
    r"|issue)\s+read[- ]?only(?:\s+(?:commands?|things|operations?))?|reading)(?:\s+(?:access"
    r"|is allowed|allowed))?"
    r"|\blook(?:,| but)? (?:but )?(?:don['’]?t|do not|never) touch\b|\b(?:you (?:may"
    r"|can) )?only look\b|\breading only\b|\bread access only\b)"
    r"(?:\s*(?:,|and|;)\s*(?:no|never|don['’]?t)\s+(?:write|writes|change|changes|modify"
    r"|touch)(?:\s+anything)?)?\s*$",
    re.I,
)
_NO_CHANGES = re.compile(
    (
        r"^(?:absolutely )?no (?:changes?|modifications?|writes?|write access)(?: (?:whatsoever"
        r"|at all|of any kind|allowed))?$"
    ),
    re.I,
)


def read(text: str) -> Spoken | None:
    """Return what *text*, without hours and places, orders; None: it orders nothing."""
    plain = _REASON.sub("", text)
    plain, asks = _without_asking(plain)
    plain = _CLOSING.sub("", _OPENING.sub("", plain.strip()))
    plain = _BEFORE.sub("", plain) if asks else plain
    found = None if asks else _read_only(plain) or _only(plain)
    found = found or _never(plain) or (_asked(plain) if asks else None)
    if found is None:
        return None
    effect = Effect.ASK if asks and found.effect is Effect.NEVER else found.effect
    return Spoken(effect, found.actions, found.about, found.only)


def _without_asking(text: str) -> tuple[str, bool]:
    asks = False
    stripped = _OPENING.sub("", text.strip())
    for pattern in (_ASK_FIRST, _ASK_LAST, _ASKING):
        cut = pattern.sub(" ", stripped)
        asks |= cut != stripped
        stripped = cut.strip() if cut != stripped else stripped
    return stripped, asks


def _read_only(text: str) -> Spoken | None:
    match = _READ_ONLY.fullmatch(text)
    if match and not _NEVER.match(text):
        return Spoken(Effect.ONLY_READ, (), match["about"] or "")
    return Spoken(Effect.ONLY_READ, (), "") if _NO_CHANGES.fullmatch(text) else None


def _only(text: str) -> Spoken | None:
    """Read "only restart mysql" and its kin: never, but in the hours that were named."""
    plain = re.sub(r"(?i)^(?:you\s+)?(?:may|can|should|must)?\s*\bonly\s+", "", text)
    if plain != text:
        return _verb(plain, "base", only=True)
    match = re.fullmatch(
        (
            r"(?i)(.*?)\s+(?:may|can|must|should|is to|are to|is"
            r"|are)\s+only\s+(?:to\s+)?(?:be\s+)?(.*)"
        ),
        text,
    )
    if match:
        told = _verb(match[2], "past", only=True)
        if told:
            return Spoken(told.effect, told.actions, f"{match[1]} {told.about}", only=True)
        text = f"{match[1]} {match[2]} only"
    plain = re.sub(
        (
            r"(?i)\s*(?:(?:is|are)\s+)?(?:only\s+(?:allowed|permitted|ok)|(?:allowed|permitted"
            r"|ok)\s+only|only)\s*$"
        ),
        "",
        text,
    )
    if plain != text:
        return _verb(plain, "base", only=True) or _noun(plain, only=True)
    return None


def _never(text: str) -> Spoken | None:
    off = _OFF_LIMITS.fullmatch(text)
    if off:
        return Spoken(Effect.NEVER, ("change",), off["about"] or off["about2"] or off["about3"])
    passive = _PASSIVE.fullmatch(text)
    if passive:
        told = _verb(passive["rest"], "past")
        if told:
            return Spoken(Effect.NEVER, told.actions, f"{passive['about']} {told.about}")
    head, label = _label(text)
    match = _NEVER.match(head)
    if match:
        told = _verb(head[match.end() :], "gerund" if match["gerund"] else "base")
        effect = Effect.ASK if match["soft"] else Effect.NEVER
        found = told or _bare_command(head[match.end() :]) or Spoken(effect, (), head)
        return Spoken(effect, found.actions, f"{label} {found.about}")
    if _NO.match(head) and not _NO_NEED.match(head):
        told = _noun(_NO.sub("", head))
        return told and Spoken(told.effect, told.actions, f"{label} , {told.about}")
    if _FORBIDDEN.search(head):
        return _noun(_FORBIDDEN.sub("", head))
    return None


def _bare_command(text: str) -> Spoken | None:
    """Read "never docker rm": what begins with a program is a command."""
    first = text.partition(" ")[0].strip("`\"'")
    known = first in vocabulary().programs or first in vocabulary().aliases
    return Spoken(Effect.NEVER, ("run",), text) if known else None


def _label(text: str) -> tuple[str, str]:
    """Part "mysql: never restart" into the rule and what it is about."""
    label, colon, rest = text.partition(": ")
    return (rest.strip(), f"{label} ,") if colon and len(label.split()) < 4 else (text, "")


def _asked(text: str) -> Spoken | None:
    """Read what stands beside "ask me": restarting mysql, you restart mysql, restarts."""
    bare = re.sub(r"(?i)^(?:you|anyone|the agent)\s+", "", text)
    return _verb(bare, "gerund") or _verb(bare, "base") or _noun(bare)


# --- verbs --------------------------------------------------------------------------------


def _verb(text: str, form: str, *, only: bool = False) -> Spoken | None:
    """Read verbs at the beginning of *text*; what follows is what they are done to."""
    match = _listed(form).match(text)
    if match is None:
        return None
    names = tuple(dict.fromkeys(_canonical(form, word) for word in _words(form).findall(match[0])))
    if len(names) > 1 and "run" in names:
        return None
    if re.match(r"\s+-", text[match.end() :]):
        return Spoken(Effect.NEVER, ("run",), text, only)  # kill -9 postgres
    return Spoken(Effect.NEVER, names, text[match.end() :], only)


def _noun(text: str, *, only: bool = False) -> Spoken | None:
    """Read "restarts of mysql", "mysql restarts", "restarting mysql"."""
    told = _verb(text, "noun", only=only)
    if told:
        return told
    match = re.fullmatch(rf"(?i)(.+?)\s+(?P<verb>{_alternatives('noun')})", text)
    if match is None:
        return None
    return Spoken(Effect.NEVER, (_canonical("noun", match["verb"]),), match[1], only)


@cache
def _listed(form: str) -> re.Pattern[str]:
    verb = f"(?:{_alternatives(form)})"
    join = r"\s*(?:,(?:\s*(?:and|or|nor)\b)?|/|\bor\b|\band\b|\bnor\b)\s*"
    return re.compile(rf"(?i)\s*{verb}\b(?!-)(?:{join}(?:to |be )?{verb}\b(?!-))*")


@cache
def _words(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)\b(?:{_alternatives(form)})\b")


@cache
def _alternatives(form: str) -> str:
    """Return all words of a form, the longest first, so that "shut down" is not "shut"."""
    words = [word for each in _by_action(form) for word in alternatives(each[1])]
    return "|".join(sorted(set(words), key=len, reverse=True))


def _by_action(form: str) -> list[tuple[str, str]]:
    actions = vocabulary().actions.values()
    if form == "base":
        return [(each.name, each.said_en) for each in actions]
    if form == "past":
        return [(each.name, each.past_en) for each in actions]
    return [(each.name, each.nouns) for each in actions]


def _canonical(form: str, word: str) -> str:
    return next(name for name, words in _by_action(form) if re.fullmatch(f"(?i)(?:{words})", word))
