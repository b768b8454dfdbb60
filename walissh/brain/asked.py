"""The things a question names: addresses, ports, paths, services, versions.

Playbooks read them as ``ask``. Words for services are collected in both languages, so that
a log, a process or a configuration can be told to be about what was asked.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import yaml

_URL = re.compile(r"https?://[^\s\"'<>，。；、）)（(“”？！]+", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w:/.])(/[\w.@+~-]+(?:/[\w.@+~-]+)*)/?")
_NAME = re.compile(r"(?<![\w./-])([a-zA-Z][a-zA-Z0-9]*(?:[-_.][a-zA-Z0-9]+)+)(?![\w-])")
_DOMAIN = re.compile(
    r"(?<![\w./@-])((?:[a-zA-Z0-9][\w-]*\.)+(?:[a-z]{2,12}|internal|local|lan))(?![\w-])"
)
# without its scheme, as persons write it; ASCII: Chinese goes on without a space
_BARE = re.compile(
    r"(?<![\w./@:-])((?:[a-z0-9][\w-]*\.)+[a-z]{2,12}(?::\d{2,5})?/[\w.@+~/?=&%-]*)",
    re.ASCII | re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?![\w.])")
_VERSION = re.compile(r"(?<![\w.])(v\d+(?:\.\d+)*|\d+\.\d+\.\d+)(?![\w.])", re.IGNORECASE)
_STATUS = re.compile(
    r"(?<![\w.:/-])([45]\d\d)(?![\w.:/-]|\s*(?:MB|GB|KB|ms|s\b|个|条|次))", re.IGNORECASE
)
_WORD = re.compile(r"[a-z][a-z0-9]{1,30}")
_FILE_ENDS: Final = frozenset(
    {"log", "txt", "conf", "json", "yaml", "yml", "py", "sh", "html", "php", "jpg"}
)


@dataclass(frozen=True, slots=True)
class Address:
    """One URL of the question; *port* is the scheme's own if none is written."""

    url: str
    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question names. *words* are parts of names that logs and paths may contain."""

    text: str
    urls: tuple[Address, ...] = ()
    domains: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()
    versions: tuple[str, ...] = ()
    known_ports: tuple[int, ...] = ()
    known_paths: tuple[str, ...] = ()

    def as_names(self) -> Mapping[str, object]:
        """Return what expressions read as ``ask``."""
        given: dict[str, object] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in _fields(self).items()
        }
        return {**given, "urls": [asdict(each) for each in self.urls]}


def _fields(asked: Asked) -> dict[str, object]:
    return {name: getattr(asked, name) for name in Asked.__slots__}


def things(text: str, ports: Iterable[int] = ()) -> Asked:
    """Return what *text* names; *ports* are the port numbers that it is known to name."""
    urls = tuple(dict.fromkeys([*_URL.findall(text), *_bare(_URL.sub(" ", text))]))
    addresses = tuple(each for url in urls if (each := _address(url.rstrip(".,;:"))) is not None)
    rest = _URL.sub(" ", text)
    domains = dict.fromkeys([each.host for each in addresses] + _domains(rest))
    names = [each for each in _NAME.findall(_PATH.sub(" ", rest)) if not _is_plain(each)]
    return Asked(
        text=text,
        urls=addresses,
        domains=tuple(domains),
        addresses=tuple(dict.fromkeys(_ADDRESS.findall(text))),
        ports=tuple(ports),
        paths=tuple(dict.fromkeys(_PATH.findall(rest))),
        names=tuple(dict.fromkeys(names)),
        words=_words(text, names, addresses),
        statuses=tuple(dict.fromkeys(int(each) for each in _STATUS.findall(rest))),
        versions=tuple(dict.fromkeys(_VERSION.findall(rest))),
    )


def concern(text: str, words: Sequence[str]) -> int:
    """Return how many of *words* *text* is about: found at the beginning of a part of it."""
    lower = text.casefold()
    return sum(_stands_in(word, lower) for word in words)


@lru_cache(maxsize=1024)  # persons write them: without a bound a worker would only grow
def _word_pattern(word: str) -> re.Pattern[str]:
    stem = re.escape(word.removesuffix("s") if len(word) > 3 else word)
    end = "" if len(word) > 4 else r"(?:s|_|-|\d|\b)"
    return re.compile(rf"(?<![a-z]){stem}{end}")


def _stands_in(word: str, lower: str) -> bool:
    return _word_pattern(word).search(lower) is not None


def _address(url: str) -> Address | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname:
        return None
    usual = 443 if parts.scheme == "https" else 80
    return Address(url, parts.scheme, parts.hostname, port or usual, parts.path or "/")


def _domains(text: str) -> list[str]:
    return [each for each in _DOMAIN.findall(text) if each.rpartition(".")[2] not in _FILE_ENDS]


def _bare(text: str) -> list[str]:
    """Return as URLs the addresses with a path that are written without their scheme."""
    found = _BARE.findall(text)
    hosts = {each: each.partition("/")[0].partition(":")[0] for each in found}
    return [f"http://{each}" for each in found if _domains(hosts[each].casefold())]


def _is_plain(name: str) -> bool:
    return name.casefold() in _plain() or _VERSION.fullmatch(name) is not None


def _words(text: str, names: Iterable[str], addresses: Iterable[Address]) -> tuple[str, ...]:
    """Return the words of services: of names as a whole and in parts, and of Chinese nouns."""
    lower = _URL.sub(" ", text).casefold()
    found = [name.casefold() for name in names]
    found += [part for each in addresses for part in each.host.split(".")[:1] if part != "www"]
    found += [word for each in addresses for word in _WORD.findall(each.path.casefold())]
    found += [word for word in _WORD.findall(lower) if word not in _plain()]
    for noun, words in _nouns().items():
        if noun in lower:
            found += words
    return tuple(dict.fromkeys(each for each in found if each not in _FILE_ENDS))


@cache
def _plain() -> frozenset[str]:
    """Return the words of questions that name no service."""
    text = (Path(__file__).parent / "plain.yaml").read_text("utf-8")
    return frozenset(str(each) for each in yaml.safe_load(text))


@cache
def _nouns() -> Mapping[str, tuple[str, ...]]:
    text = (Path(__file__).parent / "nouns.yaml").read_text("utf-8")
    return {noun: tuple(words) for noun, words in yaml.safe_load(text).items()}
