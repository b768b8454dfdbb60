"""What the real chat completions service refuses, so that the scripted one refuses it too."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FUNCTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ROLES = ("system", "developer", "user", "assistant", "tool")
FIELDS = frozenset(
    {
        "model", "messages", "stream", "stream_options", "tools", "tool_choice",
        "parallel_tool_calls", "temperature", "top_p", "n", "stop", "max_tokens",
        "max_completion_tokens", "seed", "response_format", "user", "logprobs", "top_logprobs",
        "presence_penalty", "frequency_penalty", "logit_bias", "reasoning_effort", "metadata",
        "store", "service_tier",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused; *param* is the place as the service names it."""

    message: str
    param: str
    code: str | None = None


def check(body: object, *, strict_system: bool) -> Refusal | None:
    """Return the first thing wrong with a request body, None if the service would take it.

    *strict_system* asks for exactly one system message, first: the service permits more,
    this product's prompt does not.
    """
    if not isinstance(body, Mapping):
        return Refusal("We could not parse the JSON body of your request.", "")
    return next(_faults(body, strict_system), None)


def _faults(body: Mapping[str, object], strict_system: bool) -> Iterator[Refusal]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield Refusal("you must provide a model parameter", "model")
    for name in sorted(set(body) - FIELDS):
        yield Refusal(f"Unrecognized request argument supplied: {name}", name)
    if "stream_options" in body and not body.get("stream"):
        yield Refusal(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
        )
    yield from _temperature_faults(body.get("temperature"))
    yield from _tools_faults(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield Refusal("Invalid 'messages': empty array or no array.", "messages")
        return
    yield from _message_faults(messages)
    yield from _order_faults(messages)
    if strict_system:
        yield from _system_faults(messages)


def _temperature_faults(value: object) -> Iterator[Refusal]:
    if value is not None and not (isinstance(value, int | float) and 0 <= value <= 2):
        yield Refusal("Invalid 'temperature': expected a number from 0 to 2.", "temperature")


def _tools_faults(body: Mapping[str, object]) -> Iterator[Refusal]:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        yield Refusal("Invalid 'tools': empty array or no array.", "tools")
        return
    seen: set[str] = set()
    for place, tool in enumerate(tools):
        yield from _tool_faults(tool, f"tools[{place}]", seen)


def _tool_faults(tool: object, place: str, seen: set[str]) -> Iterator[Refusal]:
    kind, function = _function_of(tool)
    if not isinstance(function, Mapping) or kind != "function":
        yield Refusal(f"Invalid '{place}': expected a function tool.", place)
        return
    name = function.get("name")
    if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
        yield Refusal(f"Invalid '{place}.function.name'.", f"{place}.function.name")
    elif name in seen:
        yield Refusal(f"Duplicate tool name {name!r}.", f"{place}.function.name")
    else:
        seen.add(name)
    if "parameters" in function:
        yield from _schema_faults(function["parameters"], f"{place}.function.parameters")


def _schema_faults(schema: object, place: str) -> Iterator[Refusal]:
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield Refusal(
            "Invalid schema for function: schema must be a JSON Schema of 'type: \"object\"'.",
            place,
        )
        return
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not all(
        isinstance(each, Mapping) for each in properties.values()
    ):
        yield Refusal("Invalid schema for function: bad 'properties'.", place)
        return
    for name, each in properties.items():
        if each.get("type") == "array" and not isinstance(each.get("items"), Mapping):
            yield Refusal("Invalid schema for function: array schema missing items.", place)
        if each.get("type") == "object":
            yield from _schema_faults(each, f"{place}.{name}")
    required = schema.get("required", [])
    if not isinstance(required, list) or not set(required) <= set(properties):
        yield Refusal("Invalid schema for function: 'required' names no property.", place)


def _message_faults(messages: Sequence[object]) -> Iterator[Refusal]:
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        if not isinstance(message, Mapping) or message.get("role") not in ROLES:
            role = message.get("role") if isinstance(message, Mapping) else message
            yield Refusal(f"Invalid value: {role!r}. Supported values are: {ROLES}.", place)
            continue
        yield from _content_faults(message, place)
        yield from _calls_faults(message, place)


def _content_faults(message: Mapping[str, object], place: str) -> Iterator[Refusal]:
    content = message.get("content")
    may_be_missing = message["role"] == "assistant" and message.get("tool_calls")
    if content is None and may_be_missing:
        return
    if not isinstance(content, str | list):
        yield Refusal(f"Invalid value for 'content': {content!r}.", f"{place}.content")


def _calls_faults(message: Mapping[str, object], place: str) -> Iterator[Refusal]:
    if "tool_calls" not in message:
        return
    calls = message["tool_calls"]
    if message["role"] != "assistant" or not isinstance(calls, list) or not calls:
        yield Refusal(f"Invalid '{place}.tool_calls'.", f"{place}.tool_calls")
        return
    ids = [call.get("id") for call in calls if isinstance(call, Mapping)]
    if len(set(ids)) != len(calls):
        yield Refusal("Duplicate value for 'tool_call_id'.", f"{place}.tool_calls")
    for number, call in enumerate(calls):
        if not _is_call(call):
            yield Refusal("Invalid tool call.", f"{place}.tool_calls[{number}]")


def _is_call(call: object) -> bool:
    kind, function = _function_of(call)
    call_id = call.get("id") if isinstance(call, Mapping) else None
    return (
        isinstance(function, Mapping)
        and kind == "function"
        and isinstance(call_id, str)
        and bool(call_id)
        and isinstance(function.get("arguments"), str)
        and isinstance(function.get("name"), str)
        and FUNCTION_NAME.fullmatch(function["name"]) is not None
    )


def _function_of(entry: object) -> tuple[object, object]:
    if not isinstance(entry, Mapping):
        return None, None
    return entry.get("type"), entry.get("function")


def _order_faults(messages: Sequence[object]) -> Iterator[Refusal]:
    """Each call is answered by a tool message before anything else is said."""
    waiting: list[object] = []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            return
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                yield Refusal(
                    "Invalid parameter: messages with role 'tool' must be a response to a"
                    " preceeding message with 'tool_calls'.",
                    f"messages.[{number}].role",
                )
                return
            waiting.remove(message.get("tool_call_id"))
            continue
        if waiting:
            break
        waiting = [call.get("id") for call in _calls(message)]
    if waiting:
        yield Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding"
            " to each 'tool_call_id'. The following tool_call_ids did not have response"
            f" messages: {', '.join(map(str, waiting))}",
            "messages",
        )


def _calls(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    calls = message.get("tool_calls")
    return [each for each in calls if isinstance(each, Mapping)] if isinstance(calls, list) else []


def _system_faults(messages: Sequence[object]) -> Iterator[Refusal]:
    roles = [each.get("role") for each in messages if isinstance(each, Mapping)]
    if roles.count("system") != 1 or roles[0] != "system":
        yield Refusal("Expected exactly one system message, and first.", "messages")
