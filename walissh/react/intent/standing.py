"""Tell whether a message sets, changes or withdraws what shall hold from now on."""

from typing import Final

from walissh.memory.extract import preferences
from walissh.react.intent.lexicon import found
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_MOST_CHARS: Final = 600
_LEAST_CHARS: Final = 6


def rule(read: Reading, at: Situation) -> float:
    """A standing instruction, as the memory of preferences would take one."""
    if not _LEAST_CHARS <= len(read.raw) <= _MOST_CHARS:
        return 0.0
    if (at.task or at.pending) and found("called_off", read.text):
        return 0.9 if found("lasts_firmly", read.said) else 0.0
    if found("standing_cue", read.text) and preferences.from_user(read.raw):
        return 0.94
    if _asked_about(read) or found("others_do", read.text):
        return 0.0
    if found("lasts_firmly", read.said):
        return 0.9
    return 0.72 if found("lasts", read.said) else 0.0


def _asked_about(read: Reading) -> bool:
    """Tell whether what lasts is asked about or told of, not ordered."""
    if found("recalls", read.text) or found("supposes", read.text):
        return True
    return (read.asked and not found("polite", read.text)) or found("in_past", read.text)
