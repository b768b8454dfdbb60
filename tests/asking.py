"""Asking the scripted model: what the tests of the model's driver share."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from tests.scripted_model import ScriptedModel
from walissh.brain.openai_chat import OpenAIChat
from walissh.errors import ModelError
from walissh.react.turn import Language, Message, Reply, Request, Tool

KEY = "sk-made-up-0123456789abcdef"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ARGUMENTS = {"host": "web1", "command": "uptime", "reason": "负载 😀"}
UPTIME = '{"host": "web1", "command": "uptime"}'
PARAMETERS = {
    "type": "object",
    "properties": {"host": {"type": "string"}, "command": {"type": "string"}},
    "required": ["host", "command"],
}
RUN = Tool("run_command", "Run one command.", PARAMETERS)
READ = Tool("read_output", "Read lines.", {"type": "object", "properties": {}})


@dataclass(slots=True)
class Heard:
    """What a person would see, and when the turn is stopped."""

    pieces: list[str] = field(default_factory=list)
    stop: bool = False
    stop_on_text: bool = False

    def on_text(self, piece: str) -> None:
        self.pieces.append(piece)
        self.stop = self.stop or self.stop_on_text

    def is_stopped(self) -> bool:
        return self.stop

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def chat(server: ScriptedModel, **more: object) -> OpenAIChat:
    values = {
        "api_key": KEY,
        "base_url": server.url,
        "temperature": 0.0,
        "first_token_limit_s": 20.0,
        "now": lambda: NOON,
    }
    return OpenAIChat("scripted", **{**values, **more})  # type: ignore[arg-type]


def request(
    *messages: Message, tools: tuple[Tool, ...] = (RUN, READ), language: Language = "en"
) -> Request:
    talk = messages or (Message("user", "why is web1 slow?"),)
    return Request((Message("system", "You are careful."), *talk), tools, ("web1",), language)


def ask(
    server: ScriptedModel,
    heard: Heard | None = None,
    *,
    asked: Request | None = None,
    **more: object,
) -> Reply:
    heard = heard or Heard()
    model = chat(server, **more)
    return model.complete(asked or request(), on_text=heard.on_text, cancelled=heard.is_stopped)


def refusal(
    server: ScriptedModel, kind: type[ModelError] = ModelError, **more: object
) -> ModelError:
    with pytest.raises(kind) as caught:
        ask(server, **more)  # type: ignore[arg-type]
    assert type(caught.value) is kind
    return caught.value


def piece(index: int | None = None, **more: object) -> dict[str, object]:
    function = {name: more.pop(name) for name in ("name", "arguments") if name in more}
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, **more, "function": function}]}


def ignore(piece: str) -> None:
    """Hear nothing."""


def seen(reply: Reply) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in reply.tool_calls]
