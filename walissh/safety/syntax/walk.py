"""From the parser's tree to the parts of a line; every node is visited, known or not."""

from collections.abc import Iterator
from typing import Any

from walissh.safety.shell import Assign, Line, Redirect, Simple, Word
from walissh.safety.syntax import declare, loops, names, sums
from walissh.safety.syntax import word as reading

Node = dict[str, Any]

_PLAIN_NODES = frozenset(
    "File CallExpr BinaryCmd Subshell Block IfClause ForClause WordIter CStyleLoop WhileClause "  # noqa: SIM905
    "CaseClause TimeClause TestClause UnaryTest BinaryTest ParenTest ArithmCmd LetClause "
    "DeclClause FuncDecl Word Lit SglQuoted DblQuoted ParamExp CmdSubst ProcSubst ArithmExp "
    "BinaryArithm UnaryArithm ParenArithm".split()
)
_STRING_TESTS = frozenset({"=", "==", "!=", "=~", "<", ">", "&&", "||", "-nt", "-ot", "-ef"})
_FILE_TESTS = frozenset({"!", *(f"-{letter}" for letter in "efdrwxsLhbcpSzngkuOGatN")})
_FED = frozenset({"<", "<<", "<<-", "<<<"})
_SAFE_CHANGES = frozenset({"^", "^^", ",", ",,", "%", "%%", "#", "##",
                           ":-", "-", ":=", "=", ":+", "+", ":?", "?"})  # fmt: skip


def line(tree: Node) -> Line:
    """Return the parts of the line whose syntax tree is *tree*."""
    walk = _Walk()
    walk.names.expect_functions(tree)
    walk.visit(tree, piped=False)
    return walk.line()


class _Walk:
    """Gathers the parts of one tree, in the order written."""

    def __init__(self) -> None:
        self.commands: list[Simple] = []
        self.odd: set[str] = set()
        self.names = names.Names()
        self.sums: list[tuple[str, object]] = []
        self.loops: list[Node] = []
        self.heard: dict[int, tuple[tuple[Word, ...], ...]] = {}

    def line(self) -> Line:
        values = self.names.values()

        def holds(name: str) -> tuple[str, ...]:
            return values.get(name, ())

        for construct, node in self.sums:
            if not sums.only_numbers(node, holds):
                self.odd.add(construct)
        return Line(
            commands=tuple(self.commands),
            odd=frozenset(self.odd | self.names.odd),
            values=values,
            loops=any(not loops.ends(loop) for loop in self.loops),
            outside=frozenset(self.names.outside),
        )

    def visit(self, node: object, *, piped: bool) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit(item, piped=piped)
        elif isinstance(node, dict) and not sums.is_place(node):
            self.note(node)
            if node.get("Op") == "|" and node.get("Type") == "BinaryCmd":
                self.listens(node)
            self.gather(node, piped=piped)
            piped = piped or any(each.get("Op") in _FED for each in node.get("Redirs") or [])
            for key, child in node.items():
                into = node.get("Op") in {"|", "|&"} and key == "Y"
                self.visit(child, piped=piped or into)
            if node.get("Type") == "FuncDecl":
                self.names.declared(node)  # behind its body: one that calls itself never ends

    # --- what the simple commands alone do not tell ---

    def note(self, node: Node) -> None:
        kind = str(node.get("Type", ""))
        if kind and kind not in _PLAIN_NODES:
            self.odd.add(kind)
        if node.get("Coprocess") or node.get("Disown"):
            self.odd.add("coprocess")
        if (kind == "DblQuoted" or node.get("Hdoc")) and reading.misleads(node):
            self.odd.add("expansion")
        if kind == "ParamExp":
            self.parameter(node)
        elif kind in _NOTED:
            _NOTED[kind](self, node)

    def calculation(self, node: Node) -> None:
        if node.get("Bracket"):
            self.odd.add("$[...]")  # only bash knows it
        self.calculated(node.get("X") or node.get("Exprs"))

    def calculated(self, node: object, construct: str = "arithmetic") -> None:
        for name in sums.used(node):
            self.names.used(name)
        self.set_to_numbers(node)
        self.sums.append((construct, node))

    def set_to_numbers(self, node: object) -> None:
        for name in sums.assigned(node):
            self.names.counted(name)
            self.set_here(name)

    def set_here(self, name: str) -> None:
        """Have a name judged that is set in another way than by an assignment."""
        self.commands.append(Simple(assigns=(Assign(name, None, plain=True),)))

    def parameter(self, node: Node) -> None:
        name, change = reading.name_of(node), node.get("Exp") or {}
        every = reading.index_of(node)
        if any(node.get(key) for key in reading.FOREIGN) or (
            node.get("Excl") and not every and not node.get("Names")
        ):
            self.odd.add("expansion")
        if change and change.get("Op") not in _SAFE_CHANGES and not _is_quoting(change):
            self.odd.add("expansion")
        if node.get("Index") and not every and not self.names.is_keyed(name):
            self.calculated(node["Index"], "index")
        if node.get("Slice"):
            self.calculated(list((node["Slice"] or {}).values()), "index")
        if change.get("Op") in {":=", "="}:
            self.names.assigned(name, reading.word(change.get("Word") or {}))
            self.set_here(name)
        elif not node.get("Names"):
            self.names.used(name)

    def test(self, node: Node) -> None:
        op = node.get("Op")
        if node.get("Type") == "UnaryTest":
            if op not in _FILE_TESTS:
                self.odd.add("test")
        elif op not in _STRING_TESTS:
            self.calculated([node.get("X"), node.get("Y")], "test")

    def loop(self, node: Node) -> None:
        self.loops.append(node)

    def steps(self, node: Node) -> None:
        self.set_to_numbers(node.get("Init"))
        self.calculated([node.get("Init"), node.get("Cond"), node.get("Post")])

    def items(self, node: Node) -> None:
        name = str((node.get("Name") or {}).get("Value", ""))
        self.set_here(name)  # `for PATH in ...` must be judged too
        found = [word for each in node.get("Items") or [] for word in reading.words(each)]
        self.visit_names(node.get("Items"))
        self.names.looped(name, found)

    def declared(self, node: Node) -> None:
        told = declare.read(node)
        self.odd.update(told.odd)
        for name in told.keyed:
            self.names.keyed(name)
        for each in told.assigns:
            self.names.assigned(each.name, each.value)
        self.commands.append(Simple(told.words, told.assigns))

    # --- the commands ---

    def gather(self, node: Node, *, piped: bool) -> None:
        command = node.get("Cmd")
        redirects = tuple(_redirect(each) for each in node.get("Redirs") or [])
        if isinstance(command, dict) and command.get("Type") == "CallExpr":
            self.call(command, redirects, piped=piped)
        elif redirects:
            self.commands.append(Simple((), (), redirects, piped, around=command is not None))

    def listens(self, node: Node) -> None:
        """Note what one command hears of the commands right before the pipe."""
        listener = (node.get("Y") or {}).get("Cmd") or {}
        if listener.get("Type") == "CallExpr":
            self.heard[id(listener)] = tuple(_says(node.get("X") or {})) or ()

    def call(self, node: Node, redirects: tuple[Redirect, ...], *, piped: bool) -> None:
        words = tuple(word for each in node.get("Args") or [] for word in reading.words(each))
        self.visit_names(node)  # before they are set: X=$X uses what X was
        assigns = tuple(self.assignments(node, words))
        if words and self.names.called(words):
            words = ()  # its body is judged where it is written
        self.names.set_by(words)
        heard = self.heard.get(id(node), ()) if piped else ()
        self.commands.append(Simple(words, assigns, redirects, piped, heard=heard))

    def assignments(self, node: Node, words: tuple[Word, ...]) -> Iterator[Assign]:
        reads = bool(words) and words[0].literal == "read"
        for each in node.get("Assigns") or []:
            name = str((each.get("Name") or {}).get("Value", ""))
            if reads and name == "IFS":
                self.names.separated = True  # for this one command only
                continue
            yield self.assignment(each, name, only=not words)

    def assignment(self, node: Node, name: str, *, only: bool) -> Assign:
        value = node.get("Value")
        word = reading.word(value) if value else None
        if node.get("Index"):
            self.names.several(name)
        if node.get("Index") and not self.names.is_keyed(name):
            self.calculated(node["Index"], "index")
        if node.get("Array"):
            elements = list(self.elements(node["Array"], keyed=self.names.is_keyed(name)))
            self.names.listed(name, elements)
            if len(elements) > 1 or node.get("Append"):
                self.names.several(name)
        elif not only or node.get("Append"):
            self.names.unsure(name)
        else:
            self.names.assigned(name, word or Word(()))
        return Assign(name, word, plain=only or not node.get("Append"))

    def elements(self, node: Node, *, keyed: bool) -> Iterator[Word]:
        for each in node.get("Elems") or []:
            if each.get("Index") and not keyed:
                self.calculated(each["Index"], "index")
            if each.get("Value"):
                yield from reading.words(each["Value"])

    def visit_names(self, node: object) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit_names(item)
        elif isinstance(node, dict) and not sums.is_place(node):
            if node.get("Type") == "ParamExp" and (node.get("Exp") or {}).get("Op") not in {
                ":=",
                "=",
            }:
                self.names.used(reading.name_of(node))
            for child in node.values():
                self.visit_names(child)


_NOTED = {
    "ArithmExp": _Walk.calculation,
    "ArithmCmd": _Walk.calculation,
    "LetClause": _Walk.calculation,
    "CStyleLoop": _Walk.steps,
    "UnaryTest": _Walk.test,
    "BinaryTest": _Walk.test,
    "WhileClause": _Walk.loop,
    "ForClause": _Walk.loop,
    "WordIter": _Walk.items,
    "DeclClause": _Walk.declared,
}


def _says(statement: Node) -> Iterator[tuple[Word, ...]]:
    """Give the words of all commands of a statement, an empty one where there is more to it."""
    command = statement.get("Cmd") or {}
    plain = not any(statement.get(key) for key in ("Redirs", "Negated", "Background", "Coprocess"))
    if plain and command.get("Type") == "CallExpr" and not command.get("Assigns"):
        yield tuple(word for each in command.get("Args") or [] for word in reading.words(each))
    elif plain and command.get("Type") in {"Subshell", "Block"}:
        for each in command.get("Stmts") or []:
            yield from _says(each)
    else:
        yield ()


def _is_quoting(change: Node) -> bool:
    """Tell whether it is ``${x@Q}`` or another form that runs nothing; ``@P`` does."""
    return change.get("Op") == "@" and reading.word(change.get("Word") or {}).literal in {*"QUuLl"}


def _redirect(node: Node) -> Redirect:
    op, fd = str(node.get("Op")), str((node.get("N") or {}).get("Value", ""))
    if op in {"<<", "<<-"}:
        return Redirect(op, fd, None, reading.here(node))
    target = reading.target(node.get("Word") or {})
    return Redirect(op, fd, target, target if op == "<<<" else None)
