"""The lines of an answer, each with the part of the report that it stands in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

import yaml

from walissh.memory.extract import wording


class Part(StrEnum):
    """What a label or heading such as ``Root cause:`` says of what stands behind it.

    ASIDE holds no part of an incident: facts, warnings, what could not be seen.
    """

    NONE = ""
    SYMPTOM = "symptom"
    CAUSE = "cause"
    FIX = "fix"
    ADVICE = "advice"
    RESULT = "result"
    PLAN = "plan"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its marks; *head* is the part of the section, *part* its own."""

    text: str
    part: Part
    head: Part


def lines(text: str) -> Iterator[Line]:
    """Yield the lines of *text* that say something, without citations and Markdown."""
    head = Part.NONE
    text = _LINK.sub(r"\1", _CITED.sub("", _FENCE.sub(_kept_fence, text)))
    for raw in text.splitlines():
        if raw.lstrip().startswith(">") or re.fullmatch(r"[\s|:=-]*", raw):
            continue
        bare = _bare(raw)
        part, rest = label(bare)
        if part is not Part.NONE and not rest:
            head = part
            continue
        if part is Part.NONE and _HEADING.match(raw):
            head = _announced(bare)
        if _TODO.match(raw):
            part = Part.PLAN
        yield Line(rest, head if part is Part.NONE else part, head)


def blocks(text: str) -> list[list[str]]:
    """Return the ways to divide *text* into pieces that may each tell a case of its own."""
    headed = re.split(r"^(?=#{1,4} )", text, flags=re.M)
    items = re.split(r"^\s*(?:\d{1,2}[.)、]|[-*+•])\s+|(?:^|\s)\d[)）]\s?(?=\S)", text, flags=re.M)
    rest = items if len(items) > 2 else re.split(r"\n\s*\n", text)
    return [each for each in (headed, rest) if len(each) > 1]


# --- marks ----------------------------------------------------------------------------

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.M | re.S)
_CITED = re.compile(
    r"\s?\[\[[^\[\]\n]{1,80}\]\]|\s?\[\^?\d{1,3}(?:\s?[,，-]\s?\d{1,3})*\]|\s?【\d+】"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_SIGNS = r"[✅❌⚠✔✓☑🎉🔧🔍🔎🛠🚨📌📋📊💡🟢🟡🔴➡→]\ufe0f?"
_MARKS = re.compile(rf"\*\*|__|`+|{_SIGNS}")
_LEAD = re.compile(
    rf"^\s*(?:#{{1,6}}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|(?:\*\*)?\d{{1,2}}[.)、]\s+"
    rf"|(?:\*\*)?[一二三四五六七八九十]{{1,2}}、\s*|{_SIGNS}\s*){{1,3}}"
)
_TODO = re.compile(r"^\s*[-*+•]\s+\[ \]\s")
_BOXED = re.compile(r"【([^【】]{1,12})】\s*[:：]?\s*")
_ROW = re.compile(r"^\s*\|\s*([^|]+?)\s*\|\s*([^|]+?)\s*\|\s*$")
_WIDE_ROW = re.compile(r"^\s*\|(?:[^|]*\|){3,}\s*$")
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s+\S|\*\*[^*]{1,60}\*\*\s*[:：]?\s*$|(?:.*[.。!！?？])?\s*[^.。!！?？]{1,60}[:：]\s*$)"
)


def _bare(line: str) -> str:
    """Return *line* without its marks; a row of a wide table is a list of figures."""
    if _WIDE_ROW.match(line):
        return ""
    lead = _LEAD.match(line)
    bare = _ROW.sub(r"\1: \2", line[lead.end() :] if lead else line)
    return _MARKS.sub("", _BOXED.sub(r"\1：", bare)).strip()


def _announced(heading: str) -> Part:
    """Return what stands below a heading in free words: "Shall I:" is followed by no deeds."""
    heading = re.split(r"[.。!！?？]\s*", heading.rstrip(":："))[-1]
    if any(wording.says(kind, heading) for kind in _AHEAD):
        return Part.PLAN
    return Part.ADVICE if wording.says("advice", heading) else Part.NONE


_AHEAD = ("closing", "question", "plan", "taught", "quoted")


def _kept_fence(match: re.Match[str]) -> str:
    """Keep a fenced command behind a colon or heading; what looks like output goes."""
    inside = match[0].strip().splitlines()[1:-1]
    return "; ".join(inside) if 0 < len(inside) <= 3 and "sh" in match[0].split("\n", 1)[0] else ""


# --- labels ---------------------------------------------------------------------------

_UNDONE = re.compile(r"未|待|尚|\bnot\b|\bproposed\b|\bpending\b|\bsuggested\b", re.I)


def label(line: str) -> tuple[Part, str]:
    """Return the part that *line* says it is, and what stands behind the label."""
    match = _labels().match(line)
    if match is None:
        return Part.NONE, line
    part = next(part for part in Part if part.name != "NONE" and match[part.name])
    if match["note"] and _UNDONE.search(match["note"]):
        part = Part.PLAN
    return part, line[match.end() :].strip()


@cache
def _labels() -> re.Pattern[str]:
    text = (files("walissh.memory.extract") / "labels.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    names = "|".join(f"(?P<{name.upper()}>{'|'.join(words)})" for name, words in table.items())
    return re.compile(
        rf"^(?:the )?(?:{names})\s*(?:[（(](?P<note>[^（）()]{{0,30}})[)）])?"
        r"\s*(?:如下|as follows)?\s*(?:[:：]\s*|$)",
        re.I,
    )
