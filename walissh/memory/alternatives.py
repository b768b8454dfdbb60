"""Many regular expressions as one that is searched for fast.

Python tries the alternatives of a list one by one at each place of a text. Sorted by their
first letter, all but a few are left out by that letter alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

_MAX_VARIANTS = 64
_QUANTIFIER = re.compile(r"[*+?{]")
_SPECIAL = frozenset("\\.^$*+?{}[]()|")


def sorted_by_letter(patterns: Iterable[str], *, before: str = "") -> tuple[str, str]:
    """Return one expression of those with a known first letter, and one of the others.

    *before* is an expression that is put after each first letter. "" stands for none.
    Which alternative fits first is not kept, only whether one does.
    """
    led: dict[str, list[str]] = defaultdict(list)
    others: list[str] = []
    for pattern in patterns:
        variants = _variants(pattern)
        if variants is None:
            others.append(pattern)
            continue
        for each in variants:
            led[each[0]].append(each[1:])
    letters = [f"{letter}{before}(?:{'|'.join(rests)})" for letter, rests in led.items()]
    return "|".join(letters), "|".join(others)


def _variants(pattern: str) -> list[str] | None:
    """Return *pattern* as alternatives that each begin with a letter; None if they cannot."""
    waiting, done = list(_parted(pattern)), list[str]()
    while waiting:
        each = waiting.pop()
        if len(waiting) + len(done) > _MAX_VARIANTS:
            return None
        if _begins_plainly(each):
            done.append(each)
            continue
        opened = _opened(each)
        if opened is None:
            return None
        waiting.extend(opened)
    return done


def _begins_plainly(pattern: str) -> bool:
    return (
        bool(pattern)
        and pattern[0] not in _SPECIAL
        and not (len(pattern) > 1 and _QUANTIFIER.match(pattern[1]))
    )


def _opened(pattern: str) -> list[str] | None:
    """Return the alternatives of a leading group, or None if there is no plain one."""
    if _QUANTIFIER.match(pattern[1:2]) and pattern[:1] not in _SPECIAL:
        # "x?rest" is "xrest" or "rest"
        return [pattern[0] + pattern[2:], pattern[2:]] if pattern[1] == "?" else None
    if not pattern.startswith("(") or pattern.startswith("(?"):
        return None
    end = _closing(pattern)
    inside, rest = pattern[1:end], pattern[end + 1 :]
    if rest.startswith("?"):
        return [*(each + rest[1:] for each in _parted(inside)), rest[1:]]
    if _QUANTIFIER.match(rest[:1]):
        return None
    return [each + rest for each in _parted(inside)]


def _closing(pattern: str) -> int:
    depth = 0
    for place, mark in _marks(pattern):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if depth == 0:
            return place
    return len(pattern)


def _parted(pattern: str) -> list[str]:
    """Split at the bars that stand in no group."""
    parts, begin, depth = [], 0, 0
    for place, mark in _marks(pattern):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if mark == "|" and depth == 0:
            parts.append(pattern[begin:place])
            begin = place + 1
    return [*parts, pattern[begin:]]


def _marks(pattern: str) -> Iterable[tuple[int, str]]:
    """Yield the brackets and bars that mean something, with their places."""
    place, in_class = 0, False
    while place < len(pattern):
        mark = pattern[place]
        if mark == "\\":
            place += 2
            continue
        if in_class:
            in_class = mark != "]"
        elif mark == "[":
            in_class = True
            # a bracket that comes first in a class is one of its letters
            place += len(re.match(r"\[\^?\]?", pattern[place:])[0]) - 1  # type: ignore[index]
        elif mark in "()|":
            yield place, mark
        place += 1
