"""Folding what is old into the summary: while a prompt is built, ahead of need, and by hand.

Nothing is deleted: the messages stay where they are, the model is given the summary.
"""

import re

from walissh.react import telling
from walissh.react.parts import Parts
from walissh.react.turn import DynamicContext, Message, Turn
from walissh.react.window.summary import Summary
from walissh.react.window.values import Fitted

MOST_MESSAGES = 2_000
"""What is looked at of a long talk that was never folded."""

_BY_HAND = re.compile(r"\s*/compact(?:\s+(?P<keep>.+))?\s*", re.DOTALL | re.IGNORECASE)


def unfolded(parts: Parts, turn: Turn, summary: Summary) -> list[Message]:
    """Return the messages before *turn* that the summary does not hold, oldest first."""
    return parts.history.since(
        turn.session_id,
        summary.until,
        user_id=turn.user_id,
        limit=MOST_MESSAGES,
        before_turn=turn.id,
    )


def keep(parts: Parts, context: DynamicContext, fitted: Fitted) -> None:
    """Store the summary if this prompt folded more, so that the next one need not."""
    turn = context.turn
    if fitted.summary.until == context.summary.until:
        return
    if parts.summaries.save(turn.session_id, turn.user_id, fitted.summary):
        telling.tell_compacted(parts, turn, fitted.summary)


def asked_for(question: str) -> str | None:
    """Return what to keep if *question* is the command ``/compact``, None if it is not."""
    found = _BY_HAND.fullmatch(question)
    return None if found is None else (found["keep"] or "").strip()
