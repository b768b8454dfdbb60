"""What SQL clients do themselves: psql's backslash, sqlite3's dot and mysql's named commands."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety.clients import lex, select, sql, told
from walissh.safety.clients.told import Told
from walissh.safety.table import UNKNOWN


def target(path: str) -> Told:
    """Tell what sending output to *path* does; one that begins with ``|`` is a program."""
    path = path.strip().strip("'\"")
    if not path or path in {"-", "stdout", "off", "/dev/null", "/dev/stdout", "/dev/stderr"}:
        return told.READS
    if path.startswith("|"):
        return told.destroys(path)
    return Told(Risk.MUTATING, code="redirect", word=path)


# --- psql -----------------------------------------------------------------------------

_PSQL_READS = re.compile(
    r"d[a-zA-Z]*[+Sx]*|z[S+x]?|l[+x]?|list\+?|x|t|a|H|timing|conninfo|encoding|pset|f|C|T|q|quit|echo|qecho|warn|sf\+?|sv\+?"
    r"|h|help|\?|copyright|errverbose|gdesc|gset|gx|g|G|crosstabview|p|print|r|reset|c|connect|lo_list\+?|dl\+?|set|unset"
    r"|bind|parse|close_prepared|if|elif|else|endif|getenv|html|du\+?|dg\+?"
)
_PSQL_ASKS = re.compile(r"e|edit|ef|ev|password|prompt")


def psql_text(text: str) -> Told:
    """Judge SQL that may hold backslash commands, each up to the end of its line."""
    first = next(lex.escapes(text, "postgres"), None)
    if first is None:
        return sql.judge(text, "postgres")
    line, _, rest = text[first.at :].partition("\n")
    before = sql.judge(text[: first.at], "postgres")
    return told.worst([before, psql(line.strip()), psql_text(rest)])


def psql(line: str) -> Told:
    """Judge one backslash command with what follows it."""
    if UNKNOWN in line:
        return told.destroys(line) if line.startswith("\\!") else told.unclear("statement", line)
    if "`" in line or line.startswith("\\!"):
        return told.destroys(line)  # a program of this machine
    if "\n" in line or re.search(r"(?<!')\s\\\S", line):
        return told.worst(psql(each.strip()) for each in _several(line))
    name, _, rest = line[1:].partition(" ")
    return _psql(name, rest.strip(), line)


def _several(line: str) -> Iterator[str]:
    parts = re.split(r"\s*\n\s*|\s+(?=\\)", line)
    for part in parts:
        yield part if part.startswith("\\") else "\\unclear"


def _psql(name: str, rest: str, line: str) -> Told:
    if name.lower() == "copy":
        return _copy(rest)
    if name in {"o", "out", "w", "write", "s", "g", "gx", "lo_export"}:
        return target(rest.split(" ", 1)[-1] if name == "lo_export" else rest)
    if name in {"lo_import"}:
        return told.changes(line)
    if name == "lo_unlink":
        return told.destroys(line)
    if name == "watch":
        return told.waits("psql -c 'STATEMENT'", code="endless")
    if _PSQL_ASKS.fullmatch(name):
        return told.waits("psql -c 'STATEMENT'", risk=Risk.OPAQUE)
    if name == "set" and re.match(
        r"(AUTOCOMMIT|ON_ERROR_\w+|ECHO|VERBOSITY|QUIET|FETCH_COUNT|\w+ [\w.'-]+$)", rest
    ):
        return told.READS
    if name == "set" and rest:
        return told.unclear("statement", line)
    if _PSQL_READS.fullmatch(name):
        return told.READS
    return told.unclear("statement", line)


def _copy(rest: str) -> Told:
    found = re.match(r"(?P<what>.*?)\s+(?i:(?P<way>to|from))\s+(?P<where>.*)", rest, re.S)
    if found is None or re.match(r"(?i)program\b", found["where"]):
        return told.destroys(f"\\copy {rest}")
    if found["way"].lower() == "from":
        return told.changes(f"\\copy {rest}")
    shown = sql.judge(f"COPY {found['what']} TO STDOUT", "postgres")
    where = found["where"].split()[0].lower()
    return shown if where in {"stdout", "pstdout"} else told.worst([shown, target(where)])


# --- sqlite3 --------------------------------------------------------------------------

_SQLITE_READS = re.compile(
    r"tables|schema|indexes|indices|databases|dbinfo|fullschema|headers?|mode|width|show|stats|timer|nullvalue|separator|help|print|echo"
    r"|explain|eqp|limits?|lint|version|sha3sum|changes|bail|timeout|vfsinfo|vfslist|vfsname|quit|exit|scanstats|prompt|crlf|crnl|intck|open|once|output|excel|binary|dbtotxt|connection|nonce|parameter"
)
_SQLITE_WRITES = re.compile(
    r"backup|save|clone|import|restore|archive|ar|session|log|trace|testcase|check|cd|filectrl|selftest|imposter|unmodule|auth|dbconfig|expert|testctrl|iotrace"
)


def sqlite(line: str) -> Told:
    """Judge one dot command."""
    if UNKNOWN in line:
        return told.unclear("statement", line)
    name, _, rest = line[1:].partition(" ")
    rest = rest.strip()
    if re.fullmatch(r"sh(e(l(l)?)?)?|sy(s(t(e(m)?)?)?)?|load|www", name) or re.match(
        r"['\"]?\|", rest
    ):
        return told.destroys(line)
    if name in {"output", "once"}:
        return target(re.sub(r"^(-\w+ )*", "", rest))
    if name in {"dump", "recover"}:
        tables = [word for word in rest.split() if not word.startswith("-")]
        shows = not tables or any(map(select.secret_table, tables))
        return told.exposes(line) if shows else told.READS
    if name == "open" and re.search(r"--?new\b", rest):
        return told.destroys(line)
    if _SQLITE_READS.fullmatch(name) and not (
        name == "excel" or re.search(r"--?(zip|append)\b", rest)
    ):
        return told.READS
    if name == "restore":
        return told.destroys(line)
    if _SQLITE_WRITES.fullmatch(name) or name == "excel":
        return told.changes(line)
    return told.unclear("statement", line)


# --- mysql ----------------------------------------------------------------------------

_MYSQL_NAMED = {
    "SYSTEM": Risk.DESTRUCTIVE, "PAGER": Risk.DESTRUCTIVE, "SOURCE": Risk.OPAQUE,
    "TEE": Risk.MUTATING, "EDIT": Risk.OPAQUE, "DELIMITER": Risk.OPAQUE, "USE": Risk.READ_ONLY,
    "STATUS": Risk.READ_ONLY, "WARNINGS": Risk.READ_ONLY, "NOWARNING": Risk.READ_ONLY,
    "NOPAGER": Risk.READ_ONLY, "NOTEE": Risk.READ_ONLY, "REHASH": Risk.READ_ONLY,
    "QUIT": Risk.READ_ONLY, "EXIT": Risk.READ_ONLY, "CONNECT": Risk.OPAQUE,
}  # fmt: skip
_MYSQL_ESCAPES = {"\\!": Risk.DESTRUCTIVE, "\\P": Risk.DESTRUCTIVE, "\\T": Risk.MUTATING}
_MYSQL_ENDS = re.compile(r"\\[gGsWw#nNtqu]")


def mysql(text: str) -> Told:
    """Judge what ``mysql -e`` is given: statements, and what the client keeps for itself."""
    if len(text) > sql.MAX_CHARS:
        return told.unclear("sql_long", text[:80])
    found: list[Told] = []
    plain, last = [], 0
    for token in lex.escapes(text, "mysql"):
        if _MYSQL_ENDS.fullmatch(token.text):
            plain.append(text[last : token.at] + (";" if token.text in {"\\g", "\\G"} else " "))
            last = token.at + len(token.text)
        else:
            risk = _MYSQL_ESCAPES.get(token.text, Risk.OPAQUE)
            found.append(told.of(risk, text[token.at : token.at + 80]))
    rest = "".join(plain) + text[last:]
    statements = lex.statements(rest, "mysql")
    found += [_named(each) for each in statements if _is_named(each)]
    found.append(sql.all_of([each for each in statements if not _is_named(each)], "mysql"))
    return told.worst(found)


def _is_named(statement: lex.Statement) -> bool:
    first = statement.tokens[0]
    return first.kind == "word" and first.text in _MYSQL_NAMED


def _named(statement: lex.Statement) -> Told:
    return told.of(_MYSQL_NAMED[statement.tokens[0].text], statement.text[:80])
