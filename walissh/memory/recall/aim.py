"""What a question is after: which kind of memory answers it, and of which host."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from walissh.memory import forms, words
from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Query

_VERSION = re.compile(
    r"版本|第几代|哪一?个?版|什么版|多新|多旧|够新|几点几|支不支持|支持.*吗|能不能用|能用.*吗|能不能跑"
    r"|升[到级](几|多少|哪)|升级到(几|多少|哪)|[是到]几([了的吧呢]|\W|$)|新不新|老不老|过时了?[没吗]"
    r"|补丁|\bversions?\b|\breleases?\b|\bwhat are we on\b|\bis .* (affected|supported)\b"
    r"|\b(does|do|can|could|will) .*\b(support|work|use|run|know|understand|speak|handle|offer)\b"
    r"|\bwhat is \S+ running\b|\bhow (new|old|recent)\b"
    r"|\bwhich \w+ is (it|that|there)\b|\bhow current\b|\bup to date\b"
    r"|\b(new|recent) enough\b|\bpatch(es|ed)?\b|\bis .* (still|yet)\b",
    re.I,
)
# of one thing: "how much" and "where" in such a question ask for the number of a release
_SAYS_VERSION = re.compile(r"版本|哪一?版|\bversion\b|\brelease\b", re.I)
# what was once, or a "how" of what is over; the cause of something
_CASE = re.compile(
    r"[上那][次回]|[之以]前|当[时年初]|后来|最后|最终|终于|曾经|过去|来着|记得"
    r"|[加改换补关删开设调装停清做动放挪拔插写]了(什么|啥|哪|谁|多少)|被(谁|什么|啥|哪)"
    r"|为[什啥]|原因|引起|导致|根[因子源]|怎么回事|怎么(会|就|搞)"
    r"|怎么[^，。？]{0,6}(的|好|了|过来|回来|下来|下去|住|掉|解决|处理|修复|恢复)\W*$"
    r"|怎么(解决|处理|修|恢复|优化|治)"
    r"|\bwhy\b|\bcaus|\bfix|\bsolv|\bresolved?\b|\b(last|that|first) time\b|\bonce\b|\bagain\b"
    r"|\b(did|had|was|were) (we|it|they|the|that|this|been)\b|\bwe (did|had|\w+ed)\b"
    r"|\b(what|which|who|whose|how)( \w+){0,3} (was|were|had|did|\w{2,}ed|broke|went|got|made|took|"
    r"kept|left|lost|grew|ate|blew|fell|hung|froze|brought|wrote|gave|held|sent|ran|came|stole)\b"
    r"|\bget rid\b|\btrick\b|\bcure|\bremed|\bhappened\b",
    re.I,
)
# where, who and how much, of now
_FACT = re.compile(
    r"多[少大长高久]|哪[里儿台]|在哪|谁|几[个台点号块核份条]|端口|路径|目录|地址|网段|链接|页面"
    r"|\bwh(ere|o|ose|om|en)\b|\b(port|url|link|page|address)\b"
    r"|\bhow (much|many|big|large|long|often|far|fast|wide|high)\b",
    re.I,
)
# a question for something of now, if no other sign tells of what kind
_ANY = re.compile(r"哪|什么|[是填用叫]啥|\bw(hich|hat)\b", re.I)
_SIGNS = (
    (MemoryType.SOFTWARE_FACT, _VERSION),
    (MemoryType.TROUBLESHOOTING_CASE, _CASE),
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
    named &= known
    alone = {term for each in pieces if each.lower() not in named for term in words.terms(each)}
    return Aim(
        _kinds(query.text),
        frozenset(named),
        frozenset(named or at_hand),
        bool(strange) and not named,
        frozenset(alone),
    )


@lru_cache(maxsize=512)
def _kinds(text: str) -> frozenset[MemoryType]:
    kinds = frozenset(kind for kind, sign in _SIGNS if sign.search(text))
    if _SAYS_VERSION.search(text):
        kinds -= {MemoryType.ENVIRONMENT_FACT}
    if forms.asks_for_rule(text):
        kinds |= {MemoryType.USER_PREFERENCE}
    if not kinds and _ANY.search(text):
        kinds = frozenset({MemoryType.ENVIRONMENT_FACT})
    return kinds


@lru_cache(maxsize=4096)
def _is_host_like(name: str) -> bool:
    return bool(_HOST_LIKE.fullmatch(name)) and not _NO_HOST.fullmatch(name)
