"""Output as data for the model: between borders that it cannot forge, and not too long."""

import re

_BORDER = re.compile(r"(?i)[<＜‹]{3}\s*output|output[^\n]{0,80}?[>＞›]{3}")
_HEAD_SHARE = 0.5


def fence(text: str, border: str) -> str:
    """Return *text* between borders; *border* must be unguessable (``secrets.token_hex``).

    Whatever in *text* looks like a border is made harmless, so that no output can end
    its own fence and speak as someone else.
    """
    harmless = _BORDER.sub(_blunt, text.replace(border, "[border]"))
    body = harmless if harmless.endswith("\n") or not harmless else harmless + "\n"
    return f"<<<output {border}\n{body}output {border}>>>"


def _blunt(match: re.Match[str]) -> str:
    return re.sub(r"[<＜‹]", "(", re.sub(r"[>＞›]", ")", match[0]))


def cut(text: str, max_chars: int) -> str:
    """Return head and tail of *text* on line borders, with a note of what is left out.

    The result has at most *max_chars* characters and the note. One endless line is cut
    inside.
    """
    if len(text) <= max_chars:
        return text
    room = max(max_chars, 0)
    head = text[: int(room * _HEAD_SHARE)]
    tail = text[len(text) - (room - len(head)) :]
    head = head[: head.rfind("\n") + 1]
    newline = tail.find("\n")
    tail = tail[newline + 1 :] if newline >= 0 else ""
    if not head and not tail:
        return _cut_inside(text, room)
    missing = text[len(head) : len(text) - len(tail)].rstrip("\n").count("\n") + 1
    return f"{head}[... {missing} lines left out ...]\n{tail}"


def _cut_inside(text: str, room: int) -> str:
    half = room // 2
    tail = text[len(text) - half :] if half else ""
    return f"{text[:half]}[... {len(text) - 2 * half} characters left out ...]{tail}"
