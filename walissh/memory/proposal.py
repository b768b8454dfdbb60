"""An order that leaves something out, and what the past proposes to fill in.

"Restart the service": which one? If past choices or one memory leave no doubt, the agent
proposes it, and the person confirms; it is never simply done.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal

from walissh.memory import weight
from walissh.memory.choices import UNIT, Action, Choice, choice
from walissh.memory.entry import Memory, MemoryState, MemoryType
from walissh.memory.expressions import seen
from walissh.react.turn import Language

__all__ = ["Action", "Choice", "Missing", "What", "choice", "missing", "propose"]

What = Literal["service", "host", "path"]

CLEAR_SHARE: Final = 0.9
CLEAR_COUNT: Final = 3
"""So many past choices at least, and such a share of one value, leave no doubt."""

MAX_QUESTION_CHARS: Final = 80


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
    r"(?:请|麻烦你?|劳驾|帮我?|帮忙|给我|替我|能不能|可不可以|可以|能|你|那(?![个台些])|先|再|赶紧|马上|立刻|"
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
    rf"(?P<path>data|config|configs|configuration|files?)|(?P<it>it|that|one)|"
    rf"(?P<name>{_NAME})(?: (?:{_THINGS}))?)?"
    rf"(?: (?:on|at|for) (?:the |that |this )?(?:{_MACHINES}|server|(?P<host>{_NAME})))?"
)
_ON_ZH = rf"(?:(?P<host>{_NAME}) ?(?:上|这台|那台|上面|机器上)?(?:的)? ?)?"
_THING_ZH = (
    rf"(?:(?P<thing>{_THINGS_ZH})|(?P<machine>{_MACHINES_ZH})|(?P<log>日志|log)|"
    rf"(?P<path>数据|配置|配置文件|文件)|(?P<it>它)|(?P<name>{_NAME})(?: ?(?:{_THINGS_ZH}))?)"
)
_WHICH_ZH = "(?:那个|这个|那台|这台|我的|我们的|老)?"
_ZH = (
    re.compile(rf"(?:把|将|在)? ?{_ON_ZH}{_WHICH_ZH}{_THING_ZH} ?(?:给)?(?P<verb>{_TURNS})"),
    re.compile(rf"(?:在 ?{_NAME} ?上)?(?P<verb>{_TURNS}) ?{_ON_ZH}{_WHICH_ZH}{_THING_ZH}?"),
)
_SPACES = re.compile(r" {2,}")
_NUMBERED = re.compile(r"[a-z][a-z.-]*\d+")
# a question, or an order that leaves nothing out
_ASKED = re.compile(
    r"[了过](?:吗|没)|为什么|为啥|怎么|多少|什么|所有|全部|(?<![a-z])(?:did|why|how|when|who|what|"
    r"was|were|has|have|all|every|everything|both|any)(?![a-z])"
)


def missing(question: str, hosts: Sequence[str] = ()) -> Missing | None:
    """Return what an order leaves out, None if it leaves out nothing or is no order.

    *hosts* are the names of the hosts there are; without them a name that ends in a number
    is taken for one. A service that is named alone leaves the host open: where only one is
    at hand, nothing is missing, and `propose` says nothing.
    """
    text = seen(question) if len(question) <= MAX_QUESTION_CHARS else ""
    if not text or _ASKED.search(text):
        return None
    wish = weight.weigh(text)
    bare = _SPACES.sub(" ", _POLITE.sub(" ", weight.without(text))).strip(" .;:、的")
    for pattern in (_EN, *_ZH):
        for form in (bare, bare.replace(" ", "")) if pattern is not _EN else (bare,):
            found = pattern.fullmatch(form)
            if found:
                return _missing(found.groupdict(), [each.lower() for each in hosts], wish.latest)
    return None


def _missing(parts: Mapping[str, str | None], hosts: Sequence[str], latest: bool) -> Missing | None:
    action = _VERBS[parts["verb"] or ""]
    host, name = parts["host"] or "", parts["name"] or ""
    if _is_host(name, hosts):
        return None  # the machine itself is meant
    if host and not name and not _is_host(host, hosts):
        host, name = "", host  # "nginx 的日志" and "web1 的日志" are alike but for the name
    if action == "logs" and not parts["log"]:
        return None  # "show disks" is a question, not an order without its object
    if action in ("start", "stop") and not (parts["thing"] or parts["machine"] or name):
        return None  # "stop" alone is said to the agent
    if parts["machine"]:
        return Missing("reboot", ("host",), latest=latest) if action == "restart" else None
    if action == "backup":
        return None if name else Missing(action, ("path",), host=host, latest=latest)
    what: tuple[What, ...] = () if host else ("host",)
    if not name:
        what = ("service", *what)
    return Missing(action, what, name, host, latest, bool(parts["it"])) if what else None


def _is_host(name: str, hosts: Sequence[str]) -> bool:
    return name in hosts if hosts else bool(_NUMBERED.fullmatch(name))


# --- what to propose ----------------------------------------------------------------------

_SAID: Mapping[Language, Mapping[Action, str]] = {
    "en": {
        "reboot": "Reboot",
        "restart": "Restart",
        "reload": "Reload",
        "start": "Start",
        "stop": "Stop",
        "logs": "The log of",
        "backup": "Back up to",
    },
    "zh": {
        "reboot": "重启",
        "restart": "重启",
        "reload": "重新加载",
        "start": "启动",
        "stop": "停止",
        "logs": "查看",
        "backup": "备份",
    },
}
# "restarted redis", "重启了 redis"; not "restart of", "restart the"
_TOLD = re.compile(
    r"(restart|reload|重启|重载)(?:ed|ing|了|一下|掉)? ?"
    r"(?!(?:the|it|of|and|all|both|on|to|after)\b)([a-z][a-z0-9_.@-]*[a-z0-9])"
)
_PATH = re.compile(r"(?<![\w/])/[\w.@+-]+(?:/[\w.@+-]+)*/?")
_VERB_WORDS: Mapping[Action, tuple[str, ...]] = {
    "reboot": ("reboot", "重启"),
    "restart": ("restart", "重启", "bounce"),
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
    kind, _, names = memory.scope.partition(":")
    if kind not in ("host", "all-except"):
        return True
    named = any(fnmatchcase(host, each.strip()) for each in names.split(","))
    return named if kind == "host" else not named


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
    if memory.type is not MemoryType.TROUBLESHOOTING_CASE or "service" not in missing.what:
        return ""
    found = choice(memory.fix, memory.host, memory.at)
    if found is not None:
        return found.service if found.action == missing.action else ""
    told = _TOLD.findall(memory.fix.lower()) if missing.action in ("restart", "reload") else []
    names = {name for verb, name in told if _VERBS.get(verb) == missing.action}
    return names.pop() if len(names) == 1 else ""


def _only_program(missing: Missing, memory: Memory) -> str:
    wanted = memory.type is MemoryType.SOFTWARE_FACT and "service" in missing.what
    return memory.subject if wanted and memory.host and _is_service(memory.subject) else ""


def _is_service(text: str) -> bool:
    return bool(UNIT.fullmatch(text)) and bool(re.search("[A-Za-z]", text)) and len(text) <= 60


def _sentence(action: Action, service: str, host: str, language: Language, *, again: bool) -> str:
    verb = _SAID[language][action]
    if language == "en":
        what = f"{verb} {service} on {host}" if service else f"{verb} {host}"
        return f"{what}, {'as last time' if again else 'is that right'}?"
    what = f"{service} 的日志" if action == "logs" else service
    end = "和上次一样" if again else "对吗"
    if action == "backup":
        return f"{host} 的备份放到 {service}，{end}？"
    return f"{verb} {host} 上的 {what}，{end}？" if service else f"{verb} {host}，{end}？"
