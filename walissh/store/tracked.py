"""The thread of a session: its working copy in Redis, its snapshot with the session.

Ancestor: ContextTracker, which was in RAM. The snapshot is written first and is the truth:
Redis may be away, empty, or older than it. The plan stands in working memory, as a task of
its own, so that its steps expire and are cleared like those of any other task; it says which
version of the thread it belongs to, for the two are written one after the other.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, TypeVar

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import select

from walissh.errors import ConflictError, QueueError
from walissh.memory.working import PLAN, StepStatus, SubTask, TaskState, is_open
from walissh.react.followed import Intended, Tracked
from walissh.store import rows, sessions
from walissh.store.database import reading, writing
from walissh.store.models import SessionRow
from walissh.store.working import WorkingMemory

logger = logging.getLogger(__name__)

TTL_S = 24 * 3600
AWAY_S = 5.0
"""After Redis did not answer it is left alone so long: a step waits for it once at most."""

_VERSION = "thread_version"
"""The note of a plan in working memory that says of which version of the thread it is."""

_Value = TypeVar("_Value")


class TrackedSessions:
    """The threads of all sessions; satisfies `react.needs.Threads`."""

    def __init__(self, connection: "Redis", working: WorkingMemory) -> None:
        self._redis = connection
        self._working = working
        self._away_until = 0.0

    def load(self, session_id: str, user_id: str) -> Tracked | None:
        """Return the thread as it was kept last; None if it never was.

        Raises StoreError if the database is away; that Redis is away does not matter.
        """
        version = _version(session_id, user_id)
        if version is None:
            return None
        cached = self._tried(session_id, lambda: self._cached(session_id, user_id), None)
        if cached is not None and cached.version == version:
            return cached
        tracked = snapshot(session_id, user_id)
        if tracked is not None:
            self.cache(session_id, user_id, tracked)
        return tracked

    def save(self, session_id: str, user_id: str, tracked: Tracked) -> Tracked:
        """Keep it: in the database first, then in Redis; return it with its new version.

        If another has kept a newer one meanwhile, that one stays and is returned. If the
        session is gone, nothing is kept, and *tracked* is returned with the version it had.
        """
        kept = keep(session_id, user_id, tracked)
        if kept is None:
            return tracked
        self.cache(session_id, user_id, kept)
        return kept

    def cache(self, session_id: str, user_id: str, tracked: Tracked) -> None:
        """Bring the copy in Redis up to what the database holds; best effort."""
        self._tried(session_id, lambda: self._put(session_id, user_id, tracked), None)

    def forget(self, session_id: str, user_id: str) -> None:
        """Drop the copy of a session that was deleted, and all of its working memory."""
        self._tried(session_id, lambda: self._drop(session_id, user_id), None)

    def _cached(self, session_id: str, user_id: str) -> Tracked | None:
        raw = self._redis.get(_key(session_id, user_id))
        if not isinstance(raw, bytes):
            return None
        try:
            tracked = _read(json.loads(raw))
        except (ValueError, KeyError, TypeError):
            return None  # another release wrote it
        if not is_open(tracked.plan):
            return tracked
        plan = self._working.get_task_state(user_id, session_id, PLAN)
        if plan is None or plan.notes.get(_VERSION) != tracked.version:
            return None  # written between the two writes of another
        return replace(tracked, plan=_unmarked(plan))

    def _put(self, session_id: str, user_id: str, tracked: Tracked) -> None:
        if is_open(tracked.plan):
            self._working.plan(user_id, session_id, PLAN, _marked(tracked))
        else:
            self._working.clear_task(user_id, session_id, PLAN)
        # in ASCII: half of a surrogate pair, which a model may write, is no UTF-8
        self._redis.set(_key(session_id, user_id), json.dumps(asdict(tracked)), ex=TTL_S)

    def _drop(self, session_id: str, user_id: str) -> None:
        self._redis.delete(_key(session_id, user_id))
        self._working.clear_session(user_id, session_id)

    def _tried(self, session_id: str, use: Callable[[], _Value], otherwise: _Value) -> _Value:
        """Use Redis if it answers; while it is away nothing waits for it again."""
        if monotonic() < self._away_until:
            return otherwise
        try:
            return use()
        except (RedisError, QueueError) as error:
            self._away_until = monotonic() + AWAY_S
            logger.warning("thread not in Redis session=%s: %s", session_id, error)
        except (ConflictError, UnicodeEncodeError) as error:
            logger.warning("thread not in Redis session=%s: %s", session_id, error)
        return otherwise


def _marked(tracked: Tracked) -> TaskState:
    plan = tracked.plan
    return replace(plan, notes={**plan.notes, _VERSION: tracked.version})


def _unmarked(plan: TaskState) -> TaskState:
    kept = {name: each for name, each in plan.notes.items() if name != _VERSION}
    return replace(plan, notes=kept)


def _version(session_id: str, user_id: str) -> int | None:
    """Return the version of the snapshot alone: what Redis holds may be older."""
    found = select(SessionRow.tracked["version"].as_integer()).where(
        SessionRow.id == session_id, SessionRow.user_id == user_id
    )
    with reading() as session:
        return session.scalar(found)


def snapshot(session_id: str, user_id: str) -> Tracked | None:
    """Return what the database holds of the thread; None if it was never kept."""
    found = select(SessionRow.tracked).where(
        SessionRow.id == session_id, SessionRow.user_id == user_id
    )
    with reading() as session:
        stored = session.scalar(found)
    return _read(stored) if stored else None


def keep(session_id: str, user_id: str, tracked: Tracked) -> Tracked | None:
    """Write the snapshot; return it with its new version, None if the session is gone.

    A worker that was taken for dead and comes back overwrites nothing: what was kept
    since it read stays, and is returned.
    """
    kept = replace(tracked, version=tracked.version + 1)
    mine = select(SessionRow.tracked).where(
        SessionRow.id == session_id, SessionRow.user_id == user_id
    )
    with writing() as session:
        stored = session.scalar(mine.with_for_update())
        if stored and int(stored["version"]) > tracked.version:
            return _read(stored)
        return kept if sessions.track(session, session_id, user_id, kept) else None


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
