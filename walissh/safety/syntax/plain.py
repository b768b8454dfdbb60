"""Plain command lines, read without the parser: words, quotes, pipes and lists only.

Whatever could mean more than itself to some shell gives None, and the parser reads it. What
is read here is read as the parser would; a test holds the two against each other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from walissh.safety.shell import Part, Redirect, Simple, Word

_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t]+)
    | (?P<operator>\|\||&&|\||;(?!;)|\n)
    | (?P<redirect>\d*(?:>>|>&|<(?![<>&])|>(?![>&|])))[ \t]*
    | (?P<word>(?:
          [\w./:,@%+=*?~-]+
        | '[^']*'
        | "[^"\\$`]*"
        | \\[;()!]
        | \{\}
      )+)
    """,
    re.X,
)
_PIECE = re.compile(
    r"""(?P<bare>[\w./:,@%+=*?~-]+|\{\})|'(?P<single>[^']*)'|"(?P<double>[^"]*)"|\\(?P<char>.)""",
    re.X,
)
_FILE_NUMBER = re.compile(r"\d*")
_ASSIGNS = re.compile(r"[A-Za-z_]\w*\+?=")
_RESERVED = frozenset(
    "if then else elif fi do done case esac while until for in function select time coproc "  # noqa: SIM905
    "declare typeset local export readonly nameref let {} eval [[ ]]".split()
)


@dataclass(slots=True)
class _Reading:
    """The commands read so far and what there is of the next one."""

    done: list[Simple] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    piped: bool = False
    awaited: str = ""
    """The redirection that still wants its target."""
    ended: str = ";"
    """The operator read last."""

    def end(self, operator: str) -> bool:
        """Close the command; False where there is none or it is not plain."""
        if not self.words:
            # a blank line or an ended one may stand there; all else is for the parser
            return not self.redirects and not self.awaited and self._may_be_empty(operator)
        if self.awaited or not _is_plain(self.words[0]):
            return False
        before = self.done[-1] if self.piped else None
        heard = (before.words,) if before and not before.redirects else ()
        self.done.append(
            Simple(tuple(self.words), (), tuple(self.redirects), self.piped, heard=heard)
        )
        self.words, self.redirects = [], []
        self.piped, self.ended = operator == "|", operator
        return True

    def _may_be_empty(self, operator: str) -> bool:
        return operator in {"\n", ""} and self.ended in {";", "\n"} and bool(self.done)

    def add(self, word: Word, text: str) -> None:
        if not self.awaited:
            self.words.append(word)
            return
        number = _FILE_NUMBER.match(self.awaited)
        fd = number[0] if number else ""
        self.redirects.append(Redirect(self.awaited[len(fd) :], fd, word))
        self.awaited = ""


def read(command: str) -> tuple[Simple, ...] | None:
    """Return the simple commands of a plain line, None for every other line."""
    reading = _Reading()
    for kind, text in _tokens(command):
        if kind == "word":
            reading.add(_word(text), text)
        elif kind == "redirect":
            if reading.awaited:
                return None
            reading.awaited = text
        elif (kind == "operator" and not reading.end(text)) or kind == "":
            return None
    if not reading.end(""):
        return None
    return tuple(reading.done)


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    """Give kind and text of each token; kind "" where the line is not plain."""
    at = 0
    while at < len(command):
        found = _TOKEN.match(command, at)
        if found is None:
            yield "", ""
            return
        kind = found.lastgroup or ""
        yield kind, found[kind]
        at = found.end()


def _is_plain(program: Word) -> bool:
    text = program.literal or ""
    return text not in _RESERVED and not _ASSIGNS.match(text)


def _word(text: str) -> Word:
    parts = []
    glob = False
    for piece in _PIECE.finditer(text):
        bare = piece["bare"]
        glob = glob or (bare is not None and ("*" in bare or "?" in bare))
        parts.append(_part(piece))
    return Word(tuple(parts), glob=glob)


def _part(piece: "re.Match[str]") -> Part:
    if piece["bare"] is not None:
        return Part("text", piece["bare"], quoted=False)
    if piece["char"] is not None:
        return Part("text", piece["char"], quoted=False)
    return Part("text", piece["single"] or piece["double"] or "", quoted=True)
