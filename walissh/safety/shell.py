"""Take a command line apart into every simple command that it holds.

The parser is the ``shfmt`` binary that comes with a Python package; without it, or when
it fails in any way, the line is unparseable and nobody may call it safe.
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from walissh.safety import refuse
from walissh.safety.refuse import Fault

LIMIT_S = 1.0
MAX_TREE_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: known *text*, the value of a *var*, or *unknown* until it runs."""

    kind: Literal["text", "var", "unknown"]
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quotes are gone. *glob*: it names files by pattern."""

    parts: tuple[Part, ...]
    glob: bool = False

    @property
    def literal(self) -> str | None:
        """The text, None when any of it is only known when the line runs."""
        if all(part.kind == "text" for part in self.parts):
            return "".join(part.text for part in self.parts)
        return None


@dataclass(frozen=True, slots=True)
class Assign:
    """``NAME=value``; *plain* is false for ``+=``, arrays and subscripts."""

    name: str
    value: Word | None
    plain: bool


@dataclass(frozen=True, slots=True)
class Redirect:
    """``2>file``: *fd* is "" when not written, *target* is None for a here-document."""

    op: str
    fd: str
    target: Word | None


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command; no *words*: only assignments, or redirections of a block."""

    words: tuple[Word, ...] = ()
    assigns: tuple[Assign, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    piped: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A whole command line, in the order written.

    *odd* names constructs whose effect the parts do not tell (functions, arithmetic with
    names, arrays, unusual expansions). *values* maps each loop variable or plainly assigned
    name to all texts that it may hold, none if it is also set otherwise. *outside* names the
    variables that it uses before it sets them, wherever: their values come from elsewhere.
    """

    commands: tuple[Simple, ...] = ()
    odd: frozenset[str] = frozenset()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    loops: bool = False
    outside: frozenset[str] = frozenset()
    fault: Fault = ""


@lru_cache(maxsize=2048)
def parse(command: str) -> Line:
    """Return the line's parts; ``fault`` says why there are none.

    Control, bidi, invisible and look-alike characters are refused before parsing, for
    the parser and the shell read them differently. Safe to call from many threads.
    """
    fault = refuse.before_parsing(command)
    if fault:
        return Line(fault=fault)
    tree = _tree(command)
    if isinstance(tree, str):
        return Line(fault="no_parser" if tree == "no_parser" else "syntax")
    try:
        return _Walk().line(tree)
    except RecursionError:
        return Line(fault="too_deep")


# --- the parser -----------------------------------------------------------------------


@cache
def _binary() -> str | None:
    beside = Path(sys.executable).parent / "shfmt"
    return str(beside) if beside.is_file() else shutil.which("shfmt")


def _tree(command: str) -> dict[str, Any] | str:
    """Return shfmt's syntax tree, or a word for why there is none."""
    binary = _binary()
    if binary is None:
        return "no_parser"
    text = _run(binary, command.encode())
    if text is None:
        return "syntax"
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return "syntax"
    return tree if isinstance(tree, dict) else "syntax"


def _run(binary: str, source: bytes) -> bytes | None:
    argv = [binary, "--to-json", "-ln", "bash"]
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    timer = threading.Timer(LIMIT_S, process.kill)
    with process:
        timer.start()
        try:
            return _exchange(process, source)
        finally:
            timer.cancel()


def _exchange(process: "subprocess.Popen[bytes]", source: bytes) -> bytes | None:
    # shfmt reads all of its input before it writes, so one write and one read cannot lock
    if process.stdin is None or process.stdout is None:
        return None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(source)
        process.stdin.close()
    text = process.stdout.read(MAX_TREE_BYTES + 1)
    if len(text) > MAX_TREE_BYTES:
        process.kill()
        return None
    return text if process.wait() == 0 else None


# --- the walk -------------------------------------------------------------------------

_PLAIN_NODES = frozenset(
    "File CallExpr BinaryCmd Subshell Block IfClause ForClause WordIter WhileClause "  # noqa: SIM905
    "CaseClause TimeClause Word Lit SglQuoted "
    "DblQuoted ParamExp CmdSubst ProcSubst ArithmExp BinaryArithm UnaryArithm ParenArithm".split()
)
_STRING_TESTS = frozenset({"=", "==", "!=", "=~", "<", ">", "&&", "||", "-nt", "-ot", "-ef"})
_FILE_TESTS = frozenset({"!", *(f"-{letter}" for letter in "efdrwxsLhbcpSzngkuOGat")})
_INTEGER = re.compile(r"-?\d+")


class _Walk:
    """Gathers the parts of one syntax tree; visits every node, known or not."""

    def __init__(self) -> None:
        self.commands: list[Simple] = []
        self.odd: set[str] = set()
        self.values: dict[str, set[str]] = {}
        self.unsure: set[str] = set()
        self.outside: set[str] = set()
        self.loops = False

    def line(self, tree: dict[str, Any]) -> Line:
        self.visit(tree, piped=False)
        known = sorted(
            (n, () if n in self.unsure else tuple(sorted(self.values.get(n, ()))))
            for n in self.values.keys() | self.unsure
        )
        outside = frozenset(self.outside)
        return Line(tuple(self.commands), frozenset(self.odd), tuple(known), self.loops, outside)

    def visit(self, node: object, *, piped: bool) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit(item, piped=piped)
        elif isinstance(node, dict):
            self.note(node)
            self.gather(node, piped=piped)
            for key, child in node.items():
                if _is_place(child):
                    continue
                into = node.get("Op") in {"|", "|&"} and key == "Y"
                self.visit(child, piped=piped or into)

    def note(self, node: dict[str, Any]) -> None:
        """Mark what the simple commands alone do not tell."""
        kind = node.get("Type")
        if kind is not None and kind not in _PLAIN_NODES:
            self.odd.add(str(kind))
        if kind == "SglQuoted" and node.get("Dollar") and "\\" in str(node.get("Value")):
            self.odd.add("$'...'")  # other shells end it at another quote
        if kind == "ArithmExp" and node.get("Bracket"):
            self.odd.add("$[...]")  # only bash knows it
        if kind == "ArithmExp" and not _numbers_only(node.get("X")):
            self.odd.add("arithmetic")
        elif kind == "ParamExp" and not _plain_param(node):
            self.odd.add("expansion")
        elif kind == "ParamExp":
            self.used(_param(node))
        elif kind in {"UnaryTest", "BinaryTest"} and not _plain_test(node):
            self.odd.add("test")
        elif kind == "WhileClause":
            self.loops = True
        elif kind == "WordIter":
            self.loop_values(node)
        if node.get("Coprocess") or node.get("Disown"):
            self.odd.add("coprocess")

    def gather(self, node: dict[str, Any], *, piped: bool) -> None:
        command = node.get("Cmd")
        redirects = tuple(_redirect(r) for r in node.get("Redirs") or [])
        if isinstance(command, dict) and command.get("Type") == "CallExpr":
            self.call(command, redirects, piped=piped)
        elif redirects:
            self.commands.append(Simple(redirects=redirects, piped=piped))

    def call(self, node: dict[str, Any], redirects: tuple[Redirect, ...], *, piped: bool) -> None:
        words = tuple(_word(w) for w in node.get("Args") or [])
        assigns = tuple(_assign(a) for a in node.get("Assigns") or [])
        self.visit_names(node)  # before they are set: X=$X uses what X was
        for assign in assigns:
            self.assigned(assign, only=not words)
        self.commands.append(Simple(words, assigns, redirects, piped))

    def used(self, name: str) -> None:
        if name not in self.unsure and name not in self.values:
            self.outside.add(name)

    def visit_names(self, node: object) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit_names(item)
        elif isinstance(node, dict) and not _is_place(node):
            if node.get("Type") == "ParamExp":
                self.used(_param(node))
            for child in node.values():
                self.visit_names(child)

    def assigned(self, assign: Assign, *, only: bool) -> None:
        text = assign.value.literal if assign.value else ""
        if text is None or not assign.plain or not only:
            self.unsure.add(assign.name)
        else:
            self.values.setdefault(assign.name, set()).add(text)

    def loop_values(self, node: dict[str, Any]) -> None:
        name = str(node.get("Name", {}).get("Value", ""))
        # it is set like any other: `for PATH in ...` must be judged too
        self.commands.append(Simple(assigns=(Assign(name, None, plain=True),)))
        for item in node.get("Items") or []:
            text = _word(item).literal
            if text is None:
                self.unsure.add(name)
            else:
                self.values.setdefault(name, set()).add(text)
        if not node.get("Items"):
            self.unsure.add(name)


def _is_place(node: object) -> bool:
    """Tell whether *node* only says where in the text something is; most nodes do."""
    return isinstance(node, dict) and "Line" in node and "Offset" in node


def _param(node: dict[str, Any]) -> str:
    return str((node.get("Param") or {}).get("Value", ""))


def _numbers_only(node: object) -> bool:
    """Tell whether an arithmetic expression has no name: names can run code."""
    if isinstance(node, list):
        return all(_numbers_only(item) for item in node)
    if not isinstance(node, dict):
        return True
    if node.get("Type") == "Word":
        text = _word(node).literal
        return text is not None and _INTEGER.fullmatch(text) is not None
    return all(_numbers_only(child) for child in node.values())


def _plain_param(node: dict[str, Any]) -> bool:
    return not any(
        node.get(key)
        for key in ("Excl", "Length", "Width", "Plus", "Index", "Slice", "Repl", "Names", "Exp",
                    "IsSet", "Flags", "NestedParam", "Modifiers")
    )  # fmt: skip


def _plain_test(node: dict[str, Any]) -> bool:
    op = node.get("Op")
    if node.get("Type") == "UnaryTest":
        return op in _FILE_TESTS
    return op in _STRING_TESTS or (_numbers_only(node.get("X")) and _numbers_only(node.get("Y")))


def _assign(node: dict[str, Any]) -> Assign:
    value = node.get("Value")
    plain = not any(node.get(key) for key in ("Append", "Index", "Array", "Naked"))
    name = str((node.get("Name") or {}).get("Value", ""))
    return Assign(name, _word(value) if value else None, plain)


def _redirect(node: dict[str, Any]) -> Redirect:
    fd = str((node.get("N") or {}).get("Value", ""))
    here = node.get("Op") in {"<<", "<<-"}
    return Redirect(str(node.get("Op")), fd, None if here else _word(node.get("Word") or {}))


# --- words ----------------------------------------------------------------------------

_GLOB = re.compile(r"(?<!\\)(?:[*?]|\[.+\])")
_BRACE = re.compile(r"(?<!\\)\{[^{}]*(?:,|\.\.)")


def _word(node: dict[str, Any]) -> Word:
    nodes = node.get("Parts") or []
    raw = "".join(str(n.get("Value", "\0")) if n.get("Type") == "Lit" else "\0" for n in nodes)
    if _BRACE.search(raw) or "\\\n" in raw:
        return Word((Part("unknown", raw, quoted=False),), glob=True)
    parts = [part for each in nodes for part in _parts(each, quoted=False)]
    return Word(tuple(parts), glob=_GLOB.search(raw) is not None)


def _parts(node: dict[str, Any], *, quoted: bool) -> list[Part]:
    kind, value = node.get("Type"), str(node.get("Value", ""))
    if kind == "Lit":
        return [Part("text", _unescape(value, quoted=quoted), quoted)]
    if kind == "SglQuoted" and not (node.get("Dollar") and "\\" in value):
        return [Part("text", value, quoted=True)]
    if kind == "DblQuoted" and not node.get("Dollar"):
        return [part for each in node.get("Parts") or [] for part in _parts(each, quoted=True)]
    if kind == "ParamExp" and _plain_param(node):
        return [Part("var", _param(node), quoted)]
    if kind == "ProcSubst" and node.get("Op") == "<(":
        return [Part("text", "/dev/fd/63", quoted=True)]
    return [Part("unknown", "", quoted)]


def _unescape(text: str, *, quoted: bool) -> str:
    if quoted:
        return re.sub(r'\\([$`"\\])', r"\1", text.replace("\\\n", ""))
    return re.sub(r"\\(.)", r"\1", text, flags=re.S)
