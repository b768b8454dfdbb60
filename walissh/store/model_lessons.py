"""What the servers of models have told by their answers: in Redis, for it may be forgotten."""

import logging
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from walissh.react.gauge import Learned

logger = logging.getLogger(__name__)

KEPT_S = 30 * 24 * 3600


class ModelLessons:
    """Satisfies `react.gauge.Lessons`; while Redis is away nothing is known."""

    def __init__(self, connection: "Redis") -> None:
        self._redis = connection

    def of_model(self, model: str) -> Learned:
        """Return what is known of a model."""
        try:
            raw = cast("dict[bytes, bytes]", self._redis.hgetall(_key(model)))
            return Learned(float(raw.get(b"correction", 1)), int(raw.get(b"window_tokens", 0)))
        except (RedisError, ValueError) as error:
            logger.info("nothing known of the model: %s", error)
            return Learned()

    def keep(self, model: str, learned: Learned) -> None:
        """Note what is known now."""
        key = _key(model)
        try:
            self._redis.hset(key, "correction", str(learned.correction))
            self._redis.hset(key, "window_tokens", str(learned.window_tokens))
            self._redis.expire(key, KEPT_S)
        except RedisError as error:
            logger.info("not kept what is known of the model: %s", error)


def _key(model: str) -> str:
    return f"model:{model}"
