"""An order that leaves something out, and what the past proposes to fill in.

"Restart the service": which one? If past choices or one memory leave no doubt, the agent
proposes it, and the person confirms; it is never simply done.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, Literal

from walissh.memory import weight
from walissh.memory.entry import Memory, MemoryState, MemoryType
from walissh.memory.phrases import seen
from walissh.react.turn import Language

Action = Literal["restart", "reload", "start", "stop", "logs", "backup"]
What = Literal["service", "host", "path"]

CLEAR_SHARE: Final = 0.9
CLEAR_COUNT: Final = 3
"""So many past choices at least, and such a share of one value, leave no doubt."""

MAX_QUESTION_CHARS: Final = 80
MAX_COMMAND_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Missing:
    """What an order leaves out: *what* in the order it has to be asked for.

    *service* and *host* are what it does name, "" if not. *latest*: the person wants it as
    it was the last time, so that one choice is enough.
    """

    action: Action
    what: tuple[What, ...]
    service: str = ""
    host: str = ""
    latest: bool = False
    points: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What a past command did to which service (for a backup: which folder) where."""

    action: Action
    service: str
    host: str
    at: datetime


# --- what is missing ----------------------------------------------------------------------

_VERBS: Mapping[str, Action] = {
    "restart": "restart",
    "reboot": "restart",
    "bounce": "restart",
    "recycle": "restart",
    "重启": "restart",
    "重新启动": "restart",
    "reload": "reload",
    "重载": "reload",
    "重新加载": "reload",
    "start": "start",
    "start up": "start",
    "bring up": "start",
    "launch": "start",
    "启动": "start",
    "拉起来": "start",
    "拉起": "start",
    "起起来": "start",
    "起一下": "start",
    "开起来": "start",
    "stop": "stop",
    "shut down": "stop",
    "kill": "stop",
    "停掉": "stop",
    "停止": "stop",
    "关掉": "stop",
    "停一下": "stop",
    "停": "stop",
    "tail": "logs",
    "show": "logs",
    "check": "logs",
    "look at": "logs",
    "read": "logs",
    "see": "logs",
    "看": "logs",
    "看看": "logs",
    "看下": "logs",
    "查": "logs",
    "查看": "logs",
    "查下": "logs",
    "翻": "logs",
    "back up": "backup",
    "backup": "backup",
    "备份": "backup",
}
_THINGS = (
    "service|services|server|daemon|app|application|process|container|pod|instance|unit|site|"
    "website|program|database|db|cache|queue|broker|proxy|web ?server|worker|api|backend|"
    "thing|job|stack|deployment"
)
_THINGS_ZH = (
    "服务|进程|应用|程序|容器|实例|数据库|缓存|队列|网站|站点|后端|前端|后台|接口|代理|中间件|"
    "任务|消费者|项目|系统"
)
_MACHINES = "machine|host|box|vm|node"
_MACHINES_ZH = "机器|主机|服务器|虚拟机|节点"

_POLITE = re.compile(
    r"(?:请|麻烦你?|劳驾|帮我?|帮忙|给我|替我|能不能|可不可以|可以|能|你|那|先|再|赶紧|马上|立刻|"
    r"现在|快|一下|下|吧|呗|呀|啊|吗|嘛|了|哈|好|，|,|。|？|\?|!|！)|"
    r"(?<![a-z])(?:please|pls|plz|can you|could you|would you|will you|go ahead and|just|now|"
    r"quickly|again|for me|ok|okay|hey|hi|then|and|so|i need you to|i want you to|let's|"
    r"kindly|once more|asap|right away|immediately|thanks|thank you)(?![a-z])"
)
_TURNS = "|".join(sorted(_VERBS, key=len, reverse=True))
_NAME = r"[a-z0-9][a-z0-9_.@-]*"
_EN = re.compile(
    rf"(?P<verb>{_TURNS})(?: up)? ?"
    rf"(?:(?:the|that|this|my|our|a|its|same|usual|whole) )*"
    rf"(?:(?P<thing>{_THINGS})|(?P<machine>{_MACHINES})|(?P<log>logs?(?: files?)?)|"
    rf"(?P<path>data|config|configs|configuration|files?|everything)|(?P<it>it|that|one)|"
    rf"(?P<name>{_NAME})(?: (?:{_THINGS}))?)?"
    rf"(?: (?:on|at|for) (?:the |that |this )?(?:{_MACHINES}|server|(?P<host>{_NAME})))?"
)
_ON_ZH = rf"(?:(?P<host>{_NAME}) ?(?:上|这台|那台|上面|机器上)?(?:的)? ?)?"
_THING_ZH = (
    rf"(?:(?P<thing>{_THINGS_ZH})|(?P<machine>{_MACHINES_ZH})|(?P<log>日志|log)|"
    rf"(?P<path>数据|配置|配置文件|文件)|(?P<it>它)|(?P<name>{_NAME})(?: ?(?:{_THINGS_ZH}))?)"
)
_WHICH_ZH = "(?:那个|这个|那台|这台|我的|我们的|老|所有)?"
_ZH = (
    re.compile(rf"(?:把|将|在)? ?{_ON_ZH}{_WHICH_ZH}{_THING_ZH} ?(?:给)?(?P<verb>{_TURNS})"),
    re.compile(rf"(?:在 ?{_NAME} ?上)?(?P<verb>{_TURNS}) ?{_ON_ZH}{_WHICH_ZH}{_THING_ZH}?"),
)
_SPACES = re.compile(r" {2,}")


def missing(question: str) -> Missing | None:
    """Return what an order leaves out, None if it leaves out nothing or is no order.

    A service that is named alone leaves the host open: where only one is at hand, nothing
    is missing, and `propose` says nothing.
    """
    if len(question) > MAX_QUESTION_CHARS:
        return None
    text = seen(question)
    wish = weight.weigh(text)
    bare = _SPACES.sub(" ", _POLITE.sub(" ", weight.without(text))).strip(" .;:、的")
    for pattern in (_EN, *_ZH):
        for form in (bare, bare.replace(" ", "")) if pattern is not _EN else (bare,):
            found = pattern.fullmatch(form)
            if found:
                return _missing(found.groupdict(), wish.latest)
    return None


def _missing(parts: Mapping[str, str | None], latest: bool) -> Missing | None:
    action = _VERBS[parts["verb"] or ""]
    host, name = parts["host"] or "", parts["name"] or ""
    if action == "logs" and not parts["log"]:
        return None  # "show disks" is a question, not an order without its object
    if action in ("start", "stop") and not (parts["thing"] or parts["machine"] or name):
        return None  # "stop" alone is said to the agent
    if parts["machine"]:
        return None if host else Missing(action, ("host",), latest=latest)
    if action == "backup":
        return None if name else Missing(action, ("path",), host=host, latest=latest)
    services: tuple[What, ...] = () if name else ("service",)
    hosts: tuple[What, ...] = () if host else ("host",)
    what = services + hosts
    return Missing(action, what, name, host, latest, bool(parts["it"])) if what else None


# --- what was chosen before ---------------------------------------------------------------

_WRAPPERS = frozenset({"sudo", "env", "nohup", "time", "nice", "ionice", "doas", "command", "exec"})
_WITH_VALUE = frozenset({"-u", "-g", "-n", "-H", "-M", "-t", "--user", "--namespace", "-f", "-p"})
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "\n"})
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*")
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:-]*")
_ACTIONS: Mapping[str, Action] = {
    "restart": "restart",
    "try-restart": "restart",
    "reload-or-restart": "restart",
    "force-reload": "reload",
    "reload": "reload",
    "graceful": "reload",
    "start": "start",
    "up": "start",
    "stop": "stop",
    "down": "stop",
    "kill": "stop",
    "logs": "logs",
}
# the verb stands before the service; two words where the first one only says the kind
_VERB_FIRST = frozenset(
    {
        *("systemctl", "initctl", "supervisorctl", "circusctl", "launchctl", "svcadm"),
        *("docker", "podman", "nerdctl", "crictl", "docker-compose", "podman-compose"),
        *("sv", "pm2", "monit", "snap", "brew"),
    }
)
_SERVICE_FIRST = frozenset({"service", "rc-service"})
_GROUPS = frozenset({"compose", "container", "services", "service", "rollout", "stack", "--user"})
_LOG_TOOLS: Mapping[str, str] = {"journalctl": "-u"}
_SIGNALLED: Mapping[str, str] = {"nginx": "-s", "haproxy": "-s", "httpd": "-k", "apache2": "-k"}


def choice(command: str, host: str, at: datetime) -> Choice | None:
    """Return which service a command acted on, None if none or more than one."""
    found = {each for each in map(_acted, _simple_commands(command)) if each is not None}
    if len(found) != 1:
        return None
    action, service = found.pop()
    return Choice(action, service, host, at)


def _simple_commands(command: str) -> list[list[str]]:
    """Split a command line roughly: what it does is told by others, before it runs."""
    if len(command) > MAX_COMMAND_CHARS:
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    parts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _SEPARATORS or set(word) <= {"\n", ";"}:
                parts.append([])
            else:
                parts[-1].append(word)
    except ValueError:  # a quote that is not closed
        return []
    return parts


def _acted(words: list[str]) -> tuple[Action, str] | None:
    words = _unwrapped(words)
    if not words:
        return None
    tool, rest = words[0].rpartition("/")[2], words[1:]
    if words[0].startswith(("/etc/init.d/", "/etc/rc.d/")):
        return _named(rest[:1], [tool])
    if tool in _SERVICE_FIRST:
        plain = _plain(rest)
        return _named(plain[1:2], plain[:1])
    if tool in _SIGNALLED and _SIGNALLED[tool] in rest:
        return _named(rest[rest.index(_SIGNALLED[tool]) + 1 :][:1], [tool])
    if tool in _LOG_TOOLS:
        return _named(["logs"], _units_of_log(rest))
    if tool in ("apachectl", "apache2ctl"):
        return _named(_plain(rest)[:1], ["apache2"])
    if tool == "kubectl":
        plain = [each for each in _plain(rest) if each not in _GROUPS]
        return _named(plain[:1], _workloads(plain[1:]))
    if tool in _VERB_FIRST:
        plain = [each for each in _plain(rest) if each not in _GROUPS]
        return _named(plain[:1], plain[1:])
    return None


def _unwrapped(words: list[str]) -> list[str]:
    while words and (words[0] in _WRAPPERS or _ASSIGNED.fullmatch(words[0])):
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[2:] if words[0] in _WITH_VALUE - {"-n", "-H"} else words[1:]
    if words and words[0] == "timeout":
        plain = [each for each in words[1:] if not each.startswith("-")]
        return plain[1:]
    return words


def _plain(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for each in words:
        if skip or each.startswith("-"):
            skip = not skip and each in _WITH_VALUE
            continue
        kept.append(each)
    return kept


def _units_of_log(words: list[str]) -> list[str]:
    units = [after for flag, after in pairwise(words) if flag in ("-u", "--unit")]
    units += [each.partition("=")[2] for each in words if each.startswith("--unit=")]
    return units


def _workloads(words: list[str]) -> list[str]:
    if words[:1] and words[0] in ("deployment", "deploy", "statefulset", "sts", "daemonset", "ds"):
        words = words[1:]
    return [each.rpartition("/")[2] for each in words]


def _named(verb: Sequence[str], services: Sequence[str]) -> tuple[Action, str] | None:
    action = _ACTIONS.get(verb[0]) if verb else None
    if action is None or len(services) != 1 or not _UNIT.fullmatch(services[0]):
        return None
    return action, services[0].removesuffix(".service")


# --- what to propose ----------------------------------------------------------------------

_SAID: Mapping[Language, Mapping[Action, str]] = {
    "en": {
        "restart": "Restart",
        "reload": "Reload",
        "start": "Start",
        "stop": "Stop",
        "logs": "The log of",
        "backup": "Back up to",
    },
    "zh": {
        "restart": "重启",
        "reload": "重新加载",
        "start": "启动",
        "stop": "停止",
        "logs": "查看",
        "backup": "备份到",
    },
}
_PATH = re.compile(r"(?<![\w/])/[\w.@+-]+(?:/[\w.@+-]+)*/?")
_VERB_WORDS: Mapping[Action, tuple[str, ...]] = {
    "restart": ("restart", "重启", "reboot", "bounce"),
    "reload": ("reload", "重载", "重新加载"),
    "start": ("start", "启动"),
    "stop": ("stop", "停"),
    "logs": ("log", "日志"),
    "backup": ("backup", "back up", "back-up", "备份", "dump"),
}


def propose(
    missing: Missing,
    memories: Sequence[Memory],
    choices: Sequence[Choice],
    *,
    host: str,
    language: Language,
) -> str:
    """Return a question that fills in what is missing, "" where the past leaves doubt.

    *memories* are those that the order recalled, *choices* this person's own past ones,
    *host* the one host at hand, "" if there are several.
    """
    at_host = missing.host or host
    if missing.what == ("host",) and at_host:
        return ""  # nothing is left to ask
    usual = _usual(missing, choices, at_host)
    if usual is not None:
        return _sentence(missing.action, *usual, language, again=True)
    service = missing.service or _remembered(missing, memories, at_host)
    if service and at_host:
        return _sentence(missing.action, service, at_host, language, again=False)
    return ""


def _usual(missing: Missing, choices: Iterable[Choice], host: str) -> tuple[str, str] | None:
    past = [
        each
        for each in choices
        if each.action == missing.action
        and missing.service in ("", each.service)
        and host in ("", each.host)
    ]
    if not past:
        return None
    if missing.latest:
        last = max(past, key=lambda each: each.at)
        return last.service, last.host
    (value, count), *_ = Counter((each.service, each.host) for each in past).most_common(1)
    clear = count >= CLEAR_COUNT and count >= CLEAR_SHARE * len(past)
    return value if clear else None


def _remembered(missing: Missing, memories: Iterable[Memory], host: str) -> str:
    """Return the one value that the strongest kind of memory gives, "" if none or several."""
    valid = [
        each
        for each in memories
        if each.state is MemoryState.VALID and each.host in ("", host) and _in_scope(each, host)
    ]
    for kind in (_preferred, _mended_by, _only_program):
        values = {value for each in valid if (value := kind(missing, each))}
        if values:
            return values.pop() if len(values) == 1 else ""
    return ""


def _in_scope(memory: Memory, host: str) -> bool:
    return not memory.scope.startswith("host:") or host in memory.scope[5:].split(",")


def _preferred(missing: Missing, memory: Memory) -> str:
    if memory.type is not MemoryType.USER_PREFERENCE:
        return ""
    about = f"{memory.subject} {memory.content}".lower()
    if not any(word in about for word in _VERB_WORDS[missing.action]):
        return ""
    if missing.action == "backup":
        paths = set(_PATH.findall(f"{memory.value} {memory.content}"))
        return paths.pop() if len(paths) == 1 else ""
    return memory.value if _is_service(memory.value) else ""


def _mended_by(missing: Missing, memory: Memory) -> str:
    if memory.type is not MemoryType.TROUBLESHOOTING_CASE or missing.action == "backup":
        return ""
    found = choice(memory.fix, memory.host, memory.at)
    return found.service if found is not None and found.action == missing.action else ""


def _only_program(missing: Missing, memory: Memory) -> str:
    wanted = memory.type is MemoryType.SOFTWARE_FACT and missing.action != "backup"
    return memory.subject if wanted and memory.host and _is_service(memory.subject) else ""


def _is_service(text: str) -> bool:
    return bool(_UNIT.fullmatch(text)) and bool(re.search("[A-Za-z]", text)) and len(text) <= 60


def _sentence(action: Action, service: str, host: str, language: Language, *, again: bool) -> str:
    verb = _SAID[language][action]
    if language == "en":
        return f"{verb} {service} on {host}, {'as last time' if again else 'is that right'}?"
    end = "和上次一样" if again else "对吗"
    if action == "backup":
        return f"{verb} {host} 上的 {service}，{end}？"
    what = f"{service} 的日志" if action == "logs" else service
    return f"{verb} {host} 上的 {what}，{end}？"
