"""mongosh and mongo: the JavaScript of ``--eval``, as far as it is a chain of reading calls."""

import re
from collections.abc import Iterator
from functools import cache

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.clients import databases, options, select, told
from walissh.safety.clients.options import Options
from walissh.safety.clients.told import Told
from walissh.safety.table import UNKNOWN

WORKS = "mongosh --eval 'EXPRESSION'"
MAX_CHARS = 3_000
_STRING = re.compile(
    r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`[^`$\\]*`|//[^\n]*|/\*.*?\*/", re.S
)
_SHOW = re.compile(
    r"\s*(show (dbs|databases|collections|tables|profile|logs?( \w+)?|roles)|db|use \w+)\s*;?\s*"
)
_UNCLEAR = re.compile(
    r"[\\`]|\?\.|\)\s*\(|\]\s*\("
    r"|\b(this|globalThis|process|require|import|eval|load|constructor|prototype|Proxy|Reflect)\b"
)
_ENDLESS = re.compile(
    r"while\s*\(\s*(true|1|!0)\b|\.\s*watch\s*\(|for\s*\(\s*;\s*;|tailable|\bsleep\s*\("
)
_SECRETS = re.compile(
    r"\b(getUsers?|usersInfo|showCredentials|getCmdLineOpts|serverCmdLineOpts)\b|system\.(users|keys)"
    r"|getParameter['\"]?\s*:\s*['\"]\*"
)
_COLLECTION = re.compile(
    r"(?:\.\s*(?P<name>\w+)|\[\s*['\"](?P<index>[^'\"]*)['\"]\s*\]"
    r"|getCollection\(\s*['\"](?P<get>[^'\"]*)['\"]\s*\))\s*\.\s*(find|findOne|aggregate|distinct)\s*\("
)
_COMMAND = re.compile(
    r"(?:[cC]ommand)\s*\(\s*(?:\{\s*['\"]?(?P<key>[\w$]+)['\"]?\s*:|['\"](?P<name>\w+)['\"]|(?P<other>.))",
    re.S,
)


@cache
def _lists() -> dict[str, re.Pattern[str]]:
    data: dict[str, str] = lists.load("walissh.safety.clients", "mongo.yaml")
    return {
        key: re.compile("|".join(value.split()) if key.startswith("reading") else _joined(value))
        for key, value in data.items()
    }


def _joined(value: str) -> str:
    return re.sub(r"\s+", "", value)


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of mongosh or mongo."""
    spec = options.spec("mongosh")
    given = options.read(spec, args)
    plain = tuple(pair for pair in given.given if pair[0] != "--eval")
    texts = given.values("--eval")
    found = list(databases.effects(spec, Options(plain, given.rest, given.unknown)))
    found += [script(text) for text in texts]
    found += [told.unclear("unseen", word) for word in given.rest if re.search(r"\.m?js$", word)]
    runs = texts or found or given.has("--version", "--help", "--build-info")
    if given.has("--shell") or not runs:
        waits = told.waits(WORKS, risk=Risk.OPAQUE)
        found.append(told.unclear("unseen", "stdin") if fed and not texts else waits)
    return told.worst(found)


def script(text: str) -> Told:
    """Judge JavaScript: only calls that are known to read are let through."""
    if len(text) > MAX_CHARS:
        return told.unclear("sql_long", text[:80])
    if _SHOW.fullmatch(text):
        return told.READS
    joined = _plain(re.sub(r"['\"]\s*\+\s*['\"]", "", text))
    code = _STRING.sub("''", joined)
    effect = told.worst([_called(joined), _commanded(joined)])
    if effect.risk in {Risk.MUTATING, Risk.DESTRUCTIVE}:
        return told.of(effect.risk, text)
    if UNKNOWN in text or "\\u" in text or "\\x" in text or _UNCLEAR.search(code):
        return told.destroys(text) if "child_process" in text else told.unclear("script", text)
    waits = told.waits(WORKS, code="endless") if _ENDLESS.search(code) else told.READS
    return told.worst([waits, effect, *_shown(joined, text)])


def _plain(text: str) -> str:
    """Spell ``x["name"]`` as ``.name``: the two are one."""
    return re.sub(r"\[\s*['\"](\w+)['\"]\s*\]", r".\1", text)


def _called(code: str) -> Told:
    """Judge what is called, and stages of aggregation that write.

    Strings are looked into as well: a quote inside a pattern would hide what follows it.
    """
    if re.search(r"\$(out|merge)\b", code):
        return told.changes(code)
    return told.worst(_method(name) for name in re.findall(r"([\w$]+)\s*\(", code))


def _method(name: str) -> Told:
    lists = _lists()
    if lists["reading_methods"].fullmatch(name):
        return told.READS
    if lists["destroying_methods"].fullmatch(name):
        return told.destroys(name)
    if lists["changing_methods"].fullmatch(name):
        return told.changes(name)
    return told.unclear("function", name)


def _commanded(text: str) -> Told:
    """Judge what adminCommand and runCommand are given: the first key is the command."""
    if re.search(r"['\"]\$(out|merge)['\"]", text):
        return told.changes(text)
    return told.worst(
        _command(found["key"] or found["name"] or "") for found in _COMMAND.finditer(text)
    )


def _command(name: str) -> Told:
    lists = _lists()
    if lists["destroying_commands"].fullmatch(name):
        return told.destroys(name)
    if lists["changing_commands"].fullmatch(name):
        return told.changes(name)
    if lists["reading_commands"].fullmatch(name) or name in {"getParameter", "getCmdLineOpts"}:
        return told.READS
    return told.unclear("function", name or "runCommand")


def _shown(joined: str, text: str) -> Iterator[Told]:
    if _SECRETS.search(joined):
        yield told.exposes(text)
    for found in _COLLECTION.finditer(joined):
        if select.secret_table(found["name"] or found["index"] or found["get"] or ""):
            yield told.exposes(text)
