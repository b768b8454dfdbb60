"""Whether a standing instruction is new, replaces an earlier one, or withdraws it."""

from collections.abc import Sequence

from walissh.memory.entry import Op
from walissh.memory.extract import marks, phrases
from walissh.memory.extract.prose import Clause, Sentence


def of(sentence: Sentence, rule: Sequence[Clause]) -> Op:
    """Return what the *rule* of *sentence* does to the ones before it.

    Negating an earlier rule replaces it; withdrawing one, with nothing in its place, removes.
    """
    seen = [marks.core(each) for each in rule]
    said = [sentence.seen, *seen]
    if any(phrases.found("withdrawn", each) for each in seen):
        return Op.REMOVE
    if any(phrases.found("released", each) for each in said) and len(rule) == 1:
        return Op.REMOVE
    if any(phrases.found(name, each) for name in ("replaced", "revoked") for each in said):
        return Op.REPLACE if _gives_new_value(seen) else Op.REMOVE
    if any(phrases.found("unneeded", each) for each in seen):
        return Op.REPLACE
    return Op.ADD


def _gives_new_value(seen: Sequence[str]) -> bool:
    """Tell whether something is put in the place of what goes."""
    kept = [each for each in seen if not phrases.found("given_up", each)]
    if len(kept) == len(seen) or any(phrases.found("new_value", each) for each in kept):
        return True
    return any(
        phrases.found("new_value", each)
        for number, each in enumerate(seen)
        if number or phrases.found("replacing", each)
    )
