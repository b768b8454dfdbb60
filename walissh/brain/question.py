"""What a question asks for: a playbook, a command of its own, a change, or neither."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from walissh.brain import asked
from walissh.brain.asked import Asked
from walissh.brain.playbook import Catalogue, Playbook, Words
from walissh.memory.extract import incidents

Kind = Literal["diagnose", "command", "change", "unknown"]
MAX_PLAYBOOKS: Final = 3
_MAX_PORT: Final = 65535
_MAX_QUESTION_CHARS: Final = 4000  # a pasted log is searched no further for words

_FENCED = re.compile(r"```(?:\w+)?\n(.*?)\n?```", re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_PROMPT = re.compile(r"\s*(?:!|\$ )\s*(\S.*)")
_PORT = re.compile(
    r"(?:\bports?|端口号?)\s*[:：#]?\s*(\d{1,5})(?!\d)"
    r"|(?<!\d)(\d{1,5})\s*(?:端口|port\b)"
    r"|:(\d{3,5})(?![\d:])"
    r"|(?<![\w.:/-])(?!(?:19|20)\d\d\b)(\d{4,5})(?![\w.:-])",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:please|pls|can you|could you|would you|will you|just|now|"
    r"请|帮我|帮忙|麻烦|你|给我|再|能不能|能否|可以)[\s,，]*",
    re.IGNORECASE,
)
_RUN_EN = re.compile(r"^(?:run|execute|exec)\s+(?:the\s+command\s+)?(.+)$", re.IGNORECASE)
_RUN_ZH = re.compile(r"^(?:运行|执行|跑一下|跑)(?:一下)?(?:命令)?[:：\s]*(.+)$")
_FILLER = re.compile(
    r"\b(?:run|execute|exec|please|pls|can|could|you|and|then|on|the|command|commands|me|for|"
    r"show|what|does|say|print|output|result|of|now|in|host|server|machine)\b"
    r"|请|帮我|运行|执行|跑|一下|命令|然后|再|和|在|上|看看|看|输出|结果|的|主机|服务器"
    r"|[\s,，.。?？!！:：;；、]",
    re.IGNORECASE,
)
_CHANGE_EN = (
    r"restart|reboot|reload|start(?! with)|stop|kill|shut\s*down|delete|remove|install|uninstall|"
    r"upgrade|update|clean(?:\s*up)?|fix|repair|create|add|change|set|enable|disable|deploy|"
    r"configure|edit|write|move|copy|drop|truncate|format|mount|unmount|free\s+up"
)
_CHANGE_ZH = (
    r"重启|重新启动|启动|停止|停掉|关闭|关掉|杀掉|杀死|删除|删掉|安装|卸载|升级|更新|清理|清空|"
    r"修复|修改|创建|新建|添加|设置|启用|禁用|部署|配置|格式化|挂载|卸载|重载"
)
_CHANGE = re.compile(
    rf"^(?:{_CHANGE_EN})\b"
    rf"|^(?:{_CHANGE_ZH})(?!后|之后|以后|完|过|了|失败|报错)"
    rf"|把.{{1,60}}?(?:{_CHANGE_ZH})",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all|every|each)\b|所有|全部|每台|每个", re.IGNORECASE)

_TOOL = (
    r"(?:arp|blkid|cat|crontab|curl|date|df|dig|dmesg|docker|du|env|file|find|free|getent|git"
    r"|grep|head|hostname|hostnamectl|id|ifconfig|iostat|ip|iptables|journalctl|kubectl|last|ls"
    r"|lsblk|lscpu|lsmod|lsof|mount|mpstat|mysql|netstat|nft|nginx|nproc|nslookup|openssl|ping"
    r"|podman|printenv|ps|psql|pstree|pwd|redis-cli|rpm|dpkg|apt|sar|service|ss|stat|sysctl"
    r"|systemctl|tail|tar|timedatectl|top|traceroute|uname|uptime|vmstat|w|wc|who|whoami)"
)
_TOOL_CALL = re.compile(_TOOL + r"(?: [\x20-\x7e]*)?")
_BARE_CALL = re.compile(  # without "run", only what cannot be the beginning of a sentence
    _TOOL + r" [-/][\x20-\x7e]*"
    r"|df|dmesg|docker ps|hostname|hostnamectl|id|iostat|ls|lsblk|lscpu|lsmod|lsof|netstat|nproc"
    r"|ps|ps aux|pwd|ss|timedatectl|uname|uptime|vmstat|whoami"
)


_NOTHING: Final = Asked("")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as understood. *hosts* are those it is about; *things* what it names."""

    kind: Kind
    text: str
    hosts: tuple[str, ...]
    playbooks: tuple[Playbook, ...] = ()
    commands: tuple[str, ...] = ()
    things: Asked = _NOTHING


def understand(text: str, hosts: Sequence[str], found: Catalogue) -> Question:
    """Say what *text* asks for, on which of the selected *hosts*."""
    meant = _hosts_meant(text, hosts)
    commands = _commands(text, hosts)
    if commands:
        return Question("command", text, meant, commands=commands)
    plain = _without_politeness(_without_hosts(text[:_MAX_QUESTION_CHARS], hosts))
    chosen = choose(plain, found)
    things = asked.things(plain, _ports(plain))
    if _CHANGE.search(plain):
        return Question("change", text, meant, playbooks=chosen, things=things)
    if not chosen and _tells_of_something(plain, things):
        chosen = tuple(book for book in found.playbooks if book.general)
    kind: Kind = "diagnose" if chosen else "unknown"
    return Question(kind, text, meant, playbooks=chosen, things=things)


def _tells_of_something(text: str, things: Asked) -> bool:
    """Tell whether *text*, which no playbook knows, reports trouble or names a thing to look at."""
    return incidents.reports_trouble(text) or bool(things.urls or things.paths or things.statuses)


def _hosts_meant(text: str, hosts: Sequence[str]) -> tuple[str, ...]:
    """Return the hosts that *text* names, else all of them."""
    named = tuple(host for host in hosts if _host_pattern(host).search(text))
    return tuple(hosts) if not named or _ALL.search(text) else named


def _host_pattern(host: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-]|\.\w)", re.IGNORECASE | re.ASCII)


def _without_hosts(text: str, hosts: Iterable[str]) -> str:
    for host in sorted(hosts, key=len, reverse=True):
        name = _host_pattern(host).pattern
        around = rf"(?:\bon\s+(?:host\s+)?|在\s*)?{name}\s*(?:上的?|里的?)?[\s:：,，]*"
        text = re.sub(around, " ", text, flags=re.IGNORECASE | re.ASCII)
    return " ".join(text.split())


def _without_politeness(text: str) -> str:
    shorter = _POLITE.sub("", text.strip())
    return shorter if shorter == text else _without_politeness(shorter)


def _commands(text: str, hosts: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that *text* spells out, if it does nothing else."""
    if len(text) > _MAX_QUESTION_CHARS:
        return ()
    prompt = _PROMPT.fullmatch(text.strip())
    if prompt:
        return (prompt[1].strip(),)
    quoted = _quoted(text, hosts)
    if quoted:
        return quoted
    plain = _without_politeness(_without_hosts(text, hosts))
    verb = _RUN_EN.match(plain) or _RUN_ZH.match(plain)
    form = _TOOL_CALL if verb else _BARE_CALL
    bare = (verb[1] if verb else plain).strip(" .。")
    return (bare,) if form.fullmatch(bare) and "`" not in bare else ()


def _quoted(text: str, hosts: Sequence[str]) -> tuple[str, ...]:
    blocks = [line for block in _FENCED.findall(text) for line in block.splitlines()]
    rest = _FENCED.sub(" ", text)
    spans = [*blocks, *_SPAN.findall(rest)]
    around = _FILLER.sub("", _without_hosts(_SPAN.sub(" ", rest), hosts))
    commands = [span.strip().removeprefix("$ ") for span in spans if span.strip()]
    return tuple(dict.fromkeys(commands)) if commands and not around else ()


def choose(text: str, found: Catalogue) -> tuple[Playbook, ...]:
    """Return the playbooks whose words *text* uses, most words first, general ones last."""
    scored = [(hits, book) for book in found.playbooks if (hits := _hits(text, book.words))]
    specific = [each for each in scored if not each[1].general]
    ranked = sorted(specific or scored, key=lambda each: -each[0])  # stable: keeps the order
    return tuple(book for _, book in ranked[:MAX_PLAYBOOKS])


def _hits(text: str, words: Words) -> int:
    lower = text.casefold()
    chinese = sum(_pattern(word).search(text) is not None for word in words.zh)
    return chinese + sum(_has_word(lower, word.casefold()) for word in words.en)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Compile *word* once: there are more of them than ``re`` keeps."""
    return re.compile(word, re.IGNORECASE)


def _has_word(text: str, word: str) -> bool:
    if word not in text:
        return False
    return _pattern(rf"(?<![a-z0-9]){re.escape(word)}s?(?![a-z0-9])").search(text) is not None


def _ports(text: str) -> tuple[int, ...]:
    """Return the port numbers named, in their order."""
    numbers = (int(next(filter(None, match.groups()))) for match in _PORT.finditer(text))
    return tuple(dict.fromkeys(number for number in numbers if 0 < number <= _MAX_PORT))
