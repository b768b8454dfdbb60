"""A streamed reply as it comes together, chunk by chunk.

Servers differ: calls without index or id, one index for several calls, names and arguments
cut anywhere or sent whole, arguments as an object, content as a list of parts, the call
printed as text. Whatever has a plain meaning is read; the rest is left out.
"""

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from walissh.react.turn import ToolCall, Usage

REASONING = ("reasoning_content", "reasoning")  # two servers' words for thought that is not text
FENCED = re.compile(r"```(?:json)?\s*(?P<inside>[{\[].*[}\]])\s*```", re.DOTALL | re.IGNORECASE)
CALL_BEGINS = re.compile(r"`{1,2}$|```(?:j|js|jso|json)?\s*(?:$|[{\[])|\{", re.IGNORECASE)


@dataclass(slots=True)
class _Growing:
    """A tool call, or the next piece of one; "" and None where the server said nothing."""

    index: int | None
    id: str
    name: str
    arguments: str


class Assembly:
    """What has come so far. *finish* is the server's finish_reason, "" before the end."""

    def __init__(self, tools: Set[str]) -> None:
        self._tools = tools
        self._pieces: list[str] = []
        self._half = ""
        self._calls: list[_Growing] = []
        self.begun = False
        self.chars = 0
        self.finish = ""
        self.usage = Usage()

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, chunk: object) -> str:
        """Take one chunk, or a whole completion; return the text that is new."""
        if not isinstance(chunk, Mapping):
            return ""
        self._count(chunk.get("usage"))
        return "".join(self._choose(choice) for choice in _mappings(chunk.get("choices"))[:1])

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls in the order they began, each with an id of its own."""
        seen: set[str] = set()
        return tuple(_with_id(call, seen) for call in self._calls)

    def _choose(self, choice: Mapping[str, object]) -> str:
        self.finish = _string(choice.get("finish_reason")) or self.finish
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            return ""
        pieces = [_piece(each) for each in _mappings(delta.get("tool_calls"))]
        for piece in pieces:
            self._grow(piece)
        text = self._say(_content(delta.get("content")) + _string(delta.get("refusal")))
        thought = any(_string(delta.get(name)) for name in REASONING)
        self.begun = self.begun or bool(pieces or text or thought)
        return text

    def _say(self, piece: str) -> str:
        # a character beyond U+FFFF may be cut into its two surrogates by the server
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        text = _mended(piece.removesuffix(self._half))
        self._pieces.append(text)
        self.chars += len(text)
        return text

    def _grow(self, piece: _Growing) -> None:
        self.chars += len(piece.arguments)
        call = self._continued(piece)
        if call is None:
            self._calls.append(piece)
            return
        call.id = call.id or piece.id
        if not (piece.name == call.name and call.name in self._tools):  # repeated, not continued
            call.name += piece.name
        call.arguments += piece.arguments

    def _continued(self, piece: _Growing) -> _Growing | None:
        """Return the call that *piece* goes on with, None if it begins a new one."""
        call = self._candidate(piece)
        return None if call is None or self._begins_anew(call, piece) else call

    def _candidate(self, piece: _Growing) -> _Growing | None:
        latest_first = self._calls[::-1]
        if piece.index is not None:
            return next((call for call in latest_first if call.index == piece.index), None)
        if piece.id:
            known = next((call for call in latest_first if call.id == piece.id), None)
            if known is not None or piece.name:
                return known
        return latest_first[0] if latest_first else None

    def _begins_anew(self, call: _Growing, piece: _Growing) -> bool:
        if not piece.name:
            return False
        if piece.id and call.id:
            return piece.id != call.id
        if piece.index is not None:
            return bool(piece.arguments) and is_json_object(call.arguments)
        return bool(call.arguments) or call.name in self._tools

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            self.usage = Usage(
                _count_of(usage.get("prompt_tokens")), _count_of(usage.get("completion_tokens"))
            )


def is_json_object(text: str) -> bool:
    """Tell whether *text* is one whole JSON object."""
    try:
        return isinstance(json.loads(text), Mapping)
    except (ValueError, RecursionError):
        return False


def may_become_call(text: str) -> bool:
    """Tell whether a reply that begins with *text* may turn out to be a printed call."""
    block = text.strip()
    closing = block.find("```", 3) if block.startswith("```") else -1
    if 0 <= closing < len(block) - 3:
        return False  # prose follows the block
    return not block or CALL_BEGINS.match(block) is not None


def read_printed_calls(text: str, tools: Set[str]) -> tuple[ToolCall, ...]:
    """Return the calls that small models print as text: a whole reply of one JSON block.

    () unless every part of the block names a tool of *tools*.
    """
    fenced = FENCED.fullmatch(text.strip())
    try:
        inside = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        return ()
    entries = inside if isinstance(inside, list) else [inside]
    calls = [_printed(each) for each in entries]
    known = [call for call in calls if call is not None and call.name in tools]
    return tuple(known) if len(known) == len(entries) else ()


def _printed(entry: object) -> ToolCall | None:
    if not isinstance(entry, Mapping):
        return None
    inner = entry.get("function")
    spec = inner if isinstance(inner, Mapping) else entry
    arguments = spec.get("arguments", spec.get("parameters"))
    if not isinstance(arguments, Mapping | str):
        return None
    name = spec.get("name") or entry.get("tool") or inner
    return ToolCall(_new_id(), _string(name), _arguments(arguments))


def _piece(raw: Mapping[str, object]) -> _Growing:
    function = raw.get("function")
    spec: Mapping[str, object] = function if isinstance(function, Mapping) else {}
    index = raw.get("index")
    return _Growing(
        index=index if isinstance(index, int) else None,
        id=_string(raw.get("id")),
        name=_string(spec.get("name")),
        arguments=_arguments(spec.get("arguments")),
    )


def _with_id(call: _Growing, seen: set[str]) -> ToolCall:
    unique = call.id if call.id and call.id not in seen else _new_id()
    seen.add(unique)
    return ToolCall(unique, _mended(call.name), _mended(call.arguments))


def _new_id() -> str:
    return f"call_{secrets.token_hex(12)}"


def _arguments(value: object) -> str:
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return _string(value)


def _content(value: object) -> str:
    if isinstance(value, list):
        return "".join(_string(part.get("text")) for part in _mappings(value))
    return _string(value)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mappings(value: object) -> list[Mapping[str, object]]:
    return list(_only_mappings(value)) if isinstance(value, list) else []


def _only_mappings(values: list[object]) -> Iterator[Mapping[str, object]]:
    return (each for each in values if isinstance(each, Mapping))


def _count_of(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _mended(text: str) -> str:
    """Join surrogate pairs, replace lone ones, drop NUL (no database column takes it)."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", "")
