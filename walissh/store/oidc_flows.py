"""Sign-ins that were begun at a provider, in Redis: each is taken once, within minutes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from redis import Redis
from redis.exceptions import RedisError

from walissh.config import Settings
from walissh.errors import QueueError
from walissh.store.people import digest_of
from walissh.store.queue import connect_briefly

LIFE_S = 600


@dataclass(frozen=True, slots=True)
class Flow:
    """What the provider must give back, the secret of PKCE, and where the person goes on."""

    nonce: str
    verifier: str
    wanted: str


class Flows:
    """The begun sign-ins by their state, of which only the digest is kept."""

    def __init__(self, connection: "Redis") -> None:
        self._redis = connection

    @classmethod
    def of(cls, settings: Settings) -> "Flows":
        """Return those in the Redis of the settings; connects lazily."""
        return cls(connect_briefly(settings))

    def keep(self, state: str, flow: Flow) -> None:
        """Remember a sign-in that begins; raises QueueError if Redis is away."""
        with _translated():
            self._redis.set(_key(state), json.dumps(asdict(flow)), ex=LIFE_S)

    def take(self, state: str) -> Flow | None:
        """Return the sign-in and forget it; None if there is none (any more)."""
        with _translated():
            found = self._redis.getdel(_key(state))
        return None if found is None else Flow(**json.loads(found))


def _key(state: str) -> str:
    return f"walissh:oidc:{digest_of(state)}"


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        raise QueueError(f"Redis did not answer: {error}") from error
