"""Tell a message that reports trouble from one that gives rules.

A person who describes an incident says what has always, never or ever since been so; that
is no standing instruction. In such a message only what is plainly said to the agent for
good ("from now on …", "以后都…") counts.
"""

import re

_ASKS = re.compile(
    r"为什么|为何|问题吗|什么原因|哪里去了|怎么回事|怎么会|根因|根本原因|到底是?(?:谁|哪|什么|怎么|卡|慢)|卡在哪|哪里(?:挡|卡|出|不对|有问题)|哪儿(?:卡|出|不对)"
    r"|(?:请|麻烦|帮忙?|帮我)[^，。；]{0,8}(?:查|排查|定位|找出|看看|看下|看一下|诊断)"
    r"|(?:查明|找出|查清|查出|说明|定位)[^，。；]{0,10}(?:原因|问题|是谁|为什么)|谁动了|怎么办"
    r"|\bwhy\b|\broot cause\b|\bwhat(?:'s| is| has)? (?:wrong|going on|happen|the (?:cause|reason|matter))"
    r"|\bfind (?:out|the (?:cause|reason|culprit))\b|\bwhere does (?:it|this) (?:hang|fail|go wrong)"
    r"|\bplease (?:check|find|investigate|look|diagnose|help)\b|\bwhat (?:uses|causes|blocks|fills|keeps)\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"失败|报错|错误|异常|不了|不出|不到|不上|不通|不进|起不来|没反应|超时|挂|崩|卡|慢|断|满|丢|拒绝|打不开|告警"
    r"|不可用|不正常|不对|不完整|重复|两次|没有?(?:发|收|跑|生成|执行|更新|动静|生效)|[45]\d\d|还是|一直是|旧"
    r"|\b(?:fail|error|cannot|can'?t|unable|broken|down|timeout|timed? ?out|refus|reject|crash|hang|slow"
    r"|stuck|full|lost|missing|wrong|denied|unavailable|twice|never|alarm|complain|[45]\d\d|no longer|does not|do not|did not)",
    re.IGNORECASE,
)
_MANY = 3
"""So many different words of trouble make a report of an incident."""

_ORDERS = re.compile(
    r"^(?:请|麻烦|另外|还有|对了|顺便|[,，\s])*(?:你|您)?(?:以后|今后|往后|日后|从现在起|从今(?:天|以后)?|记住|请记住|默认|一律|永远|凡是?|每次)"
    r"(?=(?:请|都|一律|就|也|每次)|.{0,24}(?:用|先|别|不要|不准|不许|给我|帮我|问|回答|说|写|按|列|加|带|确认|备份|执行|查|检查))"
    r"|^(?:我(?:喜欢|希望|更喜欢|习惯|偏好)|请用|回答用|用中文|用英文)"
    r"|^(?:and |also |please |btw |by the way,? |oh and )*(?:always|never|from now on|in (?:the )?future|going forward|by default"
    r"|remember|i (?:always )?(?:prefer|want|like)|don'?t ever|make sure (?:you|to) always|whenever you|every time you)\b",
    re.IGNORECASE,
)


def reports_trouble(text: str) -> bool:
    """Tell whether *text* asks what is behind something, or describes trouble at length."""
    if _ASKS.search(text):
        return True
    return len(set(_TROUBLE.findall(text))) >= _MANY


def is_order(said: str) -> bool:
    """Tell whether *said* is plainly an order for good, whatever stands around it."""
    return bool(_ORDERS.search(said.strip()))
