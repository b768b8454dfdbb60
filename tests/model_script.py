"""What a scripted model can be told to do; ``tests.scripted_model`` does it."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PIECE_CHARS = 7


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with *text*, cut into *pieces* (or every few characters)."""

    text: str
    pieces: Sequence[str] | None = None
    finish: str = "stop"
    usage: bool = True


@dataclass(frozen=True, slots=True, init=False)
class Call:
    """Ask for tool calls, each ``(name, arguments)``; a str as arguments is sent as it is.

    Their ids are call_1, call_2 ... counted over the life of the server.
    """

    calls: tuple[tuple[str, Mapping[str, object] | str], ...]
    say: str
    piece_chars: int
    finish: str

    def __init__(
        self,
        *calls: tuple[str, Mapping[str, object] | str],
        say: str = "",
        piece_chars: int = PIECE_CHARS,
        finish: str = "tool_calls",
    ) -> None:
        values = {"calls": calls, "say": say, "piece_chars": piece_chars, "finish": finish}
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, init=False)
class Deltas:
    """Stream exactly these deltas: dicts, raw lines (str), or seconds of silence (numbers)."""

    deltas: tuple[Mapping[str, object] | str | float, ...]
    finish: str | None
    usage: bool

    def __init__(
        self,
        *deltas: Mapping[str, object] | str | float,
        finish: str | None = "stop",
        usage: bool = True,
    ) -> None:
        for name, value in {"deltas": deltas, "finish": finish, "usage": usage}.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class BrokenArguments:
    """Call *name* with arguments that are not JSON."""

    name: str = "run_command"
    arguments: str = '{"host": "web1", "command": "uptime'


@dataclass(frozen=True, slots=True)
class Fail:
    """Answer with an error status and body; *raw* replaces the usual JSON body."""

    status: int
    message: str = "scripted failure"
    code: str | int | None = None
    type: str = "server_error"
    param: str | None = None
    retry_after: float | str | None = None
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Cut the connection after *after* pieces of *text*; 0 cuts right after the headers."""

    after: int = 1
    text: str = "half of an answer that is"


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the connection without a word."""


@dataclass(frozen=True, slots=True)
class CloseWithoutEnd:
    """Say *text*, then end the body in good order, without finish_reason and [DONE]."""

    text: str = "half of an answer"


@dataclass(frozen=True, slots=True)
class ErrorInStream:
    """Say *text*, then send an error as a line of the stream."""

    message: str = "The server had an error while processing your request."
    text: str = ""
    type: str = "server_error"
    code: str | int | None = None


@dataclass(frozen=True, slots=True)
class Stall:
    """Send headers and *text*, be silent for *seconds*, then go on with *then*."""

    seconds: float
    text: str = ""
    then: "Behaviour | None" = None
    comments: bool = False  # comment lines all the while, as proxies send them


@dataclass(frozen=True, slots=True)
class SlowHeaders:
    """Wait *seconds* before the status line, then go on with *then*."""

    seconds: float
    then: "Behaviour | None" = None


@dataclass(frozen=True, slots=True)
class Body:
    """Answer 200 with this body in one piece, whatever was asked for."""

    text: str
    content_type: str = "application/json"


Behaviour = (
    Say | Call | Deltas | BrokenArguments | Fail | Drop | HangUp | CloseWithoutEnd
    | ErrorInStream | Stall | SlowHeaders | Body
)  # fmt: skip
Answer = Callable[["Asked"], Behaviour]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came in. *hung_up* is set when the client left before the end."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as sent."""
        return list(self.body.get("messages") or [])

    @property
    def last(self) -> dict[str, Any]:
        """The last message."""
        return self.messages[-1]

    @property
    def system(self) -> str:
        """The text of the first system message, "" if there is none."""
        return next((m["content"] for m in self.messages if m["role"] == "system"), "")

    @property
    def tool_results(self) -> list[str]:
        """The texts of the tool messages after the last user message, oldest first."""
        users = [n for n, each in enumerate(self.messages) if each["role"] == "user"]
        since = self.messages[users[-1] if users else 0 :]
        return [each["content"] for each in since if each["role"] == "tool"]

    @property
    def tools(self) -> set[str]:
        """The names of the tools that were offered."""
        return {each["function"]["name"] for each in self.body.get("tools") or []}


def cut(text: str, size: int = PIECE_CHARS) -> list[str]:
    """Cut *text* into pieces of *size* characters."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def as_deltas(behaviour: Behaviour, new_ids: Callable[[int], Sequence[str]]) -> Deltas:
    """Return what *behaviour* streams; *new_ids* gives that many ids for its calls."""
    match behaviour:
        case Say():
            pieces = behaviour.pieces if behaviour.pieces is not None else cut(behaviour.text)
            said = ({"content": piece} for piece in pieces)
            return Deltas(*said, finish=behaviour.finish, usage=behaviour.usage)
        case Call():
            return _call_deltas(behaviour, new_ids(len(behaviour.calls)))
        case BrokenArguments():
            return as_deltas(Call((behaviour.name, behaviour.arguments)), new_ids)
        case Deltas():
            return behaviour
        case _:
            raise TypeError(f"{behaviour} cannot be answered in one piece")


def _call_deltas(behaviour: Call, ids: Sequence[str]) -> Deltas:
    deltas: list[Mapping[str, object]] = [{"content": piece} for piece in cut(behaviour.say)]
    for index, ((name, arguments), call_id) in enumerate(zip(behaviour.calls, ids, strict=True)):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        first, *others = cut(raw, behaviour.piece_chars) or [""]
        begin = {"id": call_id, "type": "function", "function": {"name": name, "arguments": first}}
        deltas.append({"tool_calls": [{"index": index, **begin}]})
        for piece in others:
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    return Deltas(*deltas, finish=behaviour.finish)


def as_message(script: Deltas) -> dict[str, object]:
    """Return deltas joined into the message of an answer that is not streamed."""
    text = ""
    calls: dict[int, dict[str, Any]] = {}
    for delta in script.deltas:
        if isinstance(delta, str | int | float):
            continue
        text += str(delta.get("content") or "")
        pieces: Any = delta.get("tool_calls") or ()
        for piece in pieces:
            _merge(calls, piece)
    message: dict[str, object] = {"role": "assistant", "content": text or None}
    return {**message, "tool_calls": list(calls.values())} if calls else message


def _merge(calls: dict[int, dict[str, Any]], piece: Mapping[str, Any]) -> None:
    if piece["index"] not in calls:
        calls[piece["index"]] = {name: value for name, value in piece.items() if name != "index"}
    else:
        calls[piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
