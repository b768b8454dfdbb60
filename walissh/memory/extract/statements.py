"""Take a conclusion apart into statements, and tell which of them are claimed to be so."""

import re
from dataclasses import dataclass, replace

from walissh.memory.extract import outline, wording
from walissh.memory.extract.outline import Part

MAX_CHARS = 400
"""So much of a sentence is read: the patterns take their time with longer ones."""

MAX_STATEMENTS = 100


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
    for line in outline.lines(text):
        part = line.part
        for each in filter(None, _sentences(line.text)):
            found.append(_statement(each, part))
            part = line.head if part is not Part.FIX else part  # a label is of its sentence
    told = [each for each in found if each.text and each.part is not Part.ASIDE]
    return [each for each in told if not wording.says("closing", each.text)][:MAX_STATEMENTS]


# --- sentences ------------------------------------------------------------------------

_END = re.compile(
    r"(?<=[。！？!?；])[”’」』）)]*\s*"
    r"|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bapprox)(?<!\bcf)(?<!\bresp)"
    r"(?:(?<=[.;])|(?<=[.]['\")]))\s+"
    r"|(?<=,)\s+(?=(?:and )?[a-z]+ing (?:it|that|them|this) (?:\w+ ){0,2}"
    r"(?:restored|fixed|resolved|solved|cured|cleared|brought|helped|got|healed)\b)",
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
    inner, bare = outline.label(rest)
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
