"""Bring a message into the plain form that the lists are written in.

Lower case, simplified characters, full-width letters made narrow, and the slips of the
keyboard put right in the few words that decide what is meant.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from unicodedata import normalize

from walissh.react.intent import lexicon

_WORD = re.compile(r"(?<![\w./:@-])[a-z']{3,}(?![\w/:@-]|\.\w)")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u3000": " ", "\u200b": None})
_LETTERS = re.compile(r"[a-z]{3,}")
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")


def plain(text: str) -> str:
    """Return *text* in its plain form."""
    text = text.translate(_QUOTES)
    if not text.isascii():
        text = normalize("NFKC", text).translate(_simplified())
        text = _SPACED.sub("", " ".join(text.lower().split()))
        return _WORD.sub(_respelt, _retyped(text))
    return _WORD.sub(_respelt, " ".join(text.lower().split()))


@cache
def _simplified() -> dict[int, str]:
    pairs = lexicon.load("plain")["simplified"].split()
    return {ord(pair[0]): pair[1] for pair in pairs}


# --- Chinese typed by sound -----------------------------------------------------------------


def _retyped(text: str) -> str:
    slips = _slips()
    for length in (3, 2):
        for place in range(len(text) - length + 1):
            right = slips.get(text[place : place + length])
            if right:
                text = text[:place] + right + text[place + length :]
    return text


@cache
def _slips() -> dict[str, str]:
    data = lexicon.load("plain")
    real = {*data["no_typing_error"].split(), *data["typed"]}
    made = {slip: word for word in data["typed"] for slip in _sounding(word, data["alike"])}
    return {slip: word for slip, word in made.items() if slip not in real}


def _sounding(word: str, alike: list[str]) -> Iterator[str]:
    """Give *word* with one or, if it has but two, both characters replaced by others."""
    for place, char in enumerate(word):
        for other in (each for group in alike if char in group for each in group):
            yield word[:place] + other + word[place + 1 :]


# --- English typed in haste -----------------------------------------------------------------


def _respelt(match: re.Match[str]) -> str:
    return _right(match[0])


@lru_cache(maxsize=4096)
def _right(word: str) -> str:
    """Return the word of the list that *word* misses by one letter, else *word*."""
    if word in _known():
        return word
    for shorter in (word, *_without_one(word)):
        for right in _misses().get(shorter, ()):
            if _one_slip(word, right):
                return right
    return word


def _one_slip(word: str, right: str) -> bool:
    if sorted(word) == sorted(right):  # two letters changed places, or a few in a long word
        return word[0] == right[0] or word[1] == right[0]
    return len(word) > 3 and word[0] == right[0] and abs(len(word) - len(right)) <= 1


def _without_one(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


@cache
def _misses() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for right in lexicon.load("plain")["spelling"].split():
        for each in {right, *_without_one(right)}:
            found.setdefault(each, []).append(right)
    return found


@cache
def _known() -> frozenset[str]:
    data = lexicon.load("plain")
    words = {*data["spelling"].split(), *data["no_slip"].split()}
    for file in lexicon.FILES:
        for entry in lexicon.load(file).values():
            words.update(_LETTERS.findall(" ".join(entry.get("en", ()))))
    return frozenset(words)
