"""What a command gets on its standard input, as far as the line itself tells."""

import re
from dataclasses import dataclass

from walissh.safety.shell import Redirect, Simple, Word

_FEEDS = frozenset({"<", "<<", "<<<", "<<-", "<&", "<>"})
_NOTHING = frozenset({"true", ":", "sleep"})
_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True, slots=True)
class Feed:
    """Something comes in; *text*: all of it, None where the line does not tell."""

    text: str | None = None


NOTHING = Feed("")
"""An input that is empty, as xargs gives it to what it starts."""


def of(simple: Simple) -> Feed | None:
    """Return what *simple* is fed, None when nothing is."""
    inputs = [each for each in simple.redirects if each.op in _FEEDS and each.fd in {"", "0"}]
    if inputs:
        return Feed(_held(inputs[-1]))  # the last one holds
    return Feed(_said(simple.heard)) if simple.piped else None


def _held(redirect: Redirect) -> str | None:
    if redirect.op in {"<<", "<<-", "<<<"}:
        return redirect.here.literal if redirect.here else ""
    nowhere = redirect.target is not None and redirect.target.literal == "/dev/null"
    return "" if nowhere and redirect.op == "<" else None


def _said(heard: tuple[tuple[Word, ...], ...]) -> str | None:
    """Return what the commands *heard* print together, None if that is not sure."""
    pieces = [_printed([word.literal for word in words]) for words in heard]
    if not pieces or any(piece is None for piece in pieces):
        return None
    return "".join(piece for piece in pieces if piece)


def _printed(words: list[str | None]) -> str | None:
    texts = [text for text in words if text is not None]
    if not texts or len(texts) < len(words):
        return None
    if texts[0] in _NOTHING:
        return ""
    if texts[0] == "echo":
        return _echoed(texts[1:])
    return _formatted(texts[1:]) if texts[0] == "printf" else None


def _echoed(args: list[str]) -> str | None:
    plain = list(args)
    while plain and re.fullmatch(r"-[neE]+", plain[0]):
        plain.pop(0)
    text = " ".join(plain) + "\n"
    # whether a backslash means something differs from shell to shell
    return _decoded(text) if "-e" in args[:1] or "-ne" in args[:1] else _plain(text)


def _formatted(args: list[str]) -> str | None:
    if not args or args[0].startswith("-"):
        return None
    if "%" not in args[0]:
        return _decoded(args[0]) if len(args) == 1 else None
    pattern = _decoded(args[0])
    if pattern is None or not re.fullmatch(r"[^%]*%s[^%]*", pattern, re.S):
        return None
    return "".join(pattern.replace("%s", each) for each in args[1:] or [""])


def _decoded(text: str) -> str | None:
    rest = re.sub(r"\\[nrt\\]", "", text)
    return None if "\\" in rest else re.sub(r"\\[nrt\\]", lambda m: _ESCAPES[m[0]], text)


def _plain(text: str) -> str | None:
    return None if "\\" in text else text
