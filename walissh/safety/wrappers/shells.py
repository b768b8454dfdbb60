"""Shells with a script as an argument, ``eval``, and the boxes of many small programs."""

import re

from walissh.react.turn import Risk
from walissh.safety.table import UNKNOWN
from walissh.safety.wrap import OPAQUE, Inside, Words

_LETTERS = re.compile(r"[-+][a-zA-Z]+")
_HARMLESS_LETTERS = frozenset("ceuxvfhBCEHpn")
_OPTIONS = frozenset({"pipefail", "errexit", "nounset", "xtrace", "noglob", "verbose"})
_LONG = frozenset({"--norc", "--noprofile", "--posix", "--restricted", "--noediting"})


def unwrap(program: str, args: Words) -> Inside | None:
    """Return the script or the words inside, None when nothing is."""
    if program == "eval":
        # what it sets holds for the rest of the line, which was judged without it
        return Inside(script=" ".join(args), risk=Risk.OPAQUE) if args else Inside()
    if program in {"busybox", "toybox"}:
        return Inside(args) if args and not args[0].startswith("-") else None
    return _shell(program, args)


def _shell(program: str, args: Words) -> Inside | None:
    letters, rest = _letters(args)
    if letters is None:
        return _script_anyway(args)
    if "c" not in letters:
        return _without_script(letters, rest)
    if not rest or UNKNOWN in rest[0]:
        return OPAQUE
    sure = letters <= _HARMLESS_LETTERS and program in _POSIX
    return Inside(
        script=rest[0],
        risk=Risk.READ_ONLY if sure else Risk.OPAQUE,
        dialect="bash" if program == "bash" else "sh",
        given=rest[1:],
    )


_POSIX = frozenset({"bash", "sh", "dash", "ash"})


def _letters(args: Words) -> tuple[frozenset[str] | None, Words]:
    """Return the single-letter options and what follows; None at one that is not known."""
    letters: set[str] = set()
    rest = list(args)
    while rest and rest[0][:1] in {"-", "+"} and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        if word in {"-o", "+o", "-eo", "-euo", "-uo"}:
            if not rest or rest.pop(0) not in _OPTIONS:
                return None, ()
            word = word[:-1]
        elif word in _LONG:
            continue
        elif not _LETTERS.fullmatch(word):
            return None, ()
        letters |= set(word[1:])
    return frozenset(letters), tuple(rest)


def _script_anyway(args: Words) -> Inside:
    """Look at what would be the script, so that the worst in it is named."""
    at = next((at for at, word in enumerate(args) if re.fullmatch(r"-\w*c", word)), None)
    script = args[at + 1] if at is not None and at + 1 < len(args) else ""
    return Inside(script="" if UNKNOWN in script else script, risk=Risk.OPAQUE)


def _without_script(letters: frozenset[str], rest: Words) -> Inside | None:
    if letters <= {"n", "v"} and "n" in letters and rest:
        return Inside(own=("cat", *rest[:1]))  # it only checks, and quotes what is wrong
    return None
