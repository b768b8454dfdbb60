"""What redirections write, read and send."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety import paths, words
from walissh.safety.findings import Finding, Reason
from walissh.safety.place import Place
from walissh.safety.shell import Redirect, Simple
from walissh.safety.syntax.samples import NAME
from walissh.safety.table import GLOB, UNKNOWN

_HARMLESS_TARGET = re.compile(r"/dev/(null|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]")
_VITAL_TARGET = re.compile(
    r"/dev/(sd|nvme|vd|xvd|hd|mapper|dm|mem|kmem)\S*|/proc/sysrq-trigger"
    r"|/etc/(passwd|shadow|group|sudoers|fstab|ssh/sshd_config|hosts|resolv\.conf|crontab)"
    r"|/(boot|srv|var/lib)/\S*"
)
# a line more in them lets somebody in or keeps everybody out
_RULES = re.compile(r"/etc/(g?shadow|passwd|sudoers|sudoers\.d/\S+|ld\.so\.preload)")
_LOG = re.compile(r"/var/log/\S+|\S*(wtmp|btmp|lastlog)|\S*\.(db|sqlite3?|ibd)")
_PORT = re.compile(r"/dev/(tcp|udp)/[\w.:-]+/[\w-]+")
_DUPLICATE = re.compile(r"\d*-?")


def judge(redirect: Redirect, simple: Simple, place: Place) -> Iterator[Finding]:
    """Judge one redirection of *simple*."""
    if redirect.target is None or redirect.op == "<<<":
        return
    for each in words.texts(redirect.target, place.values):
        text = each.replace(NAME, UNKNOWN)  # part of an address or path, it tells or chooses
        if _PORT.fullmatch(text) and _only_opens(redirect, simple, place):
            continue
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
    vital = _is_vital(op, plain, simple)
    yield Finding(Risk.DESTRUCTIVE if vital else Risk.MUTATING, Reason("redirect", (path,)))


def _is_vital(op: str, path: str, simple: Simple) -> bool:
    if _RULES.fullmatch(path):
        return True
    if op == ">>":
        return False
    if _VITAL_TARGET.fullmatch(path):
        return True
    return _LOG.fullmatch(path) is not None and _empties(simple)


def _says_nothing(simple: Simple) -> bool:
    """Tell whether it only tries a port: ``: > /dev/tcp/db1/5432``."""
    said = [word.literal for word in simple.words]
    if simple.piped or simple.around:
        return False
    inputs = [each for each in simple.redirects if each.op.startswith("<")]
    empty = said == ["cat"] and len(inputs) == 1 and _is_nowhere(inputs[0])
    return empty or said in ([], [":"], ["true"], ["echo"])


def _is_nowhere(redirect: Redirect) -> bool:
    target = redirect.target.literal if redirect.target else None
    return (redirect.op, redirect.fd, target) == ("<", "", "/dev/null")


def _only_opens(redirect: Redirect, simple: Simple, place: Place) -> bool:
    """Tell whether ``exec 3<>/dev/tcp/db1/5432`` opens what nothing is written to."""
    program = [word.literal for word in simple.words]
    return place.quiet and program == ["exec"] and re.fullmatch(r"[3-9]", redirect.fd) is not None


def _empties(simple: Simple) -> bool:
    """Tell whether nothing, or next to nothing, is left of what was in the file."""
    said = [word.literal for word in simple.words]
    empty = said in (["cat", "/dev/null"], ["printf", ""], ["echo", "-n"], ["echo", "-n", ""])
    return not simple.piped and (empty or said in ([], [":"], ["true"], ["echo"], ["echo", ""]))


def _input(path: str, simple: Simple, place: Place) -> Iterator[Finding]:
    if path.startswith(("/dev/tcp", "/dev/udp")):
        tries = _PORT.fullmatch(path) and _says_nothing(simple) and place.dialect == "bash"
        if not tries:
            yield Finding(Risk.OPAQUE, Reason("redirect_input", (path,)))
    elif paths.waits(path):
        yield Finding(Risk.READ_ONLY, Reason("stdin", (path,)), interactive=True, ends=True)
    elif path.startswith(UNKNOWN):
        yield Finding(Risk.OPAQUE, Reason("redirect_input", (path,)))
    elif any(map(paths.secret, paths.from_bases(path, place.starts))):
        yield Finding(Risk.SECRET_EXPOSURE, Reason("secret_file", (path,)))
