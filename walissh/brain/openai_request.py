"""A turn's request in the words of the chat completions interface."""

import json
import re
from collections.abc import Mapping, Set

from walissh.react.turn import Message, Request, Tool, ToolCall

NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
MAX_NAME_CHARS = 64  # the service refuses longer function names


def body(
    model: str, request: Request, *, temperature: float | None, left_out: Set[str]
) -> dict[str, object]:
    """Return the JSON body of a streaming call.

    *left_out* names fields that this server refused before (such as temperature).
    """
    whole: dict[str, object] = {
        "model": model,
        "messages": [_message(each) for each in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:  # an empty list is refused
        whole["tools"] = [_tool(each) for each in request.tools]
    if request.reply_tokens:
        whole["max_completion_tokens"] = request.reply_tokens
    if temperature is not None:
        whole["temperature"] = temperature
    return {name: value for name, value in whole.items() if name not in left_out}


def _message(message: Message) -> dict[str, object]:
    said: dict[str, object] = {"role": message.role, "content": _encodable(message.content)}
    if message.tool_calls:
        said["tool_calls"] = [_call(each) for each in message.tool_calls]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def _call(call: ToolCall) -> dict[str, object]:
    function = {"name": _name(call.name), "arguments": _arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: Tool) -> dict[str, object]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


def _name(name: str) -> str:
    # a name the model made up comes back in the history, where the service checks it
    return NOT_A_NAME.sub("_", name)[:MAX_NAME_CHARS] or "unknown"


def _arguments(raw: str) -> str:
    # several servers parse old arguments and answer 500 when they are broken: the talk
    # would be stuck for ever, so broken ones go back as valid JSON that shows them
    text = _encodable(raw)
    try:
        is_object = isinstance(json.loads(text), Mapping)
    except (ValueError, RecursionError):
        is_object = False
    return text if is_object else json.dumps({"unreadable": text}, ensure_ascii=False)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
