"""The rules that the list of programs comes to (``safety.programs``)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from walissh.react.turn import Risk
from walissh.safety import programs


@dataclass(frozen=True, slots=True)
class Rule:
    """What one program, or one of its sub-commands, may be given."""

    style: str
    flags: Mapping[str, str]
    args: int | None
    match: str | None
    whole: str | None
    values: Mapping[str, str]
    prints: bool
    unknown: bool
    endless: frozenset[str]
    needs: frozenset[str]
    any_of: frozenset[str]
    numbers: bool
    interval: bool
    stdin: int | None
    stdin_unless: frozenset[str]
    script: str
    ignore_case: bool
    subs: Mapping[str, "Rule"]
    works: str
    effects: Mapping[str, Risk]
    writes: frozenset[str]
    when: tuple[tuple[Risk, re.Pattern[str]], ...]
    risk: Risk | None
    help: frozenset[str]
    terminal: frozenset[str]
    listed: bool
    commands: frozenset[str]

    @property
    def hands_over(self) -> bool:
        """Tell whether it, or one of its sub-commands, may be given a command for a shell."""
        return bool(self.commands) or any(sub.hands_over for sub in self.subs.values())


@cache
def rules() -> Mapping[str, Rule]:
    """Return the list; read from its files at first use, and each rule made at its first."""
    return _Rules()


class _Rules(Mapping[str, Rule]):
    def __getitem__(self, name: str) -> Rule:
        return _rule_of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(programs.entries())

    def __len__(self) -> int:
        return len(programs.entries())


@cache
def _rule_of(name: str) -> Rule:
    data = programs.entries()
    return _rule(data[data[name].get("same", name)], {})


# --- reading an entry ------------------------------------------------------------------


def _rule(entry: Mapping[str, Any], outer: Mapping[str, str]) -> Rule:
    named = [name for key in _FLAG_KEYS for name in _names(entry, key)]
    flags = {**outer, **dict(map(_flag, named))}
    args = entry.get("args", "any")
    # a risk that was passed on is that of unlisted uses: nothing said of a sub-command is
    # said of all its uses
    subs = {
        name: _rule({**_passed(entry), **_also(entry, sub), "listed": _listed(sub)}, flags)
        for name, sub in _subs(entry)
    }
    return Rule(
        style=entry.get("style", "gnu"),
        flags=flags,
        args={"any": None, "none": 0}.get(args, args),
        match=entry.get("match"),
        whole=entry.get("whole"),
        values={name.rstrip("=?"): rule for name, rule in entry.get("values", {}).items()},
        prints=entry.get("prints", False),
        unknown=entry.get("unknown", False),
        endless=_plain(entry, "endless"),
        needs=_plain(entry, "needs"),
        any_of=_plain(entry, "any_of"),
        numbers=entry.get("numbers", False),
        interval=entry.get("interval", False),
        stdin=entry.get("stdin"),
        stdin_unless=_plain(entry, "stdin_unless"),
        script=entry.get("script", ""),
        ignore_case=entry.get("ignore_case", False),
        subs=subs,
        works=entry.get("works", ""),
        effects={name: risk for key, risk in _EFFECTS.items() for name in _plain(entry, key)},
        writes=_plain(entry, "writes"),
        when=tuple(
            (Risk(risk), re.compile(pattern, re.S))
            for each in entry.get("when", ())
            for risk, pattern in each.items()
        ),
        risk=Risk(entry["risk"]) if "risk" in entry else None,
        help=frozenset(str(entry.get("help", "")).replace("any", "--help").split()),
        terminal=_plain(entry, "terminal"),
        listed=entry.get("listed", not _CONDITIONS.isdisjoint(entry)),
        commands=_plain(entry, "commands"),
    )


_EFFECTS = {
    "changes": Risk.MUTATING,
    "shows": Risk.SECRET_EXPOSURE,
    "runs": Risk.OPAQUE,
    "destroys": Risk.DESTRUCTIVE,
}
_FLAG_KEYS = ("flags", "endless", "terminal", "writes", "commands", *_EFFECTS)
_CONDITIONS = frozenset(
    {"flags", "subs", "plain", "args", "match", "whole", "needs", "any_of", "script", "style"}
    | {"interval", *_FLAG_KEYS}
)
_PASSED = ("style", "works", "values", "risk", "help")


def _subs(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the sub-commands: those of which only the risk is told, then the others."""
    for risk, names in entry.get("plain", {}).items():
        inner = {"flags": ""} if risk == Risk.READ_ONLY else {"risk": risk}
        yield from ((name, inner) for name in str(names).split())
    for names, inner in entry.get("subs", {}).items():
        yield from ((name, inner) for name in str(names).split() or [""])


def _listed(sub: Mapping[str, Any]) -> bool:
    return "risk" not in sub or not _CONDITIONS.isdisjoint(sub)


def _also(entry: Mapping[str, Any], sub: Mapping[str, Any]) -> dict[str, Any]:
    """Return *sub* with the flags of *entry* that do more than read and end, unless it has them."""
    own = {_flag(name)[0] for key in _FLAG_KEYS for name in _names(sub, key)}
    more = dict(sub)
    for key in ("writes", "commands", "endless", "terminal", *_EFFECTS):
        left = [name for name in _names(entry, key) if name != "*" and _flag(name)[0] not in own]
        if left and ("risk" not in sub or _CONDITIONS & sub.keys()):
            more[key] = " ".join([*_names(sub, key), *left])
    return more


def _passed(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: entry[key] for key in _PASSED if key in entry}


def _names(entry: Mapping[str, Any], key: str) -> list[str]:
    return str(entry.get(key, "")).split()


def _plain(entry: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(name.rstrip("=?") for name in _names(entry, key))


def _flag(name: str) -> tuple[str, str]:
    return (name[:-1], name[-1]) if name[-1] in "=?" and name.count("=") < 2 else (name, "")
