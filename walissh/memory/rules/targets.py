"""What a rule speaks of: programs, paths, things and commands, read from what is left of it."""

import re
from functools import cache

from walissh.memory.rules.rule import Target
from walissh.memory.rules.vocabulary import vocabulary

_ANYTHING = Target("thing", "anything")
_PATH = re.compile(
    r"(?<![\w/])(?:~/|/)[\w.*?/@~+\[\]-]*|(?<![\w./])[\w*-]+(?:\.[\w*-]+)*\.(?:conf|cnf|cfg"
    r"|ini|ya?ml|json|toml|log|sql|env|service|sh|py|db)\b"
)
_QUOTED = re.compile(r"[`\"“”「」‘’']([^`\"“”「」‘’']{1,80})[`\"“”「」‘’']")
_PROGRAM = re.compile(r"[A-Za-z][\w.+@*-]{0,62}")
_TYPES = re.compile(
    r"(?i)(?<![\w-])(?:services?|daemons?|process(?:es)?|containers?|databases?|clusters?"
    r"|instances?|servers?"
    r"|packages?|programs?|jobs?|units?|deployments?|pods?|stacks?|apps?|applications?|tables?"
    r"|director(?:y|ies)|folders?|files?|commands?|partitions?|disks?|volumes?|queues?"
    r"|users?)(?![\w-])"
    r"|服务器?|进程|容器|数据库|集群|实例|软件包|程序|任务|应用|目录|文件夹?|命令|分区|磁盘"
    r"|用户|表|队列|库|包"
)
_FILLER_EN = re.compile(
    r"(?i)(?<![\w-])(?:the|a|an|any|all|every|each|our|my|your|its?|their|this|that|these"
    r"|those|some|kind|kinds"
    r"|sort|of|to|in|on|at|from|under|inside|into|within|for|with|against|please|just|simply"
    r"|again|ever"
    r"|directly|manually|yourself|whatsoever|at all|in any (?:case|way)|either"
    r"|both|also|own"
    r"|called|named|main|primary|running|existing|other|new)(?![\w-])"
)
_FILLER_ZH = re.compile(
    r"任何|所有|一切|全部|这个|那个|这些|那些|我们|我的|直接|擅自|私自|随便|随意|自行|自动"
    r"|手动|去|请|您|你|给我|帮我|再|把|将|对|在|从|往|向|给|跟"
    r"|上面?|里面?|下面?|[中内](?=的|\s|$)|的|了|都|也|就|还|进行|做|一律|这|那|等|之类|类"
)
_SPLIT = re.compile(
    r"\s*(?:,|，|、|;|/(?=\s)|\band\b|\bor\b|\bnor\b|&|(?<![a-zA-Z0-9])和(?![a-zA-Z])|和|与|及|以及"
    r"|或者?|跟)\s*",
    re.I,
)
# words that bring in a condition or a story: what follows them was not understood
_CLAUSES = re.compile(
    r"(?i)(?<![\w-])(?:if|when|whenever|while|during|unless|until|till|as|because|after"
    r"|before|since|once|without"
    r"|not|never|no|but|except|said|says|told|think|will|would|should|could|must|may|can|is"
    r"|are|was|were"
    r"|has|have|had|do|does|did|always|only|more|less|than|they|he|she|we|i|who|what|why|how"
    r"|where|mind"
    r"|this|that|these|those|there|here|it|him|her|them|me|us|today|tomorrow|tonight"
    r"|yesterday|now|yet|time|once|week|month"
    r"|year|too)(?![\w-])"
)


def read(text: str) -> tuple[Target, ...] | None:
    """Return the targets that *text* names, () for none or anything; None: not understood."""
    found: list[Target] = []
    rest = text
    for match in list(_QUOTED.finditer(rest)):
        found.append(_quoted(match[1]))
        rest = rest.replace(match[0], " , ", 1)
    for match in list(_PATH.finditer(rest)):
        found.append(Target("path", match[0].rstrip(".")))
        rest = rest.replace(match[0], " , ", 1)
    for piece in _SPLIT.split(rest):
        target = _piece(piece, beside=bool(found))
        if target is None:
            return None
        found += target
    return tuple(dict.fromkeys(each for each in found if each != _ANYTHING))


def command(text: str) -> tuple[Target, ...] | None:
    """Return *text* as commands or programs that are run; None: not understood."""
    quoted = [Target("command", match[1].strip()) for match in _QUOTED.finditer(text)]
    if quoted:
        return tuple(quoted) if _is_empty(_QUOTED.sub(" ", text)) else None
    found: list[Target] = []
    for piece in _SPLIT.split(text):
        words = _FILLER_ZH.sub(
            " ", re.sub(r"(?i)\b(?:the|any|a|an|commands?|please|ever)\b|命令", " ", piece)
        )
        plain = " ".join(words.split())
        if not plain:
            continue
        if not re.fullmatch(r"[\x21-\x7e]+(?: [\x21-\x7e]+){0,5}", plain) or _CLAUSES.search(plain):
            return None
        found.append(Target("command", plain))
    return tuple(found)


def _quoted(text: str) -> Target:
    inner = text.strip()
    if inner.startswith(("/", "~/")) and " " not in inner:
        return Target("path", inner)
    return Target("name", inner) if _PROGRAM.fullmatch(inner) else Target("command", inner)


def _piece(piece: str, *, beside: bool) -> list[Target] | None:
    """Read one member of a list: a thing, or a name with or without its type."""
    if _CLAUSES.search(piece):
        return None
    bare = _bare(piece)
    if not bare:
        return []
    thing = _thing(bare)
    if thing:
        return [] if beside and _TYPES.fullmatch(bare) else [Target("thing", thing)]
    words = _bare(_TYPES.sub(" ", bare)).split()
    if not words:  # types alone: a table of a database
        named = [name for name in map(_thing, bare.split()) if name]
        return [Target("thing", named[-1])] if named else []
    if len(words) == 1 and _PROGRAM.fullmatch(words[0]):
        return [Target("name", words[0])]
    return _compound(bare)


def _compound(bare: str) -> list[Target] | None:
    """Read "nginx config" and "nginx 配置": the thing of a program."""
    match = re.fullmatch(r"([A-Za-z][\w.+-]{0,62})(?:['’]s)?\s*(.+)", bare)
    if match and _thing(match[2].strip()) and not _CLAUSES.search(match[1]):
        return [Target("name", match[1])]
    return None


def _bare(text: str) -> str:
    plain = _FILLER_ZH.sub(" ", _FILLER_EN.sub(" ", text))
    return " ".join(
        re.sub(r"[:：。.!！~]+(?=\s|$)|^[\s:：,，-]+|['’]s?(?=\s|$)", " ", plain).split()
    )


def _is_empty(text: str) -> bool:
    return not _bare(_SPLIT.sub(" ", _TYPES.sub(" ", text)))


def _thing(text: str) -> str:
    for name, words in _things():
        if words.fullmatch(text):
            return name
    return ""


@cache
def _things() -> list[tuple[str, re.Pattern[str]]]:
    found = vocabulary().things.values()
    return [(each.name, re.compile(f"(?:{each.said})", re.I)) for each in found]
