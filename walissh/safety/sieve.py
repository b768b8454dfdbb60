"""Which lines of a block need a closer look for secrets; the others surely have none.

Whole blocks are searched at once, which is far faster than line by line: a log of failed
log-ins says "password" in every line and holds none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from walissh.safety import pairs, phrased, tokens


def suspects(source: list[str], block: str, hints: frozenset[str]) -> set[int]:
    """Return the numbers of the lines of *source* in which a secret is possible.

    *block* is all of *source* joined by newlines, *hints* what ``tokens.hinted`` found in it.
    """
    lower = tokens.lowered(block)
    starts = list(accumulate((len(line) + 1 for line in source), initial=0))
    found: set[int] = set()
    for piece, text in _rarest(block, lower, hints):
        found.update(_lines_with(piece, text, starts))
    for piece in (*_starters(hints), "-----begin", "private-lines"):
        found.update(_lines_with(piece, lower, starts))
    for beginning in _beginnings(hints):
        found.update(bisect_right(starts, m.start()) - 1 for m in beginning.finditer(lower))
    return found


@lru_cache(maxsize=512)
def _starters(hints: frozenset[str]) -> tuple[str, ...]:
    """Return the starters that the block may have: each has one of the hints in it."""
    named = hints & pairs.PIECES
    told = tuple(hints.intersection((*phrased.CHINESE, *phrased.ACCOUNTS, "new value", "login")))
    starters = (each for each in pairs.STARTERS if any(piece in each for piece in named))
    return (*starters, *told)


@lru_cache(maxsize=512)
def _beginnings(hints: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    """Return what finds a name of a secret with a value after it, in lower-case text."""
    needs = {"pwd": "pw", "_pw": "pw", "sid": "sess", "_auth": "auth"}
    possible = [w for w in pairs.WORDS if needs.get(w, w) in hints]
    found = [re.compile(word + pairs.WORDS[word] + pairs.TO_VALUE) for word in possible]
    if not hints.isdisjoint(("pass", "secret", "token", "key")):
        found += [pairs.DIRECTIVE, pairs.VALUE_LINE, phrased.ALOUD]
    if not hints.isdisjoint(phrased.WEAK):
        found.append(phrased.WEAKLY_NAMED)
    if not hints.isdisjoint(phrased.PROSE):
        found.append(phrased.PASSWORD_TOLD)
    return tuple(found)


def _lines_with(piece: str, text: str, starts: list[int]) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        line = bisect_right(starts, at) - 1
        yield line
        at = text.find(piece, starts[line + 1])


def _rarest(block: str, lower: str, hints: frozenset[str]) -> set[tuple[str, str]]:
    """Return one piece for each shape that may be in the block, with the text to search."""
    often: dict[str, int] = {}
    exact = tokens.as_written()
    for piece in hints:
        often[piece] = (block if piece in exact else lower).count(piece)
    chosen = {min(needs, key=often.__getitem__) for needs in tokens.wanted() if hints >= set(needs)}
    return {(piece, block if piece in exact else lower) for piece in chosen}
