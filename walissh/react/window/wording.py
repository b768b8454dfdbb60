"""The kinds of sentence that a summary looks for, read from a list beside this module."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

MAX_CHARS: Final = 500
"""A longer sentence is no prose of a person: lists and pastes come like this."""

JOINED_WORDS: Final = 8

_LATIN = re.compile(r"[a-z]+")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is built

_CLAUSE = (
    r"(?:^|[,;:，；：、。—–]\s*|\s-\s|[\u4e00-\u9fff]\s*"
    r"|\b(?:and|but|so|then|also|just|or|yet|plus)\s+)"
)
_LEAD = (
    r"(?:(?:please|pls|kindly|also|and|but|so|just|now|ok|okay|hey|hi|hello|well|first|again|then"
    r"|right|great|thanks|absolutely|definitely|certainly|strictly|seriously"
    r"|today|tonight|here|for now|by the way|btw|one more thing|once more"
    r"|help me(?: to)?|help us(?: to)?|help|let['’]?s|let us|try to|can you|could you|would you"
    r"|i need you to|i want you to|you should|you must|we should|we must)[,:]?\s+){0,5}"
)
_QUOTED = re.compile(
    r"“[^”]{0,200}”|\"[^\"]{0,200}\"|「[^」]{0,200}」|『[^』]{0,200}』|`[^`]{0,200}`"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of sentence: what says it, and what says that it is none after all."""

    said: re.Pattern[str]
    unless: re.Pattern[str] | None

    def says(self, sentence: str) -> bool:
        """Tell whether *sentence* (as `unquoted` returns it) is of this kind."""
        if len(sentence) > MAX_CHARS or not self.said.search(sentence):
            return False
        return not (self.unless and self.unless.search(sentence))


@cache
def kind(name: str) -> Kind:
    """Return a kind by its name in the list."""
    parts: dict[str, list[str]] = _read()[name]
    return Kind(
        _any([f"{_CLAUSE}{_LEAD}{each}" for each in parts.get("start", ())], parts.get("any")),
        _any(parts["not"]) if parts.get("not") else None,
    )


def is_prose(sentence: str) -> bool:
    """Tell a sentence from a row of names: eight English words hold one that joins them."""
    words = _LATIN.findall(sentence.lower())
    return len(words) < JOINED_WORDS or not common().isdisjoint(words)


def unquoted(sentence: str) -> str:
    """Return *sentence* with what stands in quotation marks blanked out: others said that."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), sentence)


@cache
def common() -> frozenset[str]:
    """Return the words that tell nothing apart, Chinese ones in pairs of characters."""
    lists: dict[str, str] = _read()["common"]
    return frozenset(word for each in lists.values() for word in each.split())


@cache
def _read() -> dict[str, Any]:
    text = Path(__file__).with_name("wording.yaml").read_text(encoding="utf-8")
    parts: dict[str, Any] = yaml.load(text, Loader=_LOADER)  # noqa: S506  a safe one
    return parts


def _any(*lists: list[str] | None) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for some in lists for each in some or ()), re.I)
