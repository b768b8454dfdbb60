"""Tell whether a message only says that the diagnosis before it was right.

Each clause must be known: a yes, "that was it", "fixed", a deed, or thanks. Whatever asks,
doubts, denies or wants more is no confirmation: a case that is wrong would mislead later.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import yaml

from walissh.memory import questions
from walissh.memory.extract import deeds

MOST_CHARS: Final = 400
MOST_CLAUSES: Final = 8

_CUT = re.compile(r"[，,。；;！!、\n~～:：]+|\.(?=\s|$)|\s[-–—]+\s")
_EDGES = " \t\"'“”‘’「」()（）^_-"


@dataclass(frozen=True, slots=True)
class Said:
    """A confirmation: of which *host*, and what was done; "" where it does not tell."""

    host: str = ""
    fix: str = ""


def read(text: str, hosts: Sequence[str] = ()) -> Said | None:
    """Return what *text* confirms; *hosts* are those that it may name. None if it does not."""
    if len(text) > MOST_CHARS or _says("unsure", text) or questions.asks(text):
        return None
    named = [host for host in hosts if _name(host).search(text)]
    bare = text
    for host in hosts:
        bare = _name(host).sub(" ", bare)
    clauses = [each for part in _CUT.split(bare) if (each := part.strip(_EDGES))]
    kinds = [_kind(each) for each in clauses]
    if len(clauses) > MOST_CLAUSES or "" in kinds or "cause" not in kinds:
        return None
    done = [each for each, kind in zip(clauses, kinds, strict=True) if kind == "deed"]
    return Said(named[0] if len(named) == 1 else "", "; ".join(done))


def _kind(clause: str) -> str:
    """Return what a clause says: cause, fixed, beside or deed; "" for anything else."""
    for kind in ("cause", "fixed", "beside"):
        if _whole(kind, clause):
            return kind
    return "deed" if deeds.is_done(clause) or _says("deed", clause) else ""


def _says(kind: str, text: str) -> bool:
    return _pattern(kind).search(text) is not None


def _whole(kind: str, text: str) -> bool:
    return _pattern(kind).fullmatch(text) is not None


def _name(host: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\bon\s+)?(?<![\w.-]){re.escape(host)}(?![\w-])(?:\s*上面?的?)?", re.I)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    listed = yaml.safe_load(files(__package__).joinpath("confirming.yaml").read_text("utf-8"))
    return re.compile("|".join(f"(?:{each})" for each in listed[kind]), re.I)
