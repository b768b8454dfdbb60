"""How much memory counts in a question, by what the person says of it.

Ancestor: the regulator of the two-layer design. The factor governs what is recalled by
likeness; preferences in force and standing rules are in the prompt whatever it is.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from walissh.memory.expressions import PHRASE_FIELDS, Phrases, phrases, seen
from walissh.memory.tables import Place, document

BUILT_IN: Final = Path(__file__).with_name("weight.yaml")


@dataclass(frozen=True, slots=True)
class Weight:
    """The share (0 to 1) of its budget that recalled memory may take.

    At 0 nothing is recalled. *latest*: the last choice is meant. *reason* is the name of
    the rule, "" when the question says nothing of it.
    """

    factor: float
    latest: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Rules:
    usual: Weight
    rules: tuple[tuple[Phrases, Weight], ...]


def weigh(question: str) -> Weight:
    """Return how much memory counts in *question*, by the first rule that fits."""
    text = seen(question)
    for said, weight in _built_in().rules:
        if said.hold(text):
            return weight
    return _built_in().usual


def without(question: str) -> str:
    """Return the question (lower case) without what it says of memory."""
    text = seen(question)
    for said, _ in _built_in().rules:
        text = said.said.without(text)
    return text


@cache
def _built_in() -> _Rules:
    return _read(document(BUILT_IN.read_text("utf-8"), str(BUILT_IN)))


def _read(root: Place) -> _Rules:
    parts = root.fields("usual", "rules")
    rules = parts["rules"].fields().items()
    return _Rules(
        Weight(parts["usual"].number(0, 1)),
        tuple(_rule(name, place) for name, place in rules),
    )


def _rule(name: str, place: Place) -> tuple[Phrases, Weight]:
    fields = place.fields("factor", "latest", *PHRASE_FIELDS)
    weight = Weight(fields["factor"].number(0, 1), fields["latest"].yes(), name)
    return phrases(place, fields), weight
