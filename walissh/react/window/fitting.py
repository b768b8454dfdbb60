"""The common way of all strategies: choose rounds, fold the others, cut, render, count."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walissh.react import rounds as whole_rounds
from walissh.react import tidied
from walissh.react.turn import Message
from walissh.react.window import cut, fold, render
from walissh.react.window.summary import NOTED, Summary
from walissh.react.window.values import Budget, Fitted, Round

PINNED_SHARE: Final = 0.6
NOTES_SHARE: Final = 0.35
"""At most so much of the room is for the pinned fields, and is kept free for the notes."""


class Sized:
    """The rounds with what they cost, counted when asked for and only once."""

    def __init__(self, rounds: Sequence[Round], budget: Budget) -> None:
        self._rounds, self._budget = rounds, budget
        talk = [message for each in rounds for message in each]
        self._tidied = whole_rounds.split(tidied.clean(talk, language=budget.language))
        self._whole: dict[int, tuple[Message, ...]] = {}
        self._tokens: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._rounds)

    def raw(self, at: int) -> Round:
        """Return a round as it is stored."""
        return self._rounds[at]

    def whole(self, at: int) -> tuple[Message, ...]:
        """Return a round as it can be sent."""
        if at not in self._whole:
            self._whole[at] = tuple(whole_rounds.whole(self._tidied[at]))
        return self._whole[at]

    def tokens(self, at: int) -> int:
        """Return what a round costs."""
        if at not in self._tokens:
            self._tokens[at] = sum(map(self._budget.counter.message, self.whole(at)))
        return self._tokens[at]

    def newest(self, tokens: int, *, first: int = 0, least: int = 1) -> list[int]:
        """Return the places of the newest rounds within *tokens*, the *least* ones always."""
        kept: list[int] = []
        for at in range(len(self) - 1, first - 1, -1):
            if len(kept) >= least and self.tokens(at) > tokens:
                break
            tokens -= self.tokens(at)
            kept.append(at)
        return kept[::-1]


Choose = Callable[[Sized, int, int], list[int]]
"""Which rounds stay as they are: from the rounds, the first one that is not folded yet, and
the tokens there are, to their places in order."""


@dataclass(frozen=True, slots=True)
class _State:
    """The rounds that stay, as they are sent; the summary to store and the one to show."""

    kept: list[int]
    summary: Summary
    shown: Summary
    rounds: tuple[tuple[Message, ...], ...] = ()
    is_cut: bool = False
    first: int = 0


def fit(
    choose: Choose,
    rounds: Sequence[Round],
    summary: Summary,
    budget: Budget,
    *,
    with_notes: bool,
) -> Fitted:
    """Return what is sent when *choose* says which rounds stay; see `values.Fitted`."""
    given = [each for each in rounds if each]
    first = len(given) - len(fold.unfolded(given, summary))
    sized = Sized(given, budget)
    settled = _settled(choose, sized, summary, budget, first, with_notes)
    state = replace(settled, first=first)
    return _assembled(sized, state, budget, with_notes)


def _settled(
    choose: Choose, sized: Sized, summary: Summary, budget: Budget, first: int, with_notes: bool
) -> _State:
    """Choose, fold what does not stay, and choose again with what the summary then needs.

    What was folded stays folded, so this ends.
    """
    room = budget.room
    kept = choose(sized, first, room - _reserve(summary, budget, with_notes))
    folded = first
    while (end := _left_until(sized, kept, folded)) > folded:
        summary = fold.extend(
            summary,
            [sized.raw(at) for at in range(folded, end)],
            line_chars=budget.line_chars,
        )
        folded = end
        again = choose(sized, folded, room - _reserve(summary, budget, with_notes))
        kept = [at for at in again if at in kept or at >= folded]
    return _shrunk(sized, kept, folded, summary, budget, with_notes)


def _left_until(sized: Sized, kept: Sequence[int], folded: int) -> int:
    """Return the end of what must be folded: after the last round that does not stay."""
    staying = frozenset(kept)
    left = [at for at in range(folded, len(sized)) if at not in staying]
    return left[-1] + 1 if left else folded


def _shrunk(
    sized: Sized,
    kept: list[int],
    folded: int,
    summary: Summary,
    budget: Budget,
    with_notes: bool,
) -> _State:
    """Cut what stays if it is too large; what is cut is told in the summary that is shown."""
    shown = summary
    room = budget.room - _reserve(shown, budget, with_notes)
    if sum(map(sized.tokens, kept)) <= room:
        return _State(kept, summary, shown, tuple(map(sized.whole, kept)))
    while kept:
        told = [sized.raw(at) for at in kept[:-1] if at >= folded]
        shown = replace(
            fold.extend(summary, told, line_chars=budget.line_chars),
            rounds=summary.rounds,
            until=summary.until,
        )
        room = max(budget.room - _reserve(shown, budget, with_notes), budget.room // 4)
        shrunk = cut.shrink([sized.whole(at) for at in kept], room, budget.counter, budget.language)
        if not shrunk.dropped:
            return _State(kept, summary, shown, shrunk.rounds, is_cut=True)
        gone, kept = kept[: shrunk.dropped], kept[shrunk.dropped :]
        fresh = [sized.raw(at) for at in gone if at >= folded]
        summary = fold.extend(summary, fresh, line_chars=budget.line_chars)
        folded = max(folded, gone[-1] + 1)
    return _State(kept, summary, shown)


def _reserve(summary: Summary, budget: Budget, with_notes: bool) -> int:
    """Return the tokens that the summary's section needs."""
    if summary.is_empty:
        return 0
    title = budget.counter.text(_titled("", "", budget)) + 2
    most = int(budget.room * PINNED_SHARE)
    said = render.pinned(summary, budget.language, budget.counter, most).text
    spare = int(budget.room * NOTES_SHARE)
    noted = render.notes_tokens(summary, budget.counter, spare) if with_notes else 0
    return title + budget.counter.text(said) + noted


def _assembled(sized: Sized, state: _State, budget: Budget, with_notes: bool) -> Fitted:
    """Render the section into what the rounds leave, and count for certain."""
    verbatim = tuple(message for each in state.rounds for message in each)
    cost = sum(map(budget.counter.message, verbatim))
    pinned = render.Rendered("")
    if not state.shown.is_empty:
        most = max(budget.room - cost - 16, 0)
        pinned = render.pinned(state.shown, budget.language, budget.counter, most)
    spare = budget.room - cost - budget.counter.text(pinned.text) - 16
    while True:
        noted = _notes(state.shown, budget, spare) if with_notes else ""
        section = "\n".join(each for each in (pinned.text, noted) if each)
        system = Message("system", _titled(budget.system, section, budget))
        tokens = budget.counter.messages((system, *verbatim))
        if tokens <= budget.tokens or not section:
            break
        if noted:
            spare -= tokens - budget.tokens + 8
        else:
            pinned = render.Rendered("", pinned.left_out)
    stays = frozenset(state.kept)
    return Fitted(
        messages=(system, *verbatim),
        folded=tuple(
            message.id
            for at in range(state.first, len(sized))
            if at not in stays
            for message in sized.raw(at)
        ),
        summary=state.summary,
        section=section,
        tokens=tokens,
        left_out=pinned.left_out,
        cut=state.is_cut,
    )


def _notes(summary: Summary, budget: Budget, tokens: int) -> str:
    if tokens <= 0 or not (summary.kept or summary.written or any(map(summary.notes, NOTED))):
        return ""
    return render.notes(summary, budget.language, budget.counter, tokens)


def _titled(system: str, section: str, budget: Budget) -> str:
    titled = f"[{render.TITLES[budget.language]}]\n{section}" if section else ""
    return "\n\n".join(each for each in (system, titled) if each)
