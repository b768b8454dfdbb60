"""Find passwords, keys and tokens in text, line by line, and leave the rest readable.

What is found is named by kind; hashes of files, ids, addresses and words about passwords
stay. A private key over several lines needs memory between lines: ``Finder``.
"""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from walissh.safety import pairs, sieve, tokens
from walissh.safety.placeholders import UNNUMBERED, Names, named

KEY_LINES = 400


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's place in a text, and what it is."""

    start: int
    end: int
    kind: str


More = Callable[[str], Iterable[Span]]
"""Finds in one line what only the command gives away (see ``exposing``)."""


class Finder:
    """Finds the secrets in the lines of one stream, taken in order."""

    def __init__(self, more: More | None = None) -> None:
        self._left = 0
        self._more = more
        self.before = ""
        """The line before: it may name what stands in the next one."""
        self.column = 0
        """Where a key began in its line: behind a number or a log's prefix."""

    @property
    def in_key(self) -> bool:
        """Tell whether the next line may belong to a private key."""
        return self._left > 0

    @property
    def expects_value(self) -> bool:
        """Tell whether the next line may be a secret that this one gives the name of."""
        return pairs.announces(self.before)

    @property
    def looks_everywhere(self) -> bool:
        """Tell whether a line may hold a secret that no word of it gives away."""
        return self._more is not None

    def spans(self, line: str, hints: frozenset[str] | None = None) -> list[Span] | None:
        """Return the secrets of *line* in order; None: all of it is inside a key.

        *hints*: pieces of secrets known to be in the text around (see ``tokens``). What
        belongs to a key that began before has no kind.
        """
        hints = tokens.hinted(line) if hints is None else hints
        if self._left:
            body = self._body(line)
            if body is None:
                return None
            if body:
                return _merge([Span(0, body, ""), *self._secrets(line, body, hints)])
        opened = _BEGIN.search(line) if "-----BEGIN" in line or "Private-Lines" in line else None
        if opened and not _END.search(line, opened.end()):
            self._left, self.column = KEY_LINES, opened.start()
            before = self._secrets(line[: opened.start()], 0, hints)
            return _merge([*before, Span(opened.start(), len(line), "private key")])
        return self._secrets(line, 0, hints)

    def _secrets(self, line: str, start: int, hints: frozenset[str]) -> list[Span]:
        found = [Span(*each) for each in tokens.find(line, hints)]
        if "alue" in line and pairs.announces(self.before):
            found += [Span(*each) for each in pairs.announced(line)]
        if self._more is not None:
            found += self._more(line)
        return _merge([span for span in found if span.start >= start])

    def _body(self, line: str) -> int | None:
        """Return where the key's end lies in *line*, 0 if the key is over, None if inside."""
        self._left -= 1
        ended = _END.search(line)
        if ended:
            self._left = 0
            return ended.end() if line[ended.end() :].strip(" \t\"',;") else None
        if _BODY.fullmatch(line) or _BODY.fullmatch(line[self.column :]):
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
      | (?=[A-Za-z0-9+/=]*[0-9+/=])=?[A-Za-z0-9+/]{1,80}={0,2} # the last one is shorter
      | (?:Proc-Type|DEK-Info|Comment|Version|Hash|Key-\w+)\b.* | )
    (?:\\n)?["']?,?\\?(?:\^M)?\$?\s*
    """,
    re.X,
)


@dataclass(frozen=True, slots=True)
class _Key:
    """A private key whose end has not come: what stands before it, and its lines so far."""

    head: str
    column: int
    body: list[str]

    def value(self) -> str:
        """Return the key without what a program put before each of its lines."""
        first, *others = self.body
        before = first[: self.column]
        return "\n".join([first[self.column :], *(self._own(each, before) for each in others)])

    def _own(self, line: str, before: str) -> str:
        ended = _END.search(line)
        bare = _BODY.fullmatch(line) or (ended and ended.start() < self.column)
        return line if bare and not line.startswith(before) else line[self.column :]


class Redactor:
    """Writes the lines of one stream without their secrets, numbered by *names*.

    A private key over several lines is one secret: its first line waits for the last one.
    """

    def __init__(self, names: Names = UNNUMBERED, more: More | None = None) -> None:
        self._finder = Finder(more)
        self._names = names
        self._key: _Key | None = None

    def lines(self, source: list[str]) -> list[str]:
        """Return what *source* completes, without secrets and the bodies of keys."""
        block = "\n".join(source)
        hints = tokens.hinted(block)
        everywhere, first = self._finder.looks_everywhere, self._finder.expects_value
        if hints or self._key is not None or everywhere or first:
            suspects = range(len(source)) if everywhere else sieve.suspects(source, block, hints)
            clean = self._cleaned(source, {*suspects, 0} if first else suspects, hints)
        else:
            clean = source
        self._finder.before = source[-1] if source else self._finder.before
        return clean

    def _cleaned(
        self, source: list[str], suspects: Container[int], hints: frozenset[str]
    ) -> list[str]:
        clean: list[str] = []
        before = self._finder.before
        for number, line in enumerate(source):
            if number in suspects or self._key is not None:
                self._finder.before = source[number - 1] if number else before
                clean += self.line(line, hints)
            else:
                clean.append(line)
        return clean

    def line(self, line: str, hints: frozenset[str] | None = None) -> list[str]:
        """Return what *line* completes: itself, nothing inside a key, more after one."""
        found = self._finder.spans(line, hints)
        self._finder.before = line
        if found is None:
            if self._key is not None:
                self._key.body.append(line)
            return [] if self._finder.in_key else self._closed()
        if found and not found[0].kind and self._key is not None:
            self._key.body.append(line[: found[0].end])
        closed = self._closed()
        if self._finder.in_key:
            opened = found.pop()
            head = self._replaced(line[: opened.start], found)
            self._key = _Key(head, opened.start, [line])
            return closed
        return [*closed, self._replaced(line, found)]

    def last(self, rest: str) -> str:
        """Return all that is left; *rest* is the last line if that has no newline."""
        left = [*(self.lines([rest]) if rest else []), *self._closed()]
        return "\n".join(left) + ("\n" if left and not rest else "")

    def _closed(self) -> list[str]:
        key, self._key = self._key, None
        return [] if key is None else [key.head + named("private key", key.value(), self._names)]

    def _replaced(self, line: str, found: list[Span]) -> str:
        parts, at = [], 0
        for span in found:
            value = line[span.start : span.end]
            mark = named(span.kind, value, self._names) if span.kind else ""
            parts += [line[at : span.start], mark]
            at = span.end
        return "".join([*parts, line[at:]])


def spans(text: str) -> list[Span]:
    """Return every secret of a whole *text* with its place, in order."""
    finder, found, at = Finder(), [], 0
    for line in text.split("\n"):
        inside, finder.before = finder.spans(line), line
        if inside is None:
            found.append(Span(at, at + len(line), ""))
        else:
            found += [Span(at + s.start, at + s.end, s.kind) for s in inside]
        at += len(line) + 1
    return _joined(found)


def redact(text: str, names: Names = UNNUMBERED) -> str:
    """Return *text* without its secrets."""
    return whole(text.split("\n"), Redactor(names))


def whole(source: list[str], redactor: Redactor) -> str:
    """Return a text of which *source* is all lines, the last one without a newline."""
    *lines, rest = source
    return "".join(f"{line}\n" for line in redactor.lines(lines)) + redactor.last(rest)


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
