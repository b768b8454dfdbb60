"""The thread of a session as the interface tells it: its plan, and what was folded of it."""

from collections.abc import Mapping

from walissh import wiring
from walissh.react import telling
from walissh.react import turn as values
from walissh.store import history, summaries
from walissh.web.api import shapes, thread_shapes

READ_AT_ONCE = 500


def told(talk: values.Session, session: shapes.Session) -> shapes.SessionInFull:
    """Return the whole shape of a session."""
    return shapes.SessionInFull(**session.model_dump(), plan=_plan(talk), summary=_summary(talk))


def plan_of(turn: values.Turn) -> Mapping[str, object] | None:
    """Return the plan as the event of *turn* tells it; None if a later turn has it by now."""
    kept = _thread(turn.session_id, turn.user_id)
    if kept is None or kept.turn_id != turn.id or not kept.plan.steps:
        return None
    return {"turn_id": turn.id, **telling.planned(kept.plan)}


def _plan(talk: values.Session) -> thread_shapes.Plan | None:
    kept = _thread(talk.id, talk.user_id)
    if kept is None or not kept.plan.steps:
        return None
    return thread_shapes.Plan.model_validate(telling.planned(kept.plan))


def _thread(session_id: str, user_id: str) -> values.Tracked | None:
    return wiring.parts().tracker.threads.load(session_id, user_id)


def _summary(talk: values.Session) -> thread_shapes.SummaryMark | None:
    until = summaries.load(talk.id, talk.user_id).until
    folded = _messages_up_to(talk, until) if until else 0
    return thread_shapes.SummaryMark(folded=folded, until=until) if folded else None


def _messages_up_to(talk: values.Session, message_id: str) -> int:
    """Return the place of a message in its session, from 1; 0 if it is not there."""
    before: int = 0
    after: int | None = 0
    while after is not None:
        page = history.page(talk.id, talk.user_id, limit=READ_AT_ONCE, after=after)
        ids = [each.id for each in page.items]
        if message_id in ids:
            return before + ids.index(message_id) + 1
        before, after = before + len(ids), page.next
    return 0
