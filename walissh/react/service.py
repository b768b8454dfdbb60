"""The program or service that a message names, as people name them in both languages."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.react.intent import spelling

MAX_CHARS: Final = 1_000


def named(text: str) -> str:
    """Return the program that *text* names, the first one; "" if it names none.

    A name of one's own ("billing-api", "订单服务") comes before a program, and a program
    before what it is for ("the database").
    """
    form = spelling.plain(text[:MAX_CHARS])
    return next(_own(form), "") or _first("programs", form) or _first("kinds", form)


def _own(text: str) -> Iterator[str]:
    for place in sorted(
        (found for each in _shapes() for found in each.finditer(text)), key=re.Match.start
    ):
        name = _bare(place["name"])
        if name and name not in _data()["no_name"].split():
            yield _known().get(name, name)


def _bare(name: str) -> str:
    """Return a name without what was ordered for it ("重启订单服务")."""
    name = name.removesuffix(".service")
    while verb := next((each for each in _data()["verbs"].split() if name.startswith(each)), ""):
        name = name.removeprefix(verb)
    return "" if name in ("服务", "微服务") else name


def _first(kind: str, text: str) -> str:
    found = _pattern(kind).search(text)
    return _name_of(kind, found[0]) if found else ""


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return a pattern of all words: each one of its own, but for Chinese.

    The bounds stand around all of them, so that most places are passed over at once.
    """
    words = [word for words in _data()[kind].values() for word in words]
    latin = "|".join(word for word in words if word.isascii())
    han = "|".join(word for word in words if not word.isascii())
    bounded = rf"(?<![a-z0-9_./@-])(?:{latin})(?![a-z0-9_/@-]|\.\w)"
    return re.compile(f"{bounded}|{han}" if han else bounded)


@cache
def _name_of(kind: str, word: str) -> str:
    names = _data()[kind].items()
    name: str = next(n for n, words in names if any(re.fullmatch(each, word) for each in words))
    return name


@cache
def _known() -> Mapping[str, str]:
    return {word: name for name, words in _data()["programs"].items() for word in words}


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each) for each in _data()["shapes"])


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml.safe_load(
        (files("walissh.react") / "services.yaml").read_text("utf-8")
    )
    return data
