"""What a turn ended by asking, and the message that answered it: the next of its session."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from walissh.react.turn import Turn, compaction_asked
from walissh.store import turns


def answer_to(turn: Turn) -> Turn | None:
    """Return the turn whose message answered what *turn* asks; None while it is open."""
    return (
        None if turn.asked is None else answers_in(turns.of_session(turn.session_id)).get(turn.id)
    )


def answered_by(turn: Turn) -> Turn | None:
    """Return the turn whose question the message of *turn* answered; None if it did not."""
    mine = _spoken(turns.of_session(turn.session_id))
    return next((a for a, b in pairwise(mine) if b.id == turn.id and a.asked is not None), None)


def answers_in(talk: Sequence[Turn]) -> Mapping[str, Turn]:
    """Return by the id of an asking turn the turn after it; *talk* is in order, without gaps."""
    pairs = pairwise(_spoken(talk))
    return {asking.id: after for asking, after in pairs if asking.asked is not None}


def _spoken(talk: Sequence[Turn]) -> list[Turn]:
    """Return the turns without the orders to the talk: these answer nothing."""
    return [each for each in talk if compaction_asked(each.question) is None]
