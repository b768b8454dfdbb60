"""A mind that remembers nothing."""

from collections.abc import Sequence

from walissh.memory.entry import Proposed
from walissh.react.turn import CommandRun, DynamicContext, Message, Turn


class BlankMind:
    """Satisfies `react.needs.Mind`; keeps nothing, recalls nothing."""

    def prepare(self, context: DynamicContext) -> DynamicContext:
        """Return *context* as it is."""
        return context

    def is_outdated(self, turn: Turn) -> bool:
        """Nothing ever changes."""
        return False

    def catch_up(self, turn: Turn) -> None:
        """Do nothing."""

    def remember(self, context: DynamicContext, proposal: Proposed, host: str) -> str:
        """Refuse."""
        return "[not kept]"

    def search(self, user_id: str, query: str) -> Sequence[Message]:
        """Find nothing."""
        return []

    def with_sources(self, context: DynamicContext, answer: str) -> str:
        """No answer rests on memory."""
        return answer

    def track(self, run: CommandRun) -> None:
        """Do nothing."""

    def release(self, turn: Turn) -> None:
        """Do nothing."""

    def learn(self, turn_id: str) -> bool:
        """Nothing is to be learned."""
        return True
