"""What a standing instruction is about, by one name for its wordings in both languages.

Two instructions of the same subject and scope supersede each other, so "以后都加 sudo" and
"no more sudo" must both be about ``sudo``. The known subjects are in ``subjects.yaml``;
an unknown one is named after its object and what is done with it ("nginx restart").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.memory.extract import phrases, simplified

MAX_SUBJECT: Final = 60


@dataclass(frozen=True, slots=True)
class Subject:
    """A known subject; *apart* if it stands on its own beside others in one sentence.

    *of*: its name takes in what it is applied to ("restart confirmation").
    """

    name: str
    match: re.Pattern[str]
    value: re.Pattern[str] | None
    apart: bool
    of: bool


def known(text: str) -> Subject | None:
    """Return the first known subject that *text* is about, None if there is none."""
    plain = simplified.of(text)
    return next((each for each in _known() if each.match.search(plain)), None)


def named(text: str) -> str:
    """Return the subject's name for a clause; an unknown one is made of its own words."""
    subject = known(text)
    if subject is None:
        return (_made(text) or _han(text) or "general")[:MAX_SUBJECT]
    if not subject.of:
        return subject.name
    thing = _made(subject.match.sub(" ", text)) or _han(subject.match.split(text, 1)[0])
    return f"{thing} {subject.name}".strip()[:MAX_SUBJECT]


def said(text: str) -> str:
    """Return the one word that *text* says of its known subject ("UTC"), "" if there is none.

    Two different ones, as in "Asia/Tokyo over UTC", are no one word, nor is one refused.
    """
    subject = known(text)
    if subject is None or subject.value is None or phrases.found("refused", text):
        return ""
    spans = [each.span() for each in subject.value.finditer(simplified.of(text))]
    words = {text[start:end].lower(): text[start:end] for start, end in spans}
    return next(iter(words.values())) if len(words) == 1 else ""


def _made(text: str) -> str:
    """Name the subject by its thing and option or action, else by its first telling words."""
    action = next((name for name, each in _words().actions.items() if each.search(text)), "")
    option = _OPTION.search(text)
    things = _things(text)
    if option:
        return " ".join([*things[:1], option[1].lower()])
    return " ".join([*things[:1], action]).strip() if action else " ".join(things[:2])


def _things(text: str) -> list[str]:
    """Return the words that name a thing; verbs and machines only where nothing else does."""
    bare = _SHORT_NOT.sub(" ", _OPTION.sub(" ", text.lower()))
    words = [word for word in _WORD.findall(bare) if _words().is_telling(word)]
    return [each for each in words if not (_MACHINE.fullmatch(each) or _is_doing(each))]


def _is_doing(word: str) -> bool:
    return phrases.is_verb(word) or word.endswith("ing")


def _han(text: str) -> str:
    """Return the first Chinese words that are not those of the instruction itself."""
    bare = _words().signals.sub(" ", text)
    return next((run[:8] for run in re.findall(r"[\u4e00-\u9fff]{2,}", bare)), "")


@dataclass(frozen=True, slots=True)
class _Words:
    actions: Mapping[str, re.Pattern[str]]
    plain: frozenset[str]
    signals: re.Pattern[str]

    def is_telling(self, word: str) -> bool:
        """Tell whether *word* names a thing rather than the instruction or an action."""
        return word not in self.plain and not any(
            each.fullmatch(word) for each in self.actions.values()
        )


@cache
def _known() -> tuple[Subject, ...]:
    return tuple(_subject(entry) for entry in _data()["subjects"])


@cache
def _words() -> _Words:
    data = _data()
    return _Words(
        actions={name: re.compile(each, re.I) for name, each in data["actions"].items()},
        plain=frozenset(data["plain"].split()),
        signals=re.compile(data["signals"]),
    )


@cache
def _data() -> dict[str, Any]:
    text = (files("walissh.memory.extract") / "subjects.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=_LOADER)  # noqa: S506  either one is safe
    return data


def _subject(entry: dict[str, Any]) -> Subject:
    return Subject(
        name=entry["name"],
        match=_any_of(entry["match"]),
        value=_any_of(entry["value"]) if "value" in entry else None,
        apart=bool(entry.get("apart", False)),
        of=bool(entry.get("of", False)),
    )


def _any_of(lines: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE)


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORD: Final = re.compile(r"(?<![\w/.#-])[A-Za-z][A-Za-z0-9_.+-]*[A-Za-z0-9]")
_OPTION: Final = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
_SHORT_NOT: Final = re.compile(r"\b\w+'(?:t|s|ve|m|re|ll|d)\b")
_MACHINE: Final = re.compile(r"[a-z]+(?:-[a-z0-9]+)*-?\d{1,4}|[a-z][\w-]*-")
