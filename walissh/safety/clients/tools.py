"""Tools of databases and queues that rules over their options and words are enough for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.clients import databases, options, spoken, sql, told
from walissh.safety.clients.options import Options, Spec
from walissh.safety.clients.told import Told
from walissh.safety.table import GLOB, UNKNOWN


@dataclass(frozen=True, slots=True)
class _Rule:
    effect: str
    pattern: re.Pattern[str]
    works: str


@cache
def names() -> frozenset[str]:
    """Return the tools that ``tools.yaml`` holds."""
    return frozenset(_data())


@cache
def _data() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = lists.load("walissh.safety.clients", "tools.yaml")
    return {name: data[entry.get("same", name)] for name, entry in data.items()}


@cache
def _tool(program: str) -> tuple[Spec, tuple[_Rule, ...]]:
    entry = _data()[program]
    spec = options.from_entry({key: value for key, value in entry.items() if key != "rules"})
    rules = tuple(
        _Rule(effect, re.compile(pattern), works[0] if works else "")
        for effect, pattern, *works in entry["rules"]
    )
    return spec, rules


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of one of ``names()``."""
    spec, rules = _tool(program)
    given = options.read(spec, args)
    text = _text(given)
    if given.unknown:
        text = f"{text} {' '.join(args)}"
    found = list(databases.effects(spec, Options(_sure(given), given.rest, given.unknown)))
    found += [sql.judge(value, "influx") for value in given.values("-execute")]
    return told.worst([*found, _by_rules(rules, text, program)])


def tls(args: tuple[str, ...], *, fed: bool, text: str | None) -> Told:
    """Judge ``openssl s_client``, which waits for what to send unless something comes in."""
    found = judge("openssl s_client", args, fed=fed)
    if "-help" in args or (fed and text is not None and spoken.reads(text)):
        return found
    if fed:
        unsure = told.sends("openssl s_client") if text is None else told.unclear("statement", text)
        return told.worst([found, unsure])
    return told.worst([found, told.waits("openssl s_client -connect HOST:PORT </dev/null")])


def _sure(given: Options) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in given.given if name != "-execute")


def _text(given: Options) -> str:
    """Return the text that rules look at: each option, with its value once more."""
    return f"{' '.join(_given(given))} : {' '.join(given.rest)}".lstrip(" ")


def _given(given: Options) -> Iterator[str]:
    for name, value in given.given:
        yield name
        if value and len(value) < 100:
            yield f"{name}={value}".replace(" ", "_")


def _by_rules(rules: tuple[_Rule, ...], text: str, program: str) -> Told:
    plain = text.replace(GLOB, "")
    for rule in rules:
        if rule.pattern.search(plain):
            return _effect(rule, f"{program} {plain.replace(' : ', ' ').strip()}")
    if UNKNOWN in plain:
        return told.unclear("argument", program)
    return told.unclear("missing", program)


def _effect(rule: _Rule, word: str) -> Told:
    if rule.effect == "endless":
        return told.waits(rule.works, code="endless")
    if rule.effect == "asks":
        return told.waits(rule.works, risk=Risk.OPAQUE)
    return told.of(Risk(rule.effect), word)
