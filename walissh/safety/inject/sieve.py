"""Which lines are worth a closer look for orders; the others surely give none by themselves.

Whole blocks are searched at once: first for the words of the pieces of signs among the
different words of the block, which are few; and for runs of characters that may be a code.
Whether a line is suspect depends on that line alone.
"""

import re
import string
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, product

from walissh.safety.inject import signs, views

_CODE = string.ascii_letters + string.digits + "+/_-"
_STRANGE = re.compile(
    r"[^\x00-\x7f\u00a0\u00b7\u2010-\u201f\u2026\u2190-\u21ff\u2500-\u25ff\u3000-\u303f\u4e00-\u9fff"
    r"\uff01-\uff0f\uff1a-\uff1f]"
)
_WRITTEN = ("\\u", "\\x", "&#", "&lt;", *views.TURNED, *views.BACKWARDS)
BYTES_CHARS = 300
_WORD = re.compile(r"[a-z]+")


def _table(**classes: str) -> bytes:
    """Return a table of translation: characters of a class to its name, the rest to ``!``."""
    table = bytearray(b"!" * 256)
    for name, characters in classes.items():
        for each in characters:
            table[ord(each)] = ord(name)
    return bytes(table)


_WORDS = bytes(n if chr(n) in string.ascii_lowercase else 32 for n in range(256))
_RUNS = _table(a=_CODE)
_BYTES = _table(a=string.hexdigits, s=" :")
_APART = _table(a=string.ascii_letters + "?", s=" .*_-")  # ? for what is not Latin
_PERCENT = _table(p="%", a=string.hexdigits)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece to look for, and the word (or part of one) that stands in it, "" if none."""

    text: str
    word: str


def suspects(lines: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines that may hold a part of an order, and of those in code."""
    block = "\n".join(lines)
    lower = block.lower()
    if len(lower) != len(block):  # a few letters are longer in lower case
        lower = "".join(low if len(low := each.lower()) == 1 else each for each in block)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    plain = lower.encode("latin-1", "replace")
    pieces = _present(lower, plain)
    found = set(_with(pieces, f"\n{lower}", starts))
    if not block.isascii() and _STRANGE.search(block):
        found.update(n for n, line in enumerate(lines) if _STRANGE.search(line))
    return found, {bisect_right(starts, at) - 1 for at in _coded(block)}


@cache
def _sought() -> tuple[_Piece, ...]:
    pieces = dict.fromkeys((*signs.sieve(), *_WRITTEN))
    return tuple(_Piece(each, _word_of(each)) for each in pieces)


def _word_of(piece: str) -> str:
    """Return the longest word of *piece*, with a space at each end where it surely ends."""
    found = max(_WORD.finditer(piece), key=lambda m: len(m[0]), default=None)
    if found is None:
        return ""
    before = " " if found.start() > 0 else ""
    after = " " if found.end() < len(piece) else ""
    return f"{before}{found[0]}{after}"


def _present(lower: str, plain: bytes) -> list[str]:
    words = f" {b' '.join(set(plain.translate(_WORDS).split())).decode('ascii')} "
    characters = frozenset() if lower.isascii() else frozenset(lower)
    padded = f"\n{lower}"
    apart = _apart(padded)
    return [
        each.text
        for each in _sought()
        if (each.word in words if each.text.isascii() else characters.issuperset(each.text))
        and (each.text in padded or each.text in apart)
    ]


def _apart(text: str) -> str:
    """Return *text* with spaces for what joins words in names of hosts, labels and files."""
    return text.replace("-", " ").replace("_", " ").replace("+", " ").replace(".", " ")


def _with(pieces: Sequence[str], padded: str, starts: list[int]) -> Iterator[int]:
    """Give the lines that hold one of *pieces*; *padded* has a line break more in front."""
    texts = (padded, _apart(padded)) if pieces else ()
    for text, piece in product(texts, pieces):
        into = len(piece) - len(piece.lstrip("\n")) - 1
        at = text.find(piece)
        while at >= 0:
            line = bisect_right(starts, max(at + into, 0)) - 1
            yield line
            at = text.find(piece, starts[line + 1]) if line + 1 < len(starts) else -1


def _coded(block: str) -> Iterator[int]:
    """Give the places where a text may be written in a code."""
    plain = block.encode("latin-1", "replace")
    yield from _runs(plain.translate(_RUNS), block)
    for at in _places(plain.translate(_BYTES), b"aas" * 11 + b"aa"):
        if views.has_code(block[at : at + BYTES_CHARS]):
            yield at
    yield from _places(plain.translate(_APART), b"sasasasasa")
    if "%" in block:
        yield from _places(plain.translate(_PERCENT), b"paapaapaa")


def _runs(classes: bytes, block: str) -> Iterator[int]:
    shape = b"a" * views.LEAST_CODE
    at = classes.find(shape)
    while at >= 0:
        end = classes.find(b"!", at)
        end = len(classes) if end < 0 else end
        run = block[at : min(end + 2, len(block))]  # with what fills up its end
        if views.may_be_code(block[at:end]) and views.has_code(run):
            yield at
        at = classes.find(shape, end)


def _places(classes: bytes, shape: bytes) -> Iterator[int]:
    at = classes.find(shape)
    while at >= 0:
        yield at
        at = classes.find(shape, at + len(shape))
