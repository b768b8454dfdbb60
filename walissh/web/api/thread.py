"""The thread of a session as the interface tells it: its plan, and what was folded of it."""

from collections.abc import Mapping

from walissh import wiring
from walissh.react import telling
from walissh.react import turn as values
from walissh.react.followed import Tracked
from walissh.store import history, summaries
from walissh.web.api import shapes, thread_shapes


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


def _thread(session_id: str, user_id: str) -> Tracked | None:
    return wiring.parts().tracker.threads.load(session_id, user_id)


def _summary(talk: values.Session) -> thread_shapes.SummaryMark | None:
    until = summaries.load(talk.id, talk.user_id).until
    folded = history.place(until, talk.id, talk.user_id) if until else 0
    return thread_shapes.SummaryMark(folded=folded, until=until) if folded else None
