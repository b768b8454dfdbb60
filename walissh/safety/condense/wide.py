"""One line that is too wide: JSON loses elements, other text its middle."""

import json
import re
from typing import Any

from walissh.react.turn import Language
from walissh.safety.condense import notes

BLOB_CHARS = 400
_BLOB = re.compile(rf"[A-Za-z0-9+/_=-]{{{BLOB_CHARS},}}")
SHORTENED = re.compile(r"\[\.\.\. (\d+) characters left out \.\.\.\]")
_BORDER = re.compile(r"[\s,;}\]]")
MAX_PARSED = 70_000
LEVELS = ((40, 400, 8), (16, 200, 6), (8, 120, 5), (4, 80, 4), (2, 60, 3), (1, 40, 2))
"""Elements kept of a list or an object, characters of a string, depth: from mild to hard."""


def cut(text: str, room: int, language: Language, focus: str = "") -> str:
    """Return *text* within *room* characters: both ends, and what is around *focus*.

    The result is pieces of *text* with notes between them.
    """
    if len(text) <= room:
        return text
    at = text.lower().find(focus) if focus else -1
    note = notes.inside(len(text), language)
    ends = max(room - len(note), 0)
    if ends == 0:
        return text[:room]
    if at > ends // 2 and at < len(text) - ends // 3 and ends > 3 * len(note):
        return _around(text, at, ends - len(note), language)
    head = _head(text, ends * 2 // 3)
    tail = text[len(text) - (ends - ends * 2 // 3) :] if ends > 2 else ""
    return head + notes.inside(_chars(text[len(head) : len(text) - len(tail)]), language) + tail


def _chars(gone: str) -> int:
    """Return how long *gone* was before it was shortened, if it was."""
    found = SHORTENED.search(gone)
    return len(gone) + (int(found[1]) - len(found[0]) if found else 0)


def _around(text: str, at: int, room: int, language: Language) -> str:
    head = _head(text, room // 3)
    first = max(len(head), at - room // 6)
    window = text[first : first + room - room // 3]
    end = first + len(window)
    before = notes.inside(first - len(head), language) if first > len(head) else ""
    after = notes.inside(len(text) - end, language) if end < len(text) else ""
    return head + before + window + after


def _head(text: str, chars: int) -> str:
    """Return the start of *text*, to the last border in its final fifth if there is one."""
    least = chars - chars // 5
    borders = [match.end() for match in _BORDER.finditer(text, least, chars)]
    return text[: borders[-1]] if borders else text[:chars]


def without_blobs(text: str, language: Language) -> str:
    """Return *text* with long runs of base64 replaced by a note."""
    return _BLOB.sub(lambda match: _blob(match[0], language), text)


def _blob(text: str, language: Language) -> str:
    mixed = all(any(map(kind, text)) for kind in (str.isupper, str.islower, str.isdigit))
    return notes.inside(len(text), language) if mixed else text


# --- JSON -----------------------------------------------------------------------------


def pruned(text: str, room: int) -> str | None:
    """Return the JSON text with elements left out, parseable; None if it cannot be done."""
    start = text[:1_000].lstrip()[:1]
    if start not in ("{", "[") or len(text) > MAX_PARSED:
        return None
    try:
        value = json.loads(text)
        return next(
            (small for level in LEVELS if len(small := _dumped(value, level)) <= room), None
        )
    except (ValueError, RecursionError):
        return None


def _dumped(value: Any, level: tuple[int, int, int]) -> str:
    small = _small(value, *level)
    return json.dumps(small, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _small(value: Any, items: int, chars: int, depth: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}… (+{len(value) - chars:,})"
    if not isinstance(value, dict | list):
        return value
    if depth == 0 and value:
        return f"… {len(value):,} …"
    if isinstance(value, list):
        return _short_list(value, items, chars, depth)
    kept = {k: _small(v, items, chars, depth - 1) for k, v in list(value.items())[:items]}
    more = len(value) - len(kept)
    return {**kept, "…": f"+{more:,}"} if more else kept


def _short_list(value: list[Any], items: int, chars: int, depth: int) -> list[Any]:
    if len(value) <= items + 1:
        return [_small(each, items, chars, depth - 1) for each in value]
    head = [_small(each, items, chars, depth - 1) for each in value[:items]]
    tail = [_small(value[-1], items, chars, depth - 1)] if items > 1 else []
    return [*head, f"… +{len(value) - items - len(tail):,} …", *tail]
