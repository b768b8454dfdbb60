"""Folding what is old into the summary: while a prompt is built, ahead of need, and by hand.

Nothing is deleted: the messages stay where they are, the model is given the summary.
"""

import logging
from collections.abc import Sequence

from walissh.errors import ModelError
from walissh.memory import quote
from walissh.react import rounds, telling, texts
from walissh.react.gauge import Window
from walissh.react.needs import Model
from walissh.react.parts import Parts
from walissh.react.prompt import render
from walissh.react.turn import DynamicContext, Message, Request, Turn
from walissh.react.window import compaction, fold
from walissh.react.window.strategies import AFTERWARDS, FULL, LAST_ROUNDS
from walissh.react.window.summary import Summary
from walissh.react.window.values import Fitted
from walissh.safety import purify

logger = logging.getLogger(__name__)

MOST_MESSAGES = 20_000
"""What is read of a long talk that was never folded: an imported one, once."""
RECENT_MESSAGES = 2_000
FOLDED_FROM = 500
"""So many messages are folded however short they are, down to half of it."""

WRITER_CHARS = 40_000
WRITER_TOKENS = 2_000
"""What a model is given of the folded rounds, and what its summary may take."""
LINE_LOOK_CHARS = 600


def unfolded(parts: Parts, turn: Turn, summary: Summary) -> list[Message]:
    """Return the messages before *turn* that the summary does not hold, oldest first.

    With the strategy ``lru`` older ones too: a round that is referred to again comes back.
    """
    lru = parts.gauge.strategy == "lru"
    return parts.history.since(
        turn.session_id,
        "" if lru else summary.until,
        user_id=turn.user_id,
        limit=RECENT_MESSAGES if lru else MOST_MESSAGES,
        before_turn=turn.id,
    )


def keep(parts: Parts, context: DynamicContext, fitted: Fitted) -> None:
    """Store the summary if this prompt folded more, so that the next one need not."""
    turn = context.turn
    if fitted.summary.until == context.summary.until:
        return
    if parts.summaries.save(turn.session_id, turn.user_id, fitted.summary):
        telling.tell_compacted(parts, turn, fitted.summary)


def by_hand(parts: Parts, context: DynamicContext, keep: str) -> str:
    """Fold all that was said before this turn; return the sentence that says so."""
    turn = context.turn
    before = _before(context.history, turn)
    new = compaction.compact(before, context.summary, keep, line_chars=_line_chars(parts))
    if not before and context.summary.until:
        # the same order made again after a process died between its two writes
        before = [[]] * context.summary.rounds
        new = context.summary
    if not before or not parts.summaries.save(turn.session_id, turn.user_id, new):
        return texts.nothing_to_compact(turn.language)
    telling.tell_compacted(parts, turn, new)
    again = new is context.summary
    kept = [each for each in new.kept if again or each not in context.summary.kept]
    return texts.compacted(turn.language, len(before), keep, kept)


def is_due(parts: Parts, turn: Turn) -> bool:
    """Tell whether what was said since the last folding fills 80 % of the window, or is much."""
    window = parts.gauge.window()
    summary = parts.summaries.load(turn.session_id, turn.user_id)
    messages = _since(parts, turn, summary)
    if len(messages) > FOLDED_FROM:
        return True
    # the cheap bound first: most talks are short
    if sum(window.counter.at_most(each.content) for each in messages) < window.tokens * FULL:
        return False
    return window.counter.messages(messages) > window.tokens * FULL


def ahead(parts: Parts, turn_id: str) -> None:
    """Fold the older rounds of a turn's session ahead of need, down to 40 % of the window.

    With a model that can write, its text takes the place of the lines; whatever it does
    wrong, the summary of the rules stands.
    """
    turn = parts.turns.get(turn_id)
    if turn is None or not is_due(parts, turn):
        return
    old = parts.summaries.load(turn.session_id, turn.user_id)
    fresh = rounds.split(_since(parts, turn, old))
    window = parts.gauge.window()
    folding = _older(fresh, window, int(window.tokens * AFTERWARDS))
    new = fold.extend(old, folding, line_chars=window.line_chars)
    if parts.writer is not None:
        new = _written(parts, parts.writer, turn, folding, new)
    if folding and parts.summaries.save(turn.session_id, turn.user_id, new):
        telling.tell_compacted(parts, turn, new)


def _older(
    fresh: Sequence[Sequence[Message]], window: Window, tokens: int
) -> Sequence[Sequence[Message]]:
    """Return the rounds before the newest ones that take *tokens*; the last three stay."""
    messages = FOLDED_FROM // 2
    for at in range(len(fresh) - 1, -1, -1):
        tokens -= window.counter.messages(fresh[at])
        messages -= len(fresh[at])
        if min(tokens, messages) < 0 and len(fresh) - at > LAST_ROUNDS:
            return fresh[: at + 1]
    return []


def _written(
    parts: Parts,
    writer: Model,
    turn: Turn,
    folding: Sequence[Sequence[Message]],
    summary: Summary,
) -> Summary:
    """Return the summary with the text of a model, as far as it is sound."""
    told = "\n".join(_line(each) for messages in folding for each in messages if each.content)
    fenced = quote.fenced("talk", told[-WRITER_CHARS:])
    chars = summary.rounds * _line_chars(parts)
    request = Request(
        messages=(
            Message("system", render("summary", turn.language, chars=chars)),
            Message("user", fenced),
        ),
        tools=(),
        hosts=(),
        language=turn.language,
        reply_tokens=WRITER_TOKENS,
    )
    try:
        reply = writer.complete(request, on_text=_unheard, cancelled=_never)
    except ModelError as error:
        logger.warning("summary without a model turn=%s: %s", turn.id, error)
        return summary
    parts.turns.add_usage(turn.id, reply.usage)
    return compaction.accept(purify.clean(reply.text), summary, line_chars=_line_chars(parts))


def _line(message: Message) -> str:
    return f"{message.role}: {' '.join(message.content[:LINE_LOOK_CHARS].split())}"


def _unheard(_text: str) -> None:
    """Take the text as a whole, at the end."""


def _never() -> bool:
    return False


def _line_chars(parts: Parts) -> int:
    return parts.gauge.line_chars


def _before(history: Sequence[Message], turn: Turn) -> list[list[Message]]:
    return rounds.split([each for each in history if each.turn_id != turn.id])


def _since(parts: Parts, turn: Turn, summary: Summary) -> list[Message]:
    return parts.history.since(
        turn.session_id, summary.until, user_id=turn.user_id, limit=MOST_MESSAGES
    )
