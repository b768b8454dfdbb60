"""Command lines that are refused before they are parsed: for their characters or their size."""

import re
import unicodedata
from typing import Literal

MAX_BYTES = 100_000
MAX_JUDGED = 32_000
MAX_PARTS = 1_000
MAX_OPENERS = 300
MAX_NESTED = 40

Fault = Literal[
    "", "empty", "control", "invisible", "lookalike", "too_long", "too_deep", "too_many",
    "syntax", "no_parser",
]  # fmt: skip

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_OPENERS = re.compile(r"[({\[`]|\b(?:if|while|until|for|case|select|then|do)\b|[!<]")


def before_parsing(command: str) -> Fault:
    """Return why *command* is not even parsed, "" if it may be."""
    if len(command) > MAX_BYTES or len(command.encode("utf-8", "replace")) > MAX_BYTES:
        return "too_long"
    if not command.strip():
        return "empty"
    if _CONTROL.search(command):
        return "control"
    fault = "" if command.isascii() else _refuse_unicode(command)
    return fault or _refuse_size(command)


_PARTS = re.compile(r"\s+|[;&|<>$`\"'\\*?]")
_BRACKETS = re.compile(r"[({\[]|[)}\]]")


def _refuse_size(command: str) -> Fault:
    """Refuse what the parser and the judging would take long over."""
    if len(_OPENERS.findall(command[:MAX_JUDGED])) > MAX_OPENERS or _nested(command) > MAX_NESTED:
        return "too_deep"
    if len(command.encode()) > MAX_JUDGED or len(_PARTS.findall(command)) > MAX_PARTS:
        return "too_many"
    return ""


def _nested(command: str) -> int:
    """Return at most how deep brackets stand in each other, whatever is quoted."""
    deep = deepest = 0
    for bracket in _BRACKETS.findall(command):
        deep = deep + 1 if bracket in "({[" else max(deep - 1, 0)
        deepest = max(deepest, deep)
    return deepest


_UNSEEN = frozenset({"Cf", "Zs", "Zl", "Zp", "Cn", "Co", "Cc"})
_BLANK = re.compile(r"[\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u2800\ufe00-\ufe0f]")
# Greek, Cyrillic or full-width letters right beside Latin ones
_MIXED = re.compile(r"[a-zA-Z][\u0370-\u052f\uff21-\uff5a]|[\u0370-\u052f\uff21-\uff5a][a-zA-Z]")


def _refuse_unicode(command: str) -> Fault:
    others = {char for char in command if not char.isascii()}
    if any(unicodedata.category(char) in _UNSEEN or _BLANK.match(char) for char in others):
        return "invisible"
    if _MIXED.search(command):
        return "lookalike"
    return ""
