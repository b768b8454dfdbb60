"""Programs that only start another one: what is inside them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

Words = tuple[str, ...]

MAX_LIMIT_S = 3600


@dataclass(frozen=True, slots=True)
class Inside:
    """The command inside a wrapper, as words or as a *script* for a shell.

    *sure*: nothing but the inner command decides. *limited*: it is ended after a while.
    *assigns*: variables that the wrapper sets.
    """

    words: Words = ()
    script: str = ""
    sure: bool = True
    limited: bool = False
    assigns: tuple[str, ...] = ()


def unwrap(words: Words) -> Inside | None:
    """Return what *words* starts, None when it is no wrapper or cannot be told."""
    opener = _WRAPPERS.get(words[0])
    return opener(words[1:]) if opener else None


def _skip(args: Words, flags: str, valued: str) -> Words | None:
    """Drop leading flags; *valued* ones with their value; None at an unlisted flag."""
    rest = list(args)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        name = word.partition("=")[0]
        if word in valued.split():
            rest = rest[1:]
        elif word not in flags.split() and not (name in valued.split() and "=" in word):
            return None
    return tuple(rest)


_ASSIGN = re.compile(r"([A-Za-z_]\w*)=")


def _assigned(args: Words) -> tuple[tuple[str, ...], Words]:
    names: list[str] = []
    while args and (found := _ASSIGN.match(args[0])):
        names.append(found[1])
        args = args[1:]
    return tuple(names), args


def _plain(flags: str, valued: str = "") -> Callable[[Words], Inside | None]:
    def opener(args: Words) -> Inside | None:
        rest = _skip(args, flags, valued)
        return Inside(rest) if rest else None

    return opener


def _sudo(args: Words) -> Inside | None:
    rest = _skip(args, "-n -E -H -P --non-interactive --preserve-env -b",
                 "-u --user -g --group -p")  # fmt: skip
    if not rest:
        return None
    names, rest = _assigned(rest)
    return Inside(rest, assigns=names) if rest else None


def _env(args: Words) -> Inside | None:
    rest = _skip(args, "-i - --ignore-environment", "-u --unset")
    names, rest = _assigned(rest or ())
    return Inside(rest, assigns=names) if rest else None


def _timeout(args: Words) -> Inside | None:
    rest = _skip(args, "--foreground --preserve-status -v --verbose -p -f",
                 "-k --kill-after -s --signal")  # fmt: skip
    if not rest or len(rest) < 2 or not re.fullmatch(r"[\d.]+[smh]?", rest[0]):
        return None
    unit = {"m": 60, "h": 3600}.get(rest[0][-1], 1)
    seconds = float(re.sub(r"[smh]$", "", rest[0]) or 0) * unit
    return Inside(rest[1:], limited=0 < seconds <= MAX_LIMIT_S)


def _nice(args: Words) -> Inside | None:
    if args and re.fullmatch(r"-n?-?\d+", args[0]):
        args = args[1:]
    return _plain("", "-n --adjustment")(args)


def _shell(args: Words) -> Inside | None:
    if len(args) == 2 and args[0] in {"-c", "-ec", "-lc", "-xc", "-euc"}:
        return Inside(script=args[1], sure=args[0] != "-lc")
    if len(args) > 2 and args[0] == "-c":
        return Inside(script=args[1], sure=False)
    return None


def _other_shell(args: Words) -> Inside | None:
    """Look inside, but never be sure: the parser reads bash, and these read other things."""
    inside = _shell(args)
    return replace(inside, sure=False) if inside else None


def _xargs(args: Words) -> Inside | None:
    rest = _skip(args, "-0 -r -t -x --null --no-run-if-empty --verbose -i",
                 "-n -P -I -L -d -s -E -a -l --max-args --max-procs --replace")  # fmt: skip
    joined = re.compile(r"-[nPILds]\S+")
    while rest is None and args:
        args = args[1:]
        rest = args if not joined.match(args[0] if args else "") else None
    return Inside(rest, sure=False) if rest else None


def _find(args: Words) -> Inside | None:
    for at, word in enumerate(args):
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            inner = [w for w in args[at + 1 :] if w not in {";", "+"}]
            return Inside(tuple(inner), sure=False) if inner else None
    return None


def _remote(args: Words) -> Inside | None:
    rest = _skip(args, "-q -T -t -tt -n -4 -6 -A -C -v -N -f", "-p -i -l -o -J -F -W -L -R -D")
    return Inside(script=" ".join(rest[1:]), sure=False) if rest and len(rest) > 1 else None


def _exec(args: Words) -> Inside | None:
    """``docker exec NAME CMD``, ``kubectl exec POD -- CMD``."""
    if "exec" not in args[:6] and "run" not in args[:6]:
        return None
    if "--" in args:
        rest = args[args.index("--") + 1 :]
    else:
        at = args.index("exec") if "exec" in args else args.index("run")
        rest = (_skip(args[at + 1 :], "-i -t -it -ti -d --rm --privileged",
                      "-u -w -e --user --workdir --env --name -v") or ())[1:]  # fmt: skip
    return Inside(rest, sure=False) if rest else None


_WRAPPERS: dict[str, Callable[[Words], Inside | None]] = {
    "sudo": _sudo,
    "doas": _plain("-n", "-u"),
    "env": _env,
    "timeout": _timeout,
    "nice": _nice,
    "ionice": _plain("-t", "-c -n"),
    "stdbuf": _plain("-oL -o0 -eL -e0 -i0", "-o -e -i --output --error --input"),
    "nohup": lambda args: Inside(args, sure=False) if args else None,
    "setsid": lambda args: Inside(args, sure=False) if args else None,
    "time": _plain("-p"),
    "command": _plain(""),
    "builtin": _plain(""),
    "exec": lambda args: Inside(args, sure=False) if args else None,
    "eval": lambda args: Inside(script=" ".join(args), sure=False) if args else None,
    "watch": lambda args: Inside(
        script=" ".join(_skip(args, "-d -t -b -e -g -c -x", "-n --interval") or ()), sure=False
    ),
    "busybox": lambda args: Inside(args, sure=False) if args else None,
    "xargs": _xargs,
    "parallel": _xargs,
    "find": _find,
    "ssh": _remote,
    "docker": _exec,
    "podman": _exec,
    "kubectl": _exec,
    "oc": _exec,
    "nerdctl": _exec,
    "crictl": _exec,
    "bash": _shell,
    **dict.fromkeys(("sh", "dash", "zsh", "ksh", "ash"), _other_shell),
}
