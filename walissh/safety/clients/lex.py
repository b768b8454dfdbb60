"""SQL cut into tokens and statements, as the server of each dialect would cut it.

What servers read in two ways (a backslash before a quote, a comment that MySQL runs) is
taken in the way that hides nothing, or marked as odd.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from walissh.safety.table import UNKNOWN

Dialect = Literal["mysql", "postgres", "sqlite", "clickhouse", "tsql", "cassandra", "influx"]
Kind = Literal["word", "name", "string", "number", "op", "variable", "escape", "odd", "end"]

_BACKSLASHES = frozenset({"mysql", "clickhouse"})
_PARTS = {
    "space": r"\s+",
    "run": r"/\*M?!\d*",
    "comment": r"/\*(?:(?!\*/|/\*).)*\*/",
    "close": r"\*/",
    "dash": r"--(?=[\s\0-\x1f]|$)[^\n]*",
    "dashes": r"--[^\n]*",
    "hash": r"#[^\n]*",
    "dollar": r"\$(?P<tag>(?!\d)\w*)\$(?P<body>.*?)\$(?P=tag)\$",
    "estring": r"[eE]'(?:[^'\\]|\\.|'')*'",
    "bstring": r"'(?:[^'\\]|\\.|'')*'",
    "string": r"'(?:[^']|'')*'",
    "bquoted": r'"(?:[^"\\]|\\.|"")*"',
    "quoted": r'"(?:[^"]|"")*"',
    "tick": r"`(?:[^`]|``)*`",
    "bracket": r"\[[^\]\[]*\]",
    "number": r"\d[\w.]*|\.\d\w*",
    "variable": r"@@?[\w.$]+|\$\d+|(?<!:):(?=[a-zA-Z_])\w+",
    "escape": r"\\\w+|\\.?",
    "bescape": r"\\.?",
    "word": r"[^\W\d][\w$]*",
    "end": r";",
    "op": r"\|\||->>|->|#>>|#>|@>|<@|<->|!~~\*?|~~\*?|!~\*?|~\*|<=>"
    r"|<=|>=|<>|!=|==|&&|<<|>>|\?\||\?&|::|:="
    r"|[-+*/%=<>!|&^~.,():\[\]{}@#?]",
    "odd": r".",
}
_USED = {
    "mysql": "run comment close dash hash bstring bquoted tick bescape",
    "postgres": "comment dashes dollar estring string quoted",
    "sqlite": "comment dashes string quoted tick bracket",
    "clickhouse": "comment dashes hash dollar bstring bquoted tick",
    "tsql": "comment dashes string quoted bracket",
    "cassandra": "comment dashes dollar string quoted",
    "influx": "comment dashes string quoted",
}
_TAIL = "number variable escape word end op odd"
_KINDS: dict[str, Kind] = {
    "dollar": "string", "estring": "string", "bstring": "string", "string": "string",
    "tick": "name", "bracket": "name", "number": "number", "variable": "variable",
    "escape": "escape", "bescape": "escape", "word": "word", "end": "end", "op": "op",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One token: *text* is upper case for a word, the content for a string or a name."""

    kind: Kind
    text: str
    at: int

    @property
    def key(self) -> str:
        """Return it as rules over statements see it: strings and quoted names are hidden."""
        return {"string": "'…'", "name": self.text.lower()}.get(self.kind, self.text)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its tokens and its text without what stands before and after.

    *keys* is the tokens joined by spaces, as the rules of ``statements.yaml`` see them.
    """

    tokens: tuple[Token, ...]
    text: str
    keys: str

    @property
    def strings(self) -> list[str]:
        """Return the contents of its strings."""
        return [token.text for token in self.tokens if token.kind == "string"]


def statement(tokens: Sequence[Token], text: str) -> Statement:
    """Make a statement of *tokens*, which *text* shows to a person."""
    return Statement(tuple(tokens), text, " ".join(token.key for token in tokens))


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str]:
    names = ["space", *_USED[dialect].split(), *_TAIL.split()]
    return re.compile("|".join(f"(?P<{name}>{_PARTS[name]})" for name in names), re.S)


def statements(text: str, dialect: Dialect) -> list[Statement]:
    """Cut *text* into its statements, empty ones left out."""
    found: list[Statement] = []
    current: list[Token] = []
    for token in [*_tokens(text, dialect), Token("end", ";", len(text))]:
        if token.kind != "end":
            current.append(token)
        elif current:
            shown = text[current[0].at : token.at].strip()
            found.append(statement(current, shown))
            current = []
    return found


def escapes(text: str, dialect: Dialect) -> Iterator[Token]:
    """Give the backslash commands that stand outside of strings."""
    return (token for token in _tokens(text, dialect) if token.kind == "escape")


def _tokens(text: str, dialect: Dialect) -> Iterator[Token]:
    for found in _pattern(dialect).finditer(text):
        token = _token(found, dialect)
        if token is not None:
            yield token


def _token(found: re.Match[str], dialect: Dialect) -> Token | None:
    name, at = found.lastgroup or "odd", found.start()
    text = found[0]
    if name in {"space", "run", "close", "dash", "dashes", "hash"}:
        return None
    if name == "comment":
        return Token("odd", text, at) if UNKNOWN in text else None
    if name in {"body", "tag"}:  # the last group that closed inside a dollar quotation
        name = "dollar"
    kind = _KINDS.get(name, "odd")
    if name in {"quoted", "bquoted"}:
        kind = "string" if dialect in {"mysql", "cassandra"} and name == "bquoted" else "name"
    if UNKNOWN in text or _read_two_ways(text, name, dialect):
        return Token("odd", text, at)
    if name == "dollar":
        return Token("string", found["body"], at)
    return Token(kind, _content(text, kind), at)


def _read_two_ways(text: str, name: str, dialect: Dialect) -> bool:
    """Tell whether a server set up differently would end this string elsewhere."""
    if dialect == "mysql" and "*/" in text and name in {"bstring", "bquoted", "tick"}:
        return True  # it may end a comment that only some versions run
    if name in {"bstring", "bquoted"}:
        return dialect in _BACKSLASHES and re.search(r"\\['\"]", text[1:]) is not None
    return name == "string" and dialect == "postgres" and re.search(r"\\'", text) is not None


def _content(text: str, kind: Kind) -> str:
    if kind == "word":
        return text.upper()
    if kind in {"string", "name"}:
        text = text[1:] if text[0] in "eE" else text
        quote = text[-1]
        return text[1:-1].replace(quote * 2, quote)
    return text
