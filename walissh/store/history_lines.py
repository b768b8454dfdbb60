"""A message as a line of JSON, and what of a talk is asked for when all of it is at hand."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Protocol, cast

from walissh.clock import utc_now
from walissh.errors import TalkFileError
from walissh.react.needs import History
from walissh.react.turn import Message, Role, ToolCall
from walissh.store.database import FIRST, LAST, new_id

ROLES: Final[frozenset[str]] = frozenset({"user", "assistant", "tool"})
"""Who speaks in a stored talk: the system message is built anew for each request."""
OTHER_FIELDS: Final = "other_fields"
"""Where `meta` keeps the fields of a line that this version does not know."""
_FIELDS: Final = (
    "session_id",
    "user_id",
    "id",
    "turn_id",
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "meta",
    "created_at",
)


class HistoryStore(History, Protocol):
    """The messages of talks, kept in tables, in files or in memory: all three do the same."""

    def add(self, session_id: str, messages: Sequence[Message], *, user_id: str) -> list[Message]:
        """Store *messages* at the end of a session, all or none; return them as stored.

        Those without id or time are given one. Raises TalkFileError for what cannot be kept
        everywhere (NUL, half of a surrogate pair, a role that does not speak), NotFoundError
        for another's session, ConflictError for an id that is there already.
        """


@dataclass(frozen=True, slots=True)
class Line:
    """A message with the session and the person that it belongs to."""

    session_id: str
    user_id: str
    message: Message


def written(line: Line) -> str:
    """Return the line of JSON, without a newline; `read` gives back the same."""
    message = line.message
    meta = dict(message.meta)
    others = meta.pop(OTHER_FIELDS, {})
    fields = {
        "session_id": line.session_id,
        "user_id": line.user_id,
        "id": message.id,
        "turn_id": message.turn_id,
        "role": message.role,
        "content": message.content,
        "tool_calls": [asdict(each) for each in message.tool_calls],
        "tool_call_id": message.tool_call_id,
        "meta": meta,
        "created_at": message.created_at.isoformat() if message.created_at else None,
    }
    return json.dumps({**_object(others), **fields}, ensure_ascii=False, allow_nan=False)


def read(text: str | bytes) -> Line:
    """Return the message of a line; raises TalkFileError if it holds none that can be kept."""
    stored = parsed(text)
    message = Message(
        role=cast("Role", _text(stored, "role")),  # `checked` looks at it
        content=_text(stored, "content"),
        tool_calls=tuple(_call(each) for each in _list(stored, "tool_calls")),
        tool_call_id=_text(stored, "tool_call_id") if stored.get("tool_call_id") else None,
        meta=_with_others(_object(stored.get("meta") or {}), stored),
        id=_text(stored, "id", ""),
        turn_id=_text(stored, "turn_id", ""),
        created_at=_instant(stored.get("created_at")),
    )
    return Line(_text(stored, "session_id", ""), _text(stored, "user_id", ""), checked(message))


def parsed(text: str | bytes) -> Mapping[str, Any]:
    """Return the object that a line holds; raises TalkFileError."""
    try:
        return _object(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise TalkFileError("it is no JSON") from error


def checked(message: Message) -> Message:
    """Return *message* as every store gives it back; raises TalkFileError if one cannot."""
    if message.role not in ROLES:
        raise TalkFileError(f"the role {message.role!r} does not speak in a talk", field="role")
    at = message.created_at or utc_now()
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    sound = replace(
        message,
        meta=_plain(message.meta),
        id=message.id or new_id(),
        created_at=min(max(at, FIRST), LAST).astimezone(UTC),
    )
    _refuse_unsound(asdict(replace(sound, created_at=None)))
    return sound


def newest(
    talk: Sequence[Line],
    user_id: str,
    limit: int,
    *,
    after_id: str = "",
    before_turn: str | None = None,
) -> list[Message]:
    """Return the last *limit* messages of this person, oldest first.

    Only those after the message *after_id* and before the turn *before_turn*; where one of
    them is not there, nothing is.
    """
    mine = [each.message for each in talk if each.user_id == user_id]
    first = _place([each.id for each in mine], after_id) if after_id else -1
    end = len(mine)
    if before_turn is not None:
        end = _place([each.turn_id for each in mine], before_turn) or 0
    if first is None or limit <= 0:
        return []
    return mine[first + 1 : end][-limit:]


def _place(values: Sequence[str], value: str) -> int | None:
    return values.index(value) if value in values else None


# --- what cannot be kept everywhere ---------------------------------------------------


def _plain(meta: Mapping[str, object]) -> dict[str, Any]:
    """Return *meta* as JSON gives it back: lists for tuples, texts for keys."""
    try:
        return dict(_object(json.loads(json.dumps(dict(meta), allow_nan=False))))
    except (TypeError, ValueError, RecursionError) as error:
        raise TalkFileError("its meta cannot be written as JSON", field="meta") from error


def _refuse_unsound(value: object) -> None:
    match value:
        case str():
            _refuse_unsound_text(value)
        case dict():
            for name, each in value.items():
                _refuse_unsound(name)
                _refuse_unsound(each)
        case list() | tuple():
            for each in value:
                _refuse_unsound(each)


def _refuse_unsound_text(text: str) -> None:
    if "\0" in text:
        raise TalkFileError("it holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TalkFileError("it holds half of a surrogate pair, which is no text") from error


# --- the fields of a line -------------------------------------------------------------


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TalkFileError("it is no JSON object")
    return value


def _text(stored: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    value = stored.get(name)
    if value is None:
        value = otherwise
    if not isinstance(value, str):
        raise TalkFileError(f"its {name} is no text", field=name)
    return value


def _list(stored: Mapping[str, Any], name: str) -> list[Any]:
    value = stored.get(name) or []
    if not isinstance(value, list):
        raise TalkFileError(f"its {name} are no list", field=name)
    return value


def _call(value: object) -> ToolCall:
    stored = _object(value)
    return ToolCall(*(_text(stored, name) for name in ("id", "name", "arguments")))


def _instant(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(str(value))
    except ValueError as error:
        raise TalkFileError("its created_at is no time", field="created_at") from error


def _with_others(meta: Mapping[str, Any], stored: Mapping[str, Any]) -> Mapping[str, Any]:
    others = {name: value for name, value in stored.items() if name not in _FIELDS}
    return {**meta, OTHER_FIELDS: others} if others else meta
