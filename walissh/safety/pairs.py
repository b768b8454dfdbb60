"""Secrets that are known by their name: ``password=...``, ``"token": "..."`` and so on.

Most such names stand before something that is no secret (a path, a unit, a policy, a
placeholder): those values stay.
"""

import re
from collections.abc import Iterator

PIECES = frozenset(
    "pass pw psk secret token key cred sess cookie masterauth connect.sid "  # noqa: SIM905
    "密码 口令 令牌 密钥 通行码".split()
)
"""Lower-case pieces of names; without one of them no pair is in a line."""

WORDS = {
    "pass": "(?:word|wd|phrase|code|wort)?", "pwd": "", "psk": "", "secret": "", "token": "",
    "key": "(?:[_-]?(?:id|secret)|-data)?", "cred": "entials?", "_auth": "",
    "sess": "(?:ion)?_?id", "_pw": "", "sid": "",
}  # fmt: skip
"""How the names of secrets begin, and how they may go on."""
TO_VALUE = (
    r"\\?[\"'`]?\]?[^\S\n]{0,8}(?:[（(][^）)\n]{0,20}[）)])?"
    r"(?:[^\S\n]{0,20}(?:=|:=|[：:])|\"[^\S\n]+value=|[\"'],|>)"
)
"""What stands between a name and its value, within one line."""
_NAME = (
    r"(?:(?P<pass>pass(?:word|wd|phrase|code|wort)?|pwd|psk|_pw)"
    r"|secret|token|key(?:[_-]?(?:id|secret)|-data)?|credentials?|_auth|sess(?:ion)?_?id|sid)"
)
_QUOTED_OR_BARE = (
    r"(?:(?P<q>\\?[\"'`])(?P<quoted>(?:(?!(?P=q)).){1,4096})(?P=q)"
    r"|(?P<bare>[^\s\"'`,;&<>（）「」，。；、]+))"
)
_PAIR = re.compile(
    rf"(?i){_NAME}\\?[\"'`]?\]?\s{{0,8}}(?:[（(][^）)]{{0,20}}[）)])?"
    r"(?P<sep>\s{0,20}(?:=>|:=|[=：:])\s{0,30}|\"\s+value=|[\"'],\s*|>(?=[^<>\s]+</))"
    rf"{_QUOTED_OR_BARE}"
)
_STRONG_KEY = re.compile(
    r"(?:api|access|secret|private|encryption|signing|signature|app|license|account|auth|master|shared"
    r"|client|storage|session|cookie|subscription|deploy|service|consumer|webhook|hmac|aes|jwt|crypt"
    r"|ingest|function|primary|secondary|tls|pre[_-]?shared)[_. -]?$",
    re.I,
)
_PW_OWNER = re.compile(r"(?:bind|root|admin|db|user)$", re.I)
_SPACED = re.compile(
    r"(?i)(?<![\w-])(?:(?P<pass>requirepass|masterauth|masterpass|auth-pass \S+|[\w-]*bind_?pw"
    r"|rootpw|--(?:pass(?:word|wd|phrase)?|storepass|keypass|psk))"
    r"|--(?:token|secret|api-key|secret-key|access-key|auth-token)|token:)\s+"
    rf"{_QUOTED_OR_BARE}"
)
STARTERS = (
    "--pass", "--storepass", "--keypass", "--psk", "--token", "--secret", "--api-key",
    "--access-key", "--auth-token", "token:", "requirepass", "masterauth", "masterpass",
    "auth-pass", "bindpw", "bind_pw", "rootpw", "cookie:", "密码", "口令", "令牌", "密钥", "通行码",
)  # fmt: skip
"""Lower-case beginnings of all that is found here other than by WORDS."""
_SPACED_WORDS = ("--", "requirepass", "master", "auth-pass", "bind", "rootpw", "token:")
_CHINESE = re.compile(
    r"(?P<pass>密码|口令|令牌|密钥|通行码)(?:[（(][^）)]{0,20}[）)])?\s*(?:[：:=]|为|是)\s*"
    r"(?P<q>)(?P<quoted>)[「『“\"'‘`]?(?P<bare>[^\s，。；、「」『』”\"'’`（）()]{4,})"
)
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie:\s*(?P<all>.+)")
_COOKIE_VALUE = re.compile(r"(?P<name>[\w.-]+)=(?P<value>[^;,\s]{8,})")
_COOKIE_ATTRIBUTE = re.compile(r"(?i)path|domain|expires|max-age|samesite|version|priority|comment")
_IN_CHINESE = frozenset({"密码", "口令", "令牌", "密钥", "通行码"})


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
            lead = line[max(0, at - 40) : at]
            if match and _is_name(word, lead):
                yield lead, match
            at = lower.find(word, at + 1)
    if any(word in lower for word in _SPACED_WORDS):
        for match in _SPACED.finditer(line):
            yield "", match
    if present & _IN_CHINESE:
        for match in _CHINESE.finditer(line):
            yield "", match


def _is_name(word: str, lead: str) -> bool:
    """Tell whether *word* after *lead* names a secret: "key" and the like need company."""
    if word == "key":
        return _STRONG_KEY.search(lead) is not None
    if word == "_pw":
        return _PW_OWNER.search(lead) is not None
    if word == "sid":
        return lead.lower().endswith("connect.")
    return True


def _cookies(line: str) -> Iterator[tuple[int, int, str]]:
    for cookie in _COOKIE.finditer(line):
        for pair in _COOKIE_VALUE.finditer(line, cookie.start("all"), cookie.end("all")):
            if not _COOKIE_ATTRIBUTE.fullmatch(pair["name"]):
                yield (*pair.span("value"), "cookie")


# --- values that are no secret --------------------------------------------------------

_SHORT_KEY, _SHORT_PASSWORD = 6, 3
_PLACEHOLDER = re.compile(
    r"(?i)(?:null|nil|none|undefined|true|false|yes|no|on|off|unset|empty|hidden|redacted|masked"
    r"|required|optional|enabled?|disabled?|set|not|unknown|n/?a|foobared|change_?me\w*|example|string"
    r"|str|text|invalid|expired|missing|denied|failed|ok|error|wrong|incorrect|sent|changed|default"
    r"|prompt|ask|file|env|sha\d*|md5|bytes|int|auto|basic|bearer|digest|password|secret|token)\W*"
    r"|[*•.xX#-]{3,}|<.*|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|%[({\w].*|[(\[{‹«|>].*|@\w+@?|!\w+.*"
    r"|(?:file|vault|arn|env|ssm|secret|op|http|https|/run|sm):.*"
)
_PATH = re.compile(
    r"~?(?:/(?:etc|var|run|opt|home|root|usr|srv|tmp|mnt|data|dev|proc|sys|secrets?|vault|app)(?:/.*)?"
    r"|/|~/.*|\.{1,2}/.*|[A-Z]:\\.*|\S+\.(?:pem|key|crt|txt|json|ya?ml|conf|file|go|py|java|js|c|rs|rb|php)(?::\d+)?)"
)
_PROSE = re.compile(r"[ \t]+[A-Za-z一-鿿]{2,}(?![\w=:]*[=:])")
_CJK = re.compile(r"[一-鿿]")
_NUMBER = re.compile(r"[\d.,]+(?:%|[smhd]|ms|[kmg]i?b?)?", re.I)


def _is_secret(match: re.Match[str], value: str, lead: str) -> bool:
    """Tell whether *value* is a secret rather than a placeholder, path, size or prose."""
    if _PLACEHOLDER.fullmatch(value) or _PATH.fullmatch(value) or _CJK.search(value):
        return False
    if not match["pass"] and (len(value) < _SHORT_KEY or _NUMBER.fullmatch(value)):
        return False
    if len(value) < _SHORT_PASSWORD or _is_count(match, lead, value):
        return False
    bare = not match["quoted"]
    if bare and re.fullmatch(r"[a-z]+\):?", value):
        return False  # pam_unix(passwd:chauthtok)
    if bare and re.fullmatch(r"[a-z]+|\d{1,4}", value) and _PROSE.match(match.string, match.end()):
        return False  # "password: change me before use", "password: 16 bytes"
    return not (bare and re.fullmatch(r"[a-z]+(?:[-_ ][a-z]+)*", value) and not match["pass"])


def _is_count(match: re.Match[str], lead: str, value: str) -> bool:
    """Tell test results ("pass: 12") and the like from passwords made of digits."""
    if not _NUMBER.fullmatch(value):
        return False
    alone = (match["pass"] or "").lower() in {"pass", "pwd"} and not re.search(r"[\w-]$", lead)
    return alone or len(value) <= _SHORT_PASSWORD
