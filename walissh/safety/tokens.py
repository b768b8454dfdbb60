"""The shapes of secrets within one line.

Each shape names the lower-case pieces without which it cannot match, so that most lines
are never looked at by any regular expression.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from walissh.safety import pairs, phrased, placeholders

NAMES = pairs.PIECES | phrased.PIECES
"""Lower-case pieces of what names or tells a secret."""

Shape = tuple[str, tuple[str, ...], re.Pattern[str]]

# Rare characters looked for first: without them the longer pieces need no look.
_GATES = ("_", "$", "{", "@", ">", "pass", "secret", "token", " -", "::", "]:")


def hinted(text: str) -> frozenset[str]:
    """Return the pieces of shapes that *text* has; none: it has no secret."""
    seen: dict[str, bool] = {}
    lower = text.lower()
    seen |= _without_tails(lower)
    possible = [_all_in(needs, text, lower, seen) for needs in wanted()]
    named = [_all_in((piece,), text, lower, seen) for piece in NAMES]
    if any(possible) or any(named):
        return frozenset(piece for piece, there in seen.items() if there)
    return frozenset()


def _without_tails(lower: str) -> dict[str, bool]:
    """Return the pieces that end in a joint and surely are not there, all marked so.

    One look at what stands before each joint is far faster than a search for each piece.
    """
    absent = {}
    for joint, pieces in _jointed().items():
        tails = {part[-TAIL:] for part in lower.split(joint)}
        absent |= {piece: False for piece, tail in pieces if tail not in tails}
    return absent


TAIL = 2


@cache
def _jointed() -> dict[str, list[tuple[str, str]]]:
    pieces = {piece for needs in wanted() for piece in needs}
    return {
        joint: [
            (piece, piece.lower()[-TAIL - 1 : -1])
            for piece in pieces
            if piece.endswith(joint) and len(piece) > TAIL
        ]
        for joint in "_-"
    }


_FREQUENT = ".0123456789-:/ etaoinsrhdlucmpgfwbyvkxjqz"


@cache
def _rarest(piece: str) -> str:
    """Return the character of *piece* that a log has most seldom."""
    return max(piece, key=lambda char: _FREQUENT.find(char) % 99)


def _all_in(needs: tuple[str, ...], text: str, lower: str, seen: dict[str, bool]) -> bool:
    for piece in needs:
        there = seen.get(piece)
        if there is None:
            where = text if piece in as_written() else lower
            # one character is found far faster than several
            there = seen[piece] = _rarest(piece) in where and piece in where
        if not there:
            return False
    return True


def find(line: str, hints: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Give (start, end, kind) of each secret in *line*, overlapping ones too.

    *hints*: the pieces of all shapes that may be in the line.
    """
    line = placeholders.MARK.sub(lambda mark: "‹" + "·" * (len(mark[0]) - 2) + "›", line)
    lower = lowered(line)
    exact = as_written()
    present = frozenset(each for each in hints if each in (line if each in exact else lower))
    for kind, pattern in _possible(present):
        for match in pattern.finditer(line):
            start, end = match.span(match.lastgroup or 0)
            if not line.startswith("‹·", start):  # what is replaced already
                yield start, end, kind
    if not present.isdisjoint(pairs.PIECES):
        yield from pairs.find(line, lower, present)
    if not present.isdisjoint(phrased.PIECES):
        yield from phrased.find(line, present)


def lowered(line: str) -> str:
    """Return *line* in lower case with every character in its place."""
    lower = line.lower()
    if len(lower) == len(line):
        return lower
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in line)


@lru_cache(maxsize=4096)
def _possible(present: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the shapes whose pieces are all *present*."""
    found = {pattern: kind for kind, needs, pattern in _shapes() if present.issuperset(needs)}
    return tuple((kind, pattern) for pattern, kind in found.items())


@cache
def _shapes() -> tuple[Shape, ...]:
    """Return the table of shapes; read from its file at first use."""
    text = (files("walissh.safety") / "secrets.tsv").read_text("utf-8")
    rows = [line.split("\t", 2) for line in text.splitlines() if not line.startswith("#")]
    return tuple((kind, _needs(pieces), re.compile(pattern)) for pieces, kind, pattern in rows)


def _needs(pieces: str) -> tuple[str, ...]:
    named = pieces.replace("~", " ").split("+")
    gates = [gate for gate in _GATES if any(gate in piece for piece in named)]
    return tuple(dict.fromkeys(gates + named))


@cache
def wanted() -> tuple[tuple[str, ...], ...]:
    """Return the pieces of each shape, all of which a line with it has."""
    return tuple(dict.fromkeys(needs for _, needs, _ in _shapes()))


@cache
def as_written() -> frozenset[str]:
    """Return the pieces that are looked for as they are, for they have capital letters."""
    return frozenset(each for needs in wanted() for each in needs if each != each.lower())
