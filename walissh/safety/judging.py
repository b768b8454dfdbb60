"""Judge a line by its parts: commands, assignments, redirections, and what wrappers start."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from walissh.react.turn import Risk
from walissh.safety import (
    alone,
    builtins,
    feeding,
    paths,
    redirections,
    seeking,
    shell,
    table,
    words,
    wrap,
)
from walissh.safety.feeding import Feed
from walissh.safety.findings import Finding, Reason
from walissh.safety.place import Place, program_of
from walissh.safety.shell import Line, Simple
from walissh.safety.table import GLOB, UNKNOWN

MAX_DEPTH = 8
MAX_TARGETS = 5
MAX_LINES_BACK = 4


def line(command: str, place: Place) -> Iterator[Finding]:
    """Judge a line that runs at *place*; values there are those of ``$1`` and so on."""
    read = shell.parse(command, place.dialect)
    if read.fault:
        yield Finding(Risk.OPAQUE, Reason(read.fault))
        yield from _run_before(command, place) if read.fault == "syntax" else ()
        return
    for construct in sorted(read.odd):
        yield Finding(Risk.OPAQUE, Reason("odd", (construct,)))
    if read.loops:
        yield Finding(Risk.READ_ONLY, Reason("loop"), interactive=True, ends=True)
    for name in sorted(read.outside):
        yield from _variable(name)
    values = {**place.values, **read.values}
    targets = list(dict.fromkeys(_directories(read, values)))
    if len(targets) > MAX_TARGETS:
        yield Finding(Risk.OPAQUE, Reason("odd", ("cd",)))
        targets = []
    starts = tuple(paths.bases(targets, place.starts))
    within = replace(place, starts=starts, values=values, quiet=_is_quiet(read))
    before: Simple | None = None
    for simple in read.commands:
        yield from _simple(simple, within)
        yield from _handed_over(simple, before, within)
        before = simple


_QUIET = frozenset({"echo", ":", "true", "false", "exit", "sleep"})


def _is_quiet(read: Line) -> bool:
    """Tell whether nothing of the line could read from or write to what it opens."""
    return all(_opens(each) or _only_says(each) for each in read.commands)


def _opens(simple: Simple) -> bool:
    """Tell whether it is ``exec 3<>/dev/tcp/...``, with whatever target."""
    program = [word.literal for word in simple.words]
    return program == ["exec"] and all(
        to.op in {"<", ">", "<>"} and to.fd in set("3456789") for to in simple.redirects
    )


def _only_says(simple: Simple) -> bool:
    program = simple.words[0].literal if simple.words else None
    targets = [to.target.literal if to.target else None for to in simple.redirects]
    return program in _QUIET and set(targets) <= {"0", "1", "2", "/dev/null"}


def _run_before(command: str, place: Place) -> Iterator[Finding]:
    """Judge the lines before one that cannot be parsed: the shell has run them by then."""
    lines = command.split("\n")
    for end in range(len(lines) - 1, max(0, len(lines) - 1 - MAX_LINES_BACK), -1):
        before = "\n".join(lines[:end])
        if not shell.parse(before, place.dialect).fault:
            yield from line(before, place)
            return


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


def _simple(simple: Simple, place: Place) -> Iterator[Finding]:
    for redirect in simple.redirects:
        yield from redirections.judge(redirect, simple, place)
    for assign in simple.assigns:
        if not _harmless_name(assign.name, alone=not simple.words) or not assign.plain:
            yield Finding(Risk.OPAQUE, Reason("assignment", (assign.name,)))
    fed = feeding.of(simple)
    for form in words.forms(simple, place.values) if simple.words else ():
        yield from _command(form, fed=fed, place=place)
        if simple.piped and seeking.through_pipe(form, simple.heard):
            yield Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (" ".join(form),)))


def _harmless_name(name: str, *, alone: bool) -> bool:
    """Tell whether setting *name* leaves what programs do unchanged."""
    if builtins.is_locale(name):
        return True
    return alone and (builtins.is_own(name) or name == "IFS")


_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "at", "batch", "su", "sudo"})
_SAYS = frozenset({"echo", "printf"})


def _handed_over(simple: Simple, before: Simple | None, place: Place) -> Iterator[Finding]:
    """Look into a script that a shell is fed, so that what it destroys is named as such.

    That the shell runs it at all is judged by the shell's own words.
    """
    program = simple.words[0].literal if simple.words else ""
    if program not in _SHELLS or place.depth >= MAX_DEPTH:
        return
    for script in _scripts(simple, before):
        deeper = replace(place, depth=place.depth + 1, values={})
        yield from (each for each in line(script, deeper) if each.risk is not Risk.OPAQUE)


def _scripts(simple: Simple, before: Simple | None) -> Iterator[str]:
    for redirect in simple.redirects:
        text = redirect.here.literal if redirect.here else None
        if text:
            yield text
    if simple.piped and before and before.words and before.words[0].literal in _SAYS:
        texts = [word.literal for word in before.words[1:]]
        yield " ".join(text for text in texts if text and not text.startswith("-"))


def _command(form: tuple[str, ...], *, fed: Feed | None, place: Place) -> Iterator[Finding]:
    form = (program_of(form[0]), *form[1:])
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


def _one(form: tuple[str, ...], *, fed: Feed | None, place: Place) -> Iterator[Finding]:
    ruling = builtins.judge(form, fed=fed is not None)
    if ruling is None:
        yield from _started(form, fed=fed, place=place)
        yield alone.judge(form, fed=fed, starts=list(place.starts))
    elif ruling.interactive or ruling.risk is not Risk.READ_ONLY:
        reason = Reason(ruling.code, (form[0], ruling.word))
        yield Finding(ruling.risk, reason, interactive=ruling.interactive, ends=True)


def _started(form: tuple[str, ...], *, fed: Feed | None, place: Place) -> Iterator[Finding]:
    """Judge what a flag of the program hands to a shell."""
    rule = table.rules().get(form[0]) if _hands_over(form[0]) else None
    reading = table.read(rule, form[1:], fed=fed is not None) if rule else None
    for script in reading.scripts if reading and place.depth < MAX_DEPTH else ():
        yield from line(script, place.deeper("sh"))


@lru_cache(maxsize=2048)
def _hands_over(program: str) -> bool:
    rule = table.rules().get(program)
    return rule is not None and rule.hands_over


def _wrapped(
    form: tuple[str, ...], inside: wrap.Inside, *, fed: Feed | None, place: Place
) -> Iterator[Finding]:
    """Judge a wrapper: what it does itself, and then all that it starts."""
    if inside.risk is not Risk.READ_ONLY:
        yield Finding(inside.risk, Reason(inside.reason, (" ".join(form),)))
    if inside.endless:
        reason = Reason("endless", (form[0], " ".join((*inside.words, inside.script)).strip()))
        yield Finding(Risk.READ_ONLY, reason, interactive=True, ends=True)
    if inside.waits and fed is None:
        yield Finding(Risk.READ_ONLY, Reason("stdin", form[:1]), interactive=True, ends=True)
    for name in inside.assigns:
        if not builtins.is_locale(name):
            yield Finding(Risk.OPAQUE, Reason("assignment", (name,)))
    if inside.own:
        yield from _one(inside.own, fed=fed, place=place)
    for each in _contents(inside, fed=feeding.NOTHING if inside.fed else fed, place=place):
        ends = each.interactive and inside.limited and each.ends
        yield Finding(each.risk, each.reason, each.interactive and not ends, each.ends)
    for further in inside.more:
        yield from _wrapped(form, further, fed=fed, place=place)


def _contents(inside: wrap.Inside, *, fed: Feed | None, place: Place) -> Iterator[Finding]:
    if UNKNOWN in inside.script:
        yield Finding(Risk.OPAQUE, Reason("dynamic"))
    elif inside.script:
        yield from line(inside.script, place.deeper(inside.dialect, inside.given))
    if inside.words:
        yield from _command(inside.words, fed=fed, place=place.inside())
