"""What a message is meant to do, as told by rules from the text and the talk around it.

Ancestor: the understanding stage (rules first, then the model). Everything here is pure; the
lists are loaded once. Where no rule is sure, a model is asked with `candidates` as a start.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from walissh.react.followed import Intended, Intent
from walissh.react.intent import reading, requests, situation
from walissh.react.intent.reading import Reading
from walissh.react.intent.rules import RULES
from walissh.react.intent.situation import OpenTask, Situation
from walissh.react.turn import Message

__all__ = ["RULE_NAMES", "SURE", "OpenTask", "candidates", "decide", "is_sure", "warm_up"]

SURE: Final = 0.75
"""From this confidence on a rule decides alone."""
MARGIN: Final = 0.04
"""A decision whose rival is as near as this is not sure."""
REPEATS: Final = "repeats"
FALLBACK: Final = "fallback"
RULE_NAMES: Final = (*(rule.name for rule in RULES), REPEATS, FALLBACK)

_REPEATABLE: Final = frozenset({Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY})
_NO_TRUST: Final[Mapping[str, float]] = {}


def decide(
    text: str,
    said: Sequence[Message],
    task: OpenTask | None,
    *,
    trust: Mapping[str, float] = _NO_TRUST,
) -> Intended:
    """Return what *text* is meant to do, after the messages *said* and with *task* open.

    *trust* lowers a rule by its name (1.0 as written, 0.0 never used): it then loses against
    others, or is no longer sure. Always an answer; see `is_sure` for whether to rely on it.
    """
    best, *others = candidates(text, said, task, trust=trust)
    if others and best.confidence - others[0].confidence < MARGIN:
        return _unsure(best)
    return best


def is_sure(intended: Intended) -> bool:
    """Tell whether the decision may stand without asking a model."""
    return intended.confidence >= SURE


def warm_up() -> None:
    """Compile the patterns of both languages now: it takes about a second for each."""
    for text in ("why is the disk of db2 full?", "db2 的磁盘为什么满了？"):
        decide(text, (), None)


def candidates(
    text: str,
    said: Sequence[Message],
    task: OpenTask | None,
    *,
    trust: Mapping[str, float] = _NO_TRUST,
) -> tuple[Intended, ...]:
    """Return the best rule of each intent that comes into question, best first; never none."""
    read, at = reading.read(text), situation.see(said, task)
    best: dict[Intent, Intended] = {}
    for each in (*_by_rules(read, at), *_repeated(read, at)):
        weighed = _trusted(each, trust)
        if weighed.confidence > 0 and weighed.confidence > _of(best, each.intent):
            best[each.intent] = weighed
    ranked = sorted(best.values(), key=lambda each: -each.confidence)
    return tuple(ranked) or (_fallback(read, at),)


def _by_rules(read: Reading, at: Situation) -> list[Intended]:
    return [
        Intended(rule.intent, strength, "rule", rule.name)
        for rule in RULES
        if (strength := rule.weigh(read, at)) > 0
    ]


def _repeated(read: Reading, at: Situation) -> list[Intended]:
    """An ellipsis ("and db3?") means what the person's message before it meant."""
    if not at.before or at.pending in ("choice", "value") or not requests.is_ellipsis(read):
        return []
    before = decide(at.before, at.earlier, None)
    if before.intent not in _REPEATABLE:
        return []
    asked_else = before.intent is not Intent.QUERY and requests.is_attribute(read)
    if asked_else:
        return []
    return [Intended(before.intent, min(0.9, before.confidence), "rule", REPEATS)]


def _fallback(read: Reading, at: Situation) -> Intended:
    """Guess when no rule applies: the likeliest of what such a text is, never sure."""
    if at.pending in ("choice", "value"):
        return Intended(Intent.CONTINUE, 0.5, "rule", FALLBACK)
    if requests.asks(read):
        return Intended(Intent.QUERY, 0.5, "rule", FALLBACK)
    if (read.words() <= 3 and not at.follows) or requests.is_personal(read):
        return Intended(Intent.CHITCHAT, 0.3, "rule", FALLBACK)
    return Intended(Intent.DIAGNOSE, 0.3, "rule", FALLBACK)


def _of(best: Mapping[Intent, Intended], intent: Intent) -> float:
    return best[intent].confidence if intent in best else 0.0


def _trusted(intended: Intended, trust: Mapping[str, float]) -> Intended:
    factor = min(1.0, max(0.0, trust.get(intended.rule, 1.0)))
    confidence = round(intended.confidence * factor, 4)
    return Intended(intended.intent, confidence, intended.by, intended.rule)


def _unsure(intended: Intended) -> Intended:
    return Intended(
        intended.intent, min(intended.confidence, SURE - 0.01), intended.by, intended.rule
    )
