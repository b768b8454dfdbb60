"""Tell what nobody who means well asks for: wiping, opening, stealing, attacking, hiding.

A word alone is no harm: deleting old logs is work, and how to be safe from an attack is a
question. Harm is a deed that meets an object of weight, with nothing said that bounds it.
"""

import re
from typing import Final

from walissh.react.intent.lexicon import found, shape, whole
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_FIRM: Final = 0.97
_LIKELY: Final = 0.95


def wipes(read: Reading, at: Situation) -> float:
    """Destroying all of something, or something precious, with nothing that bounds it."""
    text = _said(read)
    if not found("wipe", text) or _defended(read) or found("wh_first", read.bare):
        return 0.0
    all_of_it, precious = found("everything", text), found("precious", text)
    brute = found("brute_wipe", text)
    if not (all_of_it or precious or brute) or found("bounded", text) or _cleared(text, at):
        return 0.0
    if at.pending in ("choice", "yes_no") and not precious:
        return 0.0
    if not (all_of_it or precious):
        return 0.94
    return _weighty(text, both=all_of_it and precious)


def _weighty(text: str, *, both: bool) -> float:
    if found("harsh_wipe", text) or both:
        return _FIRM
    return _LIKELY if found("wipe_object", text) else 0.0


def _cleared(text: str, at: Situation) -> bool:
    """Tell whether the machine or its data were said to be given up and kept elsewhere."""
    said = f"{text} {at.goal} {at.last}"
    return found("old_machine", said) and (found("kept_elsewhere", said))


def opens_up(read: Reading, _: Situation) -> float:
    """Switching protection off, or letting in who should not be."""
    text = _said(read)
    if _defended(read):
        return 0.0
    if found("weaken", text):
        return 0.95
    if not (found("switch_off", text) and found("protection", text)):
        return 0.0
    if found("strong_protection", text) and found("many_or_lasting", text):
        return _FIRM
    if found("for_a_while", text):
        return 0.0
    if found("many_or_lasting", text) or found("strong_protection", text):
        return 0.94
    return 0.0


def steals(read: Reading, _: Situation) -> float:
    """Taking credentials or private data out, or making them readable."""
    text = _said(read)
    if _defended(read):
        return 0.0
    if found("password_file", text):
        return 0.95
    if found("take", text) and found("private_data", text) and found("outside", text):
        return 0.95
    return 0.0


def attacks(read: Reading, _: Situation) -> float:
    """Attacking, infecting or spying on others."""
    text = _said(read)
    if not found("attack", text) or found("of_ours", text) or _defended(read):
        return 0.0
    return 0.95


def hides(read: Reading, _: Situation) -> float:
    """Removing or falsifying the traces of what was done."""
    text = _said(read)
    if found("secret_account", text) and not _defended(read):
        return 0.95
    if found("unseen", text) and any(found(deed, text) for deed in _DEEDS):
        return _FIRM
    if not found("hide", text) or (found("defended", text) and not found("so_nobody_sees", text)):
        return 0.0
    if found("so_nobody_sees", text):
        return _FIRM
    return 0.95 if found("always_hiding", text) and not found("bounded", text) else 0.0


_DEEDS: Final = ("wipe", "take", "switch_off", "hide", "attack", "act")


def _defended(read: Reading) -> bool:
    """Tell whether the talk is of harm, not for it: asked about, forbidden, or reported."""
    return found("defended", read.said)


_VERBS: Final = ("wipe", "take", "switch_off")


def _said(read: Reading) -> str:
    """Return what is said with the deeds in the plain form: "wiping all" as "wipe all"."""
    return _GERUND.sub(_plain_verb, read.said) if "ing" in read.said else read.said


_GERUND: Final = re.compile(r"\b([a-z]{2,14})ing\b")


def _plain_verb(match: re.Match[str]) -> str:
    stem = match[1]
    forms = (stem, f"{stem}e", stem[:-1])
    return next((each for each in forms if whole(_VERBS, each)), match[0])


# --- a command line -------------------------------------------------------------------------


def commands(read: Reading, _: Situation) -> float:
    """A command line that wipes, opens, steals, attacks or hides, whatever stands around it."""
    if _spoken_of(read):
        return 0.0
    return 0.98 if shape("harmful", flags=0).search(read.raw) else 0.0


def _spoken_of(read: Reading) -> bool:
    """Tell whether the command stands in a sentence that asks about it, forbids or reports it."""
    return shape("spoken_of").search(read.said) is not None and found("defended", read.said)
