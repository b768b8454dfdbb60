"""The program or service that a message names, as people name them in both languages."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.react.intent import spelling

MAX_CHARS: Final = 2_000


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
    if not found:
        return ""
    return next(name for name, place in _names(kind).items() if found[place] is not None)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return one pattern with a group for each name: a word of its own, but for Chinese."""
    groups = (
        f"(?P<{place}>{'|'.join(map(_bounded, _data()[kind][name]))})"
        for name, place in _names(kind).items()
    )
    return re.compile("|".join(groups))


@cache
def _names(kind: str) -> Mapping[str, str]:
    return {name: f"n{number}" for number, name in enumerate(_data()[kind])}


def _bounded(word: str) -> str:
    return rf"(?<![a-z0-9_./@-]){word}(?![a-z0-9_/@-]|\.\w)" if word.isascii() else word


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
