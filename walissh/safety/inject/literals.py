"""Which pieces of text a match of a pattern surely holds, so that most texts need no search."""

from re import _parser as grammar  # type: ignore[attr-defined]  # the only parser of patterns
from typing import Any

Pieces = frozenset[str]
NONE: Pieces = frozenset()
LEAST_CHARS = 2


def of(pattern: str) -> Pieces:
    """Return pieces of which every match of *pattern* holds one; empty if that cannot be told."""
    return _of_sequence(grammar.parse(pattern))


def _of_sequence(sequence: Any) -> Pieces:
    """Return the best of what the parts of *sequence* need: long pieces, and few of them."""
    found: list[Pieces] = []
    run = ""
    for operation, value in sequence:
        if str(operation) == "LITERAL":
            run += chr(value)
            continue
        found.append(frozenset({run}))
        run = ""
        found.append(_of_part(str(operation), value))
    found.append(frozenset({run}))
    return max(found, key=_worth, default=NONE)


def _of_part(operation: str, value: Any) -> Pieces:
    if operation == "SUBPATTERN":
        return _of_sequence(value[-1])
    if operation in ("MAX_REPEAT", "MIN_REPEAT") and value[0] > 0:
        return _of_sequence(value[2])
    if operation == "BRANCH":
        each = [_of_sequence(branch) for branch in value[1]]
        return frozenset().union(*each) if all(map(_worth, each)) else NONE
    return NONE


def _worth(pieces: Pieces) -> float:
    """Return how much is saved by looking for *pieces* first, 0 if nothing is."""
    shortest = min(map(len, pieces), default=0)
    is_wide = any(not piece.isascii() for piece in pieces)
    if shortest < LEAST_CHARS and not (is_wide and shortest):
        return 0.0
    return min(shortest, 4) + 1 / len(pieces)
