"""One program with its arguments, by the list and then by what is known of it."""

from walissh.react.turn import Risk
from walissh.safety import clients, known, leaks, paths, seeking, table
from walissh.safety.feeding import Feed
from walissh.safety.findings import Finding, Reason
from walissh.safety.syntax.samples import NAME
from walissh.safety.table import UNKNOWN

# part of an address, even a name of this machine tells another one something
_SENDERS = frozenset(
    "curl wget http https xh dig host nslookup drill delv ping ping6 fping arping nc ncat netcat "  # noqa: SIM905
    "socat telnet traceroute tracepath mtr whois openssl".split()
)

_TELLS = (("--version",), ("--help",))


def judge(form: tuple[str, ...], *, fed: Feed | None, starts: list[str]) -> Finding:
    """Judge one program with its arguments, by the list and then by what is known."""
    if form[0] in _SENDERS:
        form = tuple(arg if arg == NAME else arg.replace(NAME, UNKNOWN) for arg in form)
    text = fed.text if fed else None
    told = clients.judge(form[0], form[1:], fed=fed is not None, text=text)
    if told is not None:
        return told_of(form, told, starts)
    whole = " ".join(form)
    rule = table.rules().get(form[0])
    reading = table.read(rule, form[1:], fed=fed is not None) if rule else None
    if rule and reading and not reading.code:
        if len(whole) > known.MAX_TEXT and rule.style != "free":
            return Finding(Risk.OPAQUE, Reason("long", (form[0],)))
        return _reads(form, reading, starts, fed=fed is not None)
    if reading and reading.code in {"endless", "stdin", "terminal"}:
        return _never_ends(form[0], reading)
    works = known.terminal(whole)
    listed = reading.risk if reading else None
    if reading and reading.code == "effect" and listed:
        return _effect(form, listed, works)
    risk = known.effect(whole) or listed or Risk.OPAQUE
    if works is not None:
        reason = Reason("terminal", (form[0], works)) if works else Reason("no_terminal", form[:1])
        return Finding(risk, reason, interactive=True, ends=True)
    if risk is not Risk.OPAQUE:
        return Finding(risk, Reason(risk.value, (whole,)))
    code = reading.code if reading else "unknown_program"
    return Finding(risk, Reason(code, (form[0], reading.word if reading else "")))


def told_of(form: tuple[str, ...], told: clients.Told, starts: list[str]) -> Finding:
    """Say what a client was told to do; files of secrets that it shows or sends count too."""
    for path in told.shown if told.risk is Risk.READ_ONLY else ():
        if any(map(paths.secret, paths.from_bases(path, starts))):
            reason = Reason("secret_file", (path,))
            return Finding(Risk.SECRET_EXPOSURE, reason, told.interactive, told.ends)
    reason = Reason(told.code, told.args(form[0], " ".join(form)))
    plain = told.risk is Risk.READ_ONLY and not told.interactive
    return Finding(told.risk, None if plain else reason, told.interactive, told.ends)


def _effect(form: tuple[str, ...], risk: Risk, works: str | None) -> Finding:
    """Say what the list tells of this use; one that wants a terminal is told the other form."""
    if works is not None:
        told = Reason("terminal", (form[0], works)) if works else Reason("no_terminal", form[:1])
        return Finding(risk, told, interactive=True, ends=True)
    reason = Reason("runs" if risk is Risk.OPAQUE else risk.value, (" ".join(form),))
    return Finding(risk, reason)


def _reads(
    form: tuple[str, ...], reading: table.Reading, starts: list[str], *, fed: bool
) -> Finding:
    text = " ".join(form)
    if any(map(paths.waits, reading.shown)) or (not fed and {"-", "/dev/stdin"} & {*reading.shown}):
        return Finding(Risk.READ_ONLY, Reason("stdin", form[:1]), interactive=True, ends=True)
    for path in reading.shown:
        if UNKNOWN in path and leaks.names_only(form):
            continue  # which of many files hold a word says nothing of what else is in them
        named = path.replace(NAME, UNKNOWN)  # it may be that of a disk
        if any(map(paths.secret, paths.from_bases(named, starts))):
            return Finding(Risk.SECRET_EXPOSURE, Reason("secret_file", (path,)))
    tree = leaks.whole_tree(form, reading.shown, starts)
    if tree:
        return Finding(Risk.SECRET_EXPOSURE, Reason("whole_tree", (text, tree)))
    if form[0] == "ps" and leaks.other_environments(form[1:]):
        return Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (text,)))
    if seeking.for_secrets(form, reading.shown) or known.effect(text) is Risk.SECRET_EXPOSURE:
        return Finding(Risk.SECRET_EXPOSURE, Reason("secret_exposure", (text,)))
    works = known.terminal(text)
    if works is not None and form[1:] not in _TELLS:
        return Finding(Risk.READ_ONLY, Reason("terminal", (text, works)), interactive=True)
    return Finding(Risk.READ_ONLY)


def _never_ends(program: str, reading: table.Reading) -> Finding:
    if reading.code == "terminal":
        reason = Reason("terminal" if reading.works else "no_terminal", (program, reading.works))
        return Finding(reading.risk or Risk.READ_ONLY, reason, interactive=True, ends=True)
    if reading.code == "stdin":
        return Finding(Risk.READ_ONLY, Reason("stdin", (program,)), interactive=True, ends=True)
    reason = Reason("endless", (program, reading.works or f"timeout 10 {program}"))
    return Finding(reading.risk or Risk.READ_ONLY, reason, interactive=True, ends=True)
