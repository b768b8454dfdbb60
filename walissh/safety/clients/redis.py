"""redis-cli and valkey-cli: the command and its sub-command, in any case, and the modes."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

from walissh.react.turn import Risk
from walissh.safety import lists
from walissh.safety.clients import databases, options, told
from walissh.safety.clients.options import Options
from walissh.safety.clients.told import Told
from walissh.safety.table import GLOB, UNKNOWN

WORKS = "redis-cli COMMAND"
MAX_REPEATING_S = 60.0
MAX_SCRIPT = 4_000
_ENDLESS_MODES = ("--stat", "--latency", "--latency-history", "--latency-dist", "--lru-test")
_SECRET_SETTING = re.compile(r"(?i).*(pass|auth(?!orit)|secret|key-file|user).*|.*[*?\[].*")
_CALL = re.compile(r"(?:redis|server)\s*\.\s*p?call\s*\(\s*(?:'([\w.]+)'|\"([\w.]+)\")\s*[,)]")
_SECRET_KEY = re.compile(
    r"(?i)(^|[:._/-])(\w*pass(wd|word|phrase)s?|secrets?|(api|access|auth|refresh|csrf)[_-]?(key|token)s?|tokens?|credentials?"
    r"|private[_-]?keys?|jwt|sess(ion)?s?|otp|密码|密钥|令牌|会话)([:._/-]|$)"
)
_SHOWS_VALUES = frozenset(
    "get mget getrange hgetall hget hmget hvals lrange smembers dump lindex zrange json.get".split()  # noqa: SIM905
)
_STORES = frozenset({"sort", "georadius", "georadiusbymember"})
_READING_CLUSTER = re.compile(r"check|info|help")


@cache
def _lists() -> dict[str, frozenset[str]]:
    data: dict[str, str] = lists.load("walissh.safety.clients", "redis_commands.yaml")
    return {key: frozenset(_names(value)) for key, value in data.items()}


def _names(value: str) -> Iterator[str]:
    """Give the single words that come first, then what stands between bars."""
    words, *rest = value.split("|")
    yield from words.split()
    for part in rest:
        yield part.strip()


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of redis-cli or one of its kin."""
    spec = options.spec("redis-cli")
    given = options.read(spec, args)
    before = args[: len(args) - len(given.rest)] if given.rest else args
    plain = Options(given.given, (), given.unknown)
    found = list(databases.effects(spec, plain))
    found += _modes(given)
    if given.rest and not given.has("--eval", "--cluster"):
        found.append(command(given.rest, more=given.has("-x", "-X")))
    elif not found and not _quits(given) and not given.has(*_WHOLE_MODES):
        waits = told.unclear("unseen", "stdin") if fed else told.waits(WORKS, risk=Risk.OPAQUE)
        found.append(waits)
    return told.worst([*found, _repeats(given, before)])


_WHOLE_MODES = (
    *_ENDLESS_MODES, "--bigkeys", "--memkeys", "--keystats", "--hotkeys", "--scan", "--pipe",
    "--rdb", "--functions-rdb", "--eval", "--cluster", "--intrinsic-latency", "--replica",
    "--slave",
)  # fmt: skip


def _quits(given: Options) -> bool:
    return given.has("--help", "--version", "-v")


def _repeats(given: Options, before: tuple[str, ...]) -> Told:
    """Tell whether ``-r`` repeats for ever, or for longer than anyone waits."""
    times, pause = given.values("-r"), given.values("-i")
    if not times:
        return told.READS
    if not re.fullmatch(r"\d{1,4}", times[-1]):
        return told.waits("redis-cli -r 3 -i 1 COMMAND", code="endless")
    pauses = pause[-1] if pause and re.fullmatch(r"[\d.]+", pause[-1]) else "0"
    long = int(times[-1]) * float(pauses) > MAX_REPEATING_S
    return told.waits("redis-cli -r 3 -i 1 COMMAND", code="endless") if long else told.READS


def _modes(given: Options) -> Iterator[Told]:
    for mode in _ENDLESS_MODES:
        if given.has(mode) and not (mode == "--latency" and given.has("--raw", "--csv")):
            yield told.waits("redis-cli info", code="endless")
    if given.has("--replica", "--slave"):
        yield told.waits("redis-cli info replication", code="endless")
    for name in ("--rdb", "--functions-rdb"):
        for path in given.values(name):
            yield Told(Risk.MUTATING, code="redirect", word=path)
    if given.has("--pipe"):
        yield told.unclear("unseen", "stdin")
    for path in given.values("--eval"):
        yield told.unclear("unseen", path)
    if given.has("--cluster"):
        yield _cluster(given)


def _cluster(given: Options) -> Told:
    name = given.rest[0].lower() if given.rest else ""
    if _READING_CLUSTER.fullmatch(name):
        return told.READS
    if name in {"del-node", "call", "import", "reshard", "fix", "create"}:
        return told.destroys(f"--cluster {name}")
    return told.changes(f"--cluster {name}") if name else told.unclear("missing")


# --- one command ----------------------------------------------------------------------


def command(words: tuple[str, ...], *, more: bool = False) -> Told:
    """Judge one command of the protocol; *more*: another argument comes on standard input."""
    name = words[0].lower()
    if name.isdigit() and len(words) > 1:  # redis-cli 5 PING: five times
        return command(words[1:])
    if UNKNOWN in name or GLOB in name:
        return told.unclear("dynamic", words[0])
    if name in {"eval", "eval_ro"}:
        return _script(words)
    if name in _lists()["endless"]:
        return told.waits("redis-cli pubsub channels", code="endless")
    return told.worst([_listed(words), _asks_for_secrets(words), _blocks(words)])


def _listed(words: tuple[str, ...]) -> Told:
    lists = _lists()
    name, low = words[0].lower(), [word.lower() for word in words[1:]]
    sure = UNKNOWN not in " ".join(words)
    if sure and name in _STORES and not {"store", "storedist"} & set(low):
        return told.READS
    if sure and name == "bitfield" and not {"set", "incrby"} & set(low):
        return told.READS
    for length in (3, 2, 1):
        key = " ".join(words[:length]).lower()
        for risk in Risk:
            if len(words) >= length and key in lists.get(risk.value, ()):
                return _sure(risk, words, length)
    if UNKNOWN in " ".join(words[:2]):
        return told.unclear("argument", words[0])
    return told.unclear("subcommand", words[0])


def _sure(risk: Risk, words: tuple[str, ...], length: int) -> Told:
    """Return the risk unless a part that could make it worse is not known yet."""
    families = {"config", "acl", "client", "script", "function", "cluster", "sentinel", "debug"}
    hidden = words[0].lower() in families and UNKNOWN in " ".join(words[1:3])
    if hidden and risk is not Risk.DESTRUCTIVE:
        return told.unclear("argument", words[0])
    return told.of(risk, " ".join(words[:length]))


def _asks_for_secrets(words: tuple[str, ...]) -> Told:
    low = [word.lower() for word in words]
    if low[0] in _SHOWS_VALUES and any(map(_SECRET_KEY.search, words[1:2])):
        return told.exposes(" ".join(words[:2]))
    if low[:2] == ["config", "get"]:
        hit = [word for word in low[2:] if _SECRET_SETTING.fullmatch(word) and _reveals(word)]
        return told.exposes(" ".join(words[:3])) if hit else told.READS
    return told.READS


def _reveals(pattern: str) -> bool:
    """Tell whether the settings that *pattern* names hold passwords."""
    secret = ("requirepass", "masterauth", "primaryauth", "masteruser", "tls-key-file-pass",
              "tls-client-key-file-pass", "sentinel-pass", "primaryuser")  # fmt: skip
    return UNKNOWN in pattern or any(fnmatchcase(name, pattern) for name in secret)


def _blocks(words: tuple[str, ...]) -> Told:
    """Tell whether it waits for data for ever: a time limit of 0."""
    name, low = words[0].lower(), [word.lower() for word in words]
    last = {"blpop", "brpop", "blmove", "brpoplpush", "bzpopmin", "bzpopmax", "wait"}
    forever = (name in last and _zero(low[-1])) or (
        name in {"blmpop", "bzmpop"} and len(low) > 1 and _zero(low[1])
    )
    if name in {"xread", "xreadgroup"} and "block" in low[:-1]:
        forever = _zero(low[low.index("block") + 1])
    return told.waits("redis-cli lrange KEY 0 9", code="endless") if forever else told.READS


def _zero(word: str) -> bool:
    return re.fullmatch(r"0+(\.0*)?", word) is not None or UNKNOWN in word


def _script(words: tuple[str, ...]) -> Told:
    """Judge a Lua script by the commands that it calls by name."""
    text = words[1] if len(words) > 1 else ""
    if UNKNOWN in text or len(text) > MAX_SCRIPT:
        return told.unclear("script", words[0])
    if re.search(
        r"(?i)flush|shutdown|'del|\"del|unlink", re.sub(r"['\"]\s*\.\.\s*['\"]", "", text)
    ):
        return told.destroys(f"{words[0]} {text}")
    named = [first or second for first, second in _CALL.findall(text)]
    count = len(
        re.findall(
            r"\bp?call\b|loadstring|\bload\b|dofile|require|_G\b|getfenv|setmetatable|rawget", text
        )
    )
    if count != len(named) or re.search(r"\[\s*['\"]|(?:redis|server)\s*[^.\s\w]", text):
        return told.unclear("script", words[0])
    return told.worst(command((name, "")) for name in named)
