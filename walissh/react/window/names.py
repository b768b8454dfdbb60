"""Names in a text: hosts, paths, ids and words that are rare enough to tell rounds apart."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from walissh.react.window import wording
from walissh.react.window.summary import Note

_PATH = re.compile(r"(?<![\w./:@~-])~?(?:/[\w.+@%=-]+){2,}/?")
_SHORT_PATH = re.compile(r"(?<![\w./:@~<-])/[\w.+@%=-]{2,}/?(?![\w/])")
_NOISE = re.compile(
    r"^/(?:proc|sys|dev|run/systemd|usr/(?:lib|lib64|share|libexec|bin|sbin|include)|lib|lib64|bin"
    r"|sbin|snap|boot/grub)(?:/|$)"
)
_TELLING = re.compile(
    r"\.(?:conf|cnf|cfg|ini|ya?ml|json|toml|env|service|socket|timer|properties|xml|log|sh|py|pl|rb"
    r"|sql|pem|crt|key|cer|p12|jks|db|sqlite|dump|bak|tar|gz|zst|pid|sock|repo|list|rules|tf|hcl"
    r"|php|js|jar|war|img|iso|qcow2)$|/conf\.d/|/etc/|/config/"
)
_ABOUT = re.compile(
    r"config|setting|log|socket|include|certificate|data ?dir|root|mount|backup|unit|script|load"
    r"|配置|日志|证书|目录|脚本|备份|路径|文件|挂载",
    re.I,
)
TOLD_CHARS: Final = 8_000
SHOWN_CHARS: Final = 100_000
"""So much of what somebody wrote, and of an output, is looked at."""
MANY: Final = 12
"""More paths in one output are a listing: none of them stands out."""

_HOST = re.compile(
    r"(?<![\w./@-])(?:"
    r"(?:web|www|db|app|api|cache|gw|gateway|lb|proxy|node|worker|master|slave|replica|primary|redis"
    r"|mysql|maria|pg|postgres|mongo|es|elastic|kafka|mq|rabbit|queue|nginx|haproxy|k8s|kube|etcd"
    r"|ci|build|runner|log|logs|mon|monitor|prom|grafana|backup|nas|nfs|san|store|storage|minio|dns"
    r"|ns|ntp|mail|smtp|mx|vpn|fw|edge|core|bastion|jump|relay|cron|batch|job|search|auth|ldap|sso"
    r"|prod|production|stage|staging|stg|uat|qa|test|dev|pre|srv|server|host|vm|box|ip|bj|sh|gz|hz"
    r"|us|eu|cn|pay|payment|order|user|shop|mall|erp|crm|git|gitlab|jenkins|harbor|registry|vault"
    r"|consul|zk|hadoop|spark|flink|hbase|clickhouse|ch|ai|gpu|render|media|video|img|static|cdn)"
    r"[a-z]{0,4}(?:[-_](?=[a-z0-9-]*[0-9bcdfghjkmnpqrstvwxz]))?[a-z0-9]{0,12}(?:[-_][a-z0-9]{1,12}){0,3}"
    r"|(?:[a-z0-9-]{1,30}\.){1,4}(?:internal|local|lan|intra|corp|prod|example|test|svc|home|cluster)"
    r"(?:\.[a-z]{2,8})?"
    r"|\d{1,3}(?:\.\d{1,3}){3}"
    r")(?![\w/-]|\.\w)",
    re.I,
)
_ANNOUNCED = re.compile(
    r"(?:主机|机器|服务器|节点|登录|登到|\b(?:host|server|node|machine|box|ssh)\b|\bon\b(?=\s\S+-))\s*"
    r"((?<![A-Za-z0-9])(?=[A-Za-z0-9.-]*\d)[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*)(?![\w/-])",
)
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*[A-Za-z0-9]|[\u4e00-\u9fff]+")


def paths_told(text: str) -> list[str]:
    """Return the paths in what a person or the agent wrote, or in a command."""
    text = text[:TOLD_CHARS]
    found = [*_PATH.findall(text), *_SHORT_PATH.findall(text)]
    return list(dict.fromkeys(_trimmed(each) for each in found))


def paths_shown(output: str) -> list[Note]:
    """Return the paths in an output that may matter: configuration, logs, data; no system ones."""
    output = output[:SHOWN_CHARS]
    if "/" not in output:
        return []
    weights: dict[str, int] = {}
    for found in _PATH.finditer(output):
        path = _trimmed(found[0])
        if path not in weights and not _NOISE.match(path):
            weights[path] = _path_weight(path, _line_of(output, found.start()))
    lighter = 1 if len(weights) > MANY else 0
    notes = [Note(path, max(weight - lighter, 1)) for path, weight in weights.items()]
    return sorted(notes, key=lambda note: -note.weight)[:MANY]


def _path_weight(path: str, line: str) -> int:
    return (
        2
        + (_TELLING.search(path) is not None)
        + 2 * (_ABOUT.search(line.replace(path, "")) is not None)
    )


def _line_of(text: str, at: int) -> str:
    start = text.rfind("\n", max(0, at - 200), at) + 1 or max(0, at - 200)
    end = text.find("\n", at, at + 300)
    return text[start : end if end >= 0 else at + 300]


def _trimmed(path: str) -> str:
    return path.rstrip(".,:;=%")


def hosts(text: str) -> list[str]:
    """Return what looks like the name or the address of a host in a person's words.

    A name of a usual kind (web-3), an address, or any name with a digit or a hyphen after a
    word that announces a host ("on orion-7", "主机 orion-7").
    """
    text = text[:TOLD_CHARS]
    found = [*_HOST.findall(text), *_ANNOUNCED.findall(text)]
    return [
        each
        for each in dict.fromkeys(found)
        if any(char.isdigit() or char in "-." for char in each)
    ]


@lru_cache(maxsize=4_096)
def rare(text: str) -> frozenset[str]:
    """Return the words by which a text can be known again: lower case, Han in pairs."""
    found: set[str] = set()
    common = wording.common()
    for word in _WORD.findall(text):
        if word[0] >= "\u4e00":
            found.update(
                pair for at in range(len(word) - 1) if (pair := word[at : at + 2]) not in common
            )
        elif (lower := word.lower()) not in common and (len(word) > 2 or not word.isalpha()):
            found.add(lower)
    return frozenset(found)


def points(text: str) -> int:
    """Return how much a text can be about: a word counts two, a pair of Chinese characters one."""
    return sum(2 if word.isascii() else 1 for word in rare(text))


def identifiers(words: Iterable[str]) -> set[str]:
    """Return the words that are names, not words of a language: with digits, dots, hyphens."""
    return {
        each
        for each in words
        if each.isascii() and any(char.isdigit() or char in "._-" for char in each)
    }


def arguments_text(arguments: Mapping[str, object], name: str) -> list[str]:
    """Return the texts of one argument of a tool call, be it one or a list."""
    value = arguments.get(name)
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each.strip()]
