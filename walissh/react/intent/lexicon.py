"""The lists of what people say, as patterns: each is compiled when it is first asked for.

In the files ``<name>`` stands for any entry of that name in the same language.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.memory.alternatives import sorted_by_letter

FILES: Final = ("words", "orders", "talk", "harm")
MAX_WHOLE: Final = 64
"""Longest text that `whole` looks at: longer ones are never made of stock phrases alone."""
MAX_ENDING: Final = 24

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BEGIN, _END = r"(?<![a-z0-9_/.-])", r"(?:(?<=\s)|(?![a-z0-9_]))"
_AFTER_FIRST = r"(?<![a-z0-9_/.-].)"
_NAME = re.compile(r"(?<!\(\?)<([a-z_]+)>")
_BETWEEN = r"[\s.,;:!?。，；：！？、~～…\-]*"


@cache
def load(file: str) -> dict[str, Any]:
    """Return what ``FILE.yaml`` of this folder holds."""
    text = (files("walissh.react.intent") / f"{file}.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=_LOADER)  # noqa: S506  either one is safe
    return data


@lru_cache(maxsize=4096)
def found(name: str, text: str) -> bool:
    """Tell whether *text* (in its plain form) says something of the list *name*."""
    if any(each.search(text) for each in _english(name)):
        return True
    return not text.isascii() and any(each.search(text) for each in _chinese(name))


@lru_cache(maxsize=1024)
def whole(names: tuple[str, ...], text: str, *, beside: tuple[str, ...] = ()) -> bool:
    """Tell whether *text* is made of entries of *names* alone, or with some of *beside*."""
    if not 0 < len(text) <= MAX_WHOLE or _whole(names + beside).fullmatch(text) is None:
        return False
    return not beside or any(found(name, text) for name in names)


def first(name: str, text: str) -> re.Match[str] | None:
    """Return the entry of *name* that *text* begins with, the longest that was written first."""
    return _leading(name).match(text)


def last(name: str, text: str) -> re.Match[str] | None:
    """Return the entry of *name* that *text* ends with; of a long text only the end is seen."""
    return _ending(name).search(text, max(0, len(text) - MAX_ENDING))


@cache
def shape(name: str, form: str = "%s", *, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return the shapes *name* of ``pasted.yaml`` as one pattern, put into *form*."""
    any_of = "|".join(f"(?:{each})" for each in load("pasted")[name])
    return re.compile(form.replace("%s", f"(?:{any_of})"), flags)


@cache
def _english(name: str) -> tuple[re.Pattern[str], ...]:
    led, others = sorted_by_letter(_entries(name, "en"), before=_AFTER_FIRST)
    made = (f"(?:{led}){_END}" if led else "", _words(others))
    return tuple(re.compile(each) for each in made if each)


@cache
def _chinese(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each) for each in sorted_by_letter(_entries(name, "zh")) if each)


@cache
def _whole(names: tuple[str, ...]) -> re.Pattern[str]:
    led, others = sorted_by_letter(_all(names, "en"), before=_AFTER_FIRST)
    zh_led, zh_others = sorted_by_letter(_all(names, "zh"))
    english = f"(?:{led}){_END}" if led else ""
    any_of = "|".join(filter(None, (english, _words(others), zh_led, zh_others)))
    return re.compile(rf"(?:(?:{any_of}){_BETWEEN}){{1,5}}")


def _all(names: tuple[str, ...], language: str) -> list[str]:
    return list(dict.fromkeys(each for name in names for each in _entries(name, language)))


@cache
def _leading(name: str) -> re.Pattern[str]:
    return re.compile(_either(name))


@cache
def _ending(name: str) -> re.Pattern[str]:
    return re.compile(f"(?:{_either(name)})$")


def _either(name: str) -> str:
    parts = _words("|".join(_entries(name, "en"))), "|".join(_entries(name, "zh"))
    return "|".join(filter(None, parts))


def _words(pattern: str) -> str:
    return f"{_BEGIN}(?:{pattern}){_END}" if pattern else ""


@cache
def _entries(name: str, language: str) -> tuple[str, ...]:
    """Return every alternative of the list in one language."""
    lines: Iterable[str] = _lists()[name].get(language, ())
    return tuple(each for line in lines for each in _parted(_expanded(line, language)))


def _expanded(line: str, language: str) -> str:
    return _NAME.sub(lambda match: f"({'|'.join(_entries(match[1], language))})", line)


@cache
def _lists() -> Mapping[str, Mapping[str, list[str]]]:
    return {name: entry for file in FILES for name, entry in load(file).items()}


_MARK = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]|[^\\\[()|]+", re.DOTALL)


def _parted(pattern: str) -> list[str]:
    """Split *pattern* at its outermost bars, and nowhere inside brackets."""
    parts, depth = [""], 0
    for mark in _MARK.findall(pattern):
        depth += (mark == "(") - (mark == ")")
        if mark == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += mark
    return [each for each in parts if each]
