"""Hashes of passwords by argon2: few at once, and as slow for a name that nobody has."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from walissh.errors import WalisshError

HASHES_AT_ONCE = 4
"""One takes 64 MiB and half a second of a core; strangers may ask for as many as they like."""

HASH_WAIT_S = 3.0
_hash_slots = threading.BoundedSemaphore(HASHES_AT_ONCE)


class BusyError(WalisshError):
    """So many passwords are looked at that this one has no place."""


def hashed(password: str) -> str:
    """Return what is kept of a password; raises BusyError if too many ask at once."""
    with hash_slot():
        return _hasher().hash(password)


def is_right(password: str, kept: str | None) -> bool:
    """Tell whether *kept* is of *password*; None takes as long and is of none.

    Names cannot be probed by the time that it takes. Raises BusyError if too many ask.
    """
    try:
        with hash_slot():
            _hasher().verify(kept or _decoy(), password)
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


@contextmanager
def hash_slot(wait_s: float = HASH_WAIT_S) -> Iterator[None]:
    """Hold one of the few places for work with argon2; BusyError if none gets free."""
    if not _hash_slots.acquire(timeout=wait_s):
        raise BusyError("Too many people sign in at this moment. Try again in a few seconds.")
    try:
        yield
    finally:
        _hash_slots.release()


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _decoy() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))
