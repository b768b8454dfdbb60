"""What a SELECT does: its functions, what it locks or writes, and whose secrets it shows."""

import re
from collections.abc import Iterator
from fnmatch import translate
from functools import cache
from typing import TYPE_CHECKING

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.clients import told
from walissh.safety.clients.lex import Dialect, Statement, Token
from walissh.safety.clients.told import Told

if TYPE_CHECKING:
    from sqlglot import exp

MAX_TOKENS = 1500
MAX_NESTING = 60
ENDLESS_S = 60
_WRITES = re.compile(
    r"\b(?:INTO (?!@)|FOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)\b|LOCK IN SHARE MODE\b)"
)
_INNER = re.compile(r"[()] (?P<verb>DELETE|UPDATE|INSERT|MERGE|REPLACE) (?!\()")
_SCHEMAS = frozenset({"PG_CATALOG", "INFORMATION_SCHEMA", "SYS", "PERFORMANCE_SCHEMA"})


@cache
def _lists() -> dict[str, re.Pattern[str]]:
    data: dict[str, str] = lists.load("walissh.safety.clients", "functions.yaml")
    return {key: re.compile("|".join(map(translate, names.split()))) for key, names in data.items()}


@cache
def _secrets() -> dict[str, re.Pattern[str]]:
    data: dict[str, str] = lists.load("walissh.safety.clients", "secrets.yaml")
    return {key: re.compile(re.sub(r"\s+", "", pattern), re.I) for key, pattern in data.items()}


def judge(statement: Statement, dialect: Dialect, *, shown: bool = True) -> Told:
    """Judge a statement that begins with SELECT, WITH, VALUES or a parenthesis.

    *shown*: its rows are printed; else what it would show does not count.
    """
    if len(statement.tokens) > MAX_TOKENS or _nesting(statement) > MAX_NESTING:
        return told.unclear("sql_long", _cut(statement))
    effects = told.worst([_writes(statement), *functions(statement)])
    if effects.risk not in {Risk.READ_ONLY, Risk.SECRET_EXPOSURE}:
        return effects
    tree = _tree(statement, dialect)
    if tree is None and effects.risk is Risk.SECRET_EXPOSURE:
        return effects
    if tree is None:
        return told.worst([effects, told.unclear("statement", _cut(statement))])
    return told.worst([effects, *(_secret_parts(tree, statement, dialect) if shown else ())])


def _cut(statement: Statement) -> str:
    return statement.text[:80]


def _nesting(statement: Statement) -> int:
    deepest = depth = 0
    for token in statement.tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "op" else 0
        deepest = max(deepest, depth)
    return deepest


# --- what it writes -------------------------------------------------------------------


def _writes(statement: Statement) -> Told:
    inner = _INNER.search(statement.keys)
    if inner:
        destroys = inner["verb"] == "DELETE" or not re.search(
            r"\bWHERE\b", statement.keys[inner.start() :]
        )
        destroys = destroys and inner["verb"] in {"DELETE", "UPDATE"}
        return told.destroys(_cut(statement)) if destroys else told.changes(_cut(statement))
    if _WRITES.search(statement.keys):
        return told.changes(_cut(statement))
    return told.READS


# --- its functions --------------------------------------------------------------------


def functions(statement: Statement) -> Iterator[Told]:
    """Judge every function that *statement* calls, by its name."""
    ctes = set(re.findall(r"(?:WITH|RECURSIVE|,) (\w+) \(", statement.keys))
    tokens = statement.tokens
    for at, token in enumerate(tokens[:-1]):
        if tokens[at + 1].text != "(" or tokens[at + 1].kind != "op":
            continue
        if token.kind == "name":
            yield told.unclear("function", token.text)
        elif token.kind == "word" and not _is_alias(tokens, at, ctes):
            yield _call(tokens, at)


def _is_alias(tokens: tuple[Token, ...], at: int, ctes: set[str]) -> bool:
    """Tell whether a list of columns, not of arguments, follows: ``AS t(a, b)``."""
    if tokens[at].text in ctes:
        return True
    before = tokens[at - 1].text if at > 0 else ""
    return before in {"AS", ")"} and tokens[at].text != "MATERIALIZED"


def _call(tokens: tuple[Token, ...], at: int) -> Told:
    name = tokens[at].text.lower()
    if at > 1 and tokens[at - 1].text == "." and tokens[at - 2].text.upper() not in _SCHEMAS:
        return told.unclear("function", f"{tokens[at - 2].text}.{name}".lower())
    return by_name(name, tokens[at + 2] if at + 2 < len(tokens) else None)


def by_name(name: str, argument: Token | None = None) -> Told:
    """Tell what calling function *name* does."""
    lists = _lists()
    if lists["sleeps"].match(name):
        return _sleep(name, argument)
    if lists["destroys"].match(name):
        return told.destroys(name)
    if lists["exposes"].match(name):
        return told.exposes(name)
    if lists["changes"].match(name):
        return told.changes(name)
    if lists["opaque"].match(name) or not lists["reads"].match(name):
        return told.unclear("function", name)
    return told.READS


def _sleep(name: str, argument: Token | None) -> Told:
    text = argument.text if argument and argument.kind == "number" else ""
    if re.fullmatch(r"\d+(\.\d+)?", text) and name != "benchmark" and float(text) <= ENDLESS_S:
        return told.READS
    return told.waits(f"{name}(1)", code="endless")


# --- what it shows --------------------------------------------------------------------

_GLOT = {
    "mysql": "mysql", "postgres": "postgres", "sqlite": "sqlite", "clickhouse": "clickhouse",
    "tsql": "tsql", "cassandra": "postgres", "influx": "postgres",
}  # fmt: skip


def _tree(statement: Statement, dialect: Dialect) -> "exp.Expr | None":
    """Return the statement as a tree, None if it cannot be parsed."""
    import sqlglot  # a third of a second that most processes never need
    from sqlglot import errors

    try:
        return sqlglot.parse_one(_plain(statement, dialect), dialect=_GLOT[dialect])
    except (
        errors.SqlglotError,
        RecursionError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
    ):
        return None  # a text that its parser was not made for: it is opaque, never a crash


def _plain(statement: Statement, dialect: Dialect) -> str:
    """Return the text without comments and with empty strings: only its shape matters."""
    quote = "`" if dialect in {"mysql", "clickhouse"} else '"'
    texts = []
    for token in statement.tokens:
        text = {"string": "'$'", "name": f"{quote}{token.text}{quote}"}.get(token.kind, token.text)
        texts.append(text)
    plain = " ".join(texts)
    if dialect == "influx":  # 5m is a span of time
        plain = re.sub(r"\b(\d+)[a-z]+\b", r"\1", plain)
    return re.sub(r" (FORMAT \w+|SETTINGS .*|INTO @.*|ALLOW FILTERING)$", "", plain)


def _secret_parts(tree: "exp.Expr", statement: Statement, dialect: Dialect) -> Iterator[Told]:
    from sqlglot import exp

    odd = (
        exp.DML,
        exp.DDL,
        exp.Command,
        exp.Drop,
        exp.Alter,
        exp.TruncateTable,
        exp.Into,
        exp.Lock,
    )
    writes = [node for node in tree.find_all(*odd) if not isinstance(node, exp.Query)]
    if writes or not isinstance(tree, exp.Query | exp.Values | exp.Tuple | exp.Paren):
        yield told.unclear("statement", _cut(statement))
        return
    for select in tree.find_all(exp.Select):
        tables = [_table_name(each) for each in _own_tables(select)]
        aliases = {each.alias_or_name.lower() for each in _own_tables(select)}
        aliases = aliases if dialect == "postgres" else set()
        whole = any(_is_star(each) or _is_row(each, aliases) for each in select.expressions)
        if whole and any(map(secret_table, tables)):
            yield told.exposes(_cut(statement))
        if _shown_outside(select) and any(map(_shows_secret, select.expressions)):
            yield told.exposes(_cut(statement))


def _own_tables(select: "exp.Select") -> Iterator["exp.Table"]:
    from sqlglot import exp

    source = select.args.get("from_") or select.args.get("from")
    joins = select.args.get("joins") or []
    for each in [source, *joins]:
        if each is not None and isinstance(each.this, exp.Table):
            yield each.this


def _table_name(table: "exp.Table") -> str:
    return ".".join(part.name for part in table.parts).lower()


def _is_star(expression: "exp.Expr") -> bool:
    from sqlglot import exp

    column = isinstance(expression, exp.Column) and isinstance(expression.this, exp.Star)
    return column or isinstance(expression, exp.Star)


def _is_row(expression: "exp.Expr", aliases: set[str]) -> bool:
    """Tell whether a table stands where a column is expected: its whole rows are meant."""
    from sqlglot import exp

    columns = expression.find_all(exp.Column)
    hidden = isinstance(expression, exp.Count)
    return not hidden and any(not each.table and each.name.lower() in aliases for each in columns)


def _shown_outside(select: "exp.Select") -> bool:
    """Tell whether the rows of *select* reach the output, not only a comparison."""
    from sqlglot import exp

    return select.find_ancestor(exp.Where, exp.Having, exp.Exists) is None


def _shows_secret(expression: "exp.Expr") -> bool:
    from sqlglot import exp

    hiding = (exp.Count, exp.Length, exp.Is, exp.EQ, exp.NEQ, exp.Select)
    for column in expression.find_all(exp.Column):
        node: exp.Expr | None = column
        while node is not None and node is not expression.parent and not isinstance(node, hiding):
            node = node.parent
        if secret_column(column.name) and (node is None or node is expression.parent):
            return True
    return False


def secret_table(name: str) -> bool:
    """Tell whether the table *name* (parts joined by dots) is made to hold credentials."""
    lists = _secrets()
    plain = re.sub(r"[\"`\[\] ]", "", name)
    if lists["system_tables"].fullmatch(plain):
        return True
    if plain.startswith(
        ("information_schema.", "performance_schema.", "pg_catalog.", "sys.", "system.")
    ):
        return False
    return lists["app_tables"].fullmatch(plain.rpartition(".")[2]) is not None


def secret_column(name: str) -> bool:
    """Tell whether a column of this *name* most likely holds a password or key."""
    lists = _secrets()
    return bool(lists["columns"].fullmatch(name)) and not lists["harmless"].fullmatch(name)
