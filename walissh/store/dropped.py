"""How often a piece of memory work was dropped: counted in Redis, told by doctor."""

import logging
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

KEY = "memory:dropped"


class Dropped:
    """The counters, by the name of the work; without Redis only the log tells."""

    def __init__(self, connection: "Redis") -> None:
        self._redis = connection

    def __call__(self, what: str) -> None:
        """Count one failure of the work named *what*."""
        try:
            self._redis.hincrby(KEY, what, 1)
        except RedisError as error:
            logger.warning("not counted what=%s: %s", what, error)

    def counts(self) -> dict[str, int]:
        """Return the counts by name; none if Redis is away."""
        try:
            stored = cast("dict[bytes, bytes]", self._redis.hgetall(KEY))
        except RedisError:
            return {}
        return {name.decode(): int(count) for name, count in stored.items()}
