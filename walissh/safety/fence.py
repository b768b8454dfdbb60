"""Output as data for the model: between borders that it cannot forge, and not too long."""

import re

from walissh.safety.inject import views

_OPENING = "<＜‹«≪〈《⟨⟪❮˂ᐸ⋘〈﹤"
_CLOSING = ">＞›»≫〉》⟩⟫❯˃ᐳ⋙〉﹥"
_BRACKET = re.compile(f"[{_OPENING}{_CLOSING}]")
_TO_ROUND = str.maketrans(dict.fromkeys(_OPENING, "(") | dict.fromkeys(_CLOSING, ")"))
_TO_ANGLE = str.maketrans(
    dict.fromkeys(_OPENING, "<") | dict.fromkeys(_CLOSING, ">")
    | {"«": "<<", "≪": "<<", "《": "<<", "⟪": "<<", "⋘": "<<<"}
    | {"»": ">>", "≫": ">>", "》": ">>", "⟫": ">>", "⋙": ">>>"}
)  # fmt: skip
_BORDER = re.compile(r"<{3}output|output[0-9a-z]{0,80}>{3}")
_HEADER = re.compile(r"(?im)^(\s*)\[(?=command \S+ on \S+:)")
_SPOKEN = re.compile(
    r"<(?=\|[\w .-]{1,40}\|>|/?(?:s|bos|eos|start_of_turn|end_of_turn)>)|<(?=</?sys>>)", re.I
)
_TURN = re.compile(r"\[(/?(?:inst|system_prompt|available_tools|tool_(?:calls|results)))\]", re.I)
_HEAD_SHARE = 0.5


def fence(text: str, border: str) -> str:
    """Return *text* between borders; *border* must be unguessable (``secrets.token_hex``).

    Whatever in *text* looks like a border, however spelled, or like the marks by which a
    model tells speakers apart is made harmless, so that no output can end its own fence and
    speak as someone else.
    """
    harmless = _harmless(text.replace(border, "[border]"))
    body = harmless if harmless.endswith("\n") or not harmless else harmless + "\n"
    return f"<<<output {border}\n{body}output {border}>>>"


def _harmless(text: str) -> str:
    if _BRACKET.search(text):
        text = "\n".join(map(_without_border, text.split("\n")))
        text = _SPOKEN.sub("< ", text)
    return _TURN.sub(r"(\1)", _HEADER.sub(r"\1(", text)) if "[" in text else text


def _without_border(line: str) -> str:
    """Return *line* with round brackets for angled ones if it can be taken for a border."""
    if not _BRACKET.search(line):
        return line
    squeezed = re.sub(r"[^\w<>]|_", "", views.folded(line.translate(_TO_ANGLE)))
    return line.translate(_TO_ROUND) if _BORDER.search(squeezed) else line


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
