"""What redirections write, read and send."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety import paths, words
from walissh.safety.findings import Finding, Reason
from walissh.safety.place import Place
from walissh.safety.shell import Redirect, Simple
from walissh.safety.table import GLOB, UNKNOWN

_HARMLESS_TARGET = re.compile(r"/dev/(null|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]")
_VITAL_TARGET = re.compile(
    r"/dev/(sd|nvme|vd|xvd|hd|mapper|dm|mem|kmem)\S*|/proc/sysrq-trigger"
    r"|/etc/(passwd|shadow|group|sudoers|fstab|ssh/sshd_config|hosts|resolv\.conf|crontab)"
    r"|/(boot|srv|var/lib)/\S*"
)
_PORT = re.compile(r"/dev/(tcp|udp)/[\w.:-]+/[\w-]+")
_DUPLICATE = re.compile(r"\d*-?")


def judge(redirect: Redirect, simple: Simple, place: Place) -> Iterator[Finding]:
    """Judge one redirection of *simple*."""
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
    return said in ([], [":"], ["true"], ["echo"]) and not simple.piped and not simple.around


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
