"""Tell what a command line may do from its text alone.

Only a line whose every part is on the list of what surely reads (``safety.programs``) is
read_only. What is not understood is opaque, never safe.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from walissh.react.turn import Language, Risk
from walissh.safety import builtins, clients, known, leaks, paths, shell, table, words, wrap
from walissh.safety.shell import Dialect, Line, Redirect, Simple
from walissh.safety.table import GLOB, UNKNOWN

MAX_DEPTH = 8
MAX_TARGETS = 5
MAX_SHOWN = 80
MAX_REASONS = 8
SEVERITY = (
    Risk.READ_ONLY,
    Risk.SECRET_EXPOSURE,
    Risk.MUTATING,
    Risk.OPAQUE,
    Risk.DESTRUCTIVE,
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, as a *code* of ``reasons.yaml`` and the parts of the command that decided."""

    code: str
    args: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep long parts short: reasons are shown, and cached by the thousand."""
        object.__setattr__(self, "args", tuple(_shorten(arg) for arg in self.args))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a command may do; *interactive*: it never ends or wants a terminal."""

    risk: Risk
    interactive: bool
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One part's contribution; *ends*: a time limit around it would end it."""

    risk: Risk
    reason: Reason | None = None
    interactive: bool = False
    ends: bool = False


def reason_text(reason: Reason, language: Language) -> str:
    """Return *reason* as a sentence."""
    return _texts()[reason.code][language].format(*reason.args, "", "")


@lru_cache(maxsize=2048)
def classify(command: str, dialect: Dialect = "bash") -> Judgement:
    """Judge the whole of *command*, read by *dialect*; the worst of its parts decides.

    Order of safety: read_only, secret_exposure, mutating, opaque, destructive. The reasons
    are those of the deciding risk, and of what would keep it from ending.
    """
    return _combine(_line(command, _Place(dialect=dialect)))


def simple_texts(command: str, depth: int = 0) -> Iterator[str]:
    """Give the text of every simple command of the line, also of those inside wrappers."""
    line = shell.parse(command)
    for simple in line.commands if depth < MAX_DEPTH else ():
        for form in words.forms(simple, dict(line.values)) if simple.words else ():
            yield from _inner_texts(form, depth)


def _inner_texts(form: tuple[str, ...], depth: int) -> Iterator[str]:
    place = _STANDARD_DIRS.fullmatch(form[0])
    form = (place[3] if place else form[0], *form[1:])
    yield " ".join(word.replace(GLOB, "") for word in form)
    inside = wrap.unwrap(form) if depth < MAX_DEPTH else None
    for each in inside.all() if inside else ():
        if each.script:
            yield from simple_texts(each.script, depth + 1)
        elif each.words:
            yield from _inner_texts(each.words, depth + 1)


def _combine(findings: Iterable[Finding]) -> Judgement:
    found = list(findings)
    risk = max((each.risk for each in found), key=SEVERITY.index, default=Risk.READ_ONLY)
    deciding = [
        each.reason
        for each in found
        if each.reason and (each.interactive or (each.risk is risk and risk is not Risk.READ_ONLY))
    ]
    reasons = tuple(dict.fromkeys(deciding))[:MAX_REASONS] or (Reason("read_only"),)
    return Judgement(risk, any(each.interactive for each in found), reasons)


@cache
def _texts() -> dict[str, dict[str, str]]:
    text = (files("walissh.safety") / "reasons.yaml").read_text("utf-8")
    texts: dict[str, dict[str, str]] = yaml.safe_load(text)
    return texts


def _shorten(arg: str) -> str:
    arg = arg.replace(UNKNOWN, "…").replace(GLOB, "")
    return arg if len(arg) <= MAX_SHOWN else arg[: MAX_SHOWN - 1] + "…"


# --- the line -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands.

    *depth* inside wrappers; *starts*: where relative paths may begin; *values* of the
    line's variables as in ``Line``; *dialect*: what reads the line.
    """

    depth: int = 0
    starts: tuple[str, ...] = ()
    values: words.Values = field(default_factory=dict)
    dialect: Dialect = "bash"


def _line(command: str, place: _Place) -> Iterator[Finding]:
    """Judge a line that runs at *place*; values there are those of ``$1`` and so on."""
    line = shell.parse(command, place.dialect)
    if line.fault:
        yield Finding(Risk.OPAQUE, Reason(line.fault))
        return
    for construct in sorted(line.odd):
        yield Finding(Risk.OPAQUE, Reason("odd", (construct,)))
    if line.loops:
        yield Finding(Risk.READ_ONLY, Reason("loop"), interactive=True, ends=True)
    for name in sorted(line.outside):
        yield from _variable(name)
    values = {**place.values, **line.values}
    targets = list(dict.fromkeys(_directories(line, values)))
    if len(targets) > MAX_TARGETS:
        yield Finding(Risk.OPAQUE, Reason("odd", ("cd",)))
        targets = []
    within = replace(place, starts=tuple(paths.bases(targets, place.starts)), values=values)
    before: Simple | None = None
    for simple in line.commands:
        yield from _simple(simple, within)
        yield from _handed_over(simple, before, within)
        before = simple


def _variable(name: str) -> Iterator[Finding]:
    """Judge the use of a variable that comes from outside: environments hold passwords."""
    if words.is_harmless(name):
        return
    if words.looks_secret(name):
        yield Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (f"${name}",)))
    else:
        yield Finding(Risk.OPAQUE, Reason("variable", (name,)))


def _directories(line: Line, values: words.Values) -> Iterator[str]:
    """Give where the line's own ``cd`` may lead."""
    for simple in line.commands:
        if len(simple.words) > 1 and simple.words[0].literal in {"cd", "pushd"}:
            yield from words.texts(simple.words[-1], values)


def _simple(simple: Simple, place: _Place) -> Iterator[Finding]:
    for redirect in simple.redirects:
        yield from _redirect(redirect, simple, place)
    for assign in simple.assigns:
        if not _harmless_name(assign.name, alone=not simple.words) or not assign.plain:
            yield Finding(Risk.OPAQUE, Reason("assignment", (assign.name,)))
    fed = simple.piped or any(each.op in _FEEDS for each in simple.redirects)
    for form in words.forms(simple, place.values) if simple.words else ():
        yield from _command(form, fed=fed, place=place)


_FEEDS = frozenset({"<", "<<", "<<<", "<<-", "<&"})


def _harmless_name(name: str, *, alone: bool) -> bool:
    """Tell whether setting *name* leaves what programs do unchanged."""
    if builtins.is_locale(name):
        return True
    return alone and (builtins.is_own(name) or name == "IFS")


_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "at", "batch", "su", "sudo"})
_SAYS = frozenset({"echo", "printf"})


def _handed_over(simple: Simple, before: Simple | None, place: _Place) -> Iterator[Finding]:
    """Look into a script that a shell is fed, so that what it destroys is named as such.

    That the shell runs it at all is judged by the shell's own words.
    """
    program = simple.words[0].literal if simple.words else ""
    if program in clients.LISTENING:
        yield from _fed_client(simple, before, place)
    if program not in _SHELLS or place.depth >= MAX_DEPTH:
        return
    for script in _scripts(simple, before):
        deeper = replace(place, depth=place.depth + 1, values={})
        yield from (each for each in _line(script, deeper) if each.risk is not Risk.OPAQUE)


def _fed_client(simple: Simple, before: Simple | None, place: _Place) -> Iterator[Finding]:
    """Name what the statements do that the line itself feeds to a client."""
    for script in _scripts(simple, before):
        text = script.replace("\\r", "").replace("\\n", "\n")  # printf's own
        for form in words.forms(simple, place.values):
            told = clients.judge(form[0], form[1:], fed=True, text=text)
            if told and told.risk is not Risk.OPAQUE:
                yield _told(form, told, list(place.starts))


def _scripts(simple: Simple, before: Simple | None) -> Iterator[str]:
    for redirect in simple.redirects:
        text = redirect.here.literal if redirect.here else None
        if text:
            yield text
    if simple.piped and before and before.words and before.words[0].literal in _SAYS:
        texts = [word.literal for word in before.words[1:]]
        yield " ".join(text for text in texts if text and not text.startswith("-"))


# --- redirections ---------------------------------------------------------------------

_HARMLESS_TARGET = re.compile(r"/dev/(null|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]")
_VITAL_TARGET = re.compile(
    r"/dev/(sd|nvme|vd|xvd|hd|mapper|dm|mem|kmem)\S*|/proc/sysrq-trigger"
    r"|/etc/(passwd|shadow|group|sudoers|fstab|ssh/sshd_config|hosts|resolv\.conf|crontab)"
    r"|/(boot|srv|var/lib)/\S*"
)
_PORT = re.compile(r"/dev/(tcp|udp)/[\w.:-]+/[\w-]+")
_DUPLICATE = re.compile(r"\d*-?")


def _redirect(redirect: Redirect, simple: Simple, place: _Place) -> Iterator[Finding]:
    if redirect.target is None or redirect.op == "<<<":
        return
    for text in words.texts(redirect.target, place.values):
        if redirect.op == "<":
            yield from _input(text, simple, place)
        elif redirect.op in {"<&", ">&"} and _DUPLICATE.fullmatch(text):
            continue
        elif UNKNOWN in text or GLOB in text:
            yield Finding(Risk.OPAQUE, Reason("redirect", (text,)))
        else:
            yield from _output(redirect.op, text, simple)


def _output(op: str, path: str, simple: Simple) -> Iterator[Finding]:
    plain = paths.straight(path) if path.startswith("/") else path
    if op != "<>" and _HARMLESS_TARGET.fullmatch(plain):
        return
    if op != "<>" and _PORT.fullmatch(path):
        if not _says_nothing(simple):
            yield Finding(Risk.SECRET_EXPOSURE, Reason("sent", (path,)))
        return
    vital = op != ">>" and _VITAL_TARGET.fullmatch(plain)
    yield Finding(Risk.DESTRUCTIVE if vital else Risk.MUTATING, Reason("redirect", (path,)))


def _says_nothing(simple: Simple) -> bool:
    """Tell whether it only tries a port: ``: > /dev/tcp/db1/5432``."""
    said = [word.literal for word in simple.words]
    return said in ([], [":"], ["true"], ["echo"], ["exec"]) and not simple.piped


def _input(path: str, simple: Simple, place: _Place) -> Iterator[Finding]:
    if path.startswith(("/dev/tcp", "/dev/udp")):
        tries = _PORT.fullmatch(path) and _says_nothing(simple) and place.dialect == "bash"
        if not tries:
            yield Finding(Risk.OPAQUE, Reason("redirect_input", (path,)))
    elif path.startswith(UNKNOWN):
        yield Finding(Risk.OPAQUE, Reason("redirect_input", (path,)))
    elif any(map(paths.secret, paths.from_bases(path, place.starts))):
        yield Finding(Risk.SECRET_EXPOSURE, Reason("secret_file", (path,)))


# --- one command ----------------------------------------------------------------------

_STANDARD_DIRS = re.compile(r"/(usr/(local/)?)?s?bin/([\w.+-]+)")


def _command(form: tuple[str, ...], *, fed: bool, place: _Place) -> Iterator[Finding]:
    standard = _STANDARD_DIRS.fullmatch(form[0])
    form = (standard[3] if standard else form[0], *form[1:])
    if UNKNOWN in form[0] or GLOB in form[0] or not form[0]:
        yield Finding(Risk.OPAQUE, Reason("dynamic"))
        return
    inside = wrap.unwrap(form)
    if inside and place.depth >= MAX_DEPTH:
        yield Finding(Risk.OPAQUE, Reason("too_deep"))
    elif inside:
        yield from _wrapped(form, inside, fed=fed, place=place)
    else:
        yield from _one(form, fed=fed, place=place)


def _one(form: tuple[str, ...], *, fed: bool, place: _Place) -> Iterator[Finding]:
    ruling = builtins.judge(form, fed=fed)
    if ruling is None:
        yield from _started(form, fed=fed, place=place)
        yield _alone(form, fed=fed, starts=list(place.starts))
    elif ruling.interactive or ruling.risk is not Risk.READ_ONLY:
        reason = Reason(ruling.code, (form[0], ruling.word))
        yield Finding(ruling.risk, reason, interactive=ruling.interactive, ends=True)


def _started(form: tuple[str, ...], *, fed: bool, place: _Place) -> Iterator[Finding]:
    """Judge what a flag of the program hands to a shell."""
    rule = table.rules().get(form[0])
    reading = table.read(rule, form[1:], fed=fed) if rule and rule.hands_over else None
    for script in reading.scripts if reading and place.depth < MAX_DEPTH else ():
        yield from _line(script, _deeper(place, "sh"))


def _deeper(place: _Place, dialect: Dialect, given: tuple[str, ...] = ()) -> _Place:
    values = {str(at): (text,) for at, text in enumerate(given)}
    return _Place(place.depth + 1, place.starts, values, dialect)


def _wrapped(
    form: tuple[str, ...], inside: wrap.Inside, *, fed: bool, place: _Place
) -> Iterator[Finding]:
    """Judge a wrapper: what it does itself, and then all that it starts."""
    if inside.risk is not Risk.READ_ONLY:
        yield Finding(inside.risk, Reason(inside.reason, (" ".join(form),)))
    if inside.endless:
        reason = Reason("endless", (form[0], " ".join((*inside.words, inside.script)).strip()))
        yield Finding(Risk.READ_ONLY, reason, interactive=True, ends=True)
    for name in inside.assigns:
        if not builtins.is_locale(name):
            yield Finding(Risk.OPAQUE, Reason("assignment", (name,)))
    if inside.own:
        yield from _one(inside.own, fed=fed, place=place)
    for each in _contents(inside, fed=fed or inside.fed, place=place):
        ends = each.interactive and inside.limited and each.ends
        yield Finding(each.risk, each.reason, each.interactive and not ends, each.ends)
    for further in inside.more:
        yield from _wrapped(form, further, fed=fed, place=place)


def _contents(inside: wrap.Inside, *, fed: bool, place: _Place) -> Iterator[Finding]:
    if UNKNOWN in inside.script:
        yield Finding(Risk.OPAQUE, Reason("dynamic"))
    elif inside.script:
        yield from _line(inside.script, _deeper(place, inside.dialect, inside.given))
    if inside.words:
        yield from _command(inside.words, fed=fed, place=replace(place, depth=place.depth + 1))


def _alone(form: tuple[str, ...], *, fed: bool, starts: list[str]) -> Finding:
    """Judge one program with its arguments, by the list and then by what is known."""
    told = clients.judge(form[0], form[1:], fed=fed)
    if told is not None:
        return _told(form, told, starts)
    text = " ".join(form)
    rule = table.rules().get(form[0])
    reading = table.read(rule, form[1:], fed=fed) if rule else None
    if rule and reading and not reading.code:
        if len(text) > known.MAX_TEXT and rule.style != "free":
            return Finding(Risk.OPAQUE, Reason("long", (form[0],)))
        return _reads(form, reading, starts)
    if reading and reading.code in {"endless", "stdin", "terminal"}:
        return _never_ends(form[0], reading)
    works = known.terminal(text)
    listed = reading.risk if reading else None
    if reading and reading.code == "effect" and listed:
        return _effect(form, listed, works)
    risk = known.effect(text) or listed or Risk.OPAQUE
    if works is not None:
        reason = Reason("terminal", (form[0], works)) if works else Reason("no_terminal", form[:1])
        return Finding(risk, reason, interactive=True, ends=True)
    if risk is not Risk.OPAQUE:
        return Finding(risk, Reason(risk.value, (text,)))
    code = reading.code if reading else "unknown_program"
    return Finding(risk, Reason(code, (form[0], reading.word if reading else "")))


def _told(form: tuple[str, ...], told: clients.Told, starts: list[str]) -> Finding:
    """Say what a client was told to do; files of secrets that it shows or sends count too."""
    for path in told.shown if told.risk is Risk.READ_ONLY else ():
        if any(map(paths.secret, paths.from_bases(path, starts))):
            reason = Reason("secret_file", (path,))
            return Finding(Risk.SECRET_EXPOSURE, reason, told.interactive, told.ends)
    reason = Reason(told.code, told.args(form[0], " ".join(form)))
    plain = told.risk is Risk.READ_ONLY and not told.interactive
    return Finding(told.risk, None if plain else reason, told.interactive, told.ends)


def _effect(form: tuple[str, ...], risk: Risk, works: str | None) -> Finding:
    """Say what the list tells of this use; some want a terminal for it as well."""
    reason = Reason("runs" if risk is Risk.OPAQUE else risk.value, (" ".join(form),))
    return Finding(risk, reason, interactive=works is not None, ends=True)


def _reads(form: tuple[str, ...], reading: table.Reading, starts: list[str]) -> Finding:
    text = " ".join(form)
    for path in reading.shown:
        if UNKNOWN in path and leaks.names_only(form):
            continue  # which of many files hold a word says nothing of what else is in them
        if any(map(paths.secret, paths.from_bases(path, starts))):
            return Finding(Risk.SECRET_EXPOSURE, Reason("secret_file", (path,)))
    tree = leaks.whole_tree(form, reading.shown, starts)
    if tree:
        return Finding(Risk.SECRET_EXPOSURE, Reason("whole_tree", (text, tree)))
    if form[0] == "ps" and leaks.other_environments(form[1:]):
        return Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (text,)))
    if known.effect(text) is Risk.SECRET_EXPOSURE:
        return Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (text,)))
    works = known.terminal(text)
    if works is not None:
        return Finding(Risk.READ_ONLY, Reason("terminal", (text, works)), interactive=True)
    return Finding(Risk.READ_ONLY)


def _never_ends(program: str, reading: table.Reading) -> Finding:
    if reading.code == "terminal":
        reason = Reason("terminal" if reading.works else "no_terminal", (program, reading.works))
        return Finding(reading.risk or Risk.READ_ONLY, reason, interactive=True, ends=True)
    if reading.code == "stdin":
        return Finding(Risk.READ_ONLY, Reason("stdin", (program,)), interactive=True, ends=True)
    reason = Reason("endless", (program, reading.works or f"timeout 10 {program}"))
    return Finding(Risk.READ_ONLY, reason, interactive=True, ends=True)
