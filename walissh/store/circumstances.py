"""What besides a command's text decides about it, read anew each time it is asked for."""

from functools import lru_cache

from sqlalchemy import Text, cast, select

from walissh.clock import utc_now
from walissh.memory import rules
from walissh.memory.rules import StandingRule
from walissh.react.circumstances import VIEWER, Circumstances
from walissh.react.turn import Session, Turn
from walissh.store import core_memory, gate_rules, hosts, people, sudo
from walissh.store.database import reading
from walissh.store.models import CommandRow

NO_FLAGS = "[]"


def of_turn(turn: Turn, session: Session) -> Circumstances:
    """Return who asks, in what kind of session, and the rules that are in force now.

    Somebody who is gone or disabled may only look.
    """
    at = utc_now()
    person = people.get(turn.user_id)
    return Circumstances(
        role=person.role if person and not person.is_disabled else VIEWER,
        read_only_session=session.read_only,
        flagged=is_flagged(session.id),
        at=at,
        rules=gate_rules.in_force(turn.user_id, at),
        standing=standing_of(turn.user_id),
        sudo_unmet=sudo.unmet(session.host_ids),
    )


def is_flagged(session_id: str) -> bool:
    """Tell whether an output of this session gives orders that nobody has called harmless."""
    flagged = select(CommandRow.id).where(
        CommandRow.session_id == session_id,
        CommandRow.unflagged_by == "",
        cast(CommandRow.flags, Text) != NO_FLAGS,
    )
    with reading() as session:
        return session.scalar(flagged.limit(1)) is not None


def standing_of(user_id: str) -> tuple[StandingRule, ...]:
    """Return the standing rules of this person's core memory that can be checked."""
    content = core_memory.get(user_id, core_memory.RULES).content
    if not content.strip():
        return ()
    reach = hosts.within_reach(user_id)
    return _parsed(content, frozenset(name for host in reach for name in (host.name, *host.groups)))


@lru_cache(maxsize=128)
def _parsed(content: str, known: frozenset[str]) -> tuple[StandingRule, ...]:
    return rules.parse(content, known=known).rules
