"""Tell whether two memories are about the same thing, whatever they call it."""

import re
import unicodedata
from functools import cache, lru_cache

from walissh.memory import tables

_WORD = re.compile(r"[a-z0-9][a-z0-9_.+#/-]*|[\u3400-\u9fff]+")
_CJK = re.compile(r"[\u3400-\u9fff]")
_VOID = frozenset(
    {
        "a",
        "an",
        "the",
        "my",
        "our",
        "your",
        "of",
        "for",
        "in",
        "on",
        "to",
        "at",
        "when",
        "with",
        "by",
        "is",
        "are",
        "be",
        "default",
        "preferred",
        "usual",
        "version",
        "setting",
        "settings",
        "preference",
        "rule",
        "current",
        "new",
        "的",
        "默认",
        "设置",
        "偏好",
        "版本",
        "当前",
    }
)
"""Words that do not tell what a memory is about."""

ALIKE = 0.5


@lru_cache(maxsize=4096)
def key(subject: str) -> str:
    """Return the one name under which *subject* is known: "RAM", "内存" give the same."""
    return " ".join(sorted(_words(subject)))


def same(one: str, other: str) -> bool:
    """Tell whether both subjects name one thing, going by the words alone.

    True when one has but one word more, or more than half of all their words are shared.
    """
    mine, theirs = _words(one), _words(other)
    if not mine or not theirs:
        return mine == theirs
    shared = mine & theirs
    nested = shared in (mine, theirs) and len(mine ^ theirs) <= 1
    return nested or len(shared) / len(mine | theirs) > ALIKE


def likeness(one: str, other: str) -> float:
    """Return 0 to 1: the share of words (of pairs of characters in Chinese) in common."""
    mine, theirs = pieces(one), pieces(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


@lru_cache(maxsize=4096)
def pieces(text: str) -> frozenset[str]:
    """Return what *text* is compared by: words, their stems, and pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(_plain(text)):
        if _CJK.match(word):
            found |= {word[at : at + 2] for at in range(max(1, len(word) - 1))}
        elif word not in _VOID:
            found.add(_stem(word))
    return frozenset(found | set(_concepts(_plain(text))))


@lru_cache(maxsize=4096)
def _words(subject: str) -> frozenset[str]:
    text = _plain(subject)
    names = _concepts(text)
    for _, way in _ways():
        text = way.sub(" ", text)
    rest = {_stem(word) for word in _WORD.findall(text) if word not in _VOID}
    return frozenset({name.replace(" ", "-") for name in names} | rest)


def _concepts(text: str) -> list[str]:
    found = []
    for name, way in _ways():
        text, times = way.subn(" ", text)
        if times:
            found.append(name)
    return found


@cache
def _ways() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return (name, pattern) of every way to call a thing, the longest first."""
    table = tables.read("walissh.memory", "naming.yaml")
    ways = [(str(name), str(way)) for name, listed in table.items() for way in listed]
    ways.sort(key=lambda each: -len(each[1]))
    return tuple((name, re.compile(_bounded(_plain(way)))) for name, way in ways)


def _bounded(way: str) -> str:
    pattern = re.escape(way)
    pattern = pattern if _CJK.match(way[0]) else rf"(?<![a-z0-9]){pattern}"
    return pattern if _CJK.match(way[-1]) else rf"{pattern}(?![a-z0-9])"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("_", " ").strip()


def _stem(word: str) -> str:
    word = word.rstrip("./-")
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word
