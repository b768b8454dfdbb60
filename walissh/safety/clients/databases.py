"""The command lines of SQL clients: where their statements stand and what their options do."""

import re
from collections.abc import Callable, Iterator

from walissh.react.turn import Risk
from walissh.safety.clients import meta, options, select, sql, told
from walissh.safety.clients.lex import Dialect
from walissh.safety.clients.options import Options, Spec
from walissh.safety.clients.told import Told
from walissh.safety.table import UNKNOWN

_DIALECTS: dict[str, Dialect] = {
    "mysql": "mysql", "mariadb": "mysql", "psql": "postgres", "sqlite3": "sqlite",
    "clickhouse-client": "clickhouse", "sqlcmd": "tsql", "cqlsh": "cassandra",
}  # fmt: skip
_FORMS = {
    "sqlite3": "sqlite3 FILE 'STATEMENT'", "psql": "psql -c 'STATEMENT'",
    "clickhouse-client": "clickhouse-client -q 'STATEMENT'", "sqlcmd": "sqlcmd -Q 'STATEMENT'",
}  # fmt: skip


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of a SQL client."""
    if program == "clickhouse":
        if args[:1] != ("client",):
            return told.unclear("subcommand", args[0] if args else "")
        program, args = "clickhouse-client", args[1:]
    spec = options.spec(program)
    given = options.read(spec, args)
    return told.worst(_parts(program, spec, given, fed=fed))


def _parts(program: str, spec: Spec, given: Options, *, fed: bool) -> Iterator[Told]:
    yield from effects(spec, given)
    if program == "psql":
        yield from _output(given)
        yield from _variables(given)
    dialect = _DIALECTS[program]
    texts = [value for name, value in given.given if "statement" in spec.means(name)]
    texts += list(given.rest[1:]) if program == "sqlite3" else []
    for text in texts:
        yield _text(text, program, dialect)
    quits = any("quits" in spec.means(name) for name, _ in given.given)
    from_file = any("opaque" in spec.means(name) for name, _ in given.given)
    if program == "sqlcmd" and given.has("-q"):
        yield told.waits(_FORMS[program])
    if not given.unknown and not quits and not from_file and not any(texts):
        yield _no_statement(program, fed=fed)


def effects(spec: Spec, given: Options) -> Iterator[Told]:
    """Tell what the options themselves do."""
    if given.unknown:
        yield told.unclear("flag", given.unknown)
    for word in given.rest:
        if UNKNOWN in word:
            yield told.unclear("argument", word)
    for name, value in given.given:
        meanings = spec.means(name)
        if UNKNOWN in value and name != "--password":
            yield told.unclear("argument", value)
        for meaning, effect in _EFFECTS.items():
            if meaning in meanings:
                yield effect(name, value)


def _prompt(name: str, value: str) -> Told:
    asks = not value or name == "--askpass"
    return Told(Risk.READ_ONLY, True, "no_terminal", name, "", True) if asks else told.READS


_EFFECTS: dict[str, Callable[[str, str], Told]] = {
    "prompts": _prompt,
    "writes": lambda name, value: Told(Risk.MUTATING, code="redirect", word=value),
    "changes": lambda name, value: told.changes(name),
    "destroys": lambda name, value: told.destroys(name),
    "runs": lambda name, value: told.destroys(value) if value else told.READS,
    "opaque": lambda name, value: told.unclear("unseen", value or name),
}


def _variables(given: Options) -> Iterator[Told]:
    """Judge psql's variables: what is put in their place later may be anything but a word."""
    for value in given.values("--variable"):
        if not re.fullmatch(r"\w+(=[\w.:/ -]*)?", value) or sql.dangerous(value):
            yield told.unclear("argument", value)


def _output(given: Options) -> Iterator[Told]:
    for target in given.values("--output"):
        yield meta.target(target)


def _no_statement(program: str, *, fed: bool) -> Told:
    if fed:
        return told.unclear("unseen", "stdin")
    form = _FORMS.get(program, f"{program} -e 'STATEMENT'")
    return told.waits(form, risk=Risk.OPAQUE)


def _text(text: str, program: str, dialect: Dialect) -> Told:
    if program == "psql":
        return meta.psql_text(text)
    if program == "sqlite3" and text.lstrip().startswith("."):
        return meta.sqlite(text.strip())
    if program in {"mysql", "mariadb"}:
        return meta.mysql(text)
    return sql.judge(text, dialect)


# --- their companions -----------------------------------------------------------------


def mysqladmin(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of mysqladmin, which takes several commands."""
    spec = options.spec("mysqladmin")
    given = options.read(spec, args)
    found = list(effects(spec, given))
    if given.has("--sleep") and not given.has("--count"):
        found.append(told.waits("mysqladmin -i 1 -c 3 COMMAND", code="endless"))
    found += [_admin(word) for word in given.rest]
    return told.worst(found)


_ADMIN = {
    "destructive": r"drop|shutdown|kill",
    "mutating": r"create|flush-\S+|reload|refresh|(old-)?password|(start|stop)-[\w-]+|debug",
    "read_only": r"ping|stat(us)?|ver(sion)?|var(iables)?|proc(esslist)?|ext(ended(-status)?)?",
}


def _admin(word: str) -> Told:
    for risk, pattern in _ADMIN.items():
        if re.fullmatch(pattern, word.lower()):
            return told.of(Risk(risk), f"mysqladmin {word}")
    return told.unclear("subcommand", word)


def mysqldump(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a dump: of whole databases it shows the passwords of their people too."""
    spec = options.spec("mysqldump")
    given = options.read(spec, args)
    found = list(effects(spec, given))
    if not given.has("--no-data", "--version", "--help"):
        tables = given.rest[1:] if not given.has("--all-databases", "--databases") else ()
        if not tables or any(map(select.secret_table, tables)) or given.rest[0] == "mysql":
            found.append(told.exposes(program))
    return told.worst(found)
