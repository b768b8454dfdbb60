"""Tell what a command line may do from its text alone.

Only a line whose every part is on the list of what surely reads (``safety.programs``) is
read_only. What is not understood is opaque, never safe.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from walissh.react.turn import SEVERITY, Risk
from walissh.safety import code, judging, shell, words, wrap
from walissh.safety.findings import (
    MAX_REASONS,
    Judgement,
    Reason,
    combine,
    reason_text,
)
from walissh.safety.judging import MAX_DEPTH
from walissh.safety.place import Place, program_of
from walissh.safety.shell import Dialect
from walissh.safety.table import GLOB

__all__ = ["SEVERITY", "Judgement", "Reason", "classify", "reason_text", "simple_texts"]


@lru_cache(maxsize=2048)
def classify(command: str, dialect: Dialect = "bash") -> Judgement:
    """Judge the whole of *command*, read by *dialect*; the worst of its parts decides.

    Order of safety: read_only, secret_exposure, mutating, opaque, destructive. The reasons
    are those of the deciding risk, and of what would keep it from ending.
    """
    judged = combine(judging.line(command, Place(dialect=dialect)))
    destroyed = code.weigh(command, judged.risk, interactive=judged.interactive)
    if not destroyed:
        return judged
    reasons = (Reason("code", (destroyed,)), *judged.reasons)[:MAX_REASONS]
    return replace(judged, risk=Risk.DESTRUCTIVE, reasons=reasons)


def simple_texts(command: str, depth: int = 0) -> Iterator[str]:
    """Give the text of every simple command of the line, also of those inside wrappers."""
    line = shell.parse(command)
    for simple in line.commands if depth < MAX_DEPTH else ():
        for form in words.forms(simple, dict(line.values)) if simple.words else ():
            yield from _inner_texts(form, depth)


def _inner_texts(form: tuple[str, ...], depth: int) -> Iterator[str]:
    form = (program_of(form[0]), *form[1:])
    yield " ".join(word.replace(GLOB, "") for word in form)
    inside = wrap.unwrap(form) if depth < MAX_DEPTH else None
    for each in inside.all() if inside else ():
        if each.script:
            yield from simple_texts(each.script, depth + 1)
        elif each.words:
            yield from _inner_texts(each.words, depth + 1)
