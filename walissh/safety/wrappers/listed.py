"""Wrappers that need no more than the list of their words."""

import re
from dataclasses import replace

from walissh.safety.wrap import OPAQUE, Inside, Words
from walissh.safety.wrappers import options


def unwrap(words: Words) -> Inside | None:
    """Return what a listed wrapper starts, None if *words* begin with no such program."""
    known = options.listed().get(words[0])
    if known is None:
        return None
    if "*" in known.opaque:
        return _unsure(words)
    taken = options.take(words[1:], known)
    if taken is None:
        return _own(words) or _unsure(words)
    return _behind(words, taken, known)


def _behind(words: Words, taken: options.Taken, known: options.Spec) -> Inside | None:
    places, rest = taken.rest[: len(known.first)], taken.rest[len(known.first) :]
    if any(not re.fullmatch(p, w, re.S) for p, w in zip(known.first, places, strict=False)):
        return _unsure(words)
    if known.script_flag and (taken.names | set(rest[:1])) & known.script_flag:
        return Inside(script=rest[-1] if rest else "", risk=known.risk, dialect="sh")
    # nothing to start: the program does something of its own, which its entry tells
    return Inside(rest, risk=known.risk) if rest else None


def _own(words: Words) -> Inside | None:
    """Leave ``strace -p 1``, ``taskset -p 1`` and the like to the program's own entry."""
    by_number = any(re.fullmatch(r"-\w*p|--pid(=\d+)?", word) for word in words[1:])
    return Inside(own=words) if by_number else None


def _unsure(words: Words) -> Inside:
    """Look for a command in what follows, so that destruction is named as such."""
    for at, word in enumerate(words[1:], 1):
        if re.fullmatch(r"[a-z][\w.+-]*|/[\w/.+-]*bin/[\w.+-]+", word):
            return replace(OPAQUE, words=words[at:])
    return OPAQUE
