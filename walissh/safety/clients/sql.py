"""What SQL text does, statement by statement, in the dialect of its server.

Rules over the beginning of a statement are data (``statements.yaml``); a SELECT is looked
into (``clients.select``).
"""

import re
from dataclasses import dataclass
from functools import cache

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.clients import lex, select, told
from walissh.safety.clients.lex import Dialect, Statement
from walissh.safety.clients.told import Told

MAX_CHARS = 8_000
MAX_STATEMENTS = 50
MAX_DEPTH = 4
_READING = re.compile(r"(SELECT|WITH|VALUES|FROM|\() ?")
_EXPLAIN = re.compile(r"(EXPLAIN|DESCRIBE|DESC) (?=.)")
_EXPLAIN_WORDS = re.compile(
    r"(\( (?P<options>[^()]*)\) |(?P<run>ANALYZE|ANALYSE) "
    r"|(VERBOSE|EXTENDED|PARTITIONS|QUERY PLAN|PLAN|PIPELINE|AST|SYNTAX|ESTIMATE|QUERY TREE"
    r"|FORMAT = \S+|FOR CONNECTION \d+|FOR SCHEMA \w+|INTO @\w+) ?)"
)
_RUNS = re.compile(r"\bANALY[ZS]E( (?!FALSE\b|OFF\b|0\b)\w+)?( ,|$| $)")
_DANGER = re.compile(
    r"(?i)\b(drop|truncate|delete\s+from|alter\s|shutdown|lo_unlink|pg_terminate_backend|grant\s|xp_cmdshell|program\b)"
)
_COPY = re.compile(
    r"COPY (?P<what>\(.*\)|[\w. ]+?(?: \([^)]*\))?) (?P<way>TO|FROM)"
    r" (?P<where>PROGRAM|STDOUT|STDIN|\S+)"
)
_TEMPORARY = re.compile(
    r"CREATE (LOCAL |GLOBAL )?TEMP(ORARY)? (UNLOGGED )?TABLE (IF NOT EXISTS )?(?P<name>\w+)"
)


@dataclass(frozen=True, slots=True)
class _Room:
    """What earlier statements of the text left for later ones."""

    dialect: Dialect
    temporary: frozenset[str]
    depth: int


def judge(text: str, dialect: Dialect, depth: int = 0) -> Told:
    """Judge all statements of *text*; nothing but comments reads."""
    if len(text) > MAX_CHARS:
        return told.unclear("sql_long", text[:80])
    return all_of(lex.statements(text, dialect), dialect, depth)


def all_of(found: list[Statement], dialect: Dialect, depth: int = 0) -> Told:
    """Judge statements that stand one after the other."""
    if len(found) > MAX_STATEMENTS:
        return told.unclear("sql_long", found[0].text[:80])
    names = {made["name"] for each in found if (made := _TEMPORARY.match(each.keys))}
    room = _Room(dialect, frozenset(names), depth)
    return told.worst(_statement(each, room) for each in found)


def dangerous(text: str) -> bool:
    """Tell whether *text* speaks of deleting, whatever its grammar."""
    return _DANGER.search(text) is not None


def _statement(statement: Statement, room: _Room) -> Told:
    if any(token.kind in {"odd", "escape"} for token in statement.tokens):
        return _odd(statement)
    keys = statement.keys
    explain = _EXPLAIN.match(keys)
    if explain and not _names_a_table(keys, explain.end()):
        return _explained(statement, room, explain.end())
    if room.dialect == "mysql" and re.match(
        r"ANALYZE (FORMAT = \S+ )?(SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE|\()", keys
    ):
        return _explained(statement, room, 0)
    for form, judged in _FORMS.items():
        if re.match(form, keys):
            return judged(statement, room)
    second = _second_verb(keys) if room.dialect == "tsql" else None
    if second is not None:
        return second
    if _READING.match(keys):
        return select.judge(statement, room.dialect)
    return _by_rule(statement, room.dialect)


def _odd(statement: Statement) -> Told:
    """Judge a statement that cannot be cut surely, by a verb that destroys whatever follows."""
    if re.match(r"(DROP|TRUNCATE|DELETE|SHUTDOWN|PURGE) ", statement.keys):
        return told.destroys(_cut(statement))
    return told.unclear("statement", _cut(statement))


def _cut(statement: Statement) -> str:
    return statement.text[:80]


def _second_verb(keys: str) -> Told | None:
    """T-SQL needs no semicolon: a verb anywhere may begin another statement."""
    if re.search(r"\b(DROP|TRUNCATE|DELETE|SHUTDOWN|KILL|RESTORE|XP_CMDSHELL)\b", keys):
        return told.destroys(keys[:80])
    if re.search(r"\b(INSERT|UPDATE|MERGE|ALTER|CREATE|GRANT|REVOKE|DENY|BACKUP|INTO)\b", keys):
        return told.changes(keys[:80])
    if re.match(r"(SELECT|WITH)\b", keys) and re.search(r"\b(EXEC|EXECUTE|DBCC|WAITFOR)\b", keys):
        return told.unclear("statement", keys[:80])
    return None


# --- rules ----------------------------------------------------------------------------


@cache
def _rules(dialect: Dialect) -> tuple[tuple[Risk, re.Pattern[str]], ...]:
    data: dict[str, list[tuple[str, str]]] = lists.load("walissh.safety.clients", "statements.yaml")
    lines = [*data[dialect], *data["any"]]
    return tuple((Risk(risk), re.compile(pattern)) for risk, pattern in lines)


def _by_rule(statement: Statement, dialect: Dialect) -> Told:
    keys = statement.keys
    for risk, pattern in _rules(dialect):
        if pattern.match(keys) or pattern.match(keys + " "):
            calls = _calls(statement) if risk is Risk.READ_ONLY else told.READS
            return told.worst([told.of(risk, _cut(statement)), calls])
    if any(map(dangerous, statement.strings)):
        return told.destroys(_cut(statement))
    return told.unclear("statement", _cut(statement))


def _calls(statement: Statement) -> Told:
    return told.worst(
        select.by_name(name.lower())
        for name in re.findall(r"(\w+) \(", statement.keys)
        if not statement.keys.startswith(("PRAGMA", "SHOW", "CHECK", "DESC"))
    )


# --- statements with others inside ----------------------------------------------------


def _names_a_table(keys: str, at: int) -> bool:
    return re.fullmatch(r"(TABLE )?[\w.` ]+( '…'| \w+)?", keys[at:]) is not None and not re.match(
        r"(SELECT|ANALYZE|ANALYSE|VERBOSE|INSERT|UPDATE|DELETE|REPLACE|WITH|TABLE \w+$)\b"
        r"|(EXTENDED|FOR|QUERY|PLAN)\b",
        keys[at:],
    )


def _explained(statement: Statement, room: _Room, at: int) -> Told:
    """Judge EXPLAIN: it runs the statement only with ANALYZE, whose rows it does not show."""
    keys, runs = statement.keys, at == 0
    while found := _EXPLAIN_WORDS.match(keys, at):
        runs = runs or bool(found["run"]) or bool(_RUNS.search(found["options"] or ""))
        at = found.end()
    inner = _from(statement, keys, at)
    if inner is None:
        return told.READS
    if _READING.match(inner.keys):
        return select.judge(inner, room.dialect, shown=False)
    return _statement(inner, room) if runs else told.READS


def _from(statement: Statement, keys: str, at: int) -> Statement | None:
    """Return the statement that begins at *at* of *keys*."""
    place = 0
    for index, token in enumerate(statement.tokens):
        if place >= at:
            rest = statement.tokens[index:]
            return lex.statement(rest, statement.text[rest[0].at - statement.tokens[0].at :])
        place += len(token.key) + 1
    return None


def _prepare(statement: Statement, room: _Room) -> Told:
    """Judge PREPARE, EXECUTE IMMEDIATE and DO: what they run stands in a string, if anywhere."""
    joined = "".join(statement.strings)
    if room.depth < MAX_DEPTH and re.fullmatch(
        r"(PREPARE \w+ FROM|EXECUTE IMMEDIATE) '…'", statement.keys
    ):
        return judge(joined, room.dialect, room.depth + 1)
    if dangerous(joined):
        return told.destroys(_cut(statement))
    return told.unclear("statement", _cut(statement))


def _set(statement: Statement, room: _Room) -> Told:
    """Judge SET @x: the strings of it may be run later, so words of deletion count."""
    if dangerous("".join(statement.strings)):
        return told.destroys(_cut(statement))
    if re.search(r"\b(GLOBAL|PERSIST\w*|PASSWORD) |@@(?i:global|persist)", statement.keys):
        return told.changes(_cut(statement))
    inner = _from(statement, statement.keys, len("SET "))
    return told.worst(select.functions(inner)) if inner else told.READS


def _prepared(statement: Statement, room: _Room) -> Told:
    """Judge PostgreSQL's PREPARE name AS statement, which EXECUTE then runs."""
    at = re.match(r"PREPARE \w+ (\([^)]*\) )?AS ", statement.keys)
    inner = _from(statement, statement.keys, at.end()) if at else None
    return _statement(inner, room) if inner else told.READS


def _declared(statement: Statement, room: _Room) -> Told:
    at = re.search(r" FOR ", statement.keys)
    inner = _from(statement, statement.keys, at.end()) if at else None
    return _statement(inner, room) if inner else told.unclear("statement", _cut(statement))


def _copy(statement: Statement, room: _Room) -> Told:
    found = _COPY.match(statement.keys)
    if found is None:
        return told.unclear("statement", _cut(statement))
    if found["where"] == "PROGRAM":
        return told.destroys(_cut(statement))
    if found["way"] == "FROM":
        return _copied_in(statement, room, found["what"])
    what = _copied_out(statement, room, found["what"])
    return what if found["where"] == "STDOUT" else told.worst([what, told.changes(_cut(statement))])


def _copied_in(statement: Statement, room: _Room, table: str) -> Told:
    if table.split(maxsplit=1)[0] in room.temporary and statement.strings:
        return Told(Risk.SECRET_EXPOSURE, code="secret_exposure", word=_cut(statement))
    return told.changes(_cut(statement))


def _copied_out(statement: Statement, room: _Room, what: str) -> Told:
    if what.startswith("("):
        inner = _from(statement, statement.keys, len("COPY ( "))
        cut = _until_closed(inner) if inner else None
        return _statement(cut, room) if cut else told.READS
    name = re.sub(r" \(.*| ", "", what).lower()
    return told.exposes(_cut(statement)) if select.secret_table(name) else told.READS


def _until_closed(statement: Statement) -> Statement:
    depth = 1
    for index, token in enumerate(statement.tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "op" else 0
        if depth == 0:
            return lex.statement(statement.tokens[:index], statement.text)
    return statement


def _table(statement: Statement, room: _Room) -> Told:
    name = statement.keys.removeprefix("TABLE ").replace(" ", "").lower()
    return told.exposes(_cut(statement)) if select.secret_table(name) else told.READS


def _make_temporary(statement: Statement, room: _Room) -> Told:
    at = re.search(r"(?<!\w)(AS )(?=SELECT|WITH|\()", statement.keys)
    inner = _from(statement, statement.keys, at.end()) if at else None
    return _statement(inner, room) if inner else told.READS


_FORMS = {
    r"SET @(?!@)": _set,
    r"PREPARE \w+ (\([^)]*\) )?AS ": _prepared,
    r"(PREPARE|EXECUTE|DO|CALL|EXEC)\b(?! SP_| XP_)": _prepare,
    r"DECLARE \w+ .*\bCURSOR\b.* FOR ": _declared,
    r"COPY ": _copy,
    r"TABLE [\w. ]+$": _table,
    _TEMPORARY.pattern: _make_temporary,
}
