"""The secrets of a session: each value once, sealed, under the number of its placeholder.

The same value has the same number over commands, hosts, workers and restarts. It is found
by a keyed digest, so that who reads the table can try no value against it.
"""

import hashlib
import hmac
import logging
import re
from collections.abc import Iterable
from datetime import datetime

from flask import current_app
from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from walissh.errors import StoreError
from walissh.memory.extract import pref_secrets
from walissh.safety import placeholders, redact
from walissh.safety.placeholders import UNNUMBERED, Names
from walissh.store import seal, withheld
from walissh.store.database import reading, writing
from walissh.store.models import CommandRow, SecretRow

logger = logging.getLogger(__name__)

MOST = 1_000
"""So many secrets of one session are numbered; a dump of more has placeholders alone."""

TRIES = 5
_PATIENCE_MS = 2_000
_DOMAIN = b"number of a secret"

withhold = withheld.append


class SessionNames:
    """``safety.placeholders.Names`` of one session; asks the database once for each value."""

    def __init__(self, session_id: str, *, verbatim: bool = False) -> None:
        self._session_id, self._verbatim = session_id, verbatim
        self._known: dict[str, int] = {}
        self._full = False

    def number(self, kind: str, value: str) -> int:
        """Return the number of *value*, 0 when the database cannot give one."""
        same = value if self._verbatim else placeholders.canonical(kind, value)
        digest = _digest(self._session_id, same)
        if digest not in self._known and not self._full:
            try:
                place = _place(self._session_id, kind, digest, value)
                if place == 0:
                    # no other value gets a place: a dump of thousands asks nothing more
                    self._known, self._full = _places(self._session_id), True
                else:
                    self._known[digest] = place
            except (StoreError, IntegrityError) as error:
                # a secret without a number is still hidden, and no command waits for one
                logger.warning("secret not numbered session=%s %s", self._session_id, type(error))
                return 0
        return self._known.get(digest, 0)


def names(session_id: str) -> Names:
    """Return what numbers the secrets of a session."""
    return SessionNames(session_id)


def names_verbatim(session_id: str) -> Names:
    """Return the same for texts that are put together again: each spelling is its own."""
    return SessionNames(session_id, verbatim=True)


def names_of_command(command_id: str) -> Names:
    """Return what numbers the secrets that a command prints."""
    try:
        with reading(patience_ms=_PATIENCE_MS) as session:
            found = session.scalar(select(CommandRow.session_id).where(CommandRow.id == command_id))
    except StoreError:
        return UNNUMBERED
    return UNNUMBERED if found is None else SessionNames(found)


def hidden(session_id: str, text: str) -> str:
    """Return *text* without its secrets, as this session numbers them."""
    return redact.redact(text, SessionNames(session_id))


def hidden_talk(session_id: str, text: str) -> str:
    """Return what a person wrote without the secrets it tells: in talk they need no sign."""
    names = SessionNames(session_id)
    shown = redact.redact(text, names)
    for value in sorted(pref_secrets.values(text), key=len, reverse=True):
        shown = _without(shown, value, names)
    return shown


def _without(text: str, value: str, names: Names) -> str:
    """Put a placeholder wherever *value* stands by itself, but in no other placeholder."""
    if value not in text or placeholders.there(value):
        return text
    alone = re.compile(rf"{placeholders.MARK.pattern}|(?<![\w.]){re.escape(value)}(?!\w)")
    return alone.sub(
        lambda found: found[0] if found["kind"] else placeholders.named("password", value, names),
        text,
    )


def exact(session_id: str, text: str) -> str:
    """Return *text* with its secrets in place; those that were cut stay marked."""
    wanted = frozenset(placeholders.numbers(text))
    if not wanted:
        return text
    known = values(session_id, wanted)
    return placeholders.exact(text, known.get)


def values(session_id: str, places: Iterable[int]) -> dict[int, str]:
    """Return the values behind these numbers, as far as they are kept; raises SealError."""
    found = select(SecretRow.place, SecretRow.sealed).where(
        SecretRow.session_id == session_id, SecretRow.place.in_(list(places))
    )
    with reading() as session:
        return {place: seal.unseal(text) for place, text in session.execute(found) if text}


def drop_older(than: datetime) -> None:
    """Cut the values first met before *than*, and the outputs withheld before it.

    Their places stay taken: a placeholder never comes to mean another value.
    """
    old = update(SecretRow).where(SecretRow.created_at < than, SecretRow.sealed != "")
    with writing() as session:
        session.execute(old.values(sealed=""))
    withheld.drop_older(than)


def _digest(session_id: str, value: str) -> str:
    key = hashlib.blake2b(
        _DOMAIN, key=hashlib.sha256(current_app.config["WALISSH_SEAL_KEY"].encode()).digest()
    ).digest()
    told = f"{session_id}\0{value}".encode("utf-8", "surrogatepass")
    return hmac.new(key, told, hashlib.sha256).hexdigest()


def _place(session_id: str, kind: str, digest: str, value: str) -> int:
    """Return the place of a value, a new one if it has none; 0 if all are taken."""
    for attempt in range(TRIES):
        with reading(patience_ms=_PATIENCE_MS) as session:
            place = _found(session, session_id, digest)
        if place is not None:
            return place
        try:
            return _insert(session_id, kind, digest, value)
        except IntegrityError:
            # another worker met the same value, or took the same number, at this moment
            if attempt == TRIES - 1:
                raise
    return 0


def _places(session_id: str) -> dict[str, int]:
    """Return the place of each value that has one, by its digest."""
    kept = select(SecretRow.digest, SecretRow.place).where(SecretRow.session_id == session_id)
    with reading(patience_ms=_PATIENCE_MS) as session:
        return {row.digest: row.place for row in session.execute(kept)}


def _found(session: Transaction, session_id: str, digest: str) -> int | None:
    return session.scalar(
        select(SecretRow.place).where(
            SecretRow.session_id == session_id, SecretRow.digest == digest
        )
    )


def _insert(session_id: str, kind: str, digest: str, value: str) -> int:
    sealed = seal.seal(value)
    with writing(patience_ms=_PATIENCE_MS) as session:
        last = session.scalar(
            select(func.max(SecretRow.place)).where(SecretRow.session_id == session_id)
        )
        place = (last or 0) + 1
        if place > MOST:
            return 0
        session.add(
            SecretRow(session_id=session_id, place=place, kind=kind, digest=digest, sealed=sealed)
        )
        session.flush()
        return place
