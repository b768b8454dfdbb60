"""What kind of error a log line tells of, and what it is about: host, port, path, user.

The kinds are data (``signatures.yaml``): the words in which programs, libraries and the
kernel report one thing, in any program's log. The first kind that fits counts, so narrow
kinds stand before wide ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import yaml

_WORST = re.compile(
    r"\b(?:error|err|fatal|panic|crit(?:ical)?|alert|emerg|fail(?:ed|ure|s|ing)?|exception"
    r"|traceback|denied|refused|cannot|can't|unable|could not|timed? ?out|abort(?:ed)?|killed"
    r"|invalid|unreachable|segfault|no space|too many|exceeded|rejected|expired|missing|broken"
    r"|not (?:found|permitted|allowed|written|possible|running|available|responding))\b"
    r"|错误|失败|异常|拒绝|超时|无法|不能|崩溃|致命|找不到|不存在|权限|已满",
    re.IGNORECASE,
)
_TIMES: Final = (
    re.compile(r"(?P<y>\d{4})[-/](?P<m>\d\d)[-/](?P<d>\d\d)[T ](?P<t>\d\d:\d\d:\d\d)"),
    re.compile(r"(?P<d>\d{1,2})[ /](?P<b>[A-Z][a-z]{2})[ /](?P<y>\d{4})[ :](?P<t>\d\d:\d\d:\d\d)"),
    re.compile(r"(?P<b>[A-Z][a-z]{2}) +(?P<d>\d{1,2}) (?P<t>\d\d:\d\d:\d\d)(?: (?P<y>\d{4}))?"),
)
_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_MAX_LINE_CHARS: Final = 1000
_AHEAD: Final = timedelta(days=2)  # no clock and no zone of a log is further on than this

_ADDRESS = r"(?P<host>\[[0-9a-fA-F:]+\]|(?:\d{1,3}\.){3}\d{1,3}|[a-zA-Z][\w-]*(?:\.[\w-]+)*)"
_TARGETS: Final = (
    re.compile(_ADDRESS + r"""["']?\s*[,(]?\s*port[ =:]+(?P<port>\d{1,5})\b""", re.IGNORECASE),
    re.compile(
        r"(?P<scheme>[a-z][a-z0-9+]*)://(?:[^/@\s]*@)?" + _ADDRESS + r"(?::(?P<port>\d{1,5}))?"
    ),
    re.compile(r"(?<![\w./:-])" + _ADDRESS + r":(?P<port>\d{2,5})(?!\d|:\d)"),
    re.compile(r"\('" + _ADDRESS + r"', (?P<port>\d{2,5})\)"),
    re.compile(
        r"(?:connect(?:ing|ion)?|reach|resolve|lookup|host|server|to|at)\s+[\"'(]?"
        + _ADDRESS.replace("[a-zA-Z][\\w-]*(?:\\.[\\w-]+)*", "[a-zA-Z][\\w-]*(?:\\.[\\w-]+)+"),
        re.IGNORECASE,
    ),
)
_PATH = re.compile(r"(?<![\w:/.])(/(?:[\w.@+%~-]+/)*[\w.@+%~-]+)(?![\w/])")
_SCHEME_PORTS: Final[Mapping[str, int]] = {
    "http": 80, "https": 443, "redis": 6379, "rediss": 6379, "postgres": 5432,
    "postgresql": 5432, "mysql": 3306, "amqp": 5672, "mongodb": 27017, "ldap": 389,
}  # fmt: skip
_PID = re.compile(r"^(?P<pid>\d+):[A-Z] |[\w.-]\[(?P<pid2>\d+)\]")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of error: its name and the ways to tell of it."""

    name: str
    patterns: tuple[re.Pattern[str], ...]


@cache
def kinds() -> tuple[Kind, ...]:
    """Return all kinds in their order."""
    text = (Path(__file__).parent / "signatures.yaml").read_text("utf-8")
    found = yaml.safe_load(text)
    return tuple(
        Kind(name, tuple(re.compile(each, re.IGNORECASE) for each in patterns))
        for name, patterns in found.items()
    )


@cache
def _any_kind() -> re.Pattern[str]:
    each = (pattern.pattern for kind in kinds() for pattern in kind.patterns)
    return re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", one) for one in each), re.IGNORECASE)


@lru_cache(maxsize=4096)
def read(line: str) -> Mapping[str, object]:
    """Return what *line* tells: ``kind`` ("" for none), ``wrong``, and what it names.

    Keys: kind, wrong (it tells of something wrong at all), host, port, target
    (``host:port``), path, pid, at (seconds since 1970 as the line has it, without a zone);
    None for what it does not name.
    """
    text = line[:_MAX_LINE_CHARS]
    kind, named = _kind(text)
    target = _target(text)
    path = named.get("path") or _path(text)
    return {
        "kind": kind,
        "wrong": bool(kind) or _WORST.search(text) is not None,
        **target,
        "path": path,
        "pid": _pid(text),
        "at": moment(text),
        "name": named.get("name"),
        "user": named.get("user"),
        "value": named.get("value"),
    }


def _kind(text: str) -> tuple[str, Mapping[str, str | None]]:
    if not _any_kind().search(text):
        return "", {}
    for kind in kinds():
        for pattern in kind.patterns:
            if found := pattern.search(text):
                return kind.name, found.groupdict()
    return "", {}


def _target(text: str) -> dict[str, object]:
    for pattern in _TARGETS:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            host = str(parts["host"]).strip("[]")
            port = parts.get("port") or _SCHEME_PORTS.get(parts.get("scheme") or "")
            if parts.get("port") is None and "scheme" not in parts and "." not in host:
                continue
            number = int(port) if port else None
            return {"host": host, "port": number, "target": f"{host}:{number}" if number else host}
    return {"host": None, "port": None, "target": None}


def _path(text: str) -> str | None:
    """Return the last path of a message, not the program or source file in its front."""
    quoted = re.findall(r"""["'](/[^"'\n]+)["']""", text)
    if quoted:
        return str(quoted[-1])
    found = _PATH.findall(re.sub(r"\w+://\S+", " ", text))
    return str(found[-1]) if found else None


def _pid(text: str) -> int | None:
    found = _PID.search(text[:200])
    return int(found["pid"] or found["pid2"]) if found else None


def moment(text: str) -> float | None:
    """Return the time that stands in the front of *text*, in seconds, None if there is none.

    It has no zone: compare it with the clock of the same machine read the same way.
    """
    for pattern in _TIMES:
        found = pattern.search(text[:120])
        if found:
            return _seconds(found.groupdict())
    return None


def _seconds(parts: Mapping[str, str | None]) -> float | None:
    name = (parts.get("b") or "").lower()
    month = int(parts["m"] or 0) if parts.get("m") else _month(name)
    now = datetime.now(UTC)
    year = int(parts["y"] or 0) if parts.get("y") else now.year
    hour, minute, second = (int(each) for each in (parts["t"] or "0:0:0").split(":"))
    try:
        at = datetime(year, month, int(parts["d"] or 0), hour, minute, second, tzinfo=UTC)
        if not parts.get("y") and at > now + _AHEAD:  # in January, "Dec 31" is of last year
            at = at.replace(year=year - 1)
    except ValueError:
        return None
    return at.timestamp()


def _month(name: str) -> int:
    return _MONTHS.index(name) + 1 if name in _MONTHS else 0
