"""The Chinese grammar of standing rules: 不要, 先问我, 只读, 只能在."""

import re
from functools import cache

from walissh.memory.rules.english import Spoken
from walissh.memory.rules.rule import Effect
from walissh.memory.rules.vocabulary import alternatives, vocabulary

_CONSENT = r"(?:同意|批准|许可|确认|允许|点头|授权|拍板|审批|首肯)"
_ASK = re.compile(
    rf"未经(?:过|明确|事先)*(?:{_CONSENT})(?:的?情况下|之?前)?|"
    rf"(?:没有?|未)(?:事先|提前)?(?:经过?|得到|征得|取得|获得|有)?我的?{_CONSENT}(?:之?前"
    rf"|以前|的?情况下|时|的话)?"
    rf"|(?:没有?|未|不)(?:先)?(?:问过?|告诉|跟我说过?|通知)我?(?:之?前|以前|的?情况下|就)"
    rf"|除非(?:是)?(?:经过?|得到)?我(?:本人)?(?:明确|亲自|事先)?(?:{_CONSENT}|要求|让你|叫你"
    rf"|说可以|发话|说了|吩咐)(?:了|过)?"
    rf"|(?:必须|一定|务必|都|要|得|应|该|需|须|请|一律|均|记得|只能|只有|才能|才可以|也|先)*"
    rf"(?:先?(?:问(?:过|一?下|一声|问)?我(?:一?下|一声|本人)?|(?:跟|和|与|向"
    rf"|找)我(?:再)?(?:确认|说|商量|打(?:个)?招呼|请示|报告"
    rf"|汇报|沟通|核对|讲)(?:一?下|一声)?"
    rf"|(?:经过?|得到|征得|取得|获得|征求|拿到|等到?|要有?|有)我的?(?:{_CONSENT}|意见)|(?:让"
    rf"|等|由|请|找)我(?:来|先"
    rf"|再)?{_CONSENT}|征求我的?意见|请示我?|(?:先|要|须|需要?|必须)(?:先)?确认(?:一?下)?"
    rf"|(?:先|提前|事先)(?:通知|告诉|告知"
    rf"|提醒)我?(?:一?下|一声)?)"
    rf"|(?:需要?|要|须|必须)我(?:来|先)?(?:的)?{_CONSENT})"
    rf"(?:之?后)?(?:才(?:能|可以?|准|行|许))?(?:再)?(?:才行|才可以|即可|再说|再做|再动手)?",
)
_READ_ONLY = re.compile(
    r"(?:一律|全|部|都|均|只能|只许|只准|保持|当作|当成"
    r"|视为|按|设为|为|是|必须|永远"
    r"|始终|严格|请|要|做|执行|跑|用|允许"
    r"|以)*只读(?:的)?(?:模式|操作|命令|访问|权限|状态|方式|处理|对待|不写|机器|环境|使用)*"
    r"|只(?:能|许|准|可以?|允许)?(?:执行|运行|跑|做|用|进行)?(?:看|读|查看|读取|查询|查|观察"
    r"|只读操作|只读命令|读操作|查询操作)(?:操作"
    r"|命令)?(?:[,，、]?\s*(?:不(?:能|许|准|要|可以?|得)?|别|禁止)(?:改动?|动手?|写入?|修改"
    r"|变更|碰)(?:任何东西)?)?"
    r"|只看不(?:动|改|碰)|只读不写|只查不改|(?:不(?:要|许|准|得|能|允许)|禁止|严禁|别)(?:做"
    r"|进行|执行|有)?(?:任何|一切"
    r"|所有)?的?(?:写操作|写入操作|变更操作|修改操作|变更|修改|改动|写入|更改)(?:任何东西|操作)?$"
)
_NEVER = re.compile(
    r"(?:永远|绝对|千万|一定|坚决|一律|谁也|都|也|万万|请|你|谁都)*"
    r"(?:不要再?|不准再?|不许再?|不得再?|不能再?|不可以再?|不可再?|不允许再?|不让|不应该?"
    r"|不宜|禁止再?|严禁|切勿|请勿|切忌|严格禁止|绝不(?:能"
    r"|可以?|允许|要|许|准)?|决不(?:能|可以?|允许|要)?|永不(?!超)|永远不(?:要|能|可以?|准"
    r"|许)?|千万不?(?:要|别|能|可)|谢绝|杜绝|莫要?"
    r"|勿|甭|别再?|不再(?:允许)?)"
)
_ONLY = re.compile(
    r"只有\s*(?:才)?(?:可以|能|允许)|只(?:能|许|准|可以?|允许|得)在?|才(?:能|可以?|准|许"
    r"|允许)|仅(?:限|能|可|允许)于?在?"
)
_REASON = re.compile(
    r"[,，、；;(（]?\s*(?:因为|否则|不然|以免|避免|防止|免得|毕竟|以防|这是|那是|它是|会影响"
    r"|会导致|太危险).*$"
)
_EXTRA = re.compile(
    r"^(?:规则|规定|注意|重要|记住|切记|原则|要求|备注|铁律|红线)\s*\d*\s*[:：，,]"
    r"|从现在(?:开始|起)|从今(?:以)?后|今后|以后|往后"
    r"|(?:之|以)?后都"
    r"|无论如何|不管怎样|任何情况下都?|任何时候都?|任何时间都?|不论何时|随时|每天|每日|天天"
    r"|全天|一直|期间|之间|时段"
    r"|任何人都?|所有人都?|自动|手动|擅自|私自|随便|随意|直接|自行|贸然|轻易|远程"
)
_LIGHT = re.compile(
    r"(?:做|进行|执行|有|发起|搞)(?=(?:任何|一切|所有|的)*[^，,。]{0,6}(?:操作|动作|变更|重启"
    r"|修改|删除|安装|升级|写入|迁移|部署))"
)
_AS_SOMEBODY = re.compile(
    r"[用以]\s*[\w-]+\s*(?:的?身份|账[号户]|帐号|用户)?\s*(?:去|来)?(?:登录|登陆|连接|执行|操作)"
)
_COMMAND = re.compile(
    r"`[^`]+`|[a-z][\w.-]*(?:\s+[\x21-\x7e]+)*\s+(?:-|/)[\x21-\x7e]*(?:\s+[\x21-\x7e]+)*"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_BEFORE = re.compile(r"之前|以前|的?时候|前|时|之后|才|再|先|都|也|必须|务必|一定|需要|要|得")
_JOIN = re.compile(r"\s*(?:和|与|及|以及|或者?|、|，|,|/)\s*")


def is_chinese(text: str) -> bool:
    """Tell whether the grammar is to be read as Chinese: one character decides."""
    return bool(_HAN.search(text))


def read(text: str) -> Spoken | None:
    """Return what *text*, without hours and places, orders; None: it orders nothing."""
    if _AS_SOMEBODY.search(text):
        return None  # who is logged in does not show in a command
    plain = _EXTRA.sub(" ", _REASON.sub("", text)).strip(" ，,。.!！；;:：、-")
    asked = _ASK.sub(" ", plain)
    asks = asked != plain
    if not asks:
        only_read = _READ_ONLY.search(plain)
        if only_read:
            return Spoken(Effect.ONLY_READ, (), _cut(plain, only_read))
    never = _NEVER.search(asked)
    only = None if never or asks else _ONLY.search(asked)
    if not (asks or never or only):
        return None
    found = never or only
    rest = _cut(asked, found) if found else _BEFORE.sub(" ", asked)
    if _NEVER.search(rest) or (asks and _ONLY.search(rest)):
        return Spoken(Effect.NEVER, (), rest)  # two orders in one clause
    actions, about = _actions(_BEFORE.sub(" ", rest) if asks else rest)
    if not actions and not asks and _COMMAND.fullmatch(rest.strip()):
        actions = ("run",)
    effect = Effect.ASK if asks else Effect.NEVER
    return Spoken(effect, actions, about, only=bool(only))


def _cut(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _actions(text: str) -> tuple[tuple[str, ...], str]:
    """Take the verbs out of *text*; English ones in Chinese text count too."""
    plain = _LIGHT.sub(" ", text)
    names: list[str] = []

    def take(match: re.Match[str]) -> str:
        names.append(_canonical(match[0].lower()))
        return "\x00"

    rest = _verbs().sub(take, plain)
    rest = re.sub(rf"\x00{_JOIN.pattern}(?=\x00)", "", rest).replace("\x00", " ")
    found = list(dict.fromkeys(names))
    if len(found) > 1 and "run" in found:
        found.remove("run")
    return tuple(found), rest


@cache
def _verbs() -> re.Pattern[str]:
    actions = vocabulary().actions.values()
    words = [word for each in actions for word in alternatives(each.said_zh)]
    english = "|".join(
        word
        for each in actions
        if each.name not in ("run", "read")
        for word in each.said_en.split("|")
    )
    chinese = "|".join(sorted(words, key=_width, reverse=True))
    return re.compile(rf"{chinese}|(?<![\w./-])(?:{english})(?![\w./-])(?!\s+-)", re.I)


def _width(pattern: str) -> int:
    return len(re.sub(r"\(\?:.*?\)|[()?|\\]", "xx", pattern))


def _canonical(word: str) -> str:
    for each in vocabulary().actions.values():
        if re.fullmatch(f"(?:{each.said_zh})|(?:{each.said_en})", word):
            return each.name
    raise LookupError(word)
