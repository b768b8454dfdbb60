"""Version numbers in a line: where they are, and which numbers are none."""

import re

_MAX_CHARS = 40

_DOTTED = re.compile(
    r"(?<![A-Za-z0-9.@])[vVrU]?(?P<v>RELEASE\.\d{4}-\d\d-\d\dT[\dZ-]+|\d+(?:\.\d+)+[\w.+~-]*"
    r"(?:\(\d\))?)"
)
_WHOLE = re.compile(r"[vVr]?(?P<v>(?:\d{1,4}|\d{8})[a-z]?\d?)(?![\w./:-]|, \d|\s+\d{4}\b)")
_AT = re.compile(
    r"[\"'(]?[vVr]?(?P<v>RELEASE\.\d{4}-\d\d-\d\dT[\dZ-]+|\d+(?:\.\d+)+[\w.+~-]*(?:\(\d\))?"
    r"|\d{1,8}[a-z]?\d{0,2}(?![\w./:-]))"
)
_TWICE = re.compile(r"\s*\(v?((?P<major>\d+)\.\d[\w.+~-]*)\)")
_EXACT = re.compile(r"(?:^|\s)(?P<short>\d+\.\d+),? [Vv(](?P<v>(?P=short)\.\d[\w.-]*)")
_DISTRIB = re.compile(r"\bDistrib\s+(?P<v>\d[\w.-]*)")
_IN_WORDS = re.compile(r"\b(\d+), version (\d+), (?:subversion|patchlevel) (\d+)")
_PARENS = re.compile(r"\([^()]*\)")


def prepared(row: str) -> str:
    """Return a row without addresses and folders: their numbers say nothing."""
    row = _REST.split(row, maxsplit=1)[0]
    row = re.sub(r"\w+://\S+", " ", row) if "://" in row and "containerd://" not in row else row
    row = re.sub(r"(?<![\w:.)])/(?:[\w.+-]+/)+", "", row)
    row = re.sub(r"(?<![A-Za-z])go(?=\d+\.)", "go ", row)
    row = re.sub(r"(?<![A-Za-z])(?:stable|r|edge)-(?=\d+\.)", "", row)
    return re.sub(r"\bv=(?=\d)", " ", row)


def after(row: str, start: int) -> str:
    """Return the version that follows *start*, "" if none.

    One outside brackets is preferred, then one inside, then a whole number right there.
    """
    tail = row[start:]
    spelled = _IN_WORDS.search(row) or _DISTRIB.search(tail)
    if spelled:
        return spelled["v"] if "v" in spelled.groupdict() else ".".join(spelled.groups())
    whole = re.match(r"[\s:,=]+(?:version|ver|release)?[\s:,=\"]*(?=[vVr]?\d)", tail, re.I)
    number = _WHOLE.match(tail, whole.end()) if whole else None
    if number:
        twice = _TWICE.match(tail, number.end())
        if twice and twice["major"] == number["v"]:
            return f"{number['v']} ({twice[1]})"
    exact = _EXACT.search(tail)
    if exact:
        return _trimmed(exact["v"])
    found = _dotted(tail)
    if number and (found is None or found.start() > number.end() + 20):
        return _trimmed(number["v"])
    return _trimmed(found["v"]) if found else ""


def dotted(row: str) -> str:
    """Return the first version with a dot in *row*, outside brackets if it can be."""
    found = _dotted(row)
    return _trimmed(found["v"]) if found else ""


def _dotted(tail: str) -> re.Match[str] | None:
    outside = _DOTTED.search(_PARENS.sub(lambda inside: " " * len(inside[0]), tail))
    return outside or _DOTTED.search(tail)


def at(row: str, start: int) -> str:
    """Return the version exactly at *start*, "" if there is none."""
    found = _AT.match(row, start)
    return _trimmed(found["v"]) if found else ""


_FILLER = frozenset(
    "version ver release v server client utility is the daemon program distrib core tool "  # noqa: SIM905
    "framework tools engine emulator cli debian ubuntu gnu linux red hat enterprise bits "
    "subversion line interface code runner package management community edition software from "
    "using running compilation compiler".split()
)


def name_before(row: str, version: str) -> str:
    """Return the word that names what has this *version*, "" if none does."""
    at_place = row.find(version.split(" ", maxsplit=1)[0])
    before = _PARENS.sub(" ", row[: max(at_place, 0)])
    listed = re.findall(r"[A-Za-z][\w+.-]*", before)
    kept = [w for w in (w.strip("-_.") for w in listed) if w.lower() not in _FILLER and len(w) > 1]
    return kept[-1][:30] if kept else ""


def _trimmed(version: str) -> str:
    version = version.rstrip(".,:;-_+~")
    if len(version) > _MAX_CHARS:
        version = re.match(r"[\d.]+\w*", version)[0][:_MAX_CHARS]  # type: ignore[index]
    return version


_NOISE = re.compile(
    r">=|<=|\brequire[sd]?\b|\blatest\b|out of date|\bupgrade|\bupdate|\bnewer\b|\bavailable\b|"
    r"\bminimum\b|\bdeprecated|\bgrammar\b|\bWARN(?:ING)?\b|最新|可升级|需要|"
    r"(?:^\W*|_)(?:api|config|schema|rpc|abi)[ _]?version\b|version_code|^\W*go[ _]?version\s*[:=]|"
    r"^\W*git[ _](?:commit|sha|revision|hash|branch)|"
    r"^\W*(?:library|plugin|build|built|compiled|commit|runtime|linked|"
    r"running (?:on|with|hypervisor))\b"
    r"(?!\W*(?:version|tag))",
    re.I,
)
_REST = re.compile(
    r"copyright|©|licen[sc]e|all rights|warranty|\bfree software\b|版权|"
    r"[,;(]?\s*\bprotocol version|"
    r"\bcompiled (?:with|by)|\bbuilt (?:with|on|by)|\bbased on\b",
    re.I,
)
_REFUSAL = re.compile(
    r"not found|no such|cannot|can't|can not|could not|couldn't|denied|not installed"
    r"|unrecogni[sz]ed|"
    r"unknown (?:option|command|flag)|invalid (?:option|argument)|^usage:|^error\b|: error|failed|"
    r"refused|timed? ?out|未找到|尚未安装|未安装|没有那个|无法|找不到|权限不够|not supported",
    re.I,
)


def is_noise(row: str) -> bool:
    """Tell whether a row speaks of other versions: licences, requirements, newer ones."""
    return _NOISE.search(row) is not None


def is_refusal(row: str) -> bool:
    """Tell whether a row says that the program could not answer."""
    return _REFUSAL.search(row) is not None
