"""Task ``extract``: what a message, a conclusion or an output teaches."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.memory.entry import Found, MemoryType
from walissh.memory.extract import cases, facts, preferences


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id`` and ``memories`` of each line."""
    for line in lines:
        find = fields.one_of(line, "source", _SOURCES)
        yield {
            "id": fields.text(line, "id"),
            "memories": [_memory(found) for found in find(line)],
        }


def _from_user(line: Mapping[str, object]) -> list[Found]:
    return list(preferences.from_user(fields.text(line, "text")))


def _from_assistant(line: Mapping[str, object]) -> list[Found]:
    return cases.from_assistant(fields.text(line, "text"))


def _from_tool(line: Mapping[str, object]) -> list[Found]:
    return list(
        facts.from_tool(
            fields.text(line, "text"),
            command=fields.text(line, "command", ""),
            host=fields.text(line, "host", ""),
            rc=fields.optional_whole(line, "rc"),
        )
    )


_SOURCES: dict[str, Callable[[Mapping[str, object]], list[Found]]] = {
    "user": _from_user,
    "assistant": _from_assistant,
    "tool": _from_tool,
}


def _memory(found: Found) -> dict[str, object]:
    memory: dict[str, object] = {
        "type": found.type.value,
        "subject": found.subject,
        "value": found.value,
        "content": found.content,
    }
    if found.type is MemoryType.USER_PREFERENCE:
        memory |= {"scope": found.scope, "op": found.op.value}
    if found.type is MemoryType.TROUBLESHOOTING_CASE:
        memory |= {"symptom": found.symptom, "cause": found.cause, "fix": found.fix}
        memory["worked"] = found.worked
    return memory
