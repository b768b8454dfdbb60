"""The messages of talks in this process alone: gone when it ends."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from walissh.errors import NotFoundError, TalkFileBusyError
from walissh.react.turn import Message
from walissh.store import history_lines
from walissh.store.history_lines import Line


class MemoryHistory:
    """Satisfies `history_lines.HistoryStore`."""

    def __init__(self) -> None:
        self._talks: dict[str, list[Line]] = defaultdict(list)

    def add(self, session_id: str, messages: Sequence[Message], *, user_id: str) -> list[Message]:
        """Store *messages* at the end of a session, all or none; return them as stored."""
        talk = self._talks[session_id]
        known = {each.message.id for lines in self._talks.values() for each in lines}
        new = fresh(session_id, messages, user_id, talk, known)
        talk.extend(new)
        return [each.message for each in new]

    def get_recent_messages(
        self, session_id: str, limit: int, *, user_id: str, before_turn: str | None = None
    ) -> list[Message]:
        """Return the last *limit* messages of this session and owner, oldest first."""
        talk = self._talks.get(session_id, [])
        return history_lines.newest(talk, user_id, limit, before_turn=before_turn)

    def since(
        self,
        session_id: str,
        after_id: str,
        *,
        user_id: str,
        limit: int,
        before_turn: str | None = None,
    ) -> list[Message]:
        """Return the newest *limit* messages after that one, oldest first; "" means all."""
        talk = self._talks.get(session_id, [])
        return history_lines.newest(
            talk, user_id, limit, after_id=after_id, before_turn=before_turn
        )

    def of_turn(self, turn_id: str) -> list[Message]:
        """Return the messages of one turn, oldest first."""
        lines = (each for talk in self._talks.values() for each in talk)
        return [each.message for each in lines if each.message.turn_id == turn_id]


def fresh(
    session_id: str,
    messages: Sequence[Message],
    user_id: str,
    talk: Sequence[Line],
    known: Collection[str],
) -> list[Line]:
    """Return the lines that *messages* add to *talk*; raises what `HistoryStore.add` does."""
    sound = [history_lines.checked(each) for each in messages]
    if any(each.user_id != user_id for each in talk):
        raise NotFoundError("There is no such session.")
    ids = [each.id for each in sound]
    refuse_known(set(known).intersection(ids), ids)
    return [Line(session_id, user_id, each) for each in sound]


def refuse_known(known: Collection[str], ids: Sequence[str]) -> None:
    """Raise ConflictError if one of *ids* is known or comes twice."""
    twice = sorted(known) or [each for each, count in Counter(ids).items() if count > 1]
    if twice:
        raise TalkFileBusyError(f"The message {twice[0]} is there already. Nothing was stored.")
