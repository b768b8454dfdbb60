"""What the offline brain does with memory: tell what was recalled, with its mark.

It reads the section of long-term memory in the system message, as a model would.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from walissh.brain.asked import Asked, concern
from walissh.brain.asked import things as things_of
from walissh.memory.extract import preferences
from walissh.react.turn import Message

SHOWN: Final = 3
SHORT_CHARS: Final = 160
WISH_SHARE: Final = 0.7
"""So much of a message must be a standing wish to ask for nothing else."""

_FENCED = re.compile(
    r"^<<<memory (?P<border>[0-9a-f]+)$(?P<inside>.*?)^memory (?P=border)>>>$", re.M | re.S
)
_ENTRY = re.compile(r"\[(?P<mark>m\d+)\] (?P<kind>[^·:]+?)(?: · [^:]*)?: .+")
_WISH = re.compile(r"\[USER_PREFERENCE: (?P<fields>\{.*\})\]")
_WISHES_ASKED = re.compile(
    r"(我|我的).{0,6}(偏好|习惯|规矩|要求).{0,6}(哪些|什么|吗|[?？])|(有|是)(哪些|什么)(偏好|规矩)|你记得我"
    r"|\b(what|which|list|show)\b.*\b(preferences?|habits)\b|\bdo you remember about me\b",
    re.I,
)
_CASES: Final = ("troubleshooting case", "故障案例")
_PAST = re.compile(
    r"(上次|上回|之前|以前|当时|那次|那回)[^，。；？]{0,24}(怎么|如何|是什么|什么原因|为什么|为啥|谁|哪)"
    r"|怎么(解决|修|处理|恢复)(的|好的|掉的)"
    r"|\b(how|what|who|which|why)\b.*\b(last time|previously|back then)\b"
    r"|\b(did|have) (we|you|i)\b.*\b(fix|solve|resolve|handle)|\bwas (it|that|this) (fixed|solved)",
    re.I,
)
_PRESENT = re.compile(
    r"现在|又|再次|今天|今早|刚刚|一直|仍|\b(now|again|today|still|keeps?|this morning)\b", re.I
)
_ASKS = re.compile(
    r"为什么|为啥|为何|怎么回事|哪里(?:有|出)问题|排查|(?:查|找|定位).{0,8}(?:原因|根因)"
    r"|\bwhy\b|\bfind (?:out|the cause)\b|\bwhat(?: is|'s) wrong\b",
    re.I,
)
_SUFFERS = re.compile(
    r"(?:都|就|总|老|最后|结果)(?:是|会|要)?(?:报|返回|出现|显示|变成|收到|得到)?\s*"
    r"(?:[45]\d\d|错误|超时|失败|打不开|连不上)"
    r"|\b(?:ends?|answers?|returns?|fails?|responds?|gets?)\b[^.]{0,20}\b[45]\d\d\b",
    re.I,
)
_FACTS: Final = ("environment fact", "环境事实", "software fact", "软件事实")
_FACT_PORT = re.compile(
    r"(?:\bports?|端口|listen\w*|监听)\D{0,24}?(\d{2,5})(?!\d)|:(\d{2,5})(?!\d)", re.I
)
_FACT_PATH = re.compile(r"(?<![\w:/.])(/[\w.@+~-]+(?:/[\w.@+~-]+)+)")
_MAX_PORT: Final = 65535


def with_known(things: Asked, messages: Sequence[Message]) -> Asked:
    """Return *things* with the ports and paths of the recalled facts, most relevant first."""
    facts = [line for _, line in _all(messages) if any(kind in line for kind in _FACTS)]
    ports = [int(a or b) for line in facts for a, b in _FACT_PORT.findall(_body(line))]
    paths = [path for line in facts for path in _FACT_PATH.findall(_body(line))]
    return replace(
        things,
        known_ports=tuple(dict.fromkeys(each for each in ports if 0 < each <= _MAX_PORT)),
        known_paths=tuple(dict.fromkeys(paths)),
    )


def entries(messages: Sequence[Message], about: Sequence[str] = ()) -> list[str]:
    """Return the recalled memories as Markdown lines, best first, each with its mark.

    With *about* only those that hold one of these words.
    """
    found = [each for each in _all(messages) if not about or concern(_said(each[1]), about)]
    return [f"- {_body(line)} [{mark}]" for mark, line in found[:SHOWN]]


def cases(messages: Sequence[Message], things: Asked) -> list[str]:
    """Return those of the entries that tell of an incident like the one asked about.

    They are alike if both name the same service or answer of a server.
    """
    return [
        f"- {_body(line)} [{mark}]"
        for mark, line in _entries(messages)
        if any(kind in line for kind in _CASES) and _is_alike(_said(line), things)
    ]


def in_short(case: str) -> str:
    """Return one of `cases` in at most `SHORT_CHARS`, with its mark."""
    body, _, mark = case.rpartition(" ")
    return case if len(body) <= SHORT_CHARS else f"{body[:SHORT_CHARS]}… {mark}"


def _is_alike(case: str, things: Asked) -> bool:
    telling = [*things.words, *map(str, things.statuses)]
    # a Chinese noun stands for the words of its service in both of them
    return bool(concern(case, telling) or set(telling) & set(things_of(case).words))


def is_about_the_past(question: str) -> bool:
    """Tell whether the question asks how something was, not how it is."""
    return bool(_PAST.search(question)) and not _PRESENT.search(question)


def asks_for_wishes(question: str) -> bool:
    """Tell whether the person asks what they once asked for."""
    return bool(_WISHES_ASKED.search(question))


def wishes(messages: Sequence[Message]) -> list[str]:
    """Return the preferences in force as Markdown lines, each with its mark."""
    told = []
    for line in (messages[0].content if messages else "").splitlines():
        wish = _WISH.fullmatch(line)
        if wish:
            fields = json.loads(wish["fields"])
            told.append(f"- {fields['content']} [{fields['mark']}]")
    return told


def is_but_a_wish(said: str) -> bool:
    """Tell whether the message only says how things are to be done from now on."""
    found = preferences.from_user(said)
    told = sum(len(each.content) for each in found)
    wide = bool(found) and told >= WISH_SHARE * len(said.strip())
    return wide and not (_ASKS.search(said) or _SUFFERS.search(said))


def _entries(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return _all(messages)[:SHOWN]


def _all(messages: Sequence[Message]) -> list[tuple[str, str]]:
    found = []
    for line in _section(messages[0].content if messages else ""):
        entry = _ENTRY.fullmatch(line)
        if entry:
            found.append((entry["mark"], line))
    return found


def _section(system: str) -> Sequence[str]:
    """Return the lines between the borders of the recalled memories."""
    found = _FENCED.search(system)
    return found["inside"].splitlines() if found else []


def _body(line: str) -> str:
    return line.partition("] ")[2]


def _said(line: str) -> str:
    """Return what an entry says, without its kind, host and date."""
    return _body(line).partition(": ")[2]
