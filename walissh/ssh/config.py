"""Servers out of an OpenSSH client configuration (``~/.ssh/config``)."""

import fnmatch
import glob
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from walissh.errors import InvalidError

_LINE = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9]*)(?:\s*=\s*|\s+|$)(?P<value>.*)")
_WANTED = frozenset({"hostname", "user", "port", "identityfile", "proxyjump", "proxycommand"})
_Line = tuple[str, str, str]
"""Where it stands, its key in lower case, its value."""
_MAX_DEPTH = 16  # as in OpenSSH


@dataclass(frozen=True, slots=True)
class ConfigHost:
    """One named host. *jump* is the text of ProxyJump: names, ``user@host:port``, commas.

    "" means not said: no user, no key file, no jump. *unused* are keywords that may bear
    on how it is reached and were not heeded: ProxyCommand, Match, Include.
    """

    name: str
    address: str
    user: str
    port: int
    identity_file: str
    jump: str
    unused: tuple[str, ...] = ()


@dataclass(slots=True)
class _Block:
    """A stretch of lines under the conditions *patterns* (all of them must match).

    *passed_over* is a keyword that is not heeded where the patterns match, "" for none.
    """

    patterns: tuple[tuple[str, ...], ...]
    values: dict[str, str] = field(default_factory=dict)
    passed_over: str = ""

    def covers(self, name: str) -> bool:
        return all(_matches(each, name) for each in self.patterns)


def read(path: str | Path) -> list[ConfigHost]:
    """Return the hosts named in the file and its includes, in the order of the file.

    Patterns (``*``, ``?``, ``!``) give values but are no hosts; ``Match`` blocks are
    skipped. Raises InvalidError that names the file and the line.
    """
    path = Path(path).expanduser()
    return _hosts(list(_blocks(_lines(path), (), 0)))


def parse(text: str) -> list[ConfigHost]:
    """Return the hosts of a text that somebody sent; Include is not followed."""
    return _hosts(list(_blocks(_numbered(text, "config"), (), None)))


def _hosts(blocks: list[_Block]) -> list[ConfigHost]:
    named = (name for block in blocks for name in _named(block))
    return [_host(name, blocks) for name in dict.fromkeys(named)]


def _named(block: _Block) -> list[str]:
    own = block.patterns[-1] if block.patterns and not block.passed_over else ()
    return [name for name in own if not re.search(r"[*?!]", name) and block.covers(name)]


def _matches(patterns: tuple[str, ...], name: str) -> bool:
    if any(each[0] == "!" and fnmatch.fnmatchcase(name, each[1:]) for each in patterns):
        return False
    return any(each[0] != "!" and fnmatch.fnmatchcase(name, each) for each in patterns)


def _host(name: str, blocks: list[_Block]) -> ConfigHost:
    values: dict[str, str] = {}
    unused: dict[str, None] = {}
    for block in blocks:
        if block.covers(name):
            values = {**block.values, **values}  # the first value obtained wins
            unused |= dict.fromkeys(filter(None, [block.passed_over]))
    if "proxyjump" not in values and values.get("proxycommand", "none").lower() != "none":
        unused["ProxyCommand"] = None
    address = _expand(values.get("hostname", "%h"), name, values)
    jump = values.get("proxyjump", "")
    return ConfigHost(
        name=name,
        address=address,
        user=values.get("user", ""),
        port=int(values.get("port", "22")),
        identity_file=_expand_path(values.get("identityfile", ""), address, values),
        jump="" if jump.lower() == "none" else _expand(jump, address, values),
        unused=tuple(unused),
    )


def _expand(text: str, host: str, values: dict[str, str]) -> str:
    tokens = {
        "%%": "%",
        "%h": host,
        "%n": host,
        "%p": values.get("port", "22"),
        "%r": values.get("user", ""),
        "%d": str(Path.home()),
    }
    return re.sub(r"%.", lambda found: tokens.get(found.group(), found.group()), text)


def _expand_path(text: str, host: str, values: dict[str, str]) -> str:
    if not text or text.lower() == "none":
        return ""
    return os.path.expanduser(_expand(text, host, values))


def _blocks(
    lines: Iterator[_Line], outer: tuple[tuple[str, ...], ...], depth: int | None
) -> Iterator[_Block]:
    """Yield the blocks of a file; those of an include hold only where it stands.

    *depth* None: includes are left out, for they would read files of this machine.
    """
    block = _Block(outer)
    skipping = False
    for where, key, value in lines:
        if key in ("host", "match"):
            yield block
            skipping = key == "match"
            block = _Block(outer if skipping else (*outer, tuple(_words(value, where))))
        elif skipping:
            # what a Match decides is not asked; it is told where it would have said something
            block.passed_over = "Match" if key in (*_WANTED, "include") else block.passed_over
        elif key == "include":
            yield block
            if depth is None:
                yield _Block(block.patterns, passed_over="Include")
            else:
                yield from _included(value, where, block.patterns, depth)
            block = _Block(block.patterns)
        elif key in _WANTED:
            block.values.setdefault(key, _value(key, value, where))
    yield block


def _included(
    value: str, where: str, patterns: tuple[tuple[str, ...], ...], depth: int
) -> Iterator[_Block]:
    if depth >= _MAX_DEPTH:
        raise InvalidError(f"{where}: Include goes too deep; does a file include itself?")
    for word in _words(value, where):
        full = os.path.join(os.path.expanduser("~/.ssh"), os.path.expanduser(word))
        for found in sorted(glob.glob(full)):
            if os.path.isfile(found):
                yield from _blocks(_lines(Path(found)), patterns, depth + 1)


def _lines(path: Path) -> Iterator[_Line]:
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InvalidError(f"{path}: the file cannot be read: {error.strerror}.") from error
    yield from _numbered(text, str(path))


def _numbered(text: str, name: str) -> Iterator[_Line]:
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if not found or not found["value"]:
            raise InvalidError(f"{name}, line {number}: cannot be read: {line[:80]!r}.")
        yield f"{name}, line {number}", found["key"].lower(), found["value"]


def _words(value: str, where: str) -> list[str]:
    try:
        words = shlex.split(value, comments=True)
    except ValueError as error:
        raise InvalidError(f"{where}: a quote is not closed.") from error
    if not all(word.lstrip("!") for word in words) or not words:
        raise InvalidError(f"{where}: a name is missing.")
    return words


def _value(key: str, value: str, where: str) -> str:
    if key == "proxycommand":
        return value  # a shell's line: its quotes are its own
    word = _words(value, where)[0]
    if key != "port":
        return word
    if not (word.isascii() and word.isdigit() and 0 < int(word) < 65536):
        raise InvalidError(f"{where}: {word!r} is not a port.")
    return word
