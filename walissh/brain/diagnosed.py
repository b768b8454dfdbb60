"""A diagnosis in the form that is kept with its turn."""

from collections.abc import Iterable
from typing import Final

from walissh.brain.diagnose import Diagnosis, Told
from walissh.react.diagnosed import Diagnosed, Proof

SYMPTOM_CHARS: Final = 200


def of_hosts(question: str, found: Iterable[tuple[str, Diagnosis]]) -> tuple[Diagnosed, ...]:
    """Return the surest cause of each host that has one; *question* tells the symptom."""
    best: dict[str, Told] = {}
    for host, diagnosis in found:
        cause, known = diagnosis.cause, best.get(host)
        if cause is not None and (known is None or cause.sure > known.sure):
            best[host] = cause
    symptom = " ".join(question.split())[:SYMPTOM_CHARS]
    return tuple(_of(host, symptom, cause) for host, cause in best.items())


def _of(host: str, symptom: str, cause: Told) -> Diagnosed:
    places = dict.fromkeys(place for each in (cause, *cause.steps) for place in each.places)
    return Diagnosed(
        host=host,
        finding=cause.name,
        severity=cause.severity,
        symptom=symptom,
        cause=cause.text,
        fix=cause.fix,
        verify=cause.verify,
        sure=cause.sure,
        steps=tuple(each.text for each in cause.steps),
        places=tuple(Proof(each.command_id, each.first, each.last) for each in places),
    )
