"""Facts as values: what they are called, how they read, how long they hold."""

import re
from functools import lru_cache

from walissh.memory.entry import Found, MemoryType

VERSION_DAYS = 90
MAX_VALUE_CHARS = 120

_DAYS = {
    "os": 180, "kernel": 90, "hostname": 180, "architecture": 365, "cpu": 180, "memory": 180,
    "swap": 180, "disk": 90, "mount": 90, "port": 30, "address": 90, "time": 180,
    "cluster": 30, "config": 90, "data": 90, "log": 90, "cron": 30,
}  # fmt: skip
_DEFAULT_DAYS = 90


def software(name: str, version: str, inside: str = "") -> Found:
    """Return that *name* is here in *version*; *inside* names its container."""
    subject = f"{name} in container {inside}" if inside else name
    text = f"{name} {version}" + (f" (container {inside})" if inside else "")
    return Found(
        MemoryType.SOFTWARE_FACT, subject, version, text, confidence=1.0, stale_days=VERSION_DAYS
    )


@lru_cache(maxsize=512)
def environment(subject: str, value: str, inside: str = "") -> Found:
    """Return that *subject* of this host is *value*; the days follow from its first word."""
    days = _DAYS.get(subject.split(" ", maxsplit=1)[0], _DEFAULT_DAYS)
    name = f"{subject} in container {inside}" if inside else subject
    short = re.sub(r"\s+", " ", value).strip()[:MAX_VALUE_CHARS]
    return Found(
        MemoryType.ENVIRONMENT_FACT, name, short, f"{name}: {short}", confidence=1.0,
        stale_days=days,
    )  # fmt: skip
