"""The thread of a session: its working copy in Redis, its snapshot with the session.

Ancestor: ContextTracker, which was in RAM. The snapshot is written first and is the truth:
Redis may be away, empty, or older than it. The plan stands in working memory, as a task of
its own, so that its steps expire and are cleared like those of any other task.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import select

from walissh.errors import QueueError
from walissh.memory.working import PLAN, StepStatus, SubTask, TaskState, ended
from walissh.react.turn import Intended, Tracked
from walissh.store import rows, sessions
from walissh.store.database import reading, writing
from walissh.store.models import SessionRow
from walissh.store.working import WorkingMemory

logger = logging.getLogger(__name__)

TTL_S = 24 * 3600


class TrackedSessions:
    """The threads of all sessions; satisfies `react.needs.Threads`."""

    def __init__(self, connection: "Redis", working: WorkingMemory) -> None:
        self._redis = connection
        self._working = working

    def load(self, session_id: str, user_id: str) -> Tracked | None:
        """Return the thread as it was kept last; None if it never was.

        Raises StoreError if the database is away; that Redis is away does not matter.
        """
        version = _version(session_id, user_id)
        if version is None:
            return None
        cached = self._cached(session_id, user_id)
        if cached is not None and cached.version == version:
            return cached
        tracked = snapshot(session_id, user_id)
        if tracked is not None:
            self.cache(session_id, user_id, tracked)
        return tracked

    def save(self, session_id: str, user_id: str, tracked: Tracked) -> Tracked:
        """Keep it: in the database first, then in Redis; return it with its new version."""
        kept = keep(session_id, tracked)
        self.cache(session_id, user_id, kept)
        return kept

    def _cached(self, session_id: str, user_id: str) -> Tracked | None:
        try:
            raw = self._redis.get(_key(session_id, user_id))
            if not isinstance(raw, bytes):
                return None
            tracked = _read(json.loads(raw))
            if not _goes_on(tracked.plan):
                return tracked
            plan = self._working.get_task_state(user_id, session_id, PLAN)
        except (RedisError, QueueError) as error:
            logger.warning("thread not read from Redis session=%s: %s", session_id, error)
            return None
        return None if plan is None else replace(tracked, plan=plan)

    def cache(self, session_id: str, user_id: str, tracked: Tracked) -> None:
        """Bring the copy in Redis up to what the database holds; best effort."""
        try:
            if _goes_on(tracked.plan):
                self._working.plan(user_id, session_id, PLAN, tracked.plan)
            else:
                self._working.clear_task(user_id, session_id, PLAN)
            text = json.dumps(asdict(tracked), ensure_ascii=False)
            self._redis.set(_key(session_id, user_id), text, ex=TTL_S)
        except (RedisError, QueueError) as error:
            logger.warning("thread not kept in Redis session=%s: %s", session_id, error)


def _goes_on(plan: TaskState) -> bool:
    return bool(plan.steps) and not ended(plan)


def _version(session_id: str, user_id: str) -> int | None:
    """Return the version of the snapshot: what Redis holds may be older."""
    tracked = _row(session_id, user_id)
    return int(tracked["version"]) if tracked else None


def snapshot(session_id: str, user_id: str) -> Tracked | None:
    """Return what the database holds of the thread; None if it was never kept."""
    stored = _row(session_id, user_id)
    return _read(stored) if stored else None


def keep(session_id: str, tracked: Tracked) -> Tracked:
    """Write the snapshot; return it with its new version."""
    kept = replace(tracked, version=tracked.version + 1)
    with writing() as session:
        sessions.track(session, session_id, kept)
    return kept


def _row(session_id: str, user_id: str) -> Mapping[str, Any] | None:
    found = select(SessionRow.tracked).where(
        SessionRow.id == session_id, SessionRow.user_id == user_id
    )
    with reading() as session:
        return session.scalar(found) or None


def _key(session_id: str, user_id: str) -> str:
    return f"ctx:{user_id}:{session_id}"


# --- as it is stored ------------------------------------------------------------------


def _read(stored: Mapping[str, Any]) -> Tracked:
    pending, answered = stored["pending"], stored["answered"]
    return Tracked(
        intents=_intents(stored["intents"]),
        hosts=tuple(stored["hosts"]),
        service=stored["service"],
        goal=stored["goal"],
        plan=_plan(stored["plan"]),
        pending=rows.asked(pending) if pending else None,
        answered=rows.asked(answered) if answered else None,
        meant=rows.meant(stored["meant"]) if stored["meant"] else None,
        resume=stored["resume"],
        turn_id=stored["turn_id"],
        version=stored["version"],
    )


def _intents(stored: Sequence[Mapping[str, Any]]) -> tuple[Intended, ...]:
    return tuple(rows.intended(each) for each in stored)


def _plan(stored: Mapping[str, Any]) -> TaskState:
    return TaskState(stored["goal"], tuple(map(_step, stored["steps"])), dict(stored["notes"]))


def _step(stored: Mapping[str, Any]) -> SubTask:
    return SubTask(
        id=stored["id"],
        title=stored["title"],
        status=StepStatus(stored["status"]),
        after=tuple(stored["after"]),
        result=stored["result"],
        history=tuple(stored["history"]),
    )
