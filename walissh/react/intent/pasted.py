"""Tell what was pasted or typed for the shell: log lines, stack traces, command lines."""

import re
from functools import cache
from typing import Final

from walissh.react.intent import lexicon
from walissh.react.intent.lexicon import found, shape
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_LINE: Final = r"(?m)^\W{0,8}%s"
_FEW_WORDS: Final = 4


def log(read: Reading, _: Situation) -> float:
    """A log, an error or a stack trace, with no question about what it means."""
    if shape("asks").search(read.text) and found("knowledge", read.text):
        return 0.0
    lined = shape("line_begins", _LINE).search(read.raw) is not None
    fault = shape("error").search(read.raw) is not None
    if read.cut and (lined or fault):
        return 0.92
    if lined:
        return 0.93 if fault or len(read.text) > 40 else 0.0
    if not fault:
        return 0.0
    return _quoted_in_chinese(read) if read.han else _bare_fault(read)


def _quoted_in_chinese(read: Reading) -> float:
    return 0.8 if len(read.text) > 60 and _mostly_latin(read.text) else 0.0


def _bare_fault(read: Reading) -> float:
    """Judge an error without a time before it: the words of a person speak against it."""
    if read.asked or found("person", read.text):
        return 0.0
    begins = shape("error").match(read.raw.strip()) is not None
    return 0.92 if begins or shape("no_prose").search(read.raw) else 0.0


def _mostly_latin(text: str) -> bool:
    return sum(char.isascii() for char in text) > 0.8 * len(text)


# --- command lines ----------------------------------------------------------------------------


def command(read: Reading, _: Situation) -> float:
    """A raw command line, perhaps with a word around it ("df -h 跑一下")."""
    text = shape("prompt").sub("", read.raw.strip()).strip()
    if not text or ("\n" in text and not _is_command(text.splitlines()[0])):
        return 0.0
    if shape("complains").search(text):
        return 0.0
    if text.isascii():
        return 0.94 if _is_command(text) else 0.0
    return _with_words(text)


def _with_words(text: str) -> float:
    begins = _LATIN.match(text)
    if begins is None or not _is_command(begins[0].strip()):
        return 0.0
    return 0.9 if lexicon.whole(("run_it",), text[begins.end() :].strip()) else 0.0


_LATIN: Final = re.compile(r"[\x20-\x7e]{4,}")


def _is_command(text: str) -> bool:
    leading = shape("led_by", r"^%s\s+")
    text = leading.sub("", leading.sub("", text))
    if _is_script(text):
        return not text.endswith("?")
    name, _, rest = text.partition(" ")
    if name in _programs("plain"):
        return _runs(name, rest)
    return name in _programs("words") and _has_arguments(rest) and not _is_prose(rest)


def _is_script(text: str) -> bool:
    if shape("control", flags=0).match(text):
        return True
    return any(shape(name).match(text) for name in ("script", "sql"))


def _runs(name: str, rest: str) -> bool:
    """Tell whether what follows a program's name are its arguments, and not a sentence."""
    if not rest:
        return name in _programs("alone")
    if shape("no_arguments").search(rest):
        return False
    if _has_arguments(rest):
        return True
    return len(rest.split()) <= _FEW_WORDS and not _is_prose(rest)


def _has_arguments(rest: str) -> bool:
    return shape("shelly").search(f" {rest}") is not None


def _is_prose(rest: str) -> bool:
    return shape("prose").search(rest) is not None


@cache
def _programs(kind: str) -> frozenset[str]:
    return frozenset(lexicon.load("programs")[kind].split())
