"""What a turn found out: a cause on one host, what led to it, and what became of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

MOST_CHARS: Final = 1_500
MOST_STEPS: Final = 12
MOST_PROOFS: Final = 24


class Proof(NamedTuple):
    """Lines *first_line* to *last_line*, from 1, of one command's output."""

    command_id: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A cause that an answer names for *host*; texts are in the language of the turn.

    *finding* is its name in the playbooks, *symptom* the question in a line, *sure* percent;
    *steps* lead from symptom to cause. *confirmed_at* is when a person said that this was it,
    *memory_id* the case that was kept of it.
    """

    host: str
    finding: str
    severity: str
    symptom: str
    cause: str
    fix: str
    verify: str
    sure: int
    steps: tuple[str, ...] = ()
    places: tuple[Proof, ...] = ()
    confirmed_at: datetime | None = None
    memory_id: str = ""


def settled(
    found: Sequence[Diagnosed],
    clean: Callable[[str], str],
    proofs: Callable[[Sequence[Proof]], tuple[Proof, ...]],
) -> tuple[Diagnosed, ...]:
    """Return what a brain *found* as it may be kept: purified, cut, its lines looked up.

    A brain may name a command by the beginning of its id; *proofs* gives the whole one.
    """

    def fit(text: str) -> str:
        return clean(text)[:MOST_CHARS]

    return tuple(
        replace(
            each,
            symptom=fit(each.symptom),
            cause=fit(each.cause),
            fix=fit(each.fix),
            verify=fit(each.verify),
            steps=tuple(fit(step) for step in each.steps[:MOST_STEPS]),
            places=proofs(each.places[:MOST_PROOFS]),
        )
        for each in found
    )
