"""The last marks of each session in Redis: a copy of the table that may vanish at any time."""

import json
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from walissh.memory.entry import Milestone

logger = logging.getLogger(__name__)

KEEP_S = 600
"""After a write that Redis missed, an old copy lives no longer than this."""


class MilestoneCache:
    """The cache of `memory.milestones`; with Redis away it holds nothing, and nothing fails."""

    def __init__(self, connection: "Redis", *, keep_s: int = KEEP_S) -> None:
        self._redis = connection
        self._keep_s = keep_s

    def get(self, session_id: str, user_id: str) -> list[Milestone] | None:
        """Return the copy, oldest first; None if there is none."""
        try:
            text = cast("bytes | None", self._redis.get(_key(session_id, user_id)))
        except RedisError as error:
            logger.warning("milestones not read from the cache session=%s: %s", session_id, error)
            return None
        return None if text is None else _read(text)

    def put(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        """Replace the copy after a write."""
        self._set(session_id, user_id, marks, only_new=False)

    def fill(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        """Make a copy where there is none: what a reader saw never replaces a writer's."""
        self._set(session_id, user_id, marks, only_new=True)

    def forget(self, session_id: str, user_id: str) -> None:
        """Drop the copy of a session that was deleted."""
        try:
            self._redis.delete(_key(session_id, user_id))
        except RedisError as error:
            logger.warning("milestones not dropped session=%s: %s", session_id, error)

    def _set(
        self, session_id: str, user_id: str, marks: Sequence[Milestone], *, only_new: bool
    ) -> None:
        try:
            self._redis.set(
                _key(session_id, user_id), _written(marks), ex=self._keep_s, nx=only_new
            )
        except RedisError as error:
            logger.warning("milestones not cached session=%s: %s", session_id, error)


def _key(session_id: str, user_id: str) -> str:
    return f"milestones:{user_id}:{session_id}"


def _written(marks: Sequence[Milestone]) -> str:
    rows = [
        [each.id, each.kind, each.text, dict(each.payload), each.turn_id, each.at.isoformat()]
        for each in marks
    ]
    return json.dumps(rows, ensure_ascii=False)


def _read(text: bytes) -> list[Milestone] | None:
    try:
        return [
            Milestone(id_, kind, said, payload, turn_id, datetime.fromisoformat(at))
            for id_, kind, said, payload, turn_id, at in json.loads(text)
        ]
    except (ValueError, TypeError):
        return None  # written by another version: the table has it
