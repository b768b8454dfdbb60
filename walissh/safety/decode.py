"""Bytes of a remote program to plain text: decoded, control sequences gone, tricks shown."""

import codecs
import re

MAX_LINE = 65_536


def decoder(encoding: str) -> codecs.IncrementalDecoder:
    """Return an incremental decoder; an unknown *encoding* is read as UTF-8."""
    try:
        b"x".decode(encoding, "replace")  # refuses what is no text encoding, such as hex
        found = codecs.getincrementaldecoder(encoding)
        found("replace").decode(b"x\xff\xfe", final=True)  # UTF-16 with no mark fails here
    except (LookupError, UnicodeError):
        found = codecs.getincrementaldecoder("utf-8")
    return found("replace")


# --- lines ----------------------------------------------------------------------------


def take_lines(text: str) -> tuple[list[str], str]:
    """Part *text* into complete lines and the rest, cutting lines over MAX_LINE.

    Where a cut falls depends on the text alone, never on how it arrived.
    """
    lines = text.split("\n")
    rest = lines.pop()
    if max(map(len, lines), default=0) > MAX_LINE or len(rest) > MAX_LINE:
        whole = [piece for line in lines for piece in _pieces(line)]
        *cut, rest = _pieces(rest)
        return whole + cut, rest
    return lines, rest


def _pieces(line: str) -> list[str]:
    """Cut an over-long line, at the end of a word where one is near."""
    pieces: list[str] = []
    at = 0
    while len(line) - at > MAX_LINE:
        head = line[at : at + MAX_LINE]
        redrawn = head.rstrip("\r").rfind("\r")
        if redrawn >= 0:
            at += redrawn + 1
            continue
        end = _word_end(head)
        pieces.append(head[:end])
        at += end
    return [*pieces, line[at:]]


_BREAK = re.compile(r"[^\s:=：][\s,&}]")


def _word_end(head: str) -> int:
    found = [match.end() for match in _BREAK.finditer(head, MAX_LINE - 4096)]
    return found[-1] if found else MAX_LINE


# --- characters -----------------------------------------------------------------------

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_TRICKY = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_INVISIBLE}]")
_SHOWN = re.compile(f"[{_INVISIBLE}]")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_plain(line: str) -> bool:
    """Tell whether *line* has nothing that ``plain_line`` would change."""
    return line.isprintable() or _TRICKY.search(line) is None


def plain_line(line: str) -> str:
    """Return one line as a person would have seen it, with hidden characters shown."""
    line = _SEQUENCE.sub("", line) if "\x1b" in line or _C1.search(line) else line
    line = _redrawn(line) if "\r" in line else line
    line = _erased(line) if "\b" in line else line
    return _SHOWN.sub(_escape, _CONTROL.sub("", line))


_C1 = re.compile(r"[\x90\x98\x9b\x9d-\x9f]")


def _redrawn(line: str) -> str:
    """Keep the last state of a line that was drawn over and over."""
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""


def _erased(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


def _escape(match: re.Match[str]) -> str:
    code = f"{ord(match[0]):04x}"
    return f"\\u{code}" if len(code) == 4 else f"\\U{code:0>8}"
