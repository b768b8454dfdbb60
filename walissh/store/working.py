"""Working memory on Redis: one hash for each task, gone an hour after its last use.

Ancestor: WorkingMemory (set_task_state, get_task_state, clear_task). A field is written
alone, and two writers lose nothing: each write gives the hash a new version, and a change
that was thought out on an older version is thought out again. Redis may lose it all: what
must not be lost stands in the database.
"""

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError

from walissh.errors import ConflictError, InvalidError, NotFoundError, QueueError
from walissh.memory.working import StepStatus, SubTask, TaskState, moved

TTL_S = 3600
TRIES = 30
"""How often a change is thought out again while others write to the same task."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_STEP = "step:"
_NOTE = "note:"
_VERSION = "version"
_GOAL = "goal"

# KEYS: the hash. ARGV: the expected version ("*": any, "": no hash yet), the new one, the
# time to live, how many fields go, their names, then the pairs that are set.
_WRITE = """
local version = redis.call('HGET', KEYS[1], 'version') or ''
if ARGV[1] ~= '*' and ARGV[1] ~= version then
    return 0
end
local gone = tonumber(ARGV[4])
for place = 5, 4 + gone do
    redis.call('HDEL', KEYS[1], ARGV[place])
end
for place = 5 + gone, #ARGV, 2 do
    redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""


@dataclass(frozen=True, slots=True)
class TaskKey:
    """Whose task it is, in which talk, and its id."""

    user: str
    session: str
    task: str


class WorkingMemory:
    """The tasks under way; every call names their owner."""

    def __init__(self, connection: "Redis", ttl_s: int = TTL_S) -> None:
        self._redis = connection
        self._ttl_s = ttl_s
        self._script = connection.register_script(_WRITE)

    def set_task_state(
        self, user: str, session: str, task: str, fields: Mapping[str, object]
    ) -> None:
        """Write these fields only, making the task if it is new.

        "goal" is the goal, every other name a note; None takes a note away. Values are
        what JSON can say.
        """
        names = {name: _GOAL if name == _GOAL else _NOTE + name for name in fields}
        gone = [names[name] for name, value in fields.items() if value is None]
        written = {names[name]: _text(each) for name, each in fields.items() if each is not None}
        self._write(_key(user, session, task), "*", gone, written)

    def get_task_state(self, user: str, session: str, task: str) -> TaskState | None:
        """Return the task, None if there is none (never made, cleared or an hour unused)."""
        return self._read(_key(user, session, task))[0]

    def plan(self, user: str, session: str, task: str, state: TaskState) -> None:
        """Put *state* (of `memory.working.planned`) in the place of what there was."""
        key = _key(user, session, task)
        self._change(key, lambda _: state, made=True)

    def change(
        self, user: str, session: str, task: str, step: Callable[[TaskState], TaskState]
    ) -> TaskState:
        """Apply a step of `memory.working` to the task as it is now; return the new state.

        *step* may be called several times while others write. Raises what it raises,
        NotFoundError if there is no task, ConflictError if the others never pause.
        """
        return self._change(_key(user, session, task), step, made=False)

    def update_subtask(
        self,
        user: str,
        session: str,
        task: str,
        step_id: str,
        status: StepStatus,
        *,
        expected: StepStatus,
        result: Mapping[str, object] | None = None,
    ) -> TaskState:
        """Move one sub-task on, if it still is as *expected*; return the new state.

        Raises ConflictError naming both states if it is not, or may not move so.
        """

        def step(state: TaskState) -> TaskState:
            now = state.step(step_id).status
            if now is not expected:
                raise ConflictError(
                    f"Step {step_id!r} is {now} by now, not {expected}, so it did not become "
                    f"{status}. Look at the plan again."
                )
            return moved(state, step_id, status, result)

        return self.change(user, session, task, step)

    def clear_task(self, user: str, session: str, task: str) -> bool:
        """Forget one task; tell whether there was one."""
        with _translated():
            return bool(self._redis.unlink(_key(user, session, task)))

    def clear_session(self, user: str, session: str) -> int:
        """Forget all tasks of a talk; return how many there were."""
        return sum(self.clear_task(*_parts(each)) for each in self.tasks(user, session))

    def tasks(self, user: str | None = None, session: str | None = None) -> Iterator[TaskKey]:
        """Yield the tasks there are, of one person or talk or (for upkeep) of all.

        Their time to live is not refreshed by it.
        """
        # "" and "*" are no ids, so a slip never widens the search
        known = ["*" if each is None else _id(each) for each in (user, session)]
        pattern = ":".join(("wm", *known, "*"))
        seen: set[bytes] = set()
        with _translated():
            for raw in self._redis.scan_iter(match=pattern, count=1000):
                found = _task_key(raw)
                if found is not None and raw not in seen:
                    seen.add(raw)
                    yield found

    def orphans(self, is_open: Callable[[TaskKey], bool]) -> list[TaskKey]:
        """Return the tasks whose owner's turn is over, however it ended.

        *is_open* asks the database, where a turn stands before its task is made: so a new
        task is never taken for an orphan.
        """
        return [each for each in self.tasks() if not is_open(each)]

    def clear_orphans(self, is_open: Callable[[TaskKey], bool]) -> int:
        """Forget what `orphans` returns, for upkeep; return how many there were."""
        return sum(self.clear_task(*_parts(each)) for each in self.orphans(is_open))

    def _change(self, key: str, step: Callable[[TaskState], TaskState], *, made: bool) -> TaskState:
        for _ in range(TRIES):
            state, version = self._read(key)
            if state is None and not made:
                raise NotFoundError("This task is over or was forgotten. Ask again to start it.")
            old = state or TaskState()
            new = step(old)
            if self._write(key, version, *_difference(old, new)):
                return new
        raise ConflictError("Others change this task all the time. Try again in a moment.")

    def _read(self, key: str) -> tuple[TaskState | None, str]:
        with _translated(), self._redis.pipeline(transaction=True) as pipe:
            pipe.hgetall(key)
            pipe.expire(key, self._ttl_s)
            raw = cast("Mapping[bytes, bytes]", pipe.execute()[0])
        fields = {name.decode(): value.decode() for name, value in raw.items()}
        return (_state(fields) if fields else None), fields.get(_VERSION, "")

    def _write(self, key: str, version: str, gone: list[str], written: Mapping[str, str]) -> bool:
        pairs = [part for pair in written.items() for part in pair]
        head: list[str | int] = [version, secrets.token_hex(8), self._ttl_s, len(gone)]
        with _translated():
            return bool(self._script(keys=[key], args=[*head, *gone, *pairs]))


def _difference(old: TaskState, new: TaskState) -> tuple[list[str], dict[str, str]]:
    before, after = _fields(old), _fields(new)
    written = {name: text for name, text in after.items() if before.get(name) != text}
    return [name for name in before if name not in after], written


def _fields(state: TaskState) -> dict[str, str]:
    fields = {_GOAL: _text(state.goal)} if state.goal else {}
    for name, value in state.notes.items():
        fields[_NOTE + name] = _text(value)
    for place, each in enumerate(state.steps):
        fields[_STEP + each.id] = _text(_row(each, place))
    return fields


def _row(step: SubTask, place: int) -> dict[str, object]:
    return {
        "place": place,
        "title": step.title,
        "status": step.status.value,
        "after": list(step.after),
        "result": dict(step.result),
        "history": [dict(each) for each in step.history],
    }


def _state(fields: Mapping[str, str]) -> TaskState:
    values = {name: json.loads(text) for name, text in fields.items() if name != _VERSION}
    rows = [(name, row) for name, row in values.items() if name.startswith(_STEP)]
    rows.sort(key=lambda each: int(each[1]["place"]))
    return TaskState(
        goal=str(values.get(_GOAL, "")),
        steps=tuple(_subtask(name.removeprefix(_STEP), row) for name, row in rows),
        notes={
            name.removeprefix(_NOTE): value
            for name, value in values.items()
            if name.startswith(_NOTE)
        },
    )


def _subtask(step_id: str, row: Mapping[str, Any]) -> SubTask:
    return SubTask(
        id=step_id,
        title=row["title"],
        status=StepStatus(row["status"]),
        after=tuple(row["after"]),
        result=row["result"],
        history=tuple(row["history"]),
    )


def _text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InvalidError(f"Working memory keeps what JSON can say only: {error}") from error


def _key(*parts: str) -> str:
    return ":".join(("wm", *map(_id, parts)))


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        # a colon or a star would reach another person's tasks
        raise InvalidError(f"{text!r} is no id of a person, a talk or a task.")
    return text


def _task_key(raw: bytes) -> TaskKey | None:
    parts = raw.decode("utf-8", "replace").split(":")
    if len(parts) != 4 or not all(_ID.fullmatch(each) for each in parts):
        return None
    return TaskKey(*parts[1:])


def _parts(key: TaskKey) -> tuple[str, str, str]:
    return key.user, key.session, key.task


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        raise QueueError(f"Redis did not answer: {error}") from error
