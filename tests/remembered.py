"""Short ways to say what is remembered, for tests of the stores of memory."""

from datetime import UTC, datetime, timedelta

from walissh.memory.entry import Found, MemoryType, Op, Origin, Source
from walissh.react.host import Host
from walissh.store import hosts, people
from walissh.store.hosts import HostDraft

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = Source(Origin.USER, "web")
MEASURED = Source(Origin.TOOL)
GUESSED = Source(Origin.ASSISTANT_HEDGED)


def later(days: int) -> datetime:
    """Return an instant so many days after noon."""
    return NOON + timedelta(days=days)


def person(name: str) -> str:
    """Return the id of a person, made if new."""
    return people.named(name).id


def host(owner_id: str, name: str = "web1", address: str = "10.0.0.1", **more: object) -> Host:
    """Return a new server of somebody."""
    return hosts.add(owner_id, HostDraft(name, address, "ops", **more))  # type: ignore[arg-type]


def rule(
    value: str, subject: str = "output language", scope: str = "global", op: Op = Op.ADD
) -> Found:
    """Return a preference."""
    content = f"From now on {subject}: {value}"
    return Found(MemoryType.USER_PREFERENCE, subject, value, content, scope=scope, op=op)


def version(value: str, program: str = "redis", stale_days: int | None = None) -> Found:
    """Return what was measured of a program."""
    content = f"{program} {value} is installed"
    kind = MemoryType.SOFTWARE_FACT
    return Found(kind, program, value, content, stale_days=stale_days)


def case(cause: str, fix: str, symptom: str = "the shop answers 502") -> Found:
    """Return a closed case."""
    return Found(
        MemoryType.TROUBLESHOOTING_CASE,
        symptom,
        cause,
        f"{symptom}: {cause}; {fix}",
        symptom=symptom,
        cause=cause,
        fix=fix,
        worked=True,
    )
