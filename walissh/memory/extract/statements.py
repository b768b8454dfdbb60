"""Take a conclusion apart into statements, and tell which of them are claimed to be so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from walissh.memory.extract import wording

MAX_CHARS = 400
"""So much of a sentence is read: the patterns take their time with longer ones."""

MAX_STATEMENTS = 100


class Part(StrEnum):
    """What a label such as ``Root cause:`` says of the statement behind it."""

    NONE = ""
    SYMPTOM = "symptom"
    CAUSE = "cause"
    FIX = "fix"
    ADVICE = "advice"
    RESULT = "result"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence. *found*: it was announced as what was found ("Root cause found: ...")."""

    text: str
    part: Part = Part.NONE
    found: bool = False

    @property
    def asserted(self) -> bool:
        """Tell whether it says what is or was, and not what may be, will be or should be."""
        if self.part is Part.PLAN:
            return False
        return not any(wording.says(kind, self.text) for kind in _UNCLAIMED)


_UNCLAIMED = (
    "question",
    "conditional",
    "plan",
    "refusal",
    "taught",
    "quoted",
    "excluded",
    "open",
)


def read(text: str) -> list[Statement]:
    """Return the statements of *text* in order, without marks of citation and Markdown."""
    found: list[Statement] = []
    heading = Part.NONE
    for line in _lines(text):
        part, rest = _label(line)
        if part is not Part.NONE and not rest:
            heading = part
            continue
        part = heading if part is Part.NONE else part
        for each in filter(None, _sentences(rest)):
            found.append(_statement(each, part))
            part = heading if part is not Part.FIX else part  # a label is of its sentence
    return [each for each in found if each.text][:MAX_STATEMENTS]


def blocks(text: str) -> list[str]:
    """Return the items of a list or the paragraphs of *text*: each may tell a case of its own."""
    items = re.split(r"^\s*(?:\d{1,2}[.)、]|[-*+•])\s+|(?:^|\s)\d[)）]\s?(?=\S)", text, flags=re.M)
    return items if len(items) > 2 else re.split(r"\n\s*\n", text)


# --- marks ----------------------------------------------------------------------------

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.M | re.S)
_CITED = re.compile(
    r"\s?\[\[[^\[\]\n]{1,80}\]\]|\s?\[\^?\d{1,3}(?:\s?[,，-]\s?\d{1,3})*\]|\s?【\d+】"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_MARKS = re.compile(r"\*\*|__|`+|[✅❌⚠✔✓🎉🔧🔍]\ufe0f?")
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)、]\s+)")
_BOXED = re.compile(r"【([^【】]{1,12})】\s*[:：]?\s*")
_ROW = re.compile(r"^\s*\|\s*([^|]+?)\s*\|\s*([^|]+?)\s*\|\s*$")


def _lines(text: str) -> Iterator[str]:
    text = _LINK.sub(r"\1", _CITED.sub("", _FENCE.sub(_kept_fence, text)))
    for line in text.splitlines():
        if line.lstrip().startswith(">") or re.fullmatch(r"[\s|:=-]*", line):
            continue
        bare = _BOXED.sub(r"\1：", _ROW.sub(r"\1: \2", _LEAD.sub("", line)))
        yield _MARKS.sub("", bare).strip()


def _kept_fence(match: re.Match[str]) -> str:
    """Keep a fenced command behind a colon or heading; what looks like output goes."""
    inside = match[0].strip().splitlines()[1:-1]
    return "; ".join(inside) if 0 < len(inside) <= 3 and "sh" in match[0].split("\n", 1)[0] else ""


# --- labels ---------------------------------------------------------------------------

_LABELS = {
    Part.SYMPTOM: r"现象|症状|问题(?:描述|现象)?|故障(?:现象|描述)?|表现|背景|影响(?:范围)?"
    r"|symptoms?|problem|issue|impact|what happened|incident|observations?|diagnosis|诊断(?:结论"
    r"|结果)?",
    Part.CAUSE: r"根本原因|根因(?:分析)?|原因(?:分析|说明)?|直接原因"
    r"|(?:root |actual |real |underlying )?cause|reason|why|culprit",
    Part.FIX: r"处理(?:过程|措施|方法|方式|步骤)?|修复(?:措施|方法|方案|方式|动作|操作)?"
    r"|解决(?:办法|方法|方案|措施|方式)?|措施|操作|处置(?:措施|过程)?|动作|对策"
    r"|fix(?:es| applied)?|resolution|solution|actions?(?: taken)?|remedy|remediation"
    r"|what (?:i|we) did|steps taken|mitigation|changes?(?: made)?|repair",
    Part.ADVICE: r"(?:处理|修复|优化|整改|改进)?建议|recommend(?:ation|ed fix|ed)?s?"
    r"|suggest(?:ion|ed fix)s?"
    r"|advice",
    Part.RESULT: r"结果|验证(?:结果)?|效果|现状|当前状态|results?|verification|outcome"
    r"|status|afterwards|now",
    Part.PLAN: r"(?:处理)?计划|下一步|后续(?:计划|步骤|动作)?|待办|步骤|plan|next(?: steps?)?"
    r"|proposed (?:steps|plan|fix|changes)|to ?do|follow-?ups?",
}
_LABEL = re.compile(
    r"^(?:the )?(?:"
    + "|".join(f"(?P<{part.name}>{words})" for part, words in _LABELS.items())
    + r")\s*(?:[（(][^（）()]{0,30}[)）])?\s*(?:[:：]\s*|$)",
    re.I,
)


def _label(line: str) -> tuple[Part, str]:
    match = _LABEL.match(line)
    if match is None or match.lastgroup is None:
        return Part.NONE, line
    return Part[match.lastgroup], line[match.end() :].strip()


# --- sentences ------------------------------------------------------------------------

_END = re.compile(
    r"(?<=[。！？!?；])[”’」』）)]*\s*"
    r"|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bapprox)(?<!\bcf)(?<!\bresp)"
    r"(?:(?<=[.;])|(?<=[.]['\")]))\s+",
    re.I,
)
_FOUND = re.compile(
    r"^(?:(?:good news|update)[:,]\s*)?(?:"
    r"(?:(?:the )?(?:root )?cause (?:was |is )?(?:found|identified|confirmed|clear|established)"
    r"|found (?:it|the (?:root )?(?:cause|culprit|problem))|got it|nailed it"
    r"|mystery solved)\s*[:：,—-]"
    r"|(?:根本原因|根因|原因|问题)(?:已经?|很|也|非常|其实)?(?:明确|找到|查明|查清楚?|清楚|确认"
    r"|定位|简单)(?:了|到了?)?\s*[:：，,]"
    r"|(?:找到|查到|查明|定位到|定位|确认)(?:了)?(?:原因|根因|问题)?(?:了)?\s*[:：]"
    r"|破案了?\s*[:：，,])\s*",
    re.I,
)
_STATUS = re.compile(
    r"^(?:(?:conclusion|summary|resolved|solved|fixed|verified|confirmed|done|findings?|update"
    r"|good news|tl;?dr|final(?: answer| report)?|in short|in summary|to sum up|rca|analysis"
    r"|incident report|post-?mortem|answer|report|closed|all sorted|sorted|finally)\s*[:：,—–-]\s"
    r"|(?:结论|总结|小结|搞定了?|(?:问题|故障)?(?:已经?)?(?:解决|修复|恢复|处理|处理完|搞定)了?"
    r"|(?:排查|定位|处理|分析|修复)(?:完毕|完成|结束|结论|结果|小结)|经过?(?:核实|排查|确认|查证"
    r"|检查|分析|定位|核查)"
    r"(?:后)?(?:确认|发现)?|已(?:确认|查明|核实|定位|查清)|确认(?:过)?了?|最终(?:确认|定位|结论)"
    r"|修好了|好了"
    r"|(?:故障|事故|问题)?(?:复盘|总结|报告|结论)|真相大白了?)\s*[:：，,]\s*)",
    re.I,
)
_CLOSING = " \t.。!！;；,，、"


def _sentences(line: str) -> list[str]:
    return [piece.strip() for piece in _END.split(line)]


def _statement(sentence: str, part: Part) -> Statement:
    ends_asking = sentence.endswith(("?", "？"))
    sentence, turned = _turned(_STATUS.sub("", sentence[:MAX_CHARS]))
    announced = _FOUND.match(sentence)
    rest = sentence[announced.end() :] if announced else sentence
    inner, bare = _label(rest)
    if inner is not Part.NONE and bare:
        part, rest = inner, bare
    rest = rest if ends_asking else rest.strip(_CLOSING)
    return replace(Statement(rest, part), found=turned or announced is not None)


def _turned(sentence: str) -> tuple[str, bool]:
    """Return what a first idea was turned into: "at first I suspected A, but it was B"."""
    for turn in wording.pattern("turn").finditer(sentence):
        before, after = sentence[: turn.start()], sentence[turn.end() :]
        doubted = wording.says("hedge", before) or re.search(
            r"不是|并非|以为|\bnot\b|n't\b", before
        )
        if doubted and not wording.says("hedge", after):
            return re.sub(r"^(?:that|is|是)\s*", "", after.strip(), flags=re.I), True
    return sentence, False
