"""Which lines are worth a closer look for orders; the others surely give none by themselves.

Whole blocks are searched at once for the pieces of signs, and for runs of characters that
may be a code. Whether a line is suspect depends on that line alone.
"""

import re
import string
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from walissh.safety.inject import signs, views

_CODE = string.ascii_letters + string.digits + "+/_-"
_STRANGE = re.compile(
    r"[^\x00-\x7f\u00a0\u00b7\u2010-\u201f\u2026\u2190-\u21ff\u2500-\u25ff\u3000-\u303f\u4e00-\u9fff"
    r"\uff01-\uff0f\uff1a-\uff1f]"
)
_WRITTEN = ("\\u", "\\x", "&#", *views.TURNED, *views.BACKWARDS)


def _table(**classes: str) -> bytes:
    """Return a table of translation: characters of a class to its name, the rest to ``!``."""
    table = bytearray(b"!" * 256)
    for name, characters in classes.items():
        for each in characters:
            table[ord(each)] = ord(name)
    return bytes(table)


_RUNS = _table(a=_CODE)
_BYTES = _table(a=string.hexdigits, s=" :")
_APART = _table(a=string.ascii_letters + "?", s=" .*_-")  # ? for what is not Latin
_PERCENT = _table(p="%", a=string.hexdigits)


def suspects(lines: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines that may hold a part of an order, and of those in code."""
    block = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found = set(_with(_present(block.lower()), block.lower(), starts))
    if not block.isascii() and _STRANGE.search(block):
        found.update(n for n, line in enumerate(lines) if _STRANGE.search(line))
    return found, {bisect_right(starts, at) - 1 for at in _coded(block)}


@cache
def _sought() -> tuple[str, ...]:
    """Return the pieces to look for; a line break stands for the beginning of a line."""
    pieces = dict.fromkeys((*signs.sieve(), *_WRITTEN))
    # what holds another one is found with it
    return tuple(p for p in pieces if not any(o != p and o in p for o in pieces))


def _present(lower: str) -> list[str]:
    wide = not lower.isascii()
    padded = f"\n{lower}"
    return [each for each in _sought() if (wide or each.isascii()) and each in padded]


def _with(pieces: Sequence[str], lower: str, starts: list[int]) -> Iterator[int]:
    padded = f"\n{lower}"
    for piece in pieces:
        lead = len(piece) - len(piece.lstrip("\n"))
        at = padded.find(piece)
        while at >= 0:
            line = bisect_right(starts, at - 1 + lead) - 1 if at or lead else 0
            yield max(line, 0)
            at = padded.find(piece, starts[line + 1] if line + 1 < len(starts) else len(padded))


def _coded(block: str) -> Iterator[int]:
    """Give the places where a text may be written in a code."""
    plain = block.encode("latin-1", "replace")
    yield from _runs(plain.translate(_RUNS), b"a" * 24, block)
    yield from _runs(plain.translate(_BYTES), b"aas" * 11 + b"aa", block)
    yield from _places(plain.translate(_APART), b"sasasasasa")
    if "%" in block:
        yield from _places(plain.translate(_PERCENT), b"paapaapaa")


def _runs(classes: bytes, shape: bytes, block: str) -> Iterator[int]:
    at = classes.find(shape)
    while at >= 0:
        end = classes.find(b"!", at)
        end = len(classes) if end < 0 else end
        if views.has_code(block[at : min(end + 2, at + 4096)]):
            yield at
        at = classes.find(shape, end)


def _places(classes: bytes, shape: bytes) -> Iterator[int]:
    at = classes.find(shape)
    while at >= 0:
        yield at
        at = classes.find(shape, at + len(shape))
