"""What a command does and to what, as far as its text shows it.

Only asked about commands that are not read-only (or of actions that only read), so a word
that stands in the text counts: better one question too many than a broken rule.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Protocol

from walissh.memory.rules.vocabulary import Action, vocabulary

MAX_CHARS = 8_000
"""Nobody reads a longer command either: it counts as doing anything."""


class Aim(Protocol):
    """A rule's target (`rule.Target`)."""

    @property
    def kind(self) -> str:
        """Say name, path, thing or command."""

    @property
    def name(self) -> str:
        """Say which."""


def does(command: str, action: str, targets: Sequence[Aim], *, read_only: bool) -> bool:
    """Tell whether *command* does *action* to one of *targets*, to anything if there are none."""
    wanted = vocabulary().actions[action]
    if read_only and not wanted.reads:
        return False
    if len(command) > MAX_CHARS:
        return True
    text = plain(command)
    if not any(_shows(text, each) for each in _family(wanted)):
        return False
    if not targets:
        return True
    whole = any(each.whole and each.whole.search(text) for each in _family(wanted))
    return any(_hits(text, each, whole=whole) for each in targets)


@lru_cache(maxsize=256)
def plain(command: str) -> str:
    """Return *command* in lower case without the quotes and marks that only hide its words."""
    return re.sub(r"\$?(?:''|\"\")|[\"'`\\]|\$(?=[\"'])", "", command).lower()


def _family(action: Action) -> list[Action]:
    actions = vocabulary().actions
    return [action, *(actions[name] for name in sorted(action.also))]


def _shows(text: str, action: Action) -> bool:
    if action.anything:
        return True
    if action.shows is None or not action.shows.search(text):
        return False
    return action.needs is None or bool(action.needs.search(text))


def _hits(text: str, target: Aim, *, whole: bool) -> bool:
    if target.kind == "path":
        return _names_path(text, target.name)
    if target.kind == "command":
        return _is_command(text, target.name)
    if target.kind == "thing":
        shows = vocabulary().things[target.name].shows
        return whole or shows is None or bool(shows.search(text))
    return whole or _names_program(text, target.name)


_WORD = re.compile(r"[\w.@-]+")


# --- programs -----------------------------------------------------------------------------


def _names_program(text: str, name: str) -> bool:
    wanted = name.lower()
    names = vocabulary().aliases.get(wanted, frozenset({wanted}))
    if not re.fullmatch(r"[\x00-\x7f]+", wanted):
        return wanted in text
    return any(_is_named(text, each) for each in names)


def _is_named(text: str, name: str) -> bool:
    if "*" in name:
        return any(fnmatchcase(word, name) for word in _WORD.findall(text))
    wanted = re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?:d(?![a-z0-9])|(?![a-z]))")
    return any(
        name in word and wanted.search(word) and not _is_companion(word, name)
        for word in set(_WORD.findall(text))
    )


def _is_companion(word: str, name: str) -> bool:
    """Tell whether the name is a part of another program's: mysql-exporter."""
    parts = re.split(r"[-_.@]", word.replace(name, "", 1))
    return not vocabulary().companions.isdisjoint(parts)


# --- paths --------------------------------------------------------------------------------

_RECURSIVE = re.compile(
    r"(?<![\w-])(?:rm|mv|rsync|find|chmod|chown|chgrp|setfacl|mkfs\S*|mount|umount|dd|tar"
    r"|unzip)(?![\w-])"
)


def _names_path(text: str, path: str) -> bool:
    wanted = path.lower().rstrip("/") or "/"
    if wanted == "/":
        return True
    return any(_meets(word, wanted, text) for word in _paths(text))


def _paths(text: str) -> Iterable[str]:
    for word in re.findall(r"[~/$][^\s;|&<>()=,:{}]*|(?:\.{1,2}/)[^\s;|&<>()=,:]*", text):
        yield re.sub(r"/{2,}|/(?:\./)+", "/", word).rstrip("/") or "/"
    for start, inside, end in re.findall(r"((?<![^\s{}])/[^\s{}]*)\{([^{}]*)\}([^\s{}]*)", text):
        for each in inside.split(","):
            yield f"{start}{each}{end}".rstrip("/") or "/"


def _meets(word: str, wanted: str, text: str) -> bool:
    if "/.." in word:
        word = _without_steps_up(word)
    if word == wanted or word.startswith(f"{wanted}/") or fnmatchcase(word, wanted):
        return True
    depth = wanted.count("/")
    shown = "/".join(word.split("/")[: depth + 1])
    if re.search(r"[*?\[]", shown) and fnmatchcase(wanted, shown):
        return True
    above = word == "/" or wanted.startswith(f"{word.removesuffix('/*')}/")
    return above and bool(_RECURSIVE.search(text))


def _without_steps_up(word: str) -> str:
    parts: list[str] = []
    for part in word.split("/"):
        if part == ".." and parts and parts[-1]:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return "/".join(parts) or "/"


# --- commands -----------------------------------------------------------------------------


def _is_command(text: str, phrase: str) -> bool:
    """Tell whether the words of *phrase* stand in the command in order, its flags anywhere."""
    words = _words(text)
    flags = {letter for word in words if _is_short(word) for letter in word[1:]}
    at = 0
    for word in _words(plain(phrase)):
        if _is_short(word):
            if not set(word[1:]) <= flags:
                return False
            continue
        found = next((n for n in range(at, len(words)) if _same(words[n], word)), None)
        if found is None:
            return False
        at = found + 1
    return True


def _same(word: str, wanted: str) -> bool:
    if wanted.startswith("/") and len(wanted) > 1:
        return _meets(word, wanted.rstrip("/"), "")
    return word == wanted or word.rpartition("/")[2] == wanted or fnmatchcase(word, wanted)


def _is_short(word: str) -> bool:
    return bool(re.fullmatch(r"-[a-z0-9]+", word))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(re.sub(r"[;|&()<>]", " ", text))
    except ValueError:
        return text.split()
