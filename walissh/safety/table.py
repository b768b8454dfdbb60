"""How an argument list is held to what is listed of its program (``safety.programs``)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from walissh.react.turn import Risk
from walissh.safety import programs, scripts

UNKNOWN = "\0"
"""Stands in an argument for what is only known when the line runs."""
MAX_TEXT = 800
"""More than this of a use that words decide is not compared: it would take too long."""
GLOB = "\1"
"""Stands before an argument that begins with a file pattern: it may become a flag."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What one program, or one of its sub-commands, may be given."""

    style: str
    flags: Mapping[str, str]
    args: int | None
    match: str | None
    whole: str | None
    values: Mapping[str, str]
    prints: bool
    unknown: bool
    endless: frozenset[str]
    needs: frozenset[str]
    any_of: frozenset[str]
    numbers: bool
    interval: bool
    stdin: int | None
    stdin_unless: frozenset[str]
    script: str
    ignore_case: bool
    subs: Mapping[str, "Rule"]
    works: str
    effects: Mapping[str, Risk]
    writes: frozenset[str]
    when: tuple[tuple[Risk, re.Pattern[str]], ...]
    risk: Risk | None
    help: frozenset[str]
    terminal: frozenset[str]
    listed: bool
    commands: frozenset[str]

    @property
    def hands_over(self) -> bool:
        """Tell whether it, or one of its sub-commands, may be given a command for a shell."""
        return bool(self.commands) or any(sub.hands_over for sub in self.subs.values())


@dataclass(frozen=True, slots=True)
class Reading:
    """How an argument list stands to the rule.

    *code*: "" when it only reads; else what is in the way (``flag``, ``argument``,
    ``missing``, ``subcommand``, ``script``, ``endless``, ``terminal``, ``stdin``, ``effect``);
    *word* is the part that decided. *shown*: files whose content would be printed. *risk*:
    what it does instead of reading, None if the list does not tell. *scripts*: what it
    would hand to a shell.
    """

    code: str = ""
    word: str = ""
    works: str = ""
    shown: tuple[str, ...] = ()
    risk: Risk | None = None
    scripts: tuple[str, ...] = ()


@cache
def rules() -> Mapping[str, Rule]:
    """Return the list; read from its files at first use, and each rule made at its first."""
    return _Rules()


class _Rules(Mapping[str, Rule]):
    def __getitem__(self, name: str) -> Rule:
        return _rule_of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(programs.entries())

    def __len__(self) -> int:
        return len(programs.entries())


@cache
def _rule_of(name: str) -> Rule:
    data = programs.entries()
    return _rule(data[data[name].get("same", name)], {})


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
    return not before or not before[0].startswith("-") or isinstance(_take(rule, before), _Taken)


def _is_help(text: str) -> bool:
    return text in {"--help", "--version"}


def _read(rule: Rule, args: tuple[str, ...], *, fed: bool) -> Reading:
    if rule.whole is not None:
        fits = re.fullmatch(rule.whole, " ".join(args), re.S)
        return Reading() if fits else Reading("argument", _first(args))
    if rule.style == "free":
        return _free(rule, args)
    if "*" in rule.commands:
        text = " ".join(args)
        return Reading("effect", text, risk=Risk.OPAQUE, scripts=(text,) if text else ())
    if "*" in rule.endless | rule.terminal and not {"--help", "--version"} & {*args}:
        return _ends(rule, frozenset(), ()) or Reading()
    if rule.subs:
        return _sub(rule, args, fed=fed)
    taken = _take(rule, args)
    return taken if isinstance(taken, Reading) else _judge(rule, taken, fed=fed)


# --- reading the file -----------------------------------------------------------------


def _rule(entry: Mapping[str, Any], outer: Mapping[str, str]) -> Rule:
    named = [name for key in _FLAG_KEYS for name in _names(entry, key)]
    flags = {**outer, **dict(map(_flag, named))}
    args = entry.get("args", "any")
    # a risk that was passed on is that of unlisted uses: nothing said of a sub-command is
    # said of all its uses
    subs = {
        name: _rule({**_passed(entry), **_also(entry, sub), "listed": _listed(sub)}, flags)
        for name, sub in _subs(entry)
    }
    return Rule(
        style=entry.get("style", "gnu"),
        flags=flags,
        args={"any": None, "none": 0}.get(args, args),
        match=entry.get("match"),
        whole=entry.get("whole"),
        values={name.rstrip("=?"): rule for name, rule in entry.get("values", {}).items()},
        prints=entry.get("prints", False),
        unknown=entry.get("unknown", False),
        endless=_plain(entry, "endless"),
        needs=_plain(entry, "needs"),
        any_of=_plain(entry, "any_of"),
        numbers=entry.get("numbers", False),
        interval=entry.get("interval", False),
        stdin=entry.get("stdin"),
        stdin_unless=_plain(entry, "stdin_unless"),
        script=entry.get("script", ""),
        ignore_case=entry.get("ignore_case", False),
        subs=subs,
        works=entry.get("works", ""),
        effects={name: risk for key, risk in _EFFECTS.items() for name in _plain(entry, key)},
        writes=_plain(entry, "writes"),
        when=tuple(
            (Risk(risk), re.compile(pattern, re.S))
            for each in entry.get("when", ())
            for risk, pattern in each.items()
        ),
        risk=Risk(entry["risk"]) if "risk" in entry else None,
        help=frozenset(str(entry.get("help", "")).replace("any", "--help").split()),
        terminal=_plain(entry, "terminal"),
        listed=entry.get("listed", not _CONDITIONS.isdisjoint(entry)),
        commands=_plain(entry, "commands"),
    )


_EFFECTS = {
    "changes": Risk.MUTATING,
    "shows": Risk.SECRET_EXPOSURE,
    "runs": Risk.OPAQUE,
    "destroys": Risk.DESTRUCTIVE,
}
_FLAG_KEYS = ("flags", "endless", "terminal", "writes", "commands", *_EFFECTS)
_CONDITIONS = frozenset(
    {"flags", "subs", "plain", "args", "match", "whole", "needs", "any_of", "script", "style"}
    | {"interval", *_FLAG_KEYS}
)
_PASSED = ("style", "works", "values", "risk", "help")


def _subs(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the sub-commands: those of which only the risk is told, then the others."""
    for risk, names in entry.get("plain", {}).items():
        inner = {"flags": ""} if risk == Risk.READ_ONLY else {"risk": risk}
        yield from ((name, inner) for name in str(names).split())
    for names, inner in entry.get("subs", {}).items():
        yield from ((name, inner) for name in str(names).split() or [""])


def _listed(sub: Mapping[str, Any]) -> bool:
    return "risk" not in sub or not _CONDITIONS.isdisjoint(sub)


def _also(entry: Mapping[str, Any], sub: Mapping[str, Any]) -> dict[str, Any]:
    """Return *sub* with the flags of *entry* that do more than read and end, unless it has them."""
    own = {_flag(name)[0] for key in _FLAG_KEYS for name in _names(sub, key)}
    more = dict(sub)
    for key in ("writes", "commands", "endless", "terminal", *_EFFECTS):
        left = [name for name in _names(entry, key) if name != "*" and _flag(name)[0] not in own]
        if left and ("risk" not in sub or _CONDITIONS & sub.keys()):
            more[key] = " ".join([*_names(sub, key), *left])
    return more


def _passed(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: entry[key] for key in _PASSED if key in entry}


def _names(entry: Mapping[str, Any], key: str) -> list[str]:
    return str(entry.get(key, "")).split()


def _plain(entry: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(name.rstrip("=?") for name in _names(entry, key))


def _flag(name: str) -> tuple[str, str]:
    return (name[:-1], name[-1]) if name[-1] in "=?" and name.count("=") < 2 else (name, "")


# --- holding arguments to a rule ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Taken:
    flags: tuple[tuple[str, str], ...]
    rest: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.flags)


def _first(args: tuple[str, ...]) -> str:
    return args[0] if args else ""


def _free(rule: Rule, args: tuple[str, ...]) -> Reading:
    if not rule.unknown and any(UNKNOWN in arg for arg in args):
        return Reading("argument", UNKNOWN)
    if rule.match is not None and not re.fullmatch(rule.match, " ".join(args), re.S):
        return Reading("argument", _first(args))
    return Reading()


def _take(rule: Rule, args: tuple[str, ...]) -> _Taken | Reading:
    """Part flags from the rest; a Reading when a flag is not on the list."""
    flags: list[tuple[str, str]] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--" and rule.style == "gnu":
            rest += words
        elif UNKNOWN in word and not (rule.unknown and not rule.prints):
            if not word.startswith("/") and (word[0] in {UNKNOWN, "-"} or not rule.unknown):
                return Reading("argument", word)
            rest.append(word)
        elif len(word) < 2 or not word.startswith(("-", "+") if rule.numbers else "-"):
            rest.append(word)
        else:
            found = _read_flag(rule, word, words)
            if found is None:
                return Reading("flag", word)
            flags += found
    return _Taken(tuple(flags), tuple(rest))


def _read_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    if rule.numbers and re.fullmatch(r"[-+]\d+", word):
        return [(word, "")]
    if word.startswith("+"):
        return None
    if rule.style == "single" or (word in rule.flags and not word.startswith("--")):
        return _whole_flag(rule, word, words)
    if word.startswith("--"):
        return _long_flag(rule, word, words)
    return _bundle(rule, word, words)


def _whole_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    name, equals, value = word.partition("=")
    if word not in rule.flags and name.startswith("--"):
        name = name[1:]  # what takes whole words after one dash takes them after two as well
    if equals and word not in rule.flags:
        return _allowed(rule, name, value) if rule.flags.get(name) else None
    name = word if word in rule.flags else name
    kind = rule.flags.get(name)
    if kind is None:
        return None
    return _valued(rule, name, words) if kind == "=" else [(name, "")]


def _long_flag(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    name, equals, value = word.partition("=")
    kind = rule.flags.get(name)
    if name in {"--help", "--version"} and not equals:
        return [(name, "")]
    if kind is None:
        name, kind = _shortened(rule, name)
    if kind is None or (equals and kind == ""):
        return None
    if equals:
        return _allowed(rule, name, value)
    return _valued(rule, name, words) if kind == "=" else [(name, "")]


def _shortened(rule: Rule, name: str) -> tuple[str, str | None]:
    """Return the flag that *name* may be short for, if that one does more than read."""
    for full in sorted(rule.commands | rule.writes | rule.effects.keys()):
        if len(name) > 4 and full.startswith(name):
            return full, rule.flags[full]
    return name, None


def _bundle(rule: Rule, word: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    for at, letter in enumerate(word[1:], 2):
        name, value = f"-{letter}", word[at:]
        kind = rule.flags.get(name)
        if kind is None:
            return None
        if kind and value:
            last = _allowed(rule, name, value)
        elif kind == "=":
            last = _valued(rule, name, words)
        else:
            found.append((name, ""))
            continue
        return None if last is None else found + last
    return found


def _valued(rule: Rule, name: str, words: Iterator[str]) -> list[tuple[str, str]] | None:
    value = next(words, None)
    return None if value is None else _allowed(rule, name, value)


def _allowed(rule: Rule, name: str, value: str) -> list[tuple[str, str]] | None:
    pattern = rule.values.get(name)
    # behind a fixed beginning it is one file of a folder; a pattern is held to it anyway
    if UNKNOWN in value and not rule.unknown and not value.startswith("/"):
        return None
    fits = pattern is None or re.fullmatch(pattern, value, re.S)
    return [(name, value)] if fits or name in rule.commands else None


def _sub(rule: Rule, args: tuple[str, ...], *, fed: bool) -> Reading:
    """Find the sub-command behind the flags that may stand before it; read what follows."""
    at = _place(rule, args)
    if at is not None:
        name = args[at].lower() if rule.ignore_case else args[at]
        inner = rule.subs.get(name)
        before = _take(rule, args[:at])
        does = _does(rule, before) if isinstance(before, _Taken) else None
        if inner is None:
            return does or Reading("subcommand", args[at], risk=rule.risk)
        return _worse(does, read(inner, args[at + 1 :], fed=fed))
    taken = _take(rule, args)
    if isinstance(taken, Reading):
        return taken
    if taken.names & {"--version", "--help"}:
        return Reading()
    return _judge(rule.subs[""], taken, fed=fed) if "" in rule.subs else Reading("missing")


def _worse(does: Reading | None, inner: Reading) -> Reading:
    """Return what the flags before a sub-command do if the sub-command itself does no worse."""
    if does is None or does.risk is None:
        return inner
    milder = inner.risk is None or _ORDER.index(inner.risk) <= _ORDER.index(does.risk)
    return does if milder else replace(inner, scripts=inner.scripts + does.scripts)


def _place(rule: Rule, args: tuple[str, ...]) -> int | None:
    """Return where the first word that is no flag and no flag's value stands."""
    for at, word in enumerate(args):
        before = _take(rule, args[:at]) if not word.startswith("-") else None
        if isinstance(before, _Taken) and not before.rest:
            return at
    return None


def _judge(rule: Rule, taken: _Taken, *, fed: bool) -> Reading:
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


def _does(rule: Rule, taken: _Taken) -> Reading | None:
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
        if risk is not None and (worst is None or _ORDER.index(risk) > _ORDER.index(worst[1])):
            worst = (name, risk)
    return None if worst is None else Reading("effect", worst[0], risk=worst[1])


_SETTING = re.compile(r"^[\w.-]+=!?")


def _harmless(rule: Rule, name: str, value: str) -> bool:
    pattern = rule.values.get(name)
    return pattern is not None and re.fullmatch(pattern, value, re.S) is not None


_ORDER = (Risk.READ_ONLY, Risk.SECRET_EXPOSURE, Risk.MUTATING, Risk.OPAQUE, Risk.DESTRUCTIVE)


def _ends(rule: Rule, names: frozenset[str], rest: tuple[str, ...]) -> Reading | None:
    """Return why it would never end, None if it ends."""
    if "*" in rule.endless:
        return Reading("endless", works=rule.works)
    if "*" in rule.terminal or names & rule.terminal:
        return Reading("terminal", works=rule.works, risk=rule.risk)
    running = sorted(names & rule.endless)
    if running:
        return Reading("endless", running[0], rule.works)
    if not rule.needs <= names or (rule.any_of and not rule.any_of & names):
        return Reading("endless" if rule.works else "missing", works=rule.works)
    numbers = [word for word in rest if re.fullmatch(r"[\d.]+", word)]
    if rule.interval and len(numbers) == 1:
        return Reading("endless", works=rule.works)
    return None


def _fits(rule: Rule, names: frozenset[str], rest: tuple[str, ...]) -> Reading | None:
    if rule.args is not None and len(rest) > rule.args:
        return Reading("argument", rest[rule.args])
    if rule.args == len(rest) and rest and rule.prints and re.search(r"[*?]|\[.", rest[-1]):
        return Reading("argument", rest[-1])  # a pattern may name more files than one
    if rule.match is not None and not re.fullmatch(rule.match, " ".join(rest), re.S):
        return Reading("argument", _first(rest))
    return None


def _waits(
    rule: Rule, names: frozenset[str], rest: tuple[str, ...], *, fed: bool
) -> Reading | None:
    if fed or rule.stdin is None or len(rest) > rule.stdin or names & rule.stdin_unless:
        return None
    return Reading("stdin", works=rule.works)


_PATTERN_FLAGS = frozenset({"-e", "--regexp", "-f", "--file", "--expression"})


def _shown(rule: Rule, taken: _Taken) -> tuple[str, ...]:
    if not rule.prints:
        return ()
    pattern = 1 if rule.stdin == 1 and not taken.names & _PATTERN_FLAGS else 0
    return taken.rest[pattern:] + tuple(value for _, value in taken.flags if value)


_SCRIPTS = {
    "awk": scripts.awk_only_reads,
    "sed": scripts.sed_only_reads,
    "perl": scripts.perl_only_reads,
}


def _script(rule: Rule, taken: _Taken, *, fed: bool) -> Reading:
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
