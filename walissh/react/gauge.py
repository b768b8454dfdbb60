"""How much a model takes at once, and what was learned of it from its server."""

from dataclasses import dataclass, replace
from typing import Protocol

from walissh.react.window import strategies, tokens
from walissh.react.window.glean import LINE_CHARS
from walissh.react.window.tokens import Counter
from walissh.react.window.values import Strategy

MOST_TOKENS = 48_000
"""More is not sent unless the settings say so: a window of a million costs as much."""
UNDERCOUNTED = 1.15
LEAST_TOKENS = 2_000
"""A window that is smaller holds no turn."""


@dataclass(frozen=True, slots=True)
class Window:
    """What one request may cost, tools and all, and how a talk is fitted into it."""

    tokens: int
    counter: Counter
    strategy: Strategy
    line_chars: int = LINE_CHARS

    def smaller(self, tokens: int) -> "Window":
        """Return the window with at most *tokens*."""
        return replace(self, tokens=min(self.tokens, tokens))


@dataclass(frozen=True, slots=True)
class Learned:
    """What the server of a model has told by its answers.

    *correction* is the factor of `tokens.corrected`; *window_tokens* 0 while unknown.
    """

    correction: float = 1.0
    window_tokens: int = 0


class Lessons(Protocol):
    """``store.model_lessons``: best effort, it may forget."""

    def of_model(self, model: str) -> Learned:
        """Return what is known of a model."""

    def keep(self, model: str, learned: Learned) -> None:
        """Note what is known now."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """Measures for one model; *configured_tokens* 0 means that the settings say nothing."""

    model: str
    lessons: Lessons
    configured_tokens: int = 0
    strategy: str = "hybrid"
    line_chars: int = LINE_CHARS

    def window(self) -> Window:
        """Return what the next request may cost."""
        learned = self.lessons.of_model(self.model)
        whole = tokens.window(
            self.model,
            told=learned.window_tokens or None,
            configured=self.configured_tokens or None,
        )
        room = tokens.room(whole)
        return Window(
            tokens=room if self.configured_tokens else min(room, MOST_TOKENS),
            counter=tokens.counter(self.model, correction=learned.correction),
            strategy=strategies.of(self.strategy),
            line_chars=self.line_chars,
        )

    def reported(self, counted: int, prompt_tokens: int) -> None:
        """Learn from what a request was counted as and what the server says it took."""
        learned = self.lessons.of_model(self.model)
        correction = tokens.corrected(
            round(counted / learned.correction), prompt_tokens, before=learned.correction
        )
        if abs(correction - learned.correction) > 0.01:
            self.lessons.keep(self.model, replace(learned, correction=correction))

    def refused(self, window: Window, counted: int, told_tokens: int | None) -> Window | None:
        """Return the window to try next after one request was too long; None: give up.

        *told_tokens* is the size that the server named, if it did: it is kept.
        """
        learned = self.lessons.of_model(self.model)
        if told_tokens and tokens.room(told_tokens) < counted:
            self.lessons.keep(self.model, replace(learned, window_tokens=told_tokens))
        else:
            # it took more than we counted: the next request is not to hit the same wall
            most = min(learned.correction * UNDERCOUNTED, tokens.MOST_FACTOR)
            self.lessons.keep(self.model, replace(learned, correction=most))
        named = tokens.room(told_tokens) if told_tokens else window.tokens
        fits = named if named < counted else max(counted // 2, LEAST_TOKENS)
        smaller = window.smaller(fits)
        return smaller if LEAST_TOKENS <= smaller.tokens < counted else None
