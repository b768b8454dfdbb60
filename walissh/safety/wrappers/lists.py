"""Programs that run a command for each thing they find or are fed."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety.table import GLOB, UNKNOWN
from walissh.safety.words import SEVERAL
from walissh.safety.wrap import OPAQUE, Inside, Words
from walissh.safety.wrappers import options
from walissh.safety.wrappers.options import spec


def unwrap(program: str, args: Words) -> Inside | None:
    """Return what is run; what it is run on is unknown."""
    if program == "find":
        return _find(args)
    if program == "xargs":
        return _xargs(args)
    return _fd(args) if program in {"fd", "fdfind"} else _parallel(args)


# --- find -----------------------------------------------------------------------------

_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def _find(args: Words) -> Inside | None:
    """Take the commands out of the primaries; what is left is judged as find itself."""
    if not _EXEC & set(args):
        return None
    own: list[str] = ["find"]
    found: list[Inside] = []
    asks = False
    words = iter(args)
    for word in words:
        if word in _EXEC:
            inner, ended = _to_end(words)
            if not inner or not ended:
                return OPAQUE
            asks = asks or word in {"-ok", "-okdir"}
            found.append(_on_found(inner, args, word))
        else:
            own.append(word)
    return Inside(own=tuple(own), more=tuple(found), endless=asks, reason="terminal")


def _to_end(words: Iterator[str]) -> tuple[Words, bool]:
    inner: list[str] = []
    for word in words:
        if word == ";" or (word == "+" and inner[-1:] == ["{}"]):
            return tuple(inner), True
        inner.append(word)
    return tuple(inner), False


def _starts(args: Words) -> Words:
    """Return the folders that find goes through; each found path begins with one."""
    rest = iter(args)
    starts: list[str] = []
    for word in rest:
        if word in {"-H", "-L", "-P"} and not starts:
            continue
        if word.startswith(("-", "(", "!")):
            break
        starts.append(word)
    return tuple(starts) or (".",)


def _on_found(inner: Words, args: Words, how: str) -> Inside:
    """Put a path of each start for ``{}``: never a flag, for it begins with the start."""
    starts = (".",) if how.endswith("dir") else _starts(args)
    places = [path for start in starts[:4] for path in _paths(start, _leaf(args))]
    if len(starts) > 4 or any(UNKNOWN in start or start.startswith(GLOB) for start in starts):
        places = [UNKNOWN]
    if "{}" not in " ".join(inner):
        places = places[:1]
    forms = [tuple(word.replace("{}", place) for word in inner) for place in places]
    risk = Risk.OPAQUE if _names_scripts(inner) else Risk.READ_ONLY
    return Inside(forms[0], risk=risk, more=tuple(map(Inside, forms[1:])))


def _paths(start: str, leaf: str) -> list[str]:
    folder = start.rstrip("/")
    if not leaf:
        return [f"{folder}/{UNKNOWN}"]
    return [f"{folder}/{leaf}", f"{folder}/{UNKNOWN}/{leaf}"]


def _leaf(args: Words) -> str:
    """Return the pattern that every found name fits, "" if there is none for all."""
    named = [args[at + 1] for at, word in enumerate(args[:-1]) if word in {"-name", "-iname"}]
    several = {"-o", "-or", ",", "!", "-not", "-path"} & set(args)
    return named[0] if len(named) == 1 and not several and "/" not in named[0] else ""


def _names_scripts(inner: Words) -> bool:
    """Tell whether what is found becomes part of a script or the program itself."""
    return "{}" in inner[0] or any("{}" in word and re.search(r"\s", word) for word in inner)


# --- xargs and its kin ----------------------------------------------------------------

_XARGS = spec(
    "-0 -r -t -x -p -o --null --no-run-if-empty --verbose --exit --interactive --open-tty",
    "-n -P -I -L -d -s -E -a --max-args --max-procs --max-lines --max-chars --delimiter --eof "
    "--arg-file --replace",
)
_XARGS_SHORT = {"-i": "-I{}", "--replace": "-I{}", "-l": "-L1", "--max-lines": "-L1"}


def _xargs(args: Words) -> Inside | None:
    taken = options.take(tuple(_XARGS_SHORT.get(word, word) for word in args), _XARGS)
    if taken is None:
        return OPAQUE if {"--help", "--version"} != set(args) | {"--help", "--version"} else None
    # what it starts has options of its own: grep -l, sed -i
    inner = args[len(args) - len(taken.rest) :] or ("echo",)
    place = taken.value("-I", "--replace")
    names = taken.value("-a", "--arg-file")
    asks = bool(taken.names & {"-p", "-o", "--interactive", "--open-tty"})
    shown = Inside(own=("cat", names)) if names else Inside()
    words = _replaced(inner, place) if place else (*inner, SEVERAL)
    risk = Risk.OPAQUE if place and _names_scripts(_marked(inner, place)) else Risk.READ_ONLY
    return Inside(words, fed=True, waits=not names, endless=asks, reason="terminal", risk=risk,
                  more=(shown,))  # fmt: skip


def _replaced(inner: Words, place: str) -> Words:
    return tuple(word.replace(place, UNKNOWN) for word in inner)


def _marked(inner: Words, place: str) -> Words:
    return tuple(word.replace(place, "{}") for word in inner)


def _fd(args: Words) -> Inside | None:
    for at, word in enumerate(args):
        if word in {"-x", "-X", "--exec", "--exec-batch"}:
            inner = tuple(w.replace("{}", UNKNOWN) for w in args[at + 1 :] if w != ";")
            if not inner:
                return OPAQUE
            has_place = any("{" in w for w in args[at + 1 :])
            return Inside(inner if has_place else (*inner, UNKNOWN), own=("fd", *args[:at]))
    return None


_PARALLEL = spec("-k -v -t -0 -q -u --keep-order --no-notice --will-cite --null --line-buffer --lb",
                 "-j -n -I -d -a --jobs --timeout --delay --halt --max-args")  # fmt: skip


def _parallel(args: Words) -> Inside | None:
    """GNU parallel joins everything into a line for a shell: its inputs may be code."""
    taken = options.take(args, _PARALLEL)
    if taken is None or any(mark in args for mark in ("::::", ":::+", "::::+")):
        rest = tuple(word for word in args if not word.startswith("-"))
        return Inside(rest, risk=Risk.OPAQUE) if rest else OPAQUE
    if ":::" not in taken.rest:
        return Inside((*taken.rest, SEVERAL) if taken.rest else (), risk=Risk.OPAQUE)
    at = taken.rest.index(":::")
    return _for_each(" ".join(taken.rest[:at]), taken.rest[at + 1 :])


def _for_each(template: str, inputs: Words) -> Inside:
    plain = all(re.fullmatch(r"[\w./:@,-]+", word) for word in inputs)
    scripts = [
        template.replace("{}", word) if "{}" in template else f"{template} {word}".strip()
        for word in inputs
    ]
    odd = re.search(r"\{[^}]", template) is not None
    risk = Risk.READ_ONLY if plain and not odd and inputs else Risk.OPAQUE
    insides = [Inside(script=script, risk=risk) for script in scripts[:24]] or [OPAQUE]
    return Inside(more=tuple(insides), risk=Risk.OPAQUE if len(scripts) > 24 else risk)
