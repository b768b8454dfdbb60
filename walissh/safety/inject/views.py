"""The ways to read a line: as it stands, and as what it hides says when it is decoded."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote_plus

from walissh.safety.inject import signs

LEAST_CODE = 24
"""A shorter text in a code has no room for an order."""

LEAST_LETTERS = 0.7
"""So much of a decoded text must be letters and spaces; else it was no text."""

_KEPT = re.compile(r"[^\x00-\x7f\u3000-\u303f\u4e00-\u9fff，：；！？（）]+")
"""What is put into its plain form: all but Chinese with its own marks, which part clauses."""

_HIDDEN = re.compile(
    r"\\u(?:00ad|034f|061c|180e|200[b-f]|202[a-e]|206[0-9a-f]|feff|3164)|[\u00ad\u034f\u061c\u180e"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]"
)
_PARTED = re.compile(rf"[A-Za-z](?:{_HIDDEN.pattern})+[A-Za-z]")
_TAGS = re.compile(r"\\U000e00([2-7][0-9a-f])|([\U000e0020-\U000e007e])")
_LEADER = re.compile(r"^\s*(?:<!--|/\*+|\*+(?=\s)|//+|#+(?!#)|--+(?=\s)|;+|>+(?!>)|\|)\s*")
_ESCAPED = re.compile(r"\\u00([2-7][0-9a-f])|\\x([2-7][0-9a-f])|\\u([4-9][0-9a-f]{3})")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{2}[ :]?){12,}(?![0-9a-f])", re.I)
_SPACED = re.compile(r"(?<!\w)(?:\w[ .*_·-]){5,}\w?(?:[ .*_·-]{1,4}(?:\w[ .*_·-])+\w?)*")
_JOINED = re.compile(r"[a-z]+(?:[-_+.][a-z]+){2,}")
_LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fff\s,.:;'\"/-]")
_NO_HEX = re.compile(r"[^0-9A-Fa-f]")
_STARTS = "IJKLMNOPQRSTUVWXYZabcdef4567"
"""What a group of four in base64 begins with if its first byte is of a text."""

_PERCENT = re.compile(r"%[2-7e][0-9a-f]", re.I)
_ALIKE = str.maketrans(
    {
        **dict(zip("авеёзікмнорстухуѕјһԁԛԝӏꙇ", "abeezikmhopctyxysjhdqwll", strict=True)),
        **dict(zip("αενικορτυχωγηɡɑıȷᴀᴇɪᴏᴜᴛꜱʀɴ", "aevikoptuxwyngaijaeioutsrn", strict=True)),
    }
)
TURNED = ("vtaber", "qvfertneq", "nffvfgnag", "vafgehpgvbaf", "rkrphgr", "nccebiny", "cerivbhf")
BACKWARDS = ("erongi", "drage", "tnatsissa", "snoitcurtsni", "etucexe", "lavorppa", "suoiverp")


def folded(line: str) -> str:
    """Return *line* in lower case with Latin letters for look-alikes and nothing invisible."""
    if not line.isascii() or "\\" in line:
        line = _HIDDEN.sub("", _TAGS.sub(_tag, line))
        line = _KEPT.sub(lambda m: unicodedata.normalize("NFKC", m[0]), line)
        line = line.lower()
        return line if line.isascii() else _latin(line)
    return line.lower()


def bare(line: str) -> str:
    """Return a folded line without the mark of a comment before it."""
    return _LEADER.sub("", line).removesuffix("-->").removesuffix("*/").strip()


def hides(line: str) -> bool:
    """Tell whether invisible characters stand in *line* that carry text or part a word."""
    if line.isascii() and "\\" not in line:
        return False
    return bool(_TAGS.search(line) or _PARTED.search(line))


def decoded(line: str, *, coded: bool) -> Iterator[str]:
    """Give what *line* says when what hides it is undone, folded; nothing if nothing does.

    *coded*: the sieve saw runs of characters in it that may be a code.
    """
    yield from filter(None, (each(line) for each in _READINGS))
    if coded:
        yield from filter(None, (each(line) for each in _CODES))


def _tag(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else chr(ord(match[2]) - 0xE0000)


def _latin(line: str) -> str:
    """Put Latin letters for look-alikes, in words that mix them or lines that have both."""
    return line.translate(_ALIKE)


def _percent(line: str) -> str:
    if "%" not in line or not _PERCENT.search(line):
        return ""
    return folded(unquote_plus(unquote_plus(line)))


def _entities(line: str) -> str:
    return folded(html.unescape(line)) if "&#" in line or "&lt;" in line else ""


def _escapes(line: str) -> str:
    if "\\" not in line:
        return ""
    read, count = _ESCAPED.subn(lambda m: chr(int(m[1] or m[2] or m[3], 16)), line)
    return folded(read) if count >= 4 else ""


def _base64(line: str) -> str:
    return _replaced(_BASE64, line, _from64)


def _from64(text: str) -> str:
    text = text.rstrip("=").replace("-", "+").replace("_", "/")
    text = text[: len(text) - (len(text) % 4 == 1)]
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4))
        return raw.decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _hex(line: str) -> str:
    return _replaced(_HEX, line, _from_hex)


def _from_hex(text: str) -> str:
    digits = re.sub(r"[ :]", "", text)
    try:
        return bytes.fromhex(digits).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return ""


def may_be_code(run: str) -> bool:
    """Tell by a few of its characters whether *run* may be a text in base64 or hexadecimal."""
    if not _NO_HEX.search(run) and all(each in "234567eE" for each in run[:8:2]):
        return True
    return all(each in _STARTS for each in run[:16:4])


def has_code(text: str) -> bool:
    """Tell whether *text* holds a code that can be read as a text."""
    return bool(_base64(text) or _hex(text))


def _replaced(shape: re.Pattern[str], line: str, read: Callable[[str], str]) -> str:
    found = False

    def put(match: re.Match[str]) -> str:
        nonlocal found
        text = read(match[0])
        if not text or not _is_text(text):
            return match[0]
        found = True
        return f" {text} "

    put_in = shape.sub(put, line)
    return folded(put_in) if found else ""


def _is_text(text: str) -> bool:
    return text.isprintable() or len(_LETTERS.findall(text)) >= LEAST_LETTERS * len(text)


def _spaced(line: str) -> str:
    low = folded(line)
    if not _SPACED.search(low):
        return ""
    return _SPACED.sub(lambda m: _closed(m[0]), low)


def _closed(text: str) -> str:
    """Return letters that stood apart as words: other gaps than those between letters part them."""
    gaps = re.findall(r"[ .*_·-]+", text)
    usual = max(set(gaps), key=gaps.count)
    parts = re.split(r"([ .*_·-]+)", text)
    closed = "".join("" if part == usual else " " if part in gaps else part for part in parts)
    return " ".join(map(_spelled, closed.split())) + " "


def _spelled(run: str) -> str:
    """Part a run of letters into words, if it is made of known ones; the longest first."""
    words: list[str] = []
    at = 0
    while at < len(run):
        word = next((w for w in signs.spelled() if run.startswith(w, at)), "")
        if not word:
            return run
        words.append(word)
        at += len(word)
    return " ".join(words)


def _joined(line: str) -> str:
    """Return the words of names that are joined of several, such as labels and host names."""
    return " ".join(re.sub(r"[-_+.]", " ", m[0]) for m in _JOINED.finditer(folded(line)))


def _rot13(line: str) -> str:
    low = line.lower()
    return codecs.decode(low, "rot13") if any(each in low for each in TURNED) else ""


def _backwards(line: str) -> str:
    low = line.lower()
    return low[::-1] if any(each in low for each in BACKWARDS) else ""


_READINGS = (_percent, _entities, _escapes, _joined, _rot13, _backwards)
_CODES = (_base64, _hex, _spaced)
