"""Tell what a command line may do from its text alone.

Only a line whose every part is on the list of what surely reads (``safety.programs``) is
read_only. What is not understood is opaque, never safe.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from walissh.react.turn import Language, Risk
from walissh.safety import known, leaks, paths, shell, table, words, wrap
from walissh.safety.shell import Line, Redirect, Simple
from walissh.safety.table import GLOB, UNKNOWN

MAX_DEPTH = 4
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
def classify(command: str) -> Judgement:
    """Judge the whole of *command*; the worst of its parts decides.

    Order of safety: read_only, secret_exposure, mutating, opaque, destructive. The reasons
    are those of the deciding risk, and of what would keep it from ending.
    """
    return _combine(_line(command, depth=0))


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
    if inside and inside.script:
        yield from simple_texts(inside.script, depth + 1)
    elif inside and inside.words:
        yield from _inner_texts(inside.words, depth + 1)


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


def _line(command: str, *, depth: int, starts: Iterable[str] = ()) -> Iterator[Finding]:
    line = shell.parse(command)
    if line.fault:
        yield Finding(Risk.OPAQUE, Reason(line.fault))
        return
    for construct in sorted(line.odd):
        yield Finding(Risk.OPAQUE, Reason("odd", (construct,)))
    if line.loops and not _reads_lines(line):
        yield Finding(Risk.READ_ONLY, Reason("loop"), interactive=True)
    for name in sorted(line.outside):
        yield from _variable(name, line)
    targets = list(dict.fromkeys(_directories(line)))
    if len(targets) > MAX_TARGETS:
        yield Finding(Risk.OPAQUE, Reason("odd", ("cd",)))
        targets = []
    place = _Place(depth, paths.bases(targets, starts), dict(line.values))
    for simple in line.commands:
        yield from _simple(simple, place)


def _variable(name: str, line: Line) -> Iterator[Finding]:
    """Judge the use of a variable that comes from outside: environments hold passwords."""
    if words.is_harmless(name):
        return
    if words.looks_secret(name):
        yield Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (f"${name}",)))
    elif name not in _read_into(line):
        yield Finding(Risk.OPAQUE, Reason("variable", (name,)))


def _read_into(line: Line) -> set[str | None]:
    reads = [each for each in line.commands if each.words and each.words[0].literal == "read"]
    return {word.literal for each in reads for word in each.words[1:]}


def _directories(line: Line) -> Iterator[str]:
    """Give where the line's own ``cd`` may lead."""
    for simple in line.commands:
        if simple.words and simple.words[0].literal == "cd" and len(simple.words) > 1:
            yield from words.texts(simple.words[-1], dict(line.values))


def _reads_lines(line: Line) -> bool:
    return any(
        each.words and each.words[0].literal in {"read", "mapfile"} for each in line.commands
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands.

    *depth* inside wrappers; *starts*: where relative paths may begin; *values* of the
    line's variables as in ``Line``.
    """

    depth: int
    starts: list[str]
    values: words.Values


def _simple(simple: Simple, place: _Place) -> Iterator[Finding]:
    for redirect in simple.redirects:
        yield from _redirect(redirect, place)
    for assign in simple.assigns:
        if not _harmless_name(assign.name, alone=not simple.words) or not assign.plain:
            yield Finding(Risk.OPAQUE, Reason("assignment", (assign.name,)))
    if not simple.words:
        return
    fed = simple.piped or any(each.op in {"<", "<<", "<<<", "<<-"} for each in simple.redirects)
    for form in words.forms(simple, place.values):
        yield from _command(form, fed=fed, place=place)


_LOCALE = re.compile(r"LC_\w+|LANG|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|TERM")
_OWN_NAME = re.compile(r"(?!\w*_proxy$)[a-z][a-z0-9_]*|[A-Z]{1,3}")


def _harmless_name(name: str, *, alone: bool) -> bool:
    """Tell whether setting *name* leaves what programs do unchanged."""
    if _LOCALE.fullmatch(name):
        return True
    return alone and _OWN_NAME.fullmatch(name) is not None and name not in {"PS", "TZ", "IFS"}


# --- redirections ---------------------------------------------------------------------

_HARMLESS_TARGET = re.compile(r"/dev/(null|stdout|stderr|tty)")
_VITAL_TARGET = re.compile(
    r"/dev/(sd|nvme|vd|xvd|hd|mapper|dm|mem|kmem)\S*|/proc/sysrq-trigger"
    r"|/etc/(passwd|shadow|group|sudoers|fstab|ssh/sshd_config|hosts|resolv\.conf|crontab)"
    r"|/(boot|srv|var/lib)/\S*"
)


def _redirect(redirect: Redirect, place: _Place) -> Iterator[Finding]:
    if redirect.target is None or redirect.op == "<<<":
        return
    for text in words.texts(redirect.target, place.values):
        if redirect.op == "<":
            yield from _input(text, place.starts)
        elif UNKNOWN in text or GLOB in text:
            yield Finding(Risk.OPAQUE, Reason("redirect", (text,)))
        elif redirect.op not in {"<&", ">&"} or not re.fullmatch(r"\d?-?", text):
            yield from _output(redirect.op, text)


def _output(op: str, path: str) -> Iterator[Finding]:
    if op != "<>" and _HARMLESS_TARGET.fullmatch(path):
        return
    vital = op != ">>" and _VITAL_TARGET.fullmatch(path)
    yield Finding(Risk.DESTRUCTIVE if vital else Risk.MUTATING, Reason("redirect", (path,)))


def _input(path: str, starts: list[str]) -> Iterator[Finding]:
    if UNKNOWN in path or path.startswith(("/dev/tcp", "/dev/udp")):
        yield Finding(Risk.OPAQUE, Reason("redirect_input", (path,)))
    elif any(map(paths.secret, paths.from_bases(path, starts))):
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
    if inside and place.depth < MAX_DEPTH:
        yield from _wrapped(form, inside, fed=fed, place=place)
    if not (inside and inside.sure):
        yield from _started(form, fed=fed, place=place)
        yield _alone(form, fed=fed, starts=place.starts)


def _started(form: tuple[str, ...], *, fed: bool, place: _Place) -> Iterator[Finding]:
    """Judge what a flag of the program hands to a shell."""
    rule = table.rules().get(form[0])
    reading = table.read(rule, form[1:], fed=fed) if rule and rule.hands_over else None
    for script in reading.scripts if reading and place.depth < MAX_DEPTH else ():
        yield from _line(script, depth=place.depth + 1, starts=place.starts)


def _wrapped(
    form: tuple[str, ...], inside: wrap.Inside, *, fed: bool, place: _Place
) -> Iterator[Finding]:
    for name in inside.assigns:
        if not _LOCALE.fullmatch(name):
            yield Finding(Risk.OPAQUE, Reason("assignment", (name,)))
    if inside.script:
        if UNKNOWN in inside.script:
            yield Finding(Risk.OPAQUE, Reason("dynamic"))
            return
        found = list(_line(inside.script, depth=place.depth + 1, starts=place.starts))
    else:
        deeper = replace(place, depth=place.depth + 1)
        found = list(_command(inside.words, fed=fed or form[0] == "xargs", place=deeper))
    for each in found:
        ends = each.interactive and inside.limited and each.ends
        yield Finding(each.risk, each.reason, each.interactive and not ends)


def _alone(form: tuple[str, ...], *, fed: bool, starts: list[str]) -> Finding:
    """Judge one program with its arguments, by the list and then by what is known."""
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
    told = reading.risk if reading else None
    if reading and reading.code == "effect" and told:
        return _effect(form, told, works)
    risk = known.effect(text) or told or Risk.OPAQUE
    if works is not None:
        reason = Reason("terminal", (form[0], works)) if works else Reason("no_terminal", form[:1])
        return Finding(risk, reason, interactive=True, ends=True)
    if risk is not Risk.OPAQUE:
        return Finding(risk, Reason(risk.value, (text,)))
    code = reading.code if reading else "unknown_program"
    return Finding(risk, Reason(code, (form[0], reading.word if reading else "")))


def _effect(form: tuple[str, ...], risk: Risk, works: str | None) -> Finding:
    """Say what the list tells of this use; some want a terminal for it as well."""
    reason = Reason("runs" if risk is Risk.OPAQUE else risk.value, (" ".join(form),))
    return Finding(risk, reason, interactive=works is not None, ends=True)


def _reads(form: tuple[str, ...], reading: table.Reading, starts: list[str]) -> Finding:
    text = " ".join(form)
    for path in reading.shown:
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
