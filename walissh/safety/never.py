"""The never-list: what would take a whole machine away, and no setting lets through."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache

from walissh.safety import lists, shell, words, wrap
from walissh.safety.judging import MAX_DEPTH
from walissh.safety.place import program_of
from walissh.safety.shell import Simple
from walissh.safety.table import GLOB, UNKNOWN

_FORK_BOMB = re.compile(r"(\S+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;?\s*\1")
_DISK = r"/dev/(?:sda|vda|xvda|hda|nvme0n1|mmcblk0)(?:p?\d+)?"
"""The disk that a machine most likely runs from, whole or a part of it."""

_MOVES = frozenset({"cd", "pushd"})


def met_in(command: str) -> str:
    """Return the part of *command* that is on the list, "" if none is."""
    if _FORK_BOMB.search(command):
        return command
    return next((text for text in texts(command) if _list().match(text)), "")


def texts(command: str, depth: int = 0, folder: str = "") -> Iterator[str]:
    """Give each simple command as text, wrappers off, and each file that is written to.

    The latter as ``> file``. *folder* is where the line begins, "" if that is not known;
    paths are given from the root as well, as far as a ``cd`` of the line tells.
    """
    line = shell.parse(command)
    values = dict(line.values)
    for simple in line.commands if depth < MAX_DEPTH else ():
        yield from _written(simple, values, folder)
        for form in words.forms(simple, values) if simple.words else ():
            yield from _started(form, depth, folder)
        folder = _moved(simple, values, folder)


def _written(simple: Simple, values: words.Values, folder: str) -> Iterator[str]:
    for redirect in simple.redirects:
        if ">" in redirect.op and redirect.target:
            for target in words.texts(redirect.target, values):
                yield f"> {_from_root(target, folder)}"


def _started(form: tuple[str, ...], depth: int, folder: str) -> Iterator[str]:
    form = (program_of(form[0]), *(word.replace(GLOB, "") for word in form[1:]))
    yield " ".join(form)
    yield " ".join((form[0], *(_from_root(word, folder) for word in form[1:])))
    inside = wrap.unwrap(form) if depth < MAX_DEPTH else None
    for each in inside.all() if inside else ():
        if each.script:
            yield from texts(each.script, depth + 1, folder)
        elif each.words:
            yield from _started(each.words, depth + 1, folder)


def _moved(simple: Simple, values: words.Values, folder: str) -> str:
    """Return where the line goes on after *simple*, "" if that is not known."""
    if not simple.words or simple.words[0].literal not in _MOVES:
        return folder
    if len(simple.words) == 1:
        return "~"
    target = words.texts(simple.words[-1], values)[0].replace(GLOB, "")
    found = _from_root(target, folder)
    return "" if UNKNOWN in found or not found.startswith(("/", "~")) else found


def _from_root(word: str, folder: str) -> str:
    """Return *word* as a path without detours, if it may be one and where it begins is known."""
    if not word or word.startswith(("-", "~")) or not (folder or word.startswith("/")):
        return word
    return re.sub("^//", "/", posixpath.normpath(posixpath.join(folder, word)))


@cache
def _list() -> re.Pattern[str]:
    lines: list[str] = lists.load("walissh.safety", "never.yaml")
    return re.compile("|".join(f"(?:{line.replace('DISK', _DISK)})" for line in lines))
