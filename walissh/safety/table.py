"""How an argument list is held to what is listed of its program (``safety.programs``)."""

import re
import shlex
from dataclasses import replace

from walissh.react.turn import SEVERITY, Risk
from walissh.safety import paths, scripts
from walissh.safety.listed import Rule, rules
from walissh.safety.taking import GLOB, UNKNOWN, Reading, Taken, first, free, take

__all__ = ["GLOB", "MAX_TEXT", "UNKNOWN", "Reading", "Rule", "read", "rules"]

MAX_TEXT = 800
"""More than this of a use that words decide is not compared: it would take too long."""


def read(rule: Rule, args: tuple[str, ...], *, fed: bool) -> Reading:
    """Hold *args* to *rule*; *fed*: something comes in on standard input."""
    args = tuple(arg.replace(GLOB, "" if rule.unknown else UNKNOWN) for arg in args)
    if not rule.subs and _asks_help(rule, args):
        return Reading()
    known = _known(rule, args)
    if known is not None:
        return known
    reading = _read(rule, args, fed=fed)
    if reading.code in _UNLISTED and reading.risk is None and rule.risk is not None:
        # which of its uses it is shows only when the line runs: it may be the worst
        unsure = UNKNOWN in reading.word and rule.listed
        return replace(reading, risk=Risk.OPAQUE if unsure else rule.risk)
    return reading


_UNLISTED = frozenset({"flag", "argument", "missing", "subcommand", "script"})


def _known(rule: Rule, args: tuple[str, ...]) -> Reading | None:
    """Return what the words alone tell of a use, None if they tell nothing."""
    text = " ".join(args)
    if rule.when and len(text) > MAX_TEXT:
        return Reading("argument", args[0], risk=Risk.OPAQUE)
    # a blank inside of an argument must not pass for one between two
    apart = " ".join(arg.replace(" ", _BLANK) for arg in args)
    for risk, pattern in rule.when:
        if risk is Risk.READ_ONLY:
            if (rule.unknown or UNKNOWN not in text) and pattern.fullmatch(apart):
                return Reading()
        elif found := pattern.search(text):
            return Reading("effect", found[0].strip(), risk=risk)
    if rule.risk is not None and not rule.listed:
        return Reading() if _is_help(text) else Reading("effect", text, risk=rule.risk)
    return None


_BLANK = "\N{OPEN BOX}"


def _asks_help(rule: Rule, args: tuple[str, ...]) -> bool:
    """Tell whether one of *args* asks for help and is surely no flag's value."""
    own = args[: args.index("--")] if "--" in args else args
    if rule.help.isdisjoint(own) or any(UNKNOWN in arg for arg in args):
        return False
    at = min(own.index(name) for name in rule.help if name in own)
    before = own[at - 1 : at]
    return not before or not before[0].startswith("-") or isinstance(take(rule, before), Taken)


def _is_help(text: str) -> bool:
    return text in {"--help", "--version"}


def _read(rule: Rule, args: tuple[str, ...], *, fed: bool) -> Reading:
    if rule.whole is not None:
        fits = re.fullmatch(rule.whole, " ".join(args), re.S)
        return Reading() if fits else Reading("argument", first(args))
    if rule.style == "free":
        return free(rule, args)
    if "*" in rule.commands:
        text = " ".join(args)
        return Reading("effect", text, risk=Risk.OPAQUE, scripts=(text,) if text else ())
    if "*" in rule.endless | rule.terminal and not {"--help", "--version"} & {*args}:
        return _ends(rule, frozenset(), ()) or Reading()
    if rule.subs:
        return _sub(rule, args, fed=fed)
    taken = take(rule, args)
    return taken if isinstance(taken, Reading) else _judge(rule, taken, fed=fed)


# --- a use with its flags taken ----------------------------------------------------------


def _sub(rule: Rule, args: tuple[str, ...], *, fed: bool) -> Reading:
    """Find the sub-command behind the flags that may stand before it; read what follows."""
    at = _place(rule, args)
    if at is not None:
        name = args[at].lower() if rule.ignore_case else args[at]
        inner = rule.subs.get(name)
        before = take(rule, args[:at])
        does = _does(rule, before) if isinstance(before, Taken) else None
        if inner is None:
            return does or Reading("subcommand", args[at], risk=rule.risk)
        return _worse(does, read(inner, args[at + 1 :], fed=fed))
    taken = take(rule, args)
    if isinstance(taken, Reading):
        return taken
    if taken.names & {"--version", "--help"}:
        return Reading()
    return _judge(rule.subs[""], taken, fed=fed) if "" in rule.subs else Reading("missing")


def _worse(does: Reading | None, inner: Reading) -> Reading:
    """Return what the flags before a sub-command do if the sub-command itself does no worse."""
    if does is None or does.risk is None:
        return inner
    milder = inner.risk is None or SEVERITY.index(inner.risk) <= SEVERITY.index(does.risk)
    return does if milder else replace(inner, scripts=inner.scripts + does.scripts)


def _place(rule: Rule, args: tuple[str, ...]) -> int | None:
    """Return where the first word that is no flag and no flag's value stands."""
    for at, word in enumerate(args):
        before = take(rule, args[:at]) if not word.startswith("-") else None
        if isinstance(before, Taken) and not before.rest:
            return at
    return None


def _judge(rule: Rule, taken: Taken, *, fed: bool) -> Reading:
    names, rest = taken.names, taken.rest
    if names & {"--help", "--version"} and not rest:
        return Reading()
    obstacle = _does(rule, taken) or _ends(rule, names, rest) or _fits(rule, names, rest)
    if obstacle:
        return obstacle
    if rule.script:
        return _script(rule, taken, fed=fed)
    return _waits(rule, names, rest, fed=fed) or Reading(shown=_shown(rule, taken))


_NOWHERE = re.compile(r"-|/dev/(null|stdout|stderr|fd/[12])")


def _does(rule: Rule, taken: Taken) -> Reading | None:
    """Return the worst that the flags make it do, None if they only choose what is read."""
    worst = None
    scripts = tuple(_SETTING.sub("", value) for name, value in taken.flags
                    if name in rule.commands and not _harmless(rule, name, value))  # fmt: skip
    if scripts:
        return Reading("effect", scripts[0], risk=Risk.OPAQUE, scripts=scripts)
    for name, value in taken.flags:
        risk = rule.effects.get(name)
        if name in rule.writes and not _NOWHERE.fullmatch(value):
            risk = risk or Risk.MUTATING
        if risk is not None and (worst is None or SEVERITY.index(risk) > SEVERITY.index(worst[1])):
            worst = (name, risk)
    return None if worst is None else Reading("effect", worst[0], risk=worst[1])


_SETTING = re.compile(r"^[\w.-]+=!?")


def _harmless(rule: Rule, name: str, value: str) -> bool:
    pattern = rule.values.get(name)
    return pattern is not None and re.fullmatch(pattern, value, re.S) is not None


def _ends(rule: Rule, names: frozenset[str], rest: tuple[str, ...]) -> Reading | None:
    """Return why it would never end, None if it ends."""
    if "*" in rule.endless:
        return Reading("endless", works=rule.works)
    if "*" in rule.terminal or names & rule.terminal:
        return Reading("terminal", works=rule.works, risk=rule.risk)
    running = sorted(names & rule.endless)
    if running:
        return Reading("endless", running[0], _named(rule.works, rest))
    if not rule.needs <= names or (rule.any_of and not rule.any_of & names):
        worst = rule.risk if rule.risk is Risk.DESTRUCTIVE else None  # fdisk DEVICE <<< ...
        return Reading("endless" if rule.works else "missing", works=rule.works, risk=worst)
    numbers = [word for word in rest if re.fullmatch(r"[\d.]+", word)]
    if rule.interval and len(numbers) == 1:
        return Reading("endless", works=rule.works)
    return None


def _named(works: str, rest: tuple[str, ...]) -> str:
    """Return the form that works with the one file that was asked for in its place."""
    surely = len(rest) == 1 and rest[0] and not any(each in rest[0] for each in (UNKNOWN, *"*?["))
    named = surely and works.endswith(" FILE")
    return works.removesuffix("FILE") + shlex.quote(rest[0]) if named else works


def _fits(rule: Rule, names: frozenset[str], rest: tuple[str, ...]) -> Reading | None:
    if rule.args is not None and len(rest) > rule.args:
        return Reading("argument", rest[rule.args])
    if rule.args == len(rest) and rest and rule.prints and re.search(r"[*?]|\[.", rest[-1]):
        return Reading("argument", rest[-1])  # a pattern may name more files than one
    if rule.match is not None and not re.fullmatch(rule.match, " ".join(rest), re.S):
        return Reading("argument", first(rest))
    return None


def _waits(
    rule: Rule, names: frozenset[str], rest: tuple[str, ...], *, fed: bool
) -> Reading | None:
    if fed or rule.stdin is None or len(rest) > rule.stdin or names & rule.stdin_unless:
        return None
    return Reading("stdin", works=rule.works)


_PATTERN_FLAGS = frozenset({"-e", "--regexp", "-f", "--file", "--expression"})


def _shown(rule: Rule, taken: Taken) -> tuple[str, ...]:
    if not rule.prints:
        return ()
    pattern = 1 if rule.stdin == 1 and not taken.names & _PATTERN_FLAGS else 0
    named = (value for name, value in taken.flags if value and not _chooses(name, value))
    return taken.rest[pattern:] + tuple(named)


def _chooses(name: str, value: str) -> bool:
    """Tell whether it only says which names are looked at, and none of secrets: *.log."""
    if name not in {"--include", "--exclude", "--exclude-dir"}:
        return False
    return name != "--include" or not paths.secret(re.sub(r"^\*(?=\.\w+$)", "x", value))


_SCRIPTS = {
    "awk": scripts.awk_only_reads,
    "sed": scripts.sed_only_reads,
    "perl": scripts.perl_only_reads,
}


def _script(rule: Rule, taken: Taken, *, fed: bool) -> Reading:
    given = [value for name, value in taken.flags if name in rule.stdin_unless]
    programs = given or list(taken.rest[:1])
    rest = taken.rest if given else taken.rest[1:]
    judge = _SCRIPTS[rule.script]
    if not programs or not all(judge(program) for program in programs):
        return Reading("script", rule.script)
    if rule.script == "perl" and not all(map(scripts.perl_opens_plainly, rest)):
        return Reading("argument", rest[0])
    if not rest and not fed and not (rule.script == "awk" and "BEGIN" in programs[0]):
        return Reading("stdin")
    return Reading(shown=rest)
