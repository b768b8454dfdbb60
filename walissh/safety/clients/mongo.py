"""mongosh and mongo: the JavaScript of ``--eval``, as far as it is a chain of reading calls."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety.clients import databases, options, select, told
from walissh.safety.clients.told import Told
from walissh.safety.table import UNKNOWN

WORKS = "mongosh --eval 'EXPRESSION'"
MAX_CHARS = 5_000
_STRING = re.compile(
    r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`[^`$\\]*`|//[^\n]*|/\*.*?\*/", re.S
)
_DESTROYS = re.compile(
    r"\.\s*(drop\w*|delete(One|Many)|remove(?!All\b)\w*|shutdownServer|resetError|removeShard|removeUser|removeAllUsers)\s*\("
    r"|\b(drop|dropDatabase|dropUser|dropRole|dropIndexes|shutdown|delete|killAllSessions|removeShard|cleanupOrphaned|emptycapped|resync)\s*:"
    r"|\brs\s*\.\s*(remove|stepDown)\s*\(|child_process|\bexecSync\b|\brunProgram\b|\brun\s*\(|removeFile\s*\(|rmSync|unlinkSync"
)
_CHANGES = re.compile(
    r"\.\s*(insert\w*|update\w*|replace(One)|save|bulkWrite|findAndModify|findOneAnd\w+|createIndex(es)?|ensureIndex|hideIndex|unhideIndex|reIndex|renameCollection|createCollection|createView|createUser|createRole"
    r"|grant\w+|revoke\w+|changeUserPassword|killOp|killCursors|setProfilingLevel|setLogLevel|fsyncLock|fsyncUnlock|compact|convertToCapped|mapReduce|initiate|reconfig|add|addArb|freeze|syncFrom|enableSharding|shardCollection|moveChunk|split\w+|startBalancer|stopBalancer|setBalancerState|enableBalancing|disableBalancing"
    r"|addShard\w*|setDefaultRWConcern|enableFreeMonitoring|disableFreeMonitoring|copyTo|cloneDatabase|copyDatabase|rotateCertificates|configureQueryAnalyzer)\s*\("
    r"|\$(out|merge)\b|\b(setParameter|logRotate|fsync|create|createIndexes|collMod|insert|update|findAndModify|killOp|killCursors|reIndex|compact|profile|renameCollection|setFeatureCompatibilityVersion|replSet\w+|flushRouterConfig|enableSharding|shardCollection|moveChunk|createUser|updateUser|convertToCapped)\s*:"
)
_READS = frozenset(
    "find findOne count countDocuments estimatedDocumentCount distinct aggregate explain getIndexes getIndexKeys stats"  # noqa: SIM905
    " totalSize totalIndexSize storageSize dataSize latencyStats validate isCapped getShardDistribution getShardVersion getPlanCache"
    " list limit skip sort pretty toArray forEach map filter slice reduce some every includes indexOf join keys values entries"
    " hint maxTimeMS batchSize projection project collation comment readPref readConcern itcount size length next hasNext objsLeftInBatch"
    " getSiblingDB getCollection getCollectionNames getCollectionInfos getMongo getDB getName getLastError serverStatus currentOp hostInfo isMaster hello version serverBuildInfo"
    " buildInfo getReplicationInfo printReplicationInfo printSecondaryReplicationInfo printSlaveReplicationInfo status conf config printCollectionStats"
    " getProfilingStatus getProfilingLevel getLogComponents listCommands ping adminCommand runCommand getDBNames getDBs listDatabases databases isBalancerRunning getBalancerState"
    " print printjson printjsononeline tojson toJSON stringify parse ISODate ObjectId Date NumberInt NumberLong NumberDecimal Timestamp UUID String Number"
    " round floor ceil abs max min toFixed toString toLocaleString toISOString substring substr split replace replaceAll match test trim toLowerCase toUpperCase padEnd padStart startsWith endsWith concat push"
    " getTime valueOf getTimestamp now help getSlowms printShardingStatus getShardMap executionStats finish flat flatMap fromEntries assign isArray at findLast"
    " if for while function return quit exit".split()
)
_COMMANDS = frozenset(
    "ping serverStatus dbStats dbstats collStats collstats connectionStatus connPoolStats currentOp buildInfo buildinfo hostInfo hello isMaster ismaster"  # noqa: SIM905
    " listCollections listDatabases listIndexes replSetGetStatus replSetGetConfig getLog whatsmyuri top validate count distinct find explain"
    " features lockInfo listCommands shardConnPoolStats balancerStatus listShards getShardMap dataSize planCacheListPlans aggregate getDefaultRWConcern netstat".split()
)
_SECRETS = re.compile(
    r"\b(getUsers?|usersInfo|showCredentials|getCmdLineOpts|serverCmdLineOpts|getParameter\s*:\s*['\"]\*)\b|system\.(users|keys)|\bgetUser\b"
)
_COLLECTION = re.compile(
    r"\bdb\s*(?:\.\s*getSiblingDB\([^)]*\)\s*)?(?:\.\s*(?P<name>\w+)|\[\s*['\"](?P<index>[^'\"]*)['\"]\s*\]|\.\s*getCollection\(\s*['\"](?P<get>[^'\"]*)['\"]\s*\))\s*\.\s*(?P<verb>find|findOne|aggregate|distinct)\s*\("
)


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of mongosh or mongo."""
    spec = options.spec("mongosh")
    given = options.read(spec, args)
    found = list(databases.effects(spec, options.Options(
        tuple(pair for pair in given.given if pair[0] != "--eval"), given.rest, given.unknown)))  # fmt: skip
    texts = given.values("--eval")
    found += [script(text) for text in texts]
    found += [told.unclear("unseen", word) for word in given.rest if re.search(r"\.m?js$", word)]
    if given.has("--shell") or not (
        texts or found or given.has("--version", "--help", "--build-info")
    ):
        waits = told.waits(WORKS, risk=Risk.OPAQUE)
        found.append(told.unclear("unseen", "stdin") if fed and not texts else waits)
    return told.worst(found)


def script(text: str) -> Told:
    """Judge JavaScript: only calls that are known to read are let through."""
    if len(text) > MAX_CHARS:
        return told.unclear("sql_long", text[:80])
    joined = re.sub(r"['\"]\s*\+\s*['\"]", "", text)
    code = _STRING.sub("''", joined)
    if _DESTROYS.search(code) or _DESTROYS.search(_computed(joined)):
        return told.destroys(text)
    if _CHANGES.search(code) or _CHANGES.search(_computed(joined)):
        return told.changes(text)
    if UNKNOWN in text or re.search(
        r"[\\`]|\bthis\b|\bglobalThis\b|\bprocess\b|\brequire\b|\bimport\b|\beval\b|\bnew\s+Function\b|\bload\b|\bconstructor\b|=(?![=>])(?<![=!<>]=)\s*db\b",
        code,
    ):
        return told.unclear("script", text)
    if re.search(
        r"while\s*\(\s*(true|1)|\.\s*watch\s*\(|for\s*\(\s*;\s*;|tailable|sleep\s*\(", code
    ):
        return told.waits(WORKS, code="endless")
    return told.worst(_calls(joined, code))


def _computed(text: str) -> str:
    """Spell ``x["name"](`` as ``.name(``, and the quoted keys of objects plainly."""
    plain = re.sub(r"\[\s*['\"](\w+)['\"]\s*\]", r".\1", text)
    return re.sub(r"(?<=[{,])\s*['\"](\$?\w+)['\"]\s*:", r" \1:", plain)


def _calls(text: str, code: str) -> Iterator[Told]:
    for name in re.findall(r"([\w$]+)\s*\(", code):
        if name not in _READS:
            yield told.unclear("function", name)
    if re.search(r"\]\s*\(", code) or re.search(
        r"[\w)\]]\s*\[\s*(?!''|\d|\w+\s*\])[^\]]*\]\s*[.(]", code
    ):
        yield told.unclear("script", text)
    yield from _commands(text)
    if _SECRETS.search(text):
        yield told.exposes(text)
    for found in _COLLECTION.finditer(text):
        if select.secret_table(found["name"] or found["index"] or found["get"] or ""):
            yield told.exposes(text)


def _commands(text: str) -> Iterator[Told]:
    """Judge what adminCommand and runCommand are given: the first key is the command."""
    for found in re.finditer(r"(?:adminCommand|runCommand)\s*\(\s*(?P<rest>.{0,60})", text, re.S):
        key = re.match(r"\{\s*['\"]?(\w+)['\"]?\s*:|['\"](\w+)['\"]", found["rest"])
        name = (key[1] or key[2]) if key else ""
        if name == "getParameter" or name == "getCmdLineOpts":
            yield told.READS if name == "getParameter" else told.exposes(name)
        elif name not in _COMMANDS:
            yield told.unclear("function", name or "runCommand")
