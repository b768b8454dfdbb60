"""Task ``intent``: what a message is meant to do, by the rules alone."""

from collections.abc import Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.react import intent
from walissh.react.intent import OpenTask
from walissh.react.turn import Message, Role

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id``, ``intent``, ``confidence``, ``by`` and ``rule`` of each message."""
    for line in lines:
        intended = intent.decide(fields.text(line, "text"), _history(line), _task(line))
        yield {
            "id": fields.text(line, "id"),
            "intent": intended.intent.value,
            "confidence": intended.confidence,
            "by": intended.by,
            "rule": intended.rule,
            "sure": intent.is_sure(intended),
        }


def _history(line: Mapping[str, object]) -> list[Message]:
    if line.get("history") is None:
        return []
    return [
        Message(fields.one_of(each, "role", _ROLES), fields.text(each, "content", ""))
        for each in fields.objects(line, "history")
    ]


def _task(line: Mapping[str, object]) -> OpenTask | None:
    if line.get("open_task") is None:
        return None
    task = fields.object_(line, "open_task")
    return OpenTask(
        fields.text(task, "goal", ""), fields.texts(task, "done"), fields.text(task, "next", "")
    )
