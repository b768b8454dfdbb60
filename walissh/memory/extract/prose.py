"""What of a message is the person's own prose, cut into sentences and clauses.

Pasted logs, code, configuration and quoted lines are no prose. In a clause, ``seen`` is
the text in simplified characters, with what stands in quotation marks blanked out: what
somebody else said gives no instruction, though it may be part of one (``reply "confirm"``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from walissh.memory.extract import simplified

MAX_HEAD: Final = 4_000
MAX_TAIL: Final = 1_000
"""Characters looked at, at the start and at the end of a message; what is pasted is longer."""
MAX_LINES: Final = 30
LONG: Final = 2_000
"""Longer messages are pastes with some talk around them, or listings."""
MAX_IN_LONG: Final = 8
ENDS: Final = 2
MAX_LINE: Final = 1_500
MAX_SENTENCE: Final = 400


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between commas; *seen* is as long as *text*."""

    text: str
    seen: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its clauses; *asked* if it ends in a question mark.

    *item* if it stood in a list, *heads* if it ends in a colon and so opens what follows.
    """

    text: str
    seen: str
    clauses: tuple[Clause, ...]
    asked: bool = False
    item: bool = False
    heads: bool = False


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of the person's own prose in *text*, in order."""
    lines = _lines(text)
    found: list[Sentence] = []
    for line in _telling(lines) if len(text) > LONG else lines[:MAX_LINES]:
        item = _BULLET.match(line)
        found += _cut(line[item.end() :] if item else line, item=item is not None)
    return found[:MAX_LINES]


def _telling(lines: Sequence[str]) -> list[str]:
    """Return what of a long message is worth a closer look: most of it is no talk to the agent.

    Its ends, where people write what they want with what they paste, and what sounds like
    a wish between them.
    """
    last = max(len(lines) - ENDS, ENDS)
    told = [n for n in range(ENDS, last) if _CUE.search(lines[n])][: MAX_IN_LONG - 2 * ENDS]
    kept = {*range(ENDS), *told, *range(last, len(lines))}
    return [line for number, line in enumerate(lines) if number in kept]


def _lines(text: str) -> list[str]:
    """Return the lines that are prose; a fence or an announced paste hides what is in it."""
    found: list[str] = []
    fenced = pasted = False
    for line in _reached(text).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not line.strip():
            pasted = False
        elif not (fenced or pasted or len(line) > MAX_LINE or _PASTED.search(line)):
            found.append(line.strip())
            pasted = _ANNOUNCED.search(line) is not None
    return found


def _reached(text: str) -> str:
    if len(text) <= MAX_HEAD + MAX_TAIL:
        return text
    tail = text[-MAX_TAIL:].partition("\n")[2]  # the first line may be half a line
    return text[:MAX_HEAD].rpartition("\n")[0] + "\n" + tail


def _cut(line: str, *, item: bool) -> list[Sentence]:
    seen = _QUOTED.sub(_blank, simplified.of(line))
    found: list[Sentence] = []
    start = 0
    for mark in [*_STOP.finditer(seen), None]:
        end = mark.end() if mark else len(line)
        if 0 < len(line[start:end].strip()) <= MAX_SENTENCE:
            found.append(_sentence(line[start:end], seen[start:end], item=item))
        start = end
    return found


def _sentence(text: str, seen: str, *, item: bool) -> Sentence:
    bare = seen.rstrip()
    return Sentence(
        text=text.strip(),
        seen=seen.strip(),
        clauses=tuple(_clauses(text, seen)),
        asked=bare.rstrip("!！ ").endswith(("?", "？")),
        item=item,
        heads=bare.endswith((":", "：")),
    )


def _clauses(text: str, seen: str) -> list[Clause]:
    found: list[Clause] = []
    start = 0
    for mark in [*_COMMA.finditer(seen), None]:
        end = mark.start() if mark else len(text)
        piece = _bare(text, seen, start, end)
        if piece.text and piece.text.lower() not in _CONJUNCTIONS:
            found.append(piece)
        start = mark.end() if mark else end
    return found


def _bare(text: str, seen: str, start: int, end: int) -> Clause:
    """Return the clause without blanks and marks at its ends, both texts cut alike."""
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    return Clause(text[start:end], seen[start:end])


def _blank(match: re.Match[str]) -> str:
    return match[0][0] + "\N{WHITE SQUARE}" * (len(match[0]) - 2) + match[0][-1]


_CONJUNCTIONS: Final = frozenset({"and", "but", "so", "then", "also"})
_EDGE: Final = " \t\u3000,;:.!?，；：。！？、~…"
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_BULLET: Final = re.compile(r"(?:[-*•·]|\(?\d{1,2}[.)、）])\s+")
_STOP: Final = re.compile(
    r"[。！？…]+|[!?]+(?=\s|$|[^\x00-\x7f])|\.(?=\s+|$)(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)(?<!\betc\.)"
)
_COMMA: Final = re.compile(
    r"(?<!记住)(?<!牢记)(?<!记一下)(?<!记好)[，；]|;(?=\s|$|[^\x00-\x7f])"
    r"|(?<!remember)(?<!in mind)(?<!记住),(?=\s|[^\x00-\x7f])|\s+[-–—]{1,2}\s+|——+"
    r"|(?<!machines)(?<!hosts)(?<!servers)(?<!boxes)(?<!nodes)(?<!where)(?<!thing)"
    r"\s+(?=(?:but|and (?:from|always|never|please|also|in future|going))\b)"
    r"|(?<=[\u4e00-\u9fff])\s+(?=(?:另外|以后|今后|往后)[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"“[^”]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|《[^》]{1,200}》|‘[^’]{3,400}’"
    r"|\"[^\"]{1,400}\"|`[^`]{1,400}`|(?<![\w])'[^']{3,400}'(?!\w)"
    r"|\b(?:ERROR|WARN(?:ING)?|FATAL|INFO|NOTICE|Warning|Error|error|warning): .{1,400}$"
    r"|\b(?:says|reads|said|prints|shows): .{1,400}$|(?:写着|提示|显示|报错)[:：].{1,400}$"
)
_CUE: Final = re.compile(
    r"always|never|from now|in future|remember|prefer|please|don'?t|default|must|rule|every time"
    r"|stop |no more|any ?more|whenever|before you|以后|今后|往后|每次|记住|记得|一律|统一|默认|别"
    r"|不要|不准|必须|习惯|偏好|请|永远|总是|凡|规矩|都要|都用",
    re.IGNORECASE,
)
_ANNOUNCED: Final = re.compile(
    r"(?:logs?|output|errors?|messages?|traceback|config|file|readme|ticket|says?|reads?|shows?"
    r"|日志|报错|输出|错误|信息|内容|配置|文档|工单|邮件|写着|如下|显示)[^:：]{0,12}[:：]\s*$",
    re.IGNORECASE,
)
_PASTED: Final = re.compile(
    r"^\s*(?:[>#$%|]|//|/\*|<\w|[{}\[\]]|\+\+\+|---|@@)"  # quotes, prompts, code
    r"|^\s*[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|^\s*[\[(]?\d\d:\d\d:\d\d"  # times
    r"|^\s*(?:\d+\s+)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|^\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}"
    r"|^\s*\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRIT(?:ICAL)?)\b\W"
    r"|^\s*(?:Traceback|at \S+\(|File \"|Caused by:)|^\t|^ {4,}\S"
    r"|^\s*[\w.\-]+(?:\[\d+\])?: (?:error|warning|fatal|info|notice)\b"
    r"|^\s*[\w.\-]+\[\d+\]: |^\s*[\w.\-]+\s?=\s?\S+;?\s*$|^\w+@[\w.-]+:\S*[#$] "
)
