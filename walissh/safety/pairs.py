"""Secrets that are known by their name: ``password=...``, ``"token": "..."`` and so on.

Most such names stand before something that is no secret (a path, a unit, a policy, a
placeholder): those values stay.
"""

import re
from collections.abc import Iterator

from walissh.safety import opaque

PIECES = frozenset(
    "pass pw psk secret token key cred sess cookie masterauth authtok".split()  # noqa: SIM905
)
"""Lower-case pieces of names; without one of them no pair is in a line."""

WORDS = {
    "pass": "(?:_?word|wd|_?phrase|code|wort)?", "pwd": "", "psk": "", "secret": "", "token": "",
    "key": "(?:[_-]?(?:id|secret|base)|-data)?\\d?", "authtok": "", "cred": "entials?", "_auth": "",
    "sess": "(?:ion)?_?id", "_pw": "", "sid": "",
}  # fmt: skip
"""How the names of secrets begin, and how they may go on."""
TO_VALUE = (
    r"\\?[\"'`]?\]?[^\S\n]{0,8}(?:[（(][^）)\n]{0,20}[）)])?"
    r"(?:[^\S\n]{0,20}(?:=|:=|[：:])|\"[^\S\n]+value=|[\"'],|>)"
)
"""What stands between a name and its value, within one line."""
_NAME = (
    r"(?:(?P<pass>pass(?:_?word|wd|_?phrase|code|wort)?|pwd|psk|_pw)"
    r"|authtok|secret|token|key(?:[_-]?(?:id|secret|base)|-data)?\d?|credentials?|_auth"
    r"|sess(?:ion)?_?id|sid)"
)
_QUOTED_OR_BARE = (
    r"(?:(?P<q>\\?[\"'`])(?P<quoted>(?:(?!(?P=q)).){1,4096})(?P=q)"
    r"|(?P<bare>[^\s\"'`,;&<>（）「」，。；、]+))"
)
_PAIR = re.compile(
    rf"(?i){_NAME}\\?[\"'`]?\]?\s{{0,8}}(?:[（(][^）)]{{0,20}}[）)])?"
    r"(?P<sep>\s{0,20}(?:=>|:=|[=：:])\s{0,30}|\"\s+value=|[\"'],\s*(?=[\"'])|>(?=[^<>\s]+</))"
    rf"{_QUOTED_OR_BARE}"
)
_STRONG_KEY = re.compile(
    r"(?:api|access|secret|private|encryption|signing|signature|app|license|account|auth|master|shared"
    r"|client|storage|session|cookie|subscription|deploy|service|consumer|webhook|hmac|aes|jwt|crypt"
    r"|ingest|function|primary|secondary|tls|pre[_-]?shared|fernet|hmac|wep|unseal|recovery|master"
    r"|registration|agent|join|cluster|webui|sendgrid|root)[_. -]?$",
    re.I,
)
_PLACE_IN_LIST = re.compile(r"(?:next|page|continuation|cursor|cancell?)[_-]?$", re.I)
_PW_OWNER = re.compile(r"(?:bind|root|admin|db|user)$", re.I)
_SPACED = re.compile(
    r"(?i)(?<![\w-])(?:(?P<pass>requirepass|masterauth|masterpass|auth-pass \S+|[\w-]*bind_?pw"
    r"|rootpw|--?(?:[\w.]+-)*(?:pass(?:word|wd|phrase)?|passwd|storepass|keypass|psk))"
    r"|--?(?:[\w.]+-)*(?:token|secret|api-?key|secret-key|access-key|certificate-key)|token:)\s+"
    rf"{_QUOTED_OR_BARE}"
)
_DIRECTIVE = re.compile(
    r"\s*(?:(?P<pass>password|passwd|passphrase|auth_pass)|[\w.-]*(?:secret|token|key))\s+"
    r"(?:[0-9]\s+)?(?P<q>[\"']?)(?P<quoted>)(?P<bare>[^\s\"';]{4,})[\"']?;?\s*",
    re.I,
)
"""A line of a configuration that is a name and a value, with nothing in between."""
STARTERS = (
    "-pass", "-storepass", "-keypass", "-psk", "-token", "-secret", "-api-key", "-apikey",
    "-access-key", "-secret-key", "-certificate-key", "token:", "requirepass", "masterauth",
    "masterpass", "auth-pass", "bindpw", "bind_pw", "rootpw", "cookie:",
)  # fmt: skip
"""Lower-case beginnings of all that is found here other than by WORDS and DIRECTIVE."""
DIRECTIVE = re.compile(
    r"(?m)^[^\S\n]*[\w.-]*(?:pass(?:word|wd|phrase)?|secret|token|key)[^\S\n]+"
    r"(?:\d[^\S\n]+)?[^\s]{4,}[^\S\n]*$"
)
_SPACED_WORDS = ("-", "requirepass", "master", "auth-pass", "bind", "rootpw", "token:")
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie:\s*(?P<all>.+)")
_COOKIE_VALUE = re.compile(r"(?P<name>[\w.-]+)=(?P<value>[^;,\s]{8,})")
_COOKIE_ATTRIBUTE = re.compile(r"(?i)path|domain|expires|max-age|samesite|version|priority|comment")


VALUE_LINE = re.compile(r"(?im)^[^\S\n]*\\?[\"']?\w{0,20}value\\?[\"']?[^\S\n]{0,4}[:=]")
"""How the second line of a name and its value begins."""
_NAME_LINE = re.compile(
    r"(?i)\s*(?:-\s*)?\\?[\"']?\w{0,20}(?:name|key)\\?[\"']?\s*[:=]\s*\\?[\"']?"
    r"[\w./-]*?(?P<word>pass(?:word|wd|phrase)?|pwd|secret|token|key)\\?[\"']?,?\s*"
)
_ITS_VALUE = re.compile(
    r"(?i)\s*\\?[\"']?\w{0,20}value\\?[\"']?\s*[:=]\s*"
    r"(?:(?P<q>\\?[\"'])(?P<quoted>(?:(?!(?P=q)).)+)(?P=q)|(?P<bare>[^\s\"',]+)),?\s*"
)


def announces(line: str) -> bool:
    """Tell whether *line* names a secret whose value stands in the next line."""
    return _NAME_LINE.fullmatch(line) is not None


def announced(line: str) -> Iterator[tuple[int, int, str]]:
    """Give the value in *line*, of which the line before gave the name."""
    found = _ITS_VALUE.fullmatch(line)
    if found:
        group = "quoted" if found["quoted"] else "bare"
        value = found[group]
        if len(value) >= _SHORT_PASSWORD and not opaque.is_none(value, bare=group == "bare"):
            yield (*found.span(group), "password")


def find(line: str, lower: str, present: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Give (start, end, kind) of each named secret in *line*.

    *present*: which of PIECES (and other pieces) *lower*, the line in lower case, has.
    """
    for lead, match in _named(line, lower, present):
        group = "quoted" if match["quoted"] else "bare"
        if match[group] and _is_secret(match, match[group], lead):
            yield (*match.span(group), "password" if match["pass"] else "key")
    if "cookie" in present:
        yield from _cookies(line)


def _named(line: str, lower: str, present: frozenset[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for word in WORDS:
        at = lower.find(word)
        while at >= 0:
            match = _PAIR.match(line, at)
            lead = line[max(0, at - 100) : at]
            if match and _is_name(word, lead):
                yield lead, match
            at = lower.find(word, at + 1)
    if any(word in lower for word in _SPACED_WORDS):
        for match in _SPACED.finditer(line):
            yield "", match
    directive = _DIRECTIVE.fullmatch(line)
    if directive and opaque.is_opaque(directive["bare"], least=6, hexadecimal=True):
        yield "", directive


def _is_name(word: str, lead: str) -> bool:
    """Tell whether *word* after *lead* names a secret: "key" and the like need company."""
    if word == "key":
        return _STRONG_KEY.search(lead) is not None
    if "arn:" in lead:
        return False
    if word == "token" and _PLACE_IN_LIST.search(lead):
        return False
    if word == "_pw":
        return _PW_OWNER.search(lead) is not None
    if word == "sid":
        return lead.lower().endswith(("connect.", "express.", "phps", "s")) or not lead
    return True


def _cookies(line: str) -> Iterator[tuple[int, int, str]]:
    for cookie in _COOKIE.finditer(line):
        for pair in _COOKIE_VALUE.finditer(line, cookie.start("all"), cookie.end("all")):
            if not _COOKIE_ATTRIBUTE.fullmatch(pair["name"]):
                yield (*pair.span("value"), "cookie")


# --- values that are no secret --------------------------------------------------------

_SHORT_KEY, _SHORT_PASSWORD = 6, 3
_PROSE = re.compile(r"[ \t]+[A-Za-z一-鿿]{2,}(?![\w=:]*[=:])")


def _is_secret(match: re.Match[str], value: str, lead: str) -> bool:
    """Tell whether *value* is a secret rather than a placeholder, path, size or prose."""
    bare = not match["quoted"]
    if value.startswith(("AKIA", "ASIA")) and "/" in value:
        return False  # the scope of a signature, of which only the key's id is told
    if opaque.is_none(value, bare=bare) or (match["q"] == "`" and " " in value):
        return False
    if not match["pass"] and (len(value) < _SHORT_KEY or opaque.NUMBER.fullmatch(value)):
        return False
    if len(value) < _SHORT_PASSWORD or _is_result(match, lead, value):
        return False
    return not (bare and _is_word(match, value))


def _is_word(match: re.Match[str], value: str) -> bool:
    """Tell plain words from passwords: "password: 16 bytes", pam_unix(passwd:chauthtok)."""
    if re.fullmatch(r"[a-z]+\):?", value):
        return True
    prose = _PROSE.match(match.string, match.end())
    if prose and re.fullmatch(r"[A-Z]?[a-z]+|\d{1,4}", value):
        return True
    return not match["pass"] and re.fullmatch(r"[a-z]+(?:[-_ ][a-z]+)*", value) is not None


def _is_result(match: re.Match[str], lead: str, value: str) -> bool:
    """Tell test results ("pass: 12", "PASS: TestLogin") from passwords."""
    alone = (match["pass"] or "").lower() in {"pass", "pwd"} and not re.search(r"[\w-]$", lead)
    if opaque.NUMBER.fullmatch(value):
        return alone or len(value) <= _SHORT_PASSWORD
    return alone and match["pass"].isupper() and re.fullmatch(r"[A-Z]\w+", value) is not None
