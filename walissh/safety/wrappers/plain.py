"""Wrappers with rules of their own, one function for each."""

import re
from collections.abc import Callable
from dataclasses import replace

from walissh.react.turn import Risk
from walissh.safety.table import UNKNOWN
from walissh.safety.wrap import OPAQUE, Inside, Words
from walissh.safety.wrappers import options
from walissh.safety.wrappers.options import spec

MAX_LIMIT_S = 3600

_ASSIGN = re.compile(r"([A-Za-z_]\w*)=")


def unwrap(program: str, args: Words) -> Inside | None:
    """Return what *program* starts, None when it starts nothing."""
    return _OPENERS[program](args)


def assigned(args: Words) -> tuple[tuple[str, ...], Words]:
    """Part the leading ``NAME=value`` words from the rest; return their names."""
    names: list[str] = []
    while args and (found := _ASSIGN.match(args[0])):
        names.append(found[1])
        args = args[1:]
    return tuple(names), args


def in_order(args: Words) -> Inside:
    """Return *args* as a command behind words that were not understood."""
    return replace(OPAQUE, words=args) if args else OPAQUE


# --- who runs it ----------------------------------------------------------------------

_SUDO = spec(
    "-n -E -H -P -S -b -k -B -N -l -ll -v -K -V -s -i -e --non-interactive --set-home "
    "--preserve-env --stdin --background --reset-timestamp --bell --list --validate "
    "--remove-timestamp --version --shell --login --edit --no-update",
    "-u -g -p -U -C --user --group --prompt --other-user --close-from --preserve-env",
)


def _sudo(args: Words) -> Inside | None:
    taken = options.take(args, _SUDO)
    if taken is None:
        return in_order(args[1:])
    if taken.names & {"-e", "--edit"}:
        return Inside(risk=Risk.MUTATING, endless=True, reason="edits")
    names, rest = assigned(taken.rest)
    if taken.names & {"-l", "-ll", "--list", "-V", "--version"}:
        return Inside()  # what may be run, or may one command: nothing is run
    if rest:
        return Inside(rest, assigns=names)
    if taken.names & {"-s", "-i", "--shell", "--login"}:
        return Inside(risk=Risk.OPAQUE, endless=True)
    return Inside(risk=Risk.MUTATING, reason="sudo") if taken.names else OPAQUE


_SU = spec("- -l --login -m -p -f -P --pty --preserve-environment --fast",
           "-c --command -s --shell -g --group -G --supp-group -w -u --user")  # fmt: skip


def _su(args: Words) -> Inside | None:
    """Read ``su - USER -c SCRIPT`` with its words in any order."""
    named: list[str] = []
    rest: Words = args
    flags: list[tuple[str, str]] = []
    while rest:
        taken = options.take(rest, _SU)
        if taken is None:
            return in_order(())
        flags += taken.flags
        named += [word for word in taken.rest[:1] if word != "-"]
        rest = taken.rest[1:]
    scripts = [value for name, value in flags if name in {"-c", "--command"}]
    if len(named) > 1 or len(scripts) > 1 or any(name in {"-s", "--shell"} for name, _ in flags):
        return Inside(script=" ".join(scripts), risk=Risk.OPAQUE)
    if not scripts:
        return Inside(risk=Risk.OPAQUE, endless=True)
    return Inside(script=scripts[0], dialect="sh")


def _runuser(args: Words) -> Inside | None:
    if not {"-u", "--user"} & set(args) and not any(each.startswith("--user=") for each in args):
        return _su(args)
    taken = options.take(args, _SU)
    return Inside(taken.rest) if taken and taken.rest else in_order(())


def _env(args: Words) -> Inside | None:
    taken = options.take(args, _ENV)
    if taken is None:
        return _split_string(args)
    if taken.rest[:1] == ("-",):
        taken = replace(taken, rest=taken.rest[1:])
    names, rest = assigned(taken.rest)
    risk = Risk.OPAQUE if taken.names & {"-C", "--chdir"} else Risk.READ_ONLY
    return Inside(rest, assigns=names, risk=risk) if rest else None


_ENV = spec("-i -0 -v --ignore-environment --null --debug", "-u -C --unset --chdir")


def _split_string(args: Words) -> Inside | None:
    """Look into ``env -S 'command words'``, but never be sure: it has quotes of its own."""
    found = re.match(r"(?:-S|--split-string=?)(.*)", args[0], re.S) if args else None
    if found is None:
        return in_order(())
    return Inside(script=found[1] or " ".join(args[1:]), risk=Risk.OPAQUE)


# --- how long and how nicely ----------------------------------------------------------

_TIMEOUT = spec("--foreground --preserve-status -v --verbose -p -f", "-k --kill-after -s --signal")


def _timeout(args: Words) -> Inside | None:
    taken = options.take(args, _TIMEOUT)
    if taken is None:
        return in_order(args[2:])
    if len(taken.rest) < 2 or not re.fullmatch(r"\d*\.?\d+[smhd]?", taken.rest[0]):
        return None if len(taken.rest) < 2 else in_order(taken.rest[1:])
    unit = {"m": 60, "h": 3600, "d": 86400}.get(taken.rest[0][-1], 1)
    seconds = float(taken.rest[0].rstrip("smhd")) * unit
    gentle = taken.value("-s", "--signal") in _GENTLE and not taken.names & {"-k", "--kill-after"}
    return Inside(taken.rest[1:], limited=0 < seconds <= MAX_LIMIT_S and not gentle)


# signals that do not end everything
_GENTLE = frozenset({"0", "CONT", "CHLD", "WINCH", "URG", "STOP", "TSTP", "HUP", "USR1", "USR2",
                     "SIGCONT", "SIGCHLD", "SIGWINCH", "SIGURG", "SIGSTOP", "SIGHUP"})  # fmt: skip


def _nohup(args: Words) -> Inside | None:
    """It may leave a file behind, and what it starts outlives the session."""
    if args[:1] and args[0].startswith("-"):
        return None
    return Inside(args, risk=Risk.MUTATING, reason="mutating") if args else None


def _ionice(args: Words) -> Inside | None:
    if any(re.fullmatch(r"-\w*[pPu]|--(pid|pgid|uid)(=.*)?", word) for word in args[:6]):
        return Inside(own=("ionice", *args))
    taken = options.take(args, options.listed()["ionice"])
    if taken is None:
        return in_order(())
    return Inside(taken.rest) if taken.rest else Inside(own=("ionice", *args))


def _watch(args: Words) -> Inside | None:
    taken = options.take(args, _WATCH)
    if taken is None:
        return Inside(risk=Risk.OPAQUE, endless=True)
    if not taken.rest:
        return None
    # every argument is handed to sh, unless -x
    if taken.names & {"-x", "--exec"}:
        return Inside(taken.rest, endless=True, reason="watch")
    return Inside(script=" ".join(taken.rest), endless=True, reason="watch", dialect="sh")


_WATCH = spec("-d -t -b -e -c -g -p -x -w -r --differences --no-title --exec --color --errexit "
              "--chgexit --precise", "-n --interval -q")  # fmt: skip


# --- builtins -------------------------------------------------------------------------


def _exec(args: Words) -> Inside | None:
    taken = options.take(args, spec("-c -l", "-a"))
    if taken is None:
        return in_order(args[1:])
    return Inside(taken.rest) if taken.rest else Inside()


def _command(args: Words) -> Inside | None:
    taken = options.take(args, spec("-p -v -V"))
    if taken is None:
        return in_order(args[1:])
    if taken.names & {"-v", "-V"}:
        return None
    return Inside(taken.rest) if taken.rest else Inside()


def _trap(args: Words) -> Inside | None:
    """What is trapped runs later and may set variables that were judged before."""
    if not args or args[0] in {"-p", "-l", "-P"} or args[0] in {"-", ""}:
        return Inside() if all(re.fullmatch(r"[\w-]*", word) for word in args) else OPAQUE
    if re.fullmatch(r"\d+", args[0]):
        return Inside()
    signals = set(args[1:]) & {"DEBUG", "RETURN", "ERR", "SIGDEBUG"}
    sets = re.search(r"=|\b(read|mapfile|readarray|printf|local|declare|unset)\b", args[0])
    return Inside(script=args[0], risk=Risk.OPAQUE if signals or sets else Risk.READ_ONLY)


# --- other places and measuring -------------------------------------------------------


def _ip(args: Words) -> Inside | None:
    """``ip netns exec NAME CMD``, ``ip vrf exec NAME CMD``; ``ip -n`` is one of its own flags."""
    words = [word for word in args if not re.fullmatch(r"-(all|a|o|d|s|j|br|4|6)", word)]
    room = words[0] if words else ""
    if len(words) < 2 or not ("netns".startswith(room) or "vrf".startswith(room)):
        return None
    if len(room) < 2 or not "exec".startswith(words[1]):
        return None
    # -all netns exec takes no name
    rest = words[2:] if {"-all", "-a"} & set(args) else words[3:]
    unsure = len(words) < 4 or words[2] == UNKNOWN * 2 or words[2].startswith("-")
    return in_order(tuple(rest)) if unsure else Inside(tuple(rest))


def _prlimit(args: Words) -> Inside | None:
    taken = options.take(args, spec("--noheadings --raw --verbose", "-o --output"))
    if taken is not None and taken.rest:
        return Inside(taken.rest)
    if any(re.fullmatch(r"-p.*|--pid.*", word) for word in args):
        return None
    plain = [at for at, word in enumerate(args) if not word.startswith("-")]
    return Inside(args[plain[0] :]) if plain else None


def _perf(args: Words) -> Inside | None:
    if not args or args[0] not in {"stat", "record", "trace"}:
        return None
    taken = options.take(args[1:], _PERF)
    if taken is None:
        return OPAQUE if args[0] != "stat" else _perf_unsure(args)
    writes = args[0] == "record" or bool(taken.names & {"-o", "--output"})
    risk = Risk.MUTATING if writes else Risk.READ_ONLY
    if taken.rest:
        return Inside(taken.rest, risk=risk, reason="mutating")
    return Inside(own=("perf", *args), risk=risk, reason="mutating")


_PERF = spec("-a -d -dd -ddd -v -g -B -A -n -S --all-cpus --detailed --verbose --null --no-big-num",
             "-e -p -t -C -r -I -x -o -F --event --pid --tid --cpu --repeat --interval-print "
             "--timeout --output --field-separator --delay --freq")  # fmt: skip


def _perf_unsure(args: Words) -> Inside:
    return in_order(tuple(word for word in args[1:] if not word.startswith("-")))


def _script(args: Words) -> Inside | None:
    """``script -qc 'command' FILE``: it writes a record, unless that is /dev/null."""
    taken = options.take(args, _SCRIPT)
    if taken is None:
        return OPAQUE
    command = taken.value("-c", "--command")
    places = [word for word in taken.rest if not word.startswith("-")]
    more = options.take(tuple(taken.rest[1:]), _SCRIPT)
    command = command or (more.value("-c", "--command") if more else None)
    if command is None:
        return Inside(risk=Risk.MUTATING, endless=True, reason="mutating")
    nowhere = places[:1] == ["/dev/null"] and "-O" not in taken.names
    risk = Risk.READ_ONLY if nowhere else Risk.MUTATING
    return Inside(script=command, risk=risk, reason="mutating", dialect="sh")


_SCRIPT = spec("-a -e -f -q -t --append --return --flush --quiet", "-c -E -O -o --command --echo")


_OPENERS: dict[str, Callable[[Words], Inside | None]] = {
    "sudo": _sudo, "su": _su, "runuser": _runuser, "env": _env, "timeout": _timeout,
    "nohup": _nohup, "exec": _exec, "command": _command, "ionice": _ionice, "ip": _ip,
    "prlimit": _prlimit, "perf": _perf, "script": _script, "watch": _watch, "trap": _trap,
}  # fmt: skip
