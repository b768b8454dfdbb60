"""Secrets that have no name of their own, but words around them and a look that tells.

A weak name ("auth", "salt", a key of no known kind) with a value that can be nothing else;
prose about a password; Chinese words for all of them.
"""

import re
from collections.abc import Iterator

from walissh.safety import opaque

WEAK = ("auth", "salt", "_pat", "_sk", "key", "sess", "sig", "licen", "dockerconfig", "jwt", "dsn")
"""Lower-case pieces of names that also stand before much that is no secret."""
CHINESE = (
    "密码", "口令", "令牌", "密钥", "通行码", "授权码", "凭证", "凭据", "私钥", "秘钥",
    "密碼", "金鑰", "權杖", "密匙", "激活码", "鉴权码", "卡密", "暗号",
)  # fmt: skip
PROSE = ("password", "passphrase", "passwd")
ACCOUNTS = ("账号", "账户", "用户", "后台", "登录", "数据库", "服务器", "帳號")
PIECES = frozenset((*WEAK, *CHINESE, *ACCOUNTS, *PROSE, "secret", "token", "new value", "login"))
"""Lower-case pieces without one of which nothing is found here."""

_LONG = r"(?:[\"'`][^\n\"'`]{12,}|[^\s\"'`,;<>&]{12,})"
WEAKLY_NAMED = re.compile(
    r"(?:auth|salt|_pat|_sk|key\d?|session|sig|signature|license|dockerconfigjson|jwt|dsn)"
    r"(?:\s\d{1,2})?\\?[\"'`]?\]?[^\S\n]{0,4}(?:=>|:=|[=:]|[\"'],)[^\S\n]{0,8}\\?" + _LONG
)
"""A weak name and a long value, in lower-case text."""
_WEAK = re.compile(
    r"(?i)(?<![A-Za-z])(?P<name>(?:[\w.-]{0,60}[_. -]|[\w]{0,30})"
    r"(?:auth|salt|pat|sk|key\d?|session|sig|signature|license|dockerconfigjson|jwt|dsn))"
    r"(?:\s\d{1,2})?\\?[\"'`]?\]?\s{0,4}(?P<sep>=>|:=|[=:]|[\"'],)\s{0,8}"
    r"(?:(?P<q>\\?[\"'`])(?P<quoted>(?:(?!(?P=q)).){12,512})(?P=q)|(?P<bare>[^\s\"'`,;&<>]{12,}))"
)
_HARMLESS = re.compile(
    r"(?i)public|pub|site|cache|host|sort|partition|primary|foreign|unique|routing|idempoten"
    r"|websocket|object|message|row|hash|group|publishable|fingerprint|known|sock|ssh_?key"
    r"|author$|next|last|page|start|continuation|redis[ _]?key$|kms|key_?ring"
)
_WEAKEST = re.compile(r"(?i)(?:session|sig|signature|dsn)$")

PASSWORD_TOLD = re.compile(
    r"pass(?:word|wd|phrase)\b(?:[^\n:=]{1,80}?(?:[:=]|\b(?:is|was|to)\b)[^\S\n]*|[^\S\n]+)"
    r"[^\s]{0,40}[\d!@#$%^&*]"
)
"""Prose that may tell a password, in lower-case text."""
_TOLD = tuple(
    re.compile(rf"(?i)\bpass(?:word|wd|phrase)\b{joint}[\"'`]?(?P<bare>[^\s\"'`,;&，。；]{{6,}})")
    for joint in (r"[^\n:=]{0,80}?[:=]\s*", r"[^\n:=]{0,80}?\b(?:is|was|to)\s+", r"\s+")
)
_RESET = re.compile(r"(?i)\bnew value:\s*(?P<bare>[^\s\"'`,;]{8,})")
_LOGIN = re.compile(
    r"(?i)\b(?:login|log in|credentials?|account)\b[^\n/]{0,40}?\b\w+/(?P<bare>[^\s/,;]{6,})"
)

_CHINESE = re.compile(
    rf"(?:{'|'.join(CHINESE)})[\"']?(?P<note>\s*[（(][^）)]{{0,20}}[）)])?\s*"
    r"(?P<sep>(?:已?(?:重置|修改|更改|更新|设置|改|设|换)?(?:为|成|是)\s*[：:]?|[：:=＝]|=>|->)\s*)?"
    r"[「『“\"'‘`【]?(?P<bare>[^\s，。；、！「」『』”\"'’`【】（）()：一-鿿]{4,})"
)


_ACCOUNT = re.compile(
    r"(?:账号|账户|用户|后台|登录|数据库|服务器|帳號)[^/／\n]{0,30}?[\w.-]+\s*[/／]\s*"
    r"(?P<bare>[^\s/，。；、！（）()一-鿿]{6,})"
)
ALOUD = re.compile(r"(?:secret|token|key)[\w.-]{0,20}[^\S\n]+[a-z0-9+/_=.-]{24}")
"""What may be a key right behind the word for it, in lower-case text."""
_NAMED_ALOUD = re.compile(
    r"(?i)(?:secret|token|key)[\w.-]{0,20}\s+(?P<bare>[A-Za-z0-9+/_=.-]{24,})(?=\s|$)"
)


def find(line: str, present: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Give (start, end, kind) of each secret in *line*; *present*: which of PIECES it has."""
    if not present.isdisjoint(WEAK):
        yield from _weakly_named(line)
    if not present.isdisjoint(CHINESE):
        yield from _in_chinese(line)
    if not present.isdisjoint(PROSE):
        yield from _told(line)
    if "key" in present or "token" in present or "secret" in present:
        for found in _NAMED_ALOUD.finditer(line):
            if opaque.is_opaque(found["bare"], least=24):
                yield (*found.span("bare"), "key")
    for found in _ACCOUNT.finditer(line) if not line.isascii() else ():
        if opaque.is_opaque(found["bare"], least=6) and _has_sign(found["bare"]):
            yield (*found.span("bare"), "password")
    for piece, shape in (("new value", _RESET), ("login", _LOGIN)):
        for told in shape.finditer(line) if piece in present else ():
            if opaque.is_opaque(told["bare"]) and _has_sign_or_case(told["bare"]):
                yield (*told.span("bare"), "password")


def _has_sign(value: str) -> bool:
    return re.search(r"[!@#$%^&*]", value) is not None


def _has_sign_or_case(value: str) -> bool:
    return re.search(r"[A-Z!@#$%^&*]", value) is not None


def _weakly_named(line: str) -> Iterator[tuple[int, int, str]]:
    for found in _WEAK.finditer(line):
        group = "quoted" if found["quoted"] else "bare"
        name, value = found["name"], found[group]
        if _HARMLESS.search(name) or not _fits(name, value, found["sep"]):
            continue
        yield (*found.span(group), "key")


def _fits(name: str, value: str, sep: str) -> bool:
    if "@" in value and ":" in value:
        return False  # a connection string, of which the password alone is one
    if _WEAKEST.search(name):
        long = 20 if sep == "=" else 32
        hexadecimal = name.lower().endswith("signature") and sep == "="
        return opaque.is_opaque(value, least=long, hexadecimal=hexadecimal)
    salt = name.lower().endswith(("salt", "_sk", "_pat"))
    spaced = " " in value and not re.search(r"[!@#$%^&*|{}]", value)
    return not spaced and opaque.is_opaque(value, least=12 if salt else 16, hexadecimal=salt)


def _told(line: str) -> Iterator[tuple[int, int, str]]:
    for found in (match for shape in _TOLD for match in shape.finditer(line)):
        if opaque.is_opaque(found["bare"].rstrip("."), least=6):
            start, end = found.span("bare")
            yield start, end - found["bare"].endswith("."), "password"


def _in_chinese(line: str) -> Iterator[tuple[int, int, str]]:
    for found in _CHINESE.finditer(line):
        value = found["bare"]
        if found["sep"]:
            secret = not opaque.is_none(value, bare=False) and not _only_looks(value)
        else:
            secret = opaque.is_opaque(value, least=6)
        if secret:
            yield (*found.span("bare"), "password")


_LIKE = re.compile(r"(?i)(?:SHA\d+:|ssh-|AAAA).*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _only_looks(value: str) -> bool:
    return _LIKE.fullmatch(value) is not None or opaque.NUMBER.fullmatch(value) is not None
