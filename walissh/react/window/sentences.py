"""What of a message is prose, cut into sentences: pastes, logs and code are left out."""

import re
from collections.abc import Iterator
from typing import Final

HEAD_CHARS: Final = 4_000
TAIL_CHARS: Final = 1_500
MAX_LINE_CHARS: Final = 1_200
MAX_SENTENCES: Final = 60

_FENCE = re.compile(r"\s*(?:```|~~~)")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+")
_MARKUP = re.compile(r"^[#>\s]+|\*\*|__(?=\S)|(?<=\S)__")
_CITATION = re.compile(r"\s*\[\[[^\]\n]{1,80}\]\]")
_LOG = re.compile(
    r"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d\b"
    r"|\[?\d\d:\d\d:\d\d[\].,]|\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \[|\[\s*\d+\.\d+\]"
    r"|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b[\s:\]]|[$#] \S|\S+@\S+:\S*[$#] |\s+at \S+\("
    r"|Traceback |\s*File \"|[|+][-=+|])"
)
_STOP = re.compile(r"[。！？]+[”’\"')）】]*|[!?]+[”’\"')）】]*(?=\s|$|[^\x00-\x7f])|\.(?=\s|$)|；")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|no|approx|cf|min|max|mr|ms|dr)|^\d{1,2})$", re.I
)
_KEPT_STOPS = "？?！!"


def sentences(text: str) -> list[str]:
    """Return the sentences, a question mark with them and a full stop without."""
    found: list[str] = []
    for line in _lines(text):
        found += [each for each in _cut(line) if each]
        if len(found) >= MAX_SENTENCES:
            break
    return found[:MAX_SENTENCES]


def _lines(text: str) -> Iterator[str]:
    fenced = False
    for line in _reached(text).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not (fenced or len(line) > MAX_LINE_CHARS or _LOG.match(line)) and line.strip():
            yield _MARKUP.sub("", _CITATION.sub("", _BULLET.sub("", line, count=1))).strip()


def _reached(text: str) -> str:
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:].partition(chr(10))[2]}"


def _cut(line: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(line):
        if stop[0] == "." and _ABBREVIATED.search(line[start : stop.start()]):
            continue
        mark = stop[0] if stop[0][0] in _KEPT_STOPS else ""
        yield line[start : stop.start()].strip() + mark
        start = stop.end()
    yield line[start:].strip()
