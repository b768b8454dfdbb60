"""Task ``fit``: what of a talk would be sent to the model within a budget."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from walissh.cli.evaluations import fields
from walissh.cli.evaluations.fields import FieldError
from walissh.errors import ContextTooLongError
from walissh.react import language, rounds
from walissh.react.turn import Language, Message, Role, ToolCall
from walissh.react.window import strategies, tokens
from walissh.react.window.summary import Summary
from walissh.react.window.values import Budget, Strategy

_ROLES: dict[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
SYSTEM = "You are WaLiSSH, an assistant of operations engineers."
"""Stands where the prompt's own sections stand in the product."""


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id``, ``messages`` and ``tokens`` of each talk."""
    for line in lines:
        stored = [
            _message(each, f"m{at}") for at, each in enumerate(fields.objects(line, "messages"))
        ]
        talk = [each for each in stored if each.role != "system"]
        fitted = _strategy(line).fit(rounds.split(talk), Summary(), _budget(line, stored))
        yield {
            "id": fields.text(line, "id"),
            "messages": [_sent(each) for each in fitted.messages],
            "tokens": fitted.tokens,
        }


def _strategy(line: Mapping[str, object]) -> Strategy:
    if line.get("strategy") is None:
        return strategies.KNOWN["hybrid"]
    return fields.one_of(line, "strategy", strategies.KNOWN)


def _budget(line: Mapping[str, object], stored: Sequence[Message]) -> Budget:
    told = [each.content for each in stored if each.role == "system" and each.content]
    try:
        return Budget(
            tokens=fields.whole(line, "budget_tokens"),
            counter=tokens.Counter(),
            system="\n\n".join(told) or SYSTEM,
            language=_language(stored),
        )
    except ContextTooLongError as error:
        raise FieldError(str(error), field="budget_tokens") from error


def _language(talk: Sequence[Message]) -> Language:
    asked = [each.content for each in talk if each.role == "user"]
    return language.detect(asked[-1] if asked else "", "en")


def _message(line: Mapping[str, object], made_id: str) -> Message:
    calls = fields.objects(line, "tool_calls") if line.get("tool_calls") else []
    meta = line.get("meta")
    return Message(
        role=fields.one_of(line, "role", _ROLES),
        content=fields.text(line, "content", ""),
        tool_calls=tuple(_call(each) for each in calls),
        tool_call_id=fields.optional_text(line, "tool_call_id"),
        meta=meta if isinstance(meta, dict) else {},
        id=fields.text(line, "id", made_id),
    )


def _call(line: Mapping[str, object]) -> ToolCall:
    function = line.get("function")
    if isinstance(function, dict):  # as the model's interface writes it
        line = {**function, "id": line.get("id")}
    given = line.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return ToolCall(fields.text(line, "id"), fields.text(line, "name", ""), arguments)


def _sent(message: Message) -> dict[str, object]:
    sent: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [
            {"id": each.id, "name": each.name, "arguments": each.arguments}
            for each in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent
