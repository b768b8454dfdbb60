"""The shapes of secrets within one line.

Each shape names the lower-case pieces without which it cannot match, so that most lines
are never looked at by any regular expression.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from walissh.safety import pairs

Shape = tuple[str, frozenset[str], re.Pattern[str]]


def hinted(text: str) -> frozenset[str]:
    """Return the pieces of shapes that *text* (lower-case) has; none: it has no secret."""
    found = frozenset(piece for piece in _pieces() if piece in text)
    if found.isdisjoint(pairs.PIECES) and not _possible(found):
        return frozenset()
    return found


def find(line: str, hints: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Give (start, end, kind) of each secret in *line*, overlapping ones too.

    *hints*: the pieces of all shapes that may be in the line.
    """
    lower = lowered(line)
    present = frozenset(piece for piece in hints if piece in lower)
    for kind, pattern in _possible(present):
        for match in pattern.finditer(line):
            yield (*match.span(match.lastgroup or 0), kind)
    if not present.isdisjoint(pairs.PIECES):
        yield from pairs.find(line, lower, present)


def lowered(line: str) -> str:
    """Return *line* in lower case with every character in its place."""
    lower = line.lower()
    if len(lower) == len(line):
        return lower
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in line)


@lru_cache(maxsize=4096)
def _possible(present: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the shapes whose pieces are all *present*."""
    found = {pattern: kind for kind, needs, pattern in _shapes() if needs <= present}
    return tuple((kind, pattern) for pattern, kind in found.items())


@cache
def _shapes() -> tuple[Shape, ...]:
    """Return the table of shapes; read from its file at first use."""
    text = (files("walissh.safety") / "secrets.tsv").read_text("utf-8")
    rows = [line.split("\t", 2) for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        (kind, frozenset(needs.replace("~", " ").split("+")), re.compile(pattern))
        for needs, kind, pattern in rows
    )


@cache
def _pieces() -> tuple[str, ...]:
    return tuple(sorted(pairs.PIECES.union(*(needs for _, needs, _ in _shapes()))))
