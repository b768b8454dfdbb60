"""What a question is after: which kind of memory answers it, and of which host."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from walissh.memory import words
from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Query

_VERSION = re.compile(
    r"版本|第几代|哪一?个?版|什么版|多新|多旧|够新|几点几|支不支持|支持.*吗|能不能用|能用.*吗|能不能跑"
    r"|补丁|\bversions?\b|\breleases?\b|\bwhat are we on\b|\bis .* (affected|supported)\b"
    r"|\b(does|do|can|could|will) .*\b(support|work|use|run)\b|\bhow (new|old|recent)\b"
    r"|\b(new|recent) enough\b|\bpatch(es|ed)?\b|\bis .* (still|yet)\b",
    re.I,
)
_CASE = re.compile(
    r"上次|上回|之前|当时|那次|那回|以前|后来|曾经|为什么|为啥|原因|引起|根因|怎么回事"
    r"|怎么(解决|修|处理|恢复|优化|调|搞定|转|放开|止住|治)"
    r"|\bwhy\b|\bcaus|\bfix|\bsolve|\bresolved?\b|\blast time\b|\bdid we\b|\bwe did\b"
    r"|\bget rid\b|\btrick\b|\bwhat was\b|\bwho (was|grabbed)\b|\bunblock|\bonce\b|\bhappened\b",
    re.I,
)
_PREFERENCE = re.compile(
    r"[照按依]我|照旧|照例|老规矩|老样子|我的?(规矩|要求|习惯|偏好|口味)|我让你|叫我|称呼我"
    r"|我[^，。？]{0,16}(规矩|要求|喜欢|说过|说的|禁|交代|嘱咐|习惯|立过|定过|定的|偏好)"
    r"|你能(不能)?直接|你可以直接|你知道的|该用|该怎么|要加什么|先做什么"
    r"|\bI (want|like|prefer|said|say|told|asked|banned|set|use|insist|expect)\b|\b(do|did|as) I\b"
    r"|\bmy (\w+ ){0,2}(rule|way|habit|usual|pref|polic|wish|standing)|\b(may|should|must) you\b"
    r"|\b(can|are|do) you\b|\ballowed\b|\bmust happen\b|\bas usual\b|\bI'd rather\b",
    re.I,
)
_FACT = re.compile(
    r"多少|哪(个|些|里|儿|台|份|块)|在哪|是什么|端口|路径|目录|归谁|是谁|几点|填什么|放什么位置"
    r"|\bwhere\b|\bwhich\b|\bwhat (is|are)\b|\bhow (much|many|big|large)\b|\bport\b|\bwhose?\b"
    r"|\bname the\b|\bwhen\b",
    re.I,
)
_SIGNS = (
    (MemoryType.SOFTWARE_FACT, _VERSION),
    (MemoryType.TROUBLESHOOTING_CASE, _CASE),
    (MemoryType.USER_PREFERENCE, _PREFERENCE),
    (MemoryType.ENVIRONMENT_FACT, _FACT),
)
# letters and a number, as hosts are named; not what is a program, a format or a unit
_HOST_LIKE = re.compile(r"[a-z][a-z]*(-[a-z0-9]+)*-?\d{1,3}[a-z]?|[a-z]+(-[a-z0-9]+)+-\d+")
_NO_HOST = re.compile(
    r"(utf|gbk|md|sha|base|ipv|http|h|tls|ssl|x|i|amd|arm|s|ec|k|p|t|v|el|py|python|php|java|jdk|"
    r"jre|node|log4j|mysql|mariadb|pg|postgres|redis|es|kafka|oauth|level|layer|l|raid|ext|eth|ens|"
    r"enp\ds|wg|tun|bond|br|vlan|lo|sd|nvme|tcp|udp|port|exit|code|error|utc|gmt|zk|nginx|qcow|mp|"
    r"mq|sha-|vp|av|fat|ntfs|cgroup|systemd|ora|rc|day|week|top|phase|step|nfsv|smb|snmpv|http-|"
    r"u|a|b|c|d|e|f|g|n|m|r|q|w|y|z)-?\d+[a-z]?"
)


@dataclass(frozen=True, slots=True)
class Aim:
    """What kinds answer the question, and of which *hosts*: those *named*, or those at hand.

    *unknown*: it names a strange one. *alone* are its terms that stand in no host's name.
    """

    kinds: frozenset[MemoryType]
    named: frozenset[str]
    hosts: frozenset[str]
    unknown: bool
    alone: frozenset[str]


def take(query: Query, known_hosts: Iterable[str]) -> Aim:
    """Read the aim of *query*; *known_hosts* are those that memories are bound to."""
    known = {host.lower() for host in known_hosts if host}
    pieces = words.pieces(query.text)
    named = {piece.lower() for piece in pieces if not words.is_han(piece)}
    at_hand = {host.lower() for host in query.hosts} & known
    strange = {name for name in named - known if _is_host_like(name)}
    kinds = frozenset(kind for kind, sign in _SIGNS if sign.search(query.text))
    named &= known
    alone = {term for each in pieces if each.lower() not in named for term in words.terms(each)}
    return Aim(
        kinds,
        frozenset(named),
        frozenset(named or at_hand),
        bool(strange) and not named,
        frozenset(alone),
    )


def _is_host_like(name: str) -> bool:
    return bool(_HOST_LIKE.fullmatch(name)) and not _NO_HOST.fullmatch(name)
