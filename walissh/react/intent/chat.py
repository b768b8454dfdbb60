"""Small talk: greetings, thanks, praise, moods, and questions about the agent itself."""

from typing import Final

from walissh.react.intent.lexicon import found, whole
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_TALK: Final = (
    "greeting",
    "thanks",
    "bye",
    "praise",
    "laugh",
    "mood",
    "about_agent",
    "emoji_yes",
    "call",
)


def small_talk(read: Reading, at: Situation) -> float:
    """Nothing but small talk; a nod is one too when nothing is pending."""
    pieces = [each.text for each in read.clauses] or [read.text]
    if all(_chatty(each) for each in pieces):
        return 0.55 if at.pending and whole(("emoji_yes",), read.text) else 0.9
    if at.pending or at.task:
        return 0.0
    nods = ("assent", "emoji_yes", *_TALK)
    return 0.8 if all(whole(nods, each) for each in pieces) and at.follows else 0.0


def _chatty(piece: str) -> bool:
    return whole(_TALK, piece.strip(" .!~。！?？"))


def opinion(read: Reading, _: Situation) -> float:
    """An exclamation about a thing, without a fault to look at or a wish."""
    if found("concrete", read.text):
        return 0.0
    if found("laugh", read.text):
        return 0.88
    if found("trouble", read.text) or read.asked:
        return 0.0
    return 0.78 if found("opinion_about", read.text) or found("remembers", read.text) else 0.0


def thanks(read: Reading, at: Situation) -> float:
    """Thanks in the first clause and nothing that asks for more."""
    if not read.clauses or len(read.text) > 60:
        return 0.0
    first, *rest = read.clauses
    if not (whole(_TALK, first.text) and found("thanks", first.text)):
        return 0.0
    return 0.76 if all(_chatty(each.text) or found("praise", each.text) for each in rest) else 0.0
