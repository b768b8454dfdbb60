"""Whether the database and Redis answer at all."""

from redis.exceptions import RedisError
from sqlalchemy import text

from walissh.config import Settings
from walissh.errors import StoreError
from walissh.store import queue
from walissh.store.database import reading


def database_answers() -> bool:
    """Tell whether the database answers a question."""
    try:
        with reading() as session:
            session.execute(text("SELECT 1"))
    except StoreError:
        return False
    return True


def redis_answers(settings: Settings) -> bool:
    """Tell whether Redis answers a PING within its time limits."""
    try:
        with queue.connect(settings) as connection:
            return bool(connection.ping())
    except RedisError:
        return False
