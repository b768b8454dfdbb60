"""Find passwords, keys and tokens in text, line by line, and leave the rest readable.

What is found is named by kind; hashes of files, ids, addresses and words about passwords
stay. A private key over several lines needs memory between lines: ``Redactor``.
"""

import re
from dataclasses import dataclass

from walissh.safety import sieve, tokens

KEY_LINES = 400


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's place in a text, and what it is."""

    start: int
    end: int
    kind: str


def placeholder(kind: str) -> str:
    """Return what stands in a secret's place."""
    return f"‹secret:{kind}›"


class Redactor:
    """Redacts the lines of one stream in order."""

    def __init__(self) -> None:
        self._left = 0
        self._column = 0  # where the key began in its line: behind a number or a log's prefix

    @property
    def in_key(self) -> bool:
        """Tell whether the next line may belong to a private key."""
        return self._left > 0

    def line(self, line: str, hints: frozenset[str] | None = None) -> str | None:
        """Return *line* without its secrets; None: it is inside a key and vanishes.

        *hints*: pieces of secrets known to be in the text around (see ``tokens``).
        """
        found = self.spans(line, hints)
        if found is None:
            return None
        return _replace(line, found)

    def spans(self, line: str, hints: frozenset[str] | None = None) -> list[Span] | None:
        """Return the secrets of *line* in order; None: all of it is inside a key."""
        hints = tokens.hinted(line) if hints is None else hints
        if self._left:
            body = self._body(line)
            if body is None:
                return None
            if body:
                return _merge([Span(0, body, ""), *_secrets(line, body, hints)])
        opened = _BEGIN.search(line) if "-----BEGIN" in line or "Private-Lines" in line else None
        if opened and not _END.search(line, opened.end()):
            self._left, self._column = KEY_LINES, opened.start()
            before = _secrets(line[: opened.start()], 0, hints)
            return _merge([*before, Span(opened.start(), len(line), "private key")])
        return _secrets(line, 0, hints)

    def _body(self, line: str) -> int | None:
        """Return where the key's end lies in *line*, 0 if the key is over, None if inside."""
        self._left -= 1
        ended = _END.search(line)
        if ended:
            self._left = 0
            return ended.end() if line[ended.end() :].strip(" \t\"',;") else None
        if _BODY.fullmatch(line) or _BODY.fullmatch(line[self._column :]):
            return None
        self._left = 0
        return 0


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^Private-Lines: \d+")
_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^Private-MAC: \w+")
# a line of a key's body, perhaps quoted, in a diff, or behind grep's file name
_BODY = re.compile(
    r"""
    \s{0,200}(?:[+>|-]\ ?|\d{1,9}[:-]|[\w./-]{1,200}[:-])?\s{0,200}["']?
    (?: [A-Za-z0-9+/]{40,}={0,2}                             # a full line of base64
      | (?=[A-Za-z0-9+/=]*[0-9+/=])[A-Za-z0-9+/]{1,80}={0,2} # the last one is shorter
      | (?:Proc-Type|DEK-Info|Comment|Version|Hash|Key-\w+)\b.* | )
    (?:\\n)?["']?,?\\?(?:\^M)?\$?\s*
    """,
    re.X,
)


def spans(text: str) -> list[Span]:
    """Return every secret of a whole *text* with its place, in order."""
    redactor, found, at = Redactor(), [], 0
    for line in text.split("\n"):
        inside = redactor.spans(line)
        if inside is None:
            found.append(Span(at, at + len(line), ""))
        else:
            found += [Span(at + s.start, at + s.end, s.kind) for s in inside]
        at += len(line) + 1
    return _joined(found)


def redact(text: str) -> str:
    """Return *text* without its secrets."""
    redactor = Redactor()
    return "\n".join(lines(text.split("\n"), redactor))


def lines(source: list[str], redactor: Redactor) -> list[str]:
    """Return *source* without secrets and without the bodies of private keys."""
    block = "\n".join(source)
    hints = tokens.hinted(block)
    if not hints and not redactor.in_key:
        return source
    suspects = sieve.suspects(source, block, hints)
    clean = (
        redactor.line(line, hints) if number in suspects or redactor.in_key else line
        for number, line in enumerate(source)
    )
    return [line for line in clean if line is not None]


def _replace(line: str, found: list[Span]) -> str:
    for span in reversed(found):
        mark = placeholder(span.kind) if span.kind else ""
        line = line[: span.start] + mark + line[span.end :]
    return line


def _secrets(line: str, start: int, hints: frozenset[str]) -> list[Span]:
    found = tokens.find(line, hints)
    return _merge([Span(s, e, kind) for s, e, kind in found if s >= start])


def _merge(found: list[Span]) -> list[Span]:
    """Put spans in order; of overlapping ones the first (and longest) stays, widened."""
    merged: list[Span] = []
    for span in sorted(found, key=lambda each: (each.start, -each.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


def _joined(found: list[Span]) -> list[Span]:
    """Join the lines of a private key (kind "") to the span that opened it."""
    joined: list[Span] = []
    for span in found:
        if span.kind == "" and joined:
            joined[-1] = Span(joined[-1].start, span.end, joined[-1].kind)
        elif span.kind:
            joined.append(span)
    return joined
