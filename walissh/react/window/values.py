"""What a strategy is given and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from walissh.errors import ContextTooLongError
from walissh.react.turn import Language, Message
from walissh.react.window.glean import LINE_CHARS
from walissh.react.window.summary import Summary
from walissh.react.window.tokens import MESSAGE_TOKENS, REQUEST_TOKENS, Counter

Name = Literal["sliding", "lru", "summary", "hybrid"]
Round = Sequence[Message]

LEAST_TOKENS: Final = 100
"""What must be left beside the other sections for the newest question, cut if need be."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the messages may cost together; tools are the caller's to take off before.

    *system* is the system message before the summary's section, with its titles. Raises
    ContextTooLongError if it leaves no room for a question.
    """

    tokens: int
    counter: Counter
    system: str = ""
    language: Language = "en"
    line_chars: int = LINE_CHARS

    def __post_init__(self) -> None:
        if self.room < LEAST_TOKENS:
            raise ContextTooLongError(
                f"The window of {self.tokens} tokens leaves {max(self.room, 0)} for the talk beside"
                " the other parts of the prompt. Choose a model with a larger window, or set its"
                " size if the server has more."
            )

    @property
    def room(self) -> int:
        """The tokens for the summary and the rounds."""
        return self.tokens - REQUEST_TOKENS - MESSAGE_TOKENS - self.counter.text(self.system) - 4


@dataclass(frozen=True, slots=True)
class Fitted:
    """What goes to the model, and what became of the rest.

    *messages*: one system message first, then whole rounds. *tokens* is what they cost,
    never over the budget. *folded* are the ids of the messages that left the window now.
    *summary* holds all rounds up to its ``until`` (those that left): the caller stores it and
    gives it back next time. *section* is the text under the title ("" for none).
    *left_out* counts pinned texts by field that found no room, *cut* tells that rounds that
    stayed were made smaller; both belong on the page.
    """

    messages: tuple[Message, ...]
    folded: tuple[str, ...]
    summary: Summary
    section: str
    tokens: int
    left_out: tuple[tuple[str, int], ...] = ()
    cut: bool = False


class Strategy(Protocol):
    """One way to fit a talk into the window."""

    def fit(self, rounds: Sequence[Round], summary: Summary, budget: Budget) -> Fitted:
        """Return what is sent.

        *rounds* are oldest first, the newest with the question at hand last; those that
        *summary* holds already may be among them or not.
        """
