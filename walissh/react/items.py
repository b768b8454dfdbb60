"""The items of a plan as models write them: read widely, since small ones keep to no schema."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from walissh.errors import BadPlanError
from walissh.memory.working import StepStatus

MAX_ITEMS = 50
MAX_ID_CHARS = 40
MAX_TITLE_CHARS = 300
MAX_RESULT_CHARS = 500
MAX_AFTER = 50

_LINE = re.compile(
    r"\s*(?:[-*+•]\s+|\(?\d{1,3}[.)、:：]\s*)*(?:\[(?P<box>.?)\]\s*)?(?P<title>\S.*)"
)
_BOXES = {"": "pending", " ": "pending", "~": "running", "-": "cancelled", "/": "running"}
_SPLIT = re.compile(r"[,，、;\s]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One step as wanted; *status* and *after* are None where nothing was said of them.

    *again* asks for a step that is done to be done once more.
    """

    id: str = ""
    title: str = ""
    status: StepStatus | None = None
    again: bool = False
    after: tuple[str, ...] | None = None
    result: str = ""


def read(items: object) -> list[Item]:
    """Return the items of a call; raises BadPlanError in words for the model."""
    found = [_item(each) for each in _listed(items)]
    if not found:
        raise BadPlanError("items must be a list with one entry for each step of the plan")
    if len(found) > MAX_ITEMS:
        raise BadPlanError(f"a plan has at most {MAX_ITEMS} steps; sum some of them up")
    return list(dict.fromkeys(found))


def _listed(items: object) -> list[object]:
    if isinstance(items, str):
        items = _parsed(items)
    if isinstance(items, dict):
        items = _unwrapped(items)
    if not isinstance(items, list):
        raise BadPlanError("items must be a list with one entry for each step of the plan")
    return items


def _parsed(text: str) -> object:
    """Return a list that was sent as text: JSON, or one step a line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [line for line in text.splitlines() if line.strip()]


def _unwrapped(fields: Mapping[str, object]) -> list[object]:
    """Return the list in an object around it, or the object as the only item."""
    inside = next((fields[name] for name in _words()["lists"] if name in fields), None)
    if isinstance(inside, list):
        return inside
    if fields and all(isinstance(each, dict) for each in fields.values()):
        return [{"id": name, **dict(each)} for name, each in fields.items()]  # type: ignore[call-overload]
    return [fields]


def _item(item: object) -> Item:
    if isinstance(item, str):
        return _of_line(item)
    if not isinstance(item, dict):
        raise BadPlanError("each item must be a text or an object with a title")
    fields = {str(name).lower(): value for name, value in item.items()}
    title, step_id = _text(fields, "title"), _text(fields, "id")
    if not title and not step_id:
        raise BadPlanError("each item needs a title")
    word = _text(fields, "status")
    return Item(
        id=step_id[:MAX_ID_CHARS],
        title=title[:MAX_TITLE_CHARS],
        status=_status(word),
        again=_plain(word) in _again(),
        after=_after(fields),
        result=_text(fields, "result")[:MAX_RESULT_CHARS],
    )


def _of_line(line: str) -> Item:
    """Read ``2. [x] title``; the number is only a place in the list."""
    found = _LINE.fullmatch(" ".join(line.replace("\0", "").split()))
    if not found:
        raise BadPlanError("each item needs a title")
    box = found["box"]
    word = "" if box is None else _BOXES.get(box, box)
    return Item(title=found["title"][:MAX_TITLE_CHARS], status=_status(word))


def _status(word: str) -> StepStatus | None:
    plain = _plain(word)
    if not plain or plain in _again():
        return StepStatus.PENDING if plain else None
    if plain not in _states():
        names = ", ".join(each.value for each in StepStatus)
        raise BadPlanError(f"there is no status {word[:40]!r}; use one of: {names}")
    return _states()[plain]


def _plain(word: str) -> str:
    return word.strip(" .!。！[]\ufe0f").lower().replace(" ", "_").replace("-", "_")


def _after(fields: Mapping[str, object]) -> tuple[str, ...] | None:
    value = _value(fields, "after")
    if value is None:
        return None
    if isinstance(value, list):
        named = (each.get("id", "") if isinstance(each, dict) else each for each in value)
        return tuple(filter(None, map(_line, named)))[:MAX_AFTER]
    text = _line(value)
    return (text,) if " " in text and "," not in text else tuple(filter(None, _SPLIT.split(text)))


def _text(fields: Mapping[str, object], name: str) -> str:
    value = _value(fields, name)
    return "" if value is None else _line(value)


def _value(fields: Mapping[str, object], name: str) -> object:
    return next((fields[key] for key in _words()["keys"][name] if key in fields), None)


def _line(value: object) -> str:
    """Return a value on one line; numbers and objects are what JSON writes for them."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else _written(value)
    return " ".join(text.replace("\0", "").encode("utf-8", "replace").decode().split())


def _written(value: object) -> str:
    if value is None or value == [] or value == {}:
        return ""
    return json.dumps(value, ensure_ascii=False)


@cache
def _words() -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml.safe_load(
        (files("walissh.react") / "plan.yaml").read_text("utf-8")
    )
    return data


@cache
def _states() -> Mapping[str, StepStatus]:
    return dict(_pairs(_words()["states"]))


def _pairs(states: Mapping[str, str]) -> Iterator[tuple[str, StepStatus]]:
    for name, words in states.items():
        yield from ((word, StepStatus(name)) for word in words.split())


@cache
def _again() -> frozenset[str]:
    return frozenset(_words()["again"].split())
