"""The shapes of secrets within one line.

Each shape names the lower-case pieces without which it cannot match, so that most lines
are never looked at by any regular expression.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from walissh.safety import pairs, phrased, placeholders

NAMES = pairs.PIECES | phrased.PIECES
"""Lower-case pieces of what names or tells a secret."""

Shape = tuple[str, tuple[str, ...], re.Pattern[str]]

# Rare characters looked for first: without them the longer pieces need no look.
_GATES = ("_", "$", "{", "@", ">", "|", "://", "phrase", "user", "auth", "pass", "secret", "token",
          "key",
          " -", "]:")  # fmt: skip


def hinted(text: str) -> frozenset[str]:
    """Return the pieces of shapes that *text* has; none: it has no secret."""
    lower = text.lower()
    seen = _surely_absent(lower)
    if _reached(_paths(text.isascii()), text, lower, seen):
        return frozenset(piece for piece, there in seen.items() if there)
    return frozenset()


@dataclass(frozen=True, slots=True)
class _Path:
    """A piece to look for, by its rarest character first, and what it leads on to."""

    piece: str
    rarest: str
    as_written: bool
    ends: bool
    further: "tuple[_Path, ...]"


def _reached(paths: "tuple[_Path, ...]", text: str, lower: str, seen: dict[str, bool]) -> bool:
    """Tell whether *text* has all pieces of a shape; notes in *seen* what it met."""
    reached = False
    for path in paths:
        there = seen.get(path.piece)
        if there is None:
            where = text if path.as_written else lower
            # one character is found far faster than several
            there = seen[path.piece] = path.rarest in where and path.piece in where
        if there:
            reached |= path.ends
            if path.further and _reached(path.further, text, lower, seen):
                reached = True
    return reached


@cache
def _paths(ascii_only: bool) -> tuple[_Path, ...]:
    """Return the ways through the pieces: those of a shape, or of a name behind its gates."""
    names = [(*_within(name), name) for name in sorted(NAMES)]
    ways = [*wanted(), *names]
    return _branches([way for way in ways if not ascii_only or "".join(way).isascii()])


def _branches(ways: list[tuple[str, ...]]) -> tuple[_Path, ...]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for first, *others in ways:
        groups.setdefault(first, []).append(tuple(others))
    return tuple(
        _Path(
            first,
            _rarest(first),
            first in as_written(),
            () in rest,
            _branches([*filter(None, rest)]),
        )
        for first, rest in groups.items()
    )


def _surely_absent(lower: str) -> dict[str, bool]:
    """Return the pieces that end in a joint and are not there, all marked so.

    One look at what stands before each joint is far faster than a search for each piece.
    """
    absent: dict[str, bool] = {}
    for joint, pieces in _jointed().items():
        before = {part[-NEAR:] for part in lower.split(joint)}
        absent |= {piece: False for piece, near in pieces if near not in before}
    return absent


NEAR = 2


@cache
def _jointed() -> dict[str, list[tuple[str, str]]]:
    """Return the pieces that end in each joint, with what stands before it."""
    pieces = {piece for needs in wanted() for piece in needs if len(piece) > NEAR}
    return {
        joint: [(p, p.lower()[-NEAR - 1 : -1]) for p in pieces if p.endswith(joint)]
        for joint in "_-"
    }


@cache
def _within(piece: str) -> tuple[str, ...]:
    """Return the gates that *piece* has in it: without them it needs no look."""
    return tuple(gate for gate in _GATES if gate in piece and gate != piece)


_FREQUENT = ".0123456789-:/ etaoinsrhdlucmpgfwbyvkxjqz"


@cache
def _rarest(piece: str) -> str:
    """Return the character of *piece* that a log has most seldom."""
    return max(piece, key=lambda char: _FREQUENT.find(char) % 99)


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
