"""The four ways to fit a talk into the window; `of` gives one by its name.

All of them send whole rounds, keep the pinned fields of what left word for word, and never
go over the budget.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from walissh.errors import InvalidError
from walissh.react.window import fitting, reference
from walissh.react.window.fitting import Sized
from walissh.react.window.summary import Summary
from walissh.react.window.values import Budget, Fitted, Round, Strategy

FULL: Final = 0.8
AFTERWARDS: Final = 0.4
"""From 80 % of the budget on the older rounds are folded, down to 40 %: not at every turn."""
LAST_ROUNDS: Final = 3


@dataclass(frozen=True, slots=True)
class Sliding:
    """The newest whole rounds; of the others only what is pinned."""

    def fit(self, rounds: Sequence[Round], summary: Summary, budget: Budget) -> Fitted:
        """See `values.Strategy`."""
        return fitting.fit(_newest, rounds, summary, budget, with_notes=False)


@dataclass(frozen=True, slots=True)
class Lru:
    """The rounds referred to last; one that the newest question refers to comes back."""

    def fit(self, rounds: Sequence[Round], summary: Summary, budget: Budget) -> Fitted:
        """See `values.Strategy`; a round that is not among *rounds* cannot come back."""
        return fitting.fit(_used, rounds, summary, budget, with_notes=False)


@dataclass(frozen=True, slots=True)
class Folding:
    """All rounds until 80 % of the budget are full, then the older ones as a summary."""

    def fit(self, rounds: Sequence[Round], summary: Summary, budget: Budget) -> Fitted:
        """See `values.Strategy`."""

        def choose(sized: Sized, first: int, tokens: int) -> list[int]:
            least = min(tokens, int(budget.room * FULL))
            every = sized.newest(least, first=first)
            if len(every) == len(sized) - first and sum(map(sized.tokens, every)) <= least:
                return every
            return sized.newest(min(tokens, int(budget.room * AFTERWARDS)), first=first)

        return fitting.fit(choose, rounds, summary, budget, with_notes=True)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The last rounds and more while they fit, before them the summary."""

    last: int = LAST_ROUNDS

    def fit(self, rounds: Sequence[Round], summary: Summary, budget: Budget) -> Fitted:
        """See `values.Strategy`."""

        def choose(sized: Sized, _first: int, tokens: int) -> list[int]:
            return sized.newest(tokens, least=self.last)

        return fitting.fit(choose, rounds, summary, budget, with_notes=True)


def of(name: str) -> Strategy:
    """Return the strategy of this name; raises InvalidError if there is none."""
    if name not in KNOWN:
        raise InvalidError(f"There is no strategy {name!r}. Use one of {', '.join(KNOWN)}.")
    return KNOWN[name]


def _newest(sized: Sized, _first: int, tokens: int) -> list[int]:
    return sized.newest(tokens)


def _used(sized: Sized, _first: int, tokens: int) -> list[int]:
    kept: list[int] = []
    for at in reference.by_use(sized):
        if kept and sized.tokens(at) > tokens:
            continue
        tokens -= sized.tokens(at)
        kept.append(at)
        if tokens <= 0:
            break
    return sorted(kept)


KNOWN: Final[Mapping[str, Strategy]] = {
    "sliding": Sliding(),
    "lru": Lru(),
    "summary": Folding(),
    "hybrid": Hybrid(),
}
