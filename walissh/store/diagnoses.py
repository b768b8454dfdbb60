"""What a turn found out, as it is stored with the turn, and that a person confirmed it."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from walissh.clock import utc_now
from walissh.errors import ConflictError, NotFoundError
from walissh.react.diagnosed import Diagnosed, Proof
from walissh.store import audit
from walissh.store.database import writing
from walissh.store.models import TurnRow


def stored(found: Diagnosed) -> dict[str, Any]:
    """Return *found* as it is stored."""
    at = found.confirmed_at
    places = [list(each) for each in found.places]
    when = at.isoformat() if at else None
    return asdict(found) | {
        "steps": list(found.steps),
        "places": places,
        "confirmed_at": when,
    }


def read(stored: Mapping[str, Any]) -> Diagnosed:
    """Return what was stored."""
    at = stored["confirmed_at"]
    made: dict[str, Any] = {
        "steps": tuple(stored["steps"]),
        "places": tuple(Proof(*each) for each in stored["places"]),
        "confirmed_at": datetime.fromisoformat(at) if at else None,
    }
    return Diagnosed(**(dict(stored) | made))


def confirm(turn_id: str, user_id: str, host: str, memory_id: str) -> None:
    """Note that *memory_id* was kept of what the turn found on *host*; once.

    Raises NotFoundError for another's turn, ConflictError if nothing was found there or it
    was confirmed before.
    """
    with writing() as session:
        # locked: of two who confirm at once the second sees what the first did
        row = session.get(TurnRow, turn_id, with_for_update=True)
        if row is None or row.user_id != user_id:
            raise NotFoundError("There is no such turn.")
        at, changed = utc_now(), False
        found: list[dict[str, Any]] = []
        for each in row.diagnosed:
            mine = each["host"] == host and each["confirmed_at"] is None
            changed = changed or mine
            mark = {"confirmed_at": at.isoformat(), "memory_id": memory_id} if mine else {}
            found.append(each | mark)
        if not changed:
            raise ConflictError("Nothing waits to be confirmed here (any more).")
        row.diagnosed = found  # a new list: a change inside the old one would not be seen
        audit.append(
            session, actor=user_id, kind="cause_confirmed", subject=turn_id,
            name=host, memory=memory_id,
        )  # fmt: skip
