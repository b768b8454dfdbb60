"""For which machines a standing instruction holds: ``global``, ``host:db1``, ``group:prod`` …

What is connected to or chosen ("connect to db2 by default") is a value, not a scope.
"""

import re
from typing import Final

from walissh.memory.extract import phrases

GLOBAL: Final = "global"


def of(clause: str) -> str:
    """Return the scope that *clause* names, ``global`` if it names none."""
    for find in (_excepted, _patterned, _hosts, _environment, _group, _called, _hyphened):
        scope = find(clause)
        if scope:
            return scope
    return GLOBAL


def _excepted(text: str) -> str:
    match = phrases.pattern("scope.except").search(text)
    return f"all-except:{_named(match)}" if match else ""


def _patterned(text: str) -> str:
    match = phrases.pattern("scope.glob").search(text)
    if match:
        return f"host:{match['name'].lower()}"
    match = phrases.pattern("scope.prefix").search(text)
    return f"host:{_named(match).rstrip('*')}*" if match else ""


def _hosts(text: str) -> str:
    """Return the numbered machines (``web1``) that stand as a place, not as a choice."""
    names: list[str] = []
    for match in _NUMBERED.finditer(text):
        name = match[0].lower()
        if _is_host(name) and _is_place(text, match, bool(names)) and name not in names:
            names.append(name)
    return f"host:{','.join(names)}" if names else ""


def _is_host(name: str) -> bool:
    return phrases.pattern("scope.not_hosts").fullmatch(name) is None


def _is_place(text: str, match: re.Match[str], goes_on: bool) -> bool:
    before, after = text[: match.start()], text[match.end() :]
    if phrases.pattern("scope.chosen_before").search(before):
        return phrases.pattern("scope.place_after").match(after) is not None
    if goes_on and phrases.pattern("scope.and_before").search(before):
        return True
    return bool(
        phrases.pattern("scope.place_before").search(before)
        or phrases.pattern("scope.place_after").match(after)
    )


def _environment(text: str) -> str:
    """Return the group of an environment: production, staging, test, development."""
    for name in ("prod", "staging", "test", "dev"):
        if phrases.pattern(f"scope.environments.{name}").search(text):
            return f"group:{name}"
    return ""


def _group(text: str) -> str:
    match = phrases.pattern("scope.group").search(text)
    if match is None or phrases.pattern("scope.not_groups").fullmatch(_named(match)):
        return ""
    return f"group:{_named(match)}"


def _called(text: str) -> str:
    """Return the one machine called by its part: ``the payments db`` is ``payments-db``."""
    match = phrases.pattern("scope.called").search(text)
    if match is None or phrases.pattern("scope.not_groups").fullmatch(match["name"].lower()):
        return ""
    return f"host:{match['name'].lower()}-{match['kind'].lower()}"


def _hyphened(text: str) -> str:
    match = phrases.pattern("scope.hyphened").search(text)
    if match is None:
        return ""
    name = next(part for part in match.groupdict().values() if part).lower()
    return "" if phrases.pattern("scope.not_hosts").fullmatch(name) else f"host:{name}"


def _named(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part).lower()


_NUMBERED: Final = re.compile(
    r"(?<![\w./:@*-])[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}(?<=[a-z-])\d{1,4}(?![a-z0-9_/:*]|[.-]\w)",
    re.IGNORECASE,
)
