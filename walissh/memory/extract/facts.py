"""Facts of a host in what a command printed: software with its version, and environment.

The command decides what its output can teach; text that no reader of that command asks for
is never looked at, and what it says, advises or orders is not followed.
(ancestor: LongTermMemoryService.recordToolObservation)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from walissh.memory.entry import Found, MemoryType
from walissh.memory.extract import (
    answers,
    bundles,
    clusters,
    commandline,
    network,
    packages,
    processes,
    queries,
    settings,
    software,
    storage,
    system,
    unfold,
)
from walissh.memory.extract.commandline import Asked
from walissh.safety import redact

MAX_READ_CHARS = 256_000
MAX_FACTS = 40
MAX_SUBJECT_CHARS = 80

Lines = Sequence[str]
Reader = Callable[[Asked, Lines, str], Iterable[Found]]

_READERS: tuple[Reader, ...] = (
    packages.read,
    answers.read,
    system.read,
    storage.read,
    network.read,
    processes.read,
    clusters.read,
)


def from_tool(text: str, *, command: str, host: str = "", rc: int | None = None) -> list[Found]:
    """Return what the purified output *text* of *command* on *host* proves, best first.

    *rc* is the exit code, None when the process did not end by itself. A failed command
    teaches nothing; of a chain the parts before the failed last one may, where the output
    names what it speaks of. [] for what says nothing durable.
    """
    asks = commandline.asked(command, host)
    if rc not in {0, None}:
        asks = _before_failure(asks)
    if not asks or not text.strip():
        return []
    lines = text[:MAX_READ_CHARS].splitlines()
    return _clean(each for ask, own in _shares(asks, lines) for each in _read(ask, own, host))


def _read(ask: Asked, lines: Lines, host: str) -> Iterator[Found]:
    """Yield what the readers of the command find; settings only where no other does."""
    if not ask.program:
        return
    lines = unfold.rows(ask, lines)
    own = list(bundles.read(ask, lines, host))
    question = queries.of(ask, host)
    versions = software.read(ask, lines, host) if question and not own else []
    if own or (question is not None and not question.labelled):
        yield from own or versions
        return
    found = chain(versions, *(reader(ask, lines, host) for reader in _READERS))
    first = next(found, None)
    yield from settings.read(ask, lines, host) if first is None else chain([first], found)


def _before_failure(asks: list[Asked]) -> list[Asked]:
    """Return what may be believed although the line ended with an error."""
    kept = asks[:-1]
    if asks and (bundles.answers_in_part(asks[-1]) or packages.answers_in_part(asks[-1])):
        kept = asks
    return kept


# --- whose lines ----------------------------------------------------------------------


def _shares(asks: list[Asked], lines: list[str]) -> list[tuple[Asked, Lines]]:
    """Give each command its lines: by count where it is certain, else all to each."""
    if len(asks) == 1:
        return [(asks[0], lines)]
    rows = [line for line in lines if line.strip()]
    if len(rows) == len(asks):
        return [(_alone(a), [row]) for a, row in zip(asks, rows, strict=True)]
    front = _one_liners(asks)
    back = _one_liners(asks[::-1]) if front < len(asks) else 0
    if front + back > len(rows) or len(asks) - front - back < 1:
        return [(ask, rows) for ask in asks]
    first = [(_alone(a), [r]) for a, r in zip(asks[:front], rows[:front], strict=True)]
    middle = asks[front : len(asks) - back]
    inner = rows[front : len(rows) - back]
    single = len(middle) == 1
    own: list[tuple[Asked, Lines]] = [(_alone(a) if single else a, inner) for a in middle]
    last = zip(asks[len(asks) - back :], rows[len(rows) - back :], strict=True)
    return [*first, *own, *((_alone(a), [r]) for a, r in last)]


_ONE_LINE = frozenset("hostname nproc uname arch date whoami pwd getenforce echo uptime id".split())  # noqa: SIM905
_ONE_LINE_FILES = re.compile(r"/etc/(?:timezone|hostname|\w+-release|debian_version)")


def _one_liners(asks: list[Asked]) -> int:
    """Return how many commands in front print exactly one line each."""
    count = 0
    for ask in asks:
        file = ask.program == "cat" and any(_ONE_LINE_FILES.fullmatch(w) for w in ask.words)
        if (ask.program not in _ONE_LINE and not file) or "os-release" in ask.said:
            break
        count += 1
    return count


def _alone(ask: Asked) -> Asked:
    return replace(ask, alone=True)


# --- what may be kept -----------------------------------------------------------------


def _clean(found: Iterable[Found]) -> list[Found]:
    """Drop repeats and whatever holds a secret or its placeholder."""
    kept: dict[tuple[str, str, str], Found] = {}
    for each in _told_apart(found):
        kept.setdefault((each.type, each.subject, each.value), each)
        if len(kept) >= MAX_FACTS:
            break
    facts = list(kept.values())
    if not _secret("\n".join(fact.content for fact in facts)):
        return facts
    return [fact for fact in facts if not _secret(f"{fact.subject}: {fact.value}")]


def _told_apart(found: Iterable[Found]) -> Iterator[Found]:
    """Yield the facts; a second value of one subject is named after itself, none is the last."""
    values: dict[str, str] = {}
    for each in found:
        if not each.value.strip():
            continue
        if each.type is not MemoryType.ENVIRONMENT_FACT or each.value == values.setdefault(
            each.subject, each.value
        ):
            yield each
        else:
            subject = f"{each.subject} {each.value.split()[0]}"[:MAX_SUBJECT_CHARS]
            yield replace(each, subject=subject, content=f"{subject}: {each.value}")


def _secret(text: str) -> bool:
    return "‹secret" in text or redact.redact(text) != text
