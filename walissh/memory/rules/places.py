"""Where a rule holds: hosts, patterns of names and groups, taken out of a clause."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from walissh.memory.rules.vocabulary import vocabulary

_WORDS = (
    "never|do|dont|don|not|no|please|ask|only|always|between|before|after|without|unless"
    "|until|if|when"
    "|while|during|because|must|may|should|shall|can|cannot|will|be|is|are|was|were|to|of|with|by"
    "|read|readonly|first|me|you|i|we|it|they|nor|but|except|than|so|since|as|touch|restart"
    "|stop|delete"
)
NAME = (  # ASCII only: Chinese stands beside it without a blank
    rf"(?<![A-Za-z0-9_./@*-])(?!(?:{_WORDS})(?![A-Za-z0-9_*-]))[A-Za-z0-9_*?]"
    r"(?:[A-Za-z0-9_.*?\[\]-]{0,99}[A-Za-z0-9_*?\]])?(?![A-Za-z0-9_/@*:-])"
)
_EVERY = "*"
_KIND = r"(?:hosts?|servers?|machines?|nodes?|box(?:es)?|instances?|vms?)"
_KIND_ZH = r"(?:服务器|机器|主机|节点|机子|实例|虚拟机)"
_NUMBER_ZH = r"(?:这|那)?[一二两三四五六七八九十几\d]?[台个]?"
_LIST = (
    rf"{NAME}(?:\s*(?:,(?:\s*(?:and|or)\b)?|、|/|\band\b|\bor\b|&|和|与|及|以及|或者?)\s*{NAME})*"
)


@dataclass(frozen=True, slots=True)
class Places:
    """The hosts that a clause names, those that it leaves out, and the clause without them.

    *hosts* are names, patterns with ``*``, or ``group:NAME``; () is every host.
    """

    hosts: tuple[str, ...]
    excepted: tuple[str, ...]
    rest: str
    named: bool


def matches(patterns: Iterable[str], host: str, groups: Sequence[str]) -> bool:
    """Tell whether a host of these groups is meant by one of *patterns*.

    A bare name may also be that of a group: who writes "on web" means all of them.
    """
    name, of = host.lower(), {group.lower() for group in groups}
    for pattern in patterns:
        lower = pattern.lower()
        group = lower.removeprefix("group:")
        if group != lower:
            if any(fnmatchcase(each, group) for each in of):
                return True
        elif fnmatchcase(name, lower) or lower in of or name.split(".")[0] == lower:
            return True
    return False


def take(clause: str, known: frozenset[str] = frozenset()) -> Places:
    """Find the places of *clause*; *known* are names of hosts and groups of the person."""
    hosts: list[str] = []
    excepted: list[str] = []
    text = clause
    for pattern, reader in (*_PATTERN_FORMS, *_place_forms(), *_BARE_FORMS):
        at = 0
        while match := pattern.search(text, at):
            at = match.start()
            found = reader(match, known)
            if found is None:
                at += 1
                continue
            (excepted if _is_exception(match) else hosts).extend(found)
            text = f"{text[: match.start()]} {text[match.end() :]}"
    everywhere = _EVERY in hosts
    named = tuple(dict.fromkeys(each for each in hosts if each != _EVERY))
    return Places(named, tuple(dict.fromkeys(excepted)), text, bool(named) or everywhere)


def looks_like_host(name: str, known: frozenset[str] = frozenset()) -> bool:
    """Tell whether a bare name is rather a host than a program: web1, db-02, prod*, a.b.c."""
    if name.lower() in known:
        return True
    if name.lower() in vocabulary().aliases or not re.fullmatch(NAME, name):
        return False
    if "*" in name or "?" in name:
        return True
    if re.fullmatch(r"[a-z]+\d(?:\.\d+)?", name, re.I) and re.match(
        r"(?i)(?:php|python|apache|bind|http|k3|s3|ext|ipv)\d", name
    ):
        return False
    return bool(re.fullmatch(r"(?i)[a-z]+(?:[-_.][a-z0-9]+)*[-_.]?\d+(?:\.[a-z][\w.-]*)?", name))


Reader = Callable[[re.Match[str], frozenset[str]], "list[str] | None"]


def _is_exception(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("except"))


def _names(text: str) -> list[str]:
    return [name for name in re.findall(NAME, text) if not _NO_NAMES.fullmatch(name)]


_NO_NAMES = re.compile(
    r"(?:and|or|the|an?|on|in|at|all|any|every|each|hosts?|servers?|machines?|nodes?|groups?"
    r"|port|my"
    r"|our|your|it|them|this|that|these|those|there)",
    re.I,
)
_NO_PLACES = frozenset(
    ("port", "top", "demand", "purpose", "principle", "behalf", "your", "own", "time")
)


# --- how each form is read ------------------------------------------------------------------


def _listed(match: re.Match[str], known: frozenset[str]) -> list[str] | None:
    names = _names(match["names"])
    if not names or any(name.lower() in _NO_PLACES for name in names):
        return None
    return names


def _hostlike(match: re.Match[str], known: frozenset[str]) -> list[str] | None:
    names = _names(match["names"])
    fits = names and all(looks_like_host(name, known) for name in names)
    return names if fits else None


def _grouped(match: re.Match[str], known: frozenset[str]) -> list[str] | None:
    name = match["names"]
    return None if _NO_NAMES.fullmatch(name) else [f"group:{name}"]


def _prefixed(match: re.Match[str], known: frozenset[str]) -> list[str]:
    names = match["names"]
    return [each if "*" in each else f"{each}*" for each in _names(names)]


def _suffixed(match: re.Match[str], known: frozenset[str]) -> list[str]:
    return [f"*{each.lstrip('*')}" for each in _names(match["names"])]


def _containing(match: re.Match[str], known: frozenset[str]) -> list[str]:
    return [f"*{each.strip('*')}*" for each in _names(match["names"])]


def _every(match: re.Match[str], known: frozenset[str]) -> list[str]:
    return [_EVERY]


_SURE = (
    r"(?:(?P<except>\b(?:except|excluding|other than|but not|apart from)(?: for)?(?: on)?)"
    r"|\b(?:on|across|onto))\s+"
)
_PREP = (
    r"(?:(?P<except>\b(?:except|excluding|other than|but not|apart from)(?: for)?(?: on)?)"
    r"|\b(?:on|in|at|to|of|across|for|from|into))\s+"
)
_ALL = r"(?:(?:all|any|every|each|both|the|my|our|of|these|those|other)\s+)*"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(
        pattern.replace("~NAMES", f"(?P<names>{_LIST})").replace("~NAME", f"(?P<names>{NAME})"),
        re.I,
    )


_PATTERN_FORMS = [
    (
        _form(
            rf"(?:{_PREP})?{_ALL}(?:{_KIND}\s+)?(?:whose names? )?(?:(?:that |which )?(?:starts?"
            rf"|starting|beginn?s?|beginning)(?: with)|prefixed(?: with)?"
            rf"|with (?:the )?prefix)\s+[\"'`]?~NAMES[\"'`]?"
        ),
        _prefixed,
    ),
    (
        _form(
            rf"(?:{_PREP})?{_ALL}(?:{_KIND}\s+)(?:whose names? )?(?:(?:that |which )?(?:ends?"
            rf"|ending)(?: (?:with|in))|with (?:the )?suffix)\s+[\"'`]?~NAMES[\"'`]?"
        ),
        _suffixed,
    ),
    (
        _form(
            rf"(?:{_PREP})?{_ALL}(?:{_KIND}\s+)(?:whose names? )?(?:contain(?:s|ing)?"
            rf"|with)\s+[\"'`]?~NAMES[\"'`]?(?: in (?:the|their) names?)?"
        ),
        _containing,
    ),
    (
        _form(
            rf"(?:{_PREP})?{_ALL}(?:{_KIND}\s+)(?:matching|named|called"
            rf"|like)\s+[\"'`]?~NAMES[\"'`]?"
        ),
        _listed,
    ),
    (
        _form(
            rf"(?:在|对|于)?(?:所有|全部|凡是?|任何)?(?:名字|名称|主机名|名)?(?:是"
            rf"|为)?以?\s*~NAMES\s*(?:开头|打头"
            rf"|起头|为?前缀)的?(?:所有"
            rf"|全部)?的?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?"
        ),
        _prefixed,
    ),
    (
        _form(
            rf"(?:在|对|于)?(?:所有|全部|凡是?|任何)?(?:名字|名称|主机名|名)?(?:是"
            rf"|为)?以?\s*~NAMES\s*(?:结尾"
            rf"|为?后缀)的?(?:所有"
            rf"|全部)?的?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?"
        ),
        _suffixed,
    ),
    (
        _form(
            rf"(?:在|对|于)?(?:所有|全部|凡是?|任何)?(?:名字|名称|主机名|名)(?:里面?"
            rf"|中)?(?:带有?|含有?|包含"
            rf"|有)\s*~NAMES\s*的(?:所有"
            rf"|全部)?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?"
        ),
        _containing,
    ),
    (
        _form(
            rf"(?:(?P<except>除了?|排除)|在|对|于)?\s*(?:分组|群组|主机组|组)\s*~NAME\s*(?:里"
            rf"|中|内|上)?的?(?:所有"
            rf"|全部)?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?(?:以外|之外|外)?"
        ),
        _grouped,
    ),
    (
        _form(
            rf"(?:(?P<except>除了?|排除)|在|对|于)?\s*~NAME\s*(?:分组|群组|主机组|组"
            rf"|集群)(?:里|中|内|上)?的?(?:所有|全部"
            rf"|每台)?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?(?:以外|之外|外)?"
        ),
        _grouped,
    ),
    (_form(rf"(?:{_PREP}){_ALL}(?:groups?|clusters?)\s+~NAME"), _grouped),
    (
        _form(rf"(?:{_PREP})?{_ALL}~NAME\s+(?:group|cluster|fleet|pool|tier)\b(?:\s+{_KIND})?"),
        _grouped,
    ),
]

_BARE_FORMS = [
    (
        _form(
            rf"(?P<except>除了?|排除)\s*~NAMES\s*{_KIND_ZH}?(?:以外|之外|外)?的?(?:其他|其它"
            rf"|别的)?(?:所有"
            rf"|全部)?{_KIND_ZH}?(?:上的?|里的?|中的?|的)?"
        ),
        _listed,
    ),
    (
        _form(
            rf"(?:{_PREP})(?:(?:all|any|every|each)(?: (?:of )?(?:the|my|our))?|the|my"
            rf"|our)\s+{_KIND}\b(?!\s+(?:{NAME}))"
        ),
        _every,
    ),
    (_form(r"\b(?:anywhere|everywhere)\b"), _every),
    (
        _form(
            rf"(?:在|对|于)?(?:所有|全部|每一?台|任何一?台?|任意一?台?"
            rf"|各)(?:的)?{_KIND_ZH}(?:上的?|里的?|中的?|的)?"
        ),
        _every,
    ),
    (_form(rf"(?:{_SURE}){_ALL}(?:{_KIND}\s+)?~NAMES(?:\s+{_KIND}\b)?"), _listed),
    (_form(rf"(?:{_PREP}){_ALL}{_KIND}\s+~NAMES"), _listed),
    (_form(rf"(?:{_PREP}){_ALL}~NAMES\s+{_KIND}\b"), _listed),
    (_form(rf"(?:{_PREP}){_ALL}~NAMES"), _hostlike),
    (_form(rf"(?:在|对|于)?\s*{_KIND_ZH}\s*~NAMES\s*(?:上面?的?|里面?的?|中的?|的)?"), _listed),
    (
        _form(rf"(?:在|对|于)?\s*~NAMES\s*{_NUMBER_ZH}{_KIND_ZH}(?:上面?的?|里面?的?|中的?|的)?"),
        _listed,
    ),
    (
        _form(
            r"(?:在|对|于)?\s*~NAMES\s*(?:这|那)[一二两三四五六七八九十几\d]?台(?:上面?的?"
            r"|里面?的?|中的?|的)?"
        ),
        _listed,
    ),
    (_form(r"(?:在|对|于)?\s*~NAMES\s*上面?的?"), _listed),
    (_form(r"(?:在|对|于)\s*~NAMES\s*(?:里面?|中)的?"), _listed),
    (_form(r"(?:在|对)?\s*~NAMES\s*的(?=\s*[A-Za-z/~`\"'])"), _listed),
    (_form(r"(?:在|对)?\s*~NAMES\s*(?:里面?|中)?的"), _hostlike),
    (_form(r"\b~NAME['’]s?\s"), _hostlike),
]


@cache
def _place_forms() -> list[tuple[re.Pattern[str], Reader]]:
    """Return the forms of the words that stand for many hosts ("production")."""
    forms: list[tuple[re.Pattern[str], Reader]] = []
    for words, hosts in vocabulary().places:
        around = (
            rf"(?:{_PREP}|(?P<zh>除了?|在|对|于))?{_ALL}(?:{words.pattern})\s*的?(?:所有|全部|任何"
            rf"|每台)?(?:{_KIND}\b|{_KIND_ZH})?(?:上面?的?|里面?的?|中的?|的)?(?:以外|之外)?"
        )
        forms.append((_form(around), _meaning(hosts)))
    return forms


def _meaning(hosts: tuple[str, ...]) -> "Reader":
    def read(match: re.Match[str], known: frozenset[str]) -> list[str]:
        return list(hosts)

    return read
