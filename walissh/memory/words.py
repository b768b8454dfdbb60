"""What words a text is found by: stems of English, characters and pairs of Chinese.

A name with marks in it (``proxy_read_timeout``, ``/var/lib/mysql``, ``db-01``, ``7.0.15``)
is a term as a whole and by its parts. Words that say nothing are left out.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from walissh.memory import forms
from walissh.memory.stem import stem

MAX_CHARS = 20_000
"""A longer text is known by its beginning and its end."""
MAX_TERM_CHARS = 64
SHORT_CHARS = 500
"""A question is cut several times on its way; so short a text is remembered."""

HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_HAN = re.compile(f"[{HAN}]")
_RUN = re.compile(f"[{HAN}]+|[^{HAN}]+")
_WORD = re.compile(r"\w+(?:[-.:/@+'’]+\w+)*[+#]*")
_APOSTROPHE = re.compile(r"['’]s?\b|['’]")
_PART = re.compile(r"[^\W_]+[+#]*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=\d)")


def terms(text: str) -> list[str]:
    """Return the terms of *text* in order, with repeats."""
    return [*_terms(text)]


def counted(text: str) -> Counter[str]:
    """Return how often each term stands in *text*."""
    return Counter(_terms(text))


def pieces(text: str) -> tuple[str, ...]:
    """Cut *text* into runs of Chinese and words of other scripts, in its own case."""
    return _pieces(text) if len(text) <= SHORT_CHARS else tuple(_cut(text))


@lru_cache(maxsize=512)
def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[str]:
    for run in _RUN.findall(_clean(text)):
        if is_han(run):
            yield run
        else:
            yield from _WORD.findall(run)


def is_han(piece: str) -> bool:
    """Tell whether *piece* is a run of Chinese (or Japanese, or Korean)."""
    return piece[0] >= "\u3040" and _HAN.match(piece) is not None


def parts(piece: str) -> list[str]:
    """Return the words in one *piece* that is not Chinese, in lower case."""
    return [part.lower() for part in _PART.findall(_APOSTROPHE.sub("", piece))]


@cache
def stopwords() -> frozenset[str]:
    """Return the words that say nothing."""
    return _listed("en") | _listed("zh")


@cache
def asking() -> frozenset[str]:
    """Return the terms that say what is asked for rather than of what."""
    listed = _listed("asking")
    pairs = (term for word in listed for term in terms(word) if len(term) == 2)
    return frozenset({*map(stem, listed), *pairs, *forms.asking()})


@cache
def vague() -> frozenset[str]:
    """Return the terms that mean another thing without the small word beside them."""
    return frozenset(stem(word) for word in _listed("vague"))


@cache
def _listed(name: str) -> frozenset[str]:
    lists = yaml.safe_load((files("walissh.memory") / "stopwords.yaml").read_text("utf-8"))
    return frozenset(str(lists[name]).split())


def _clean(text: str) -> str:
    if len(text) > MAX_CHARS:
        text = text[: MAX_CHARS * 3 // 4] + "\n" + text[-MAX_CHARS // 4 :]
    return unicodedata.normalize("NFKC", text)


def _terms(text: str) -> Iterator[str]:
    for piece in pieces(text):
        yield from _han(piece) if is_han(piece) else _latin_terms(piece)


@lru_cache(maxsize=20_000)
def _latin_terms(piece: str) -> tuple[str, ...]:
    return tuple(_latin(piece))


def _han(run: str) -> Iterator[str]:
    stop = stopwords()
    for at, letter in enumerate(run):
        if letter not in stop:
            yield letter
        pair = run[at : at + 2]
        if len(pair) == 2 and pair not in stop and not (letter in stop and pair[1] in stop):
            yield pair


def _latin(piece: str) -> Iterator[str]:
    piece = _APOSTROPHE.sub("", piece)
    parts = _PART.findall(piece)
    if len(parts) > 1:
        yield piece.strip("/.").lower()[:MAX_TERM_CHARS]
        yield from _leading_numbers(parts)
    for part in parts:
        yield from _part(part, alone=len(parts) == 1)


def _leading_numbers(parts: list[str]) -> Iterator[str]:
    if len(parts) == 3 and all(part.isdigit() for part in parts):
        yield f"{parts[0]}.{parts[1]}"  # 8.0 finds 8.0.36


def _part(part: str, *, alone: bool) -> Iterator[str]:
    word = part.lower()
    if word in stopwords() or (not alone and len(word) == 1):
        return
    yield stem(word)[:MAX_TERM_CHARS]
    if not part.islower() and not part.isupper():
        humps = [hump for hump in _HUMP.split(part) if len(hump) > 1]
        if len(humps) > 1:
            yield from (stem(hump.lower()) for hump in humps if hump.lower() not in stopwords())
