"""The line of sources under an answer, which is stored with it and never quotes a memory.

What a person deletes is gone from the answers that used it too: the line names its kind and
date, and what it is about only where that is a name and not its text.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from walissh.memory import quote, tables
from walissh.memory.entry import FACTS, Memory, MemoryType, Origin
from walissh.react.turn import Language

NAME_WORDS = 4
NAME_CHARS = 40
HOST_CHARS = 60

_LINE = re.compile(
    r"(?:依据：\s*(?:您 )?\d{4}-\d\d-\d\d[ 的]"
    r"|Based on: (?:your preference|case|fact) of \d{4}-\d\d-\d\d\b)[^\n]*"
)
_RETOLD = re.compile(r"[\[［【]\s*m\d{1,3}\b")
_FACTS = {
    MemoryType.ENVIRONMENT_FACT: ("环境", "environment"),
    MemoryType.SOFTWARE_FACT: ("软件", "software"),
}


def sources_line(memories: Sequence[Memory], language: Language) -> str:
    """Return the line that names the sources of an answer, "" without any."""
    if not memories:
        return ""
    named = (source(each, _stored_name(each, language), language) for each in memories)
    return "依据：" + "；".join(named) if language == "zh" else "Based on: " + "; ".join(named)


def without_sources(answer: str) -> str:
    """Return *answer* as the model gave it: what `sources_line` added proves nothing again."""
    said, _, last = answer.rpartition("\n\n")
    return said if _LINE.fullmatch(last.strip()) else answer


def own_words(answer: str) -> str:
    """Return what an answer says of its own: lines that cite a memory only retell it."""
    return "\n".join(
        line for line in without_sources(answer).splitlines() if not _RETOLD.search(line)
    )


def source(memory: Memory, name: str, language: Language) -> str:
    """Return one source: its kind, date and host, and *name*, what it is about."""
    date = memory.proved_at if memory.type in FACTS else memory.at
    parts = (f"{date:%Y-%m-%d}", quote.line(memory.host, HOST_CHARS), name)
    return (
        _in_chinese(memory.type, *parts) if language == "zh" else _in_english(memory.type, *parts)
    )


def topic(subject: str, language: Language) -> str:
    """Return what a memory is about in that language, as far as it is a common subject."""
    shown = quote.line(subject, NAME_CHARS)
    return _topics().get(shown.casefold(), shown) if language == "zh" else shown


def is_name(subject: str) -> bool:
    """Tell whether a subject is short enough to be a name, not a text."""
    return (
        bool(subject.strip()) and len(subject) <= NAME_CHARS and len(subject.split()) <= NAME_WORDS
    )


def _stored_name(memory: Memory, language: Language) -> str:
    # what was measured has a name; what a person wrote down may have its own words for one
    written = memory.source.origin is not Origin.TOOL
    quotes = written and memory.content.casefold().startswith(memory.subject.casefold())
    if is_name(memory.subject) and not quotes:
        return topic(memory.subject, language)
    kind = _FACTS.get(memory.type)
    return kind[0 if language == "zh" else 1] if kind else ""


def _in_chinese(kind: MemoryType, date: str, host: str, name: str) -> str:
    about = f"（{name}）" if name else ""
    if kind is MemoryType.USER_PREFERENCE:
        return f"您 {date} 的偏好{about}"
    when = f"{date} {host} 上的" if host else f"{date} 的"
    return f"{when}案例" if kind is MemoryType.TROUBLESHOOTING_CASE else f"{when}事实{about}"


def _in_english(kind: MemoryType, date: str, host: str, name: str) -> str:
    about = f" ({name})" if name else ""
    if kind is MemoryType.USER_PREFERENCE:
        return f"your preference of {date}{about}"
    when = f"{date} on {host}" if host else date
    return (
        f"case of {when}" if kind is MemoryType.TROUBLESHOOTING_CASE else f"fact of {when}{about}"
    )


@cache
def _topics() -> Mapping[str, str]:
    return tables.read("walissh.memory", "topics.yaml")
