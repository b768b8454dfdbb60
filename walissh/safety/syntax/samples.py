"""Command substitutions of which the shape is known, with a word that stands for all of them.

Dates, lists of process numbers, ids of containers, names that the kernel or the system gives,
and files of one folder: none of them is a flag, and none has blanks where it matters.
"""

import re
from collections.abc import Callable
from typing import Any

from walissh.safety.syntax import shapes
from walissh.safety.table import UNKNOWN

Node = dict[str, Any]
Argv = list[str]

NAME = "x0x0"
"""Stands for a name of an interface, a disk, a host, an id: what this machine tells of itself."""

_DATE = re.compile(r"%[-_0^#]?([a-zA-Z%])")
_PLACES = {
    "Y": "2025", "y": "25", "C": "20", "m": "01", "d": "31", "e": "31", "H": "12", "I": "12",
    "k": "12", "l": "12", "M": "30", "S": "15", "s": "1738326615", "N": "0", "j": "031", "p": "AM",
    "F": "2025-01-31", "T": "12:30:15", "R": "12:30", "D": "01/31/25", "b": "Jan", "B": "January",
    "h": "Jan", "a": "Fri", "A": "Friday", "u": "5", "w": "5", "U": "04", "V": "05", "W": "04",
    "G": "2025", "Z": "UTC", "z": "+0000",
}  # fmt: skip
_LITERAL = re.compile(r"(?!-)[\w/:.,+ \[\]T-]*")
_STAMP = re.compile(r" show.* (?:-p ?|--property=)\w*Timestamp(?: |$)")


def of(node: Node) -> str | None:
    """Return a text that stands for what *node* prints, None if its shape is not known."""
    stages = shapes.stages(node)
    if not stages or any(not argv for argv, _ in stages):
        return None
    (argv, source), *filters = stages
    if source or not all(shapes.only_fed(*each) for each in filters):
        return None
    if not filters and (judge := _PRINTS.get(argv[0])):
        return judge(argv[1:])
    return _listed(argv) or (NAME if _names(argv) else None)


def _date(args: Argv) -> str | None:
    formats = [arg[1:] for arg in args if arg.startswith("+")]
    if len(formats) != 1 or any(re.match(r"-\w*[fr]|--(fi|re)", arg) for arg in args):
        return None
    known = all(place in _PLACES for place in _DATE.findall(formats[0]))
    text = _DATE.sub(lambda found: _PLACES.get(found[1], ""), formats[0])
    return text if known and _LITERAL.fullmatch(text) else None


def _pgrep(args: Argv) -> str | None:
    """Know ``pgrep -d, NAME``: numbers with a sign between them."""
    text = "".join(f" {arg}" for arg in args)
    plain = re.fullmatch(
        r"(?: -[fxnoci]+| -[uUgGPt] ?[\w,\0]+)*(?: (?!-)\S+)?", _DELIMITER.sub("", text)
    )
    return "1,1" if len(_DELIMITER.findall(text)) == 1 and plain else None


_DELIMITER = re.compile(r" (?:-d|-d |--delimiter[= ])[, ](?= |$)")


def _systemctl(args: Argv) -> str | None:
    text = "".join(f" {arg}" for arg in args)
    once = len(re.findall(r" (?:-p|--property|-P)", text)) == 1 and "--value" in args
    return "Fri 2025-01-31 12:30:15 UTC" if once and _STAMP.match(text) else None


_PRINTS: dict[str, Callable[[Argv], str | None]] = {
    "date": _date, "pgrep": _pgrep, "systemctl": _systemctl,
}  # fmt: skip


def _listed(argv: Argv) -> str | None:
    """Return the pattern of ``ls -t /var/log/app/*.log``, or the folder that find starts in."""
    places = [arg for arg in argv[1:] if not arg.startswith("-")]
    if argv[0] == "ls" and len(places) == 1 and re.fullmatch(r"/[\w./*-]*\*[\w.*-]*", places[0]):
        plain = all(re.fullmatch(r"-[1trShaAd]+", arg) for arg in argv[1:] if arg != places[0])
        return places[0].replace("*", UNKNOWN) if plain else None
    if argv[0] == "find" and re.fullmatch(r"/[\w./-]+", argv[1] if len(argv) > 1 else ""):
        shown = any(re.match(r"-(printf|fprint|print0|ls|fls|exec|ok)", arg) for arg in argv)
        return None if shown else f"{argv[1].rstrip('/')}/{UNKNOWN}"
    return None


def _names(argv: Argv) -> bool:
    """Tell whether all words that it prints are names given by the system."""
    text = "".join(f" {arg}" for arg in argv)
    return any(pattern.fullmatch(text) for pattern in _NAMING)


_NAMING = tuple(
    map(
        re.compile,
        (
            r" ip(?: -(?:br|brief|o|4|6|s|oneline))*(?: (?:r|ro|route|l|link|a|addr|address|neigh))"
            r"(?: (?:show|list|get|dev|default|up|[\d.:a-f/]+|[a-z]+\d+))*",
            r" hostname(?: -[Iifsd])?",
            r" uname(?: -[amnrsvp]+)?",
            r" lsblk(?: -[dnpre]+o?)*(?: -o)?(?: (?:NAME|KNAME|PKNAME|TYPE|SIZE|,)+)?(?: -e ?\d+)?",
            r" findmnt(?: -[no]+)+ SOURCE(?: /[\w/.-]*)?",
            r" (?:docker|podman) ps(?: -(?:a|q|aq|l|ql|qa|lq))* -\w*q\w*f?(?: [\w=./-]+)?"
            r"(?: (?:-f|--filter)[= ][\w=./-]+)*",
            r" (?:docker|podman) ps(?: -(?:a|q|aq|l|ql|qa|lq))* --filter[= ][\w=./-]+ -q",
        ),
    )
)
