"""Checks of what the model proposes to remember: it must rest on words or on a measurement.

A preference must stand in the person's own words, a fact in the output of a command of this
turn, a case must tell cause and fix apart. So no text out of a host becomes a rule.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from walissh.memory import words
from walissh.memory.entry import FACTS, Found, MemoryType, Proposed
from walissh.memory.extract import cases, marks, pref_secrets, preferences, prose
from walissh.react.turn import CommandRun
from walissh.safety import placeholders, redact

MAX_SUBJECT_CHARS = 80
MAX_CONTENT_CHARS = 600
SAID_SHARE = 0.6
FIX_SHARE = 0.3
PROPOSED_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a proposal may rest on, all of this turn: the person's words, runs, their outputs."""

    said: Sequence[str]
    runs: Sequence[CommandRun]
    outputs: Sequence[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """What may be kept, and the run that proves it, None if the person's words do."""

    found: Found
    proof: CommandRun | None = None


def check(proposed: Proposed, grounds: Grounds, host: str = "") -> Kept | str:
    """Return what may be kept, or why it may not. With *host* only what ran there proves."""
    problem = _malformed(proposed)
    if problem:
        return problem
    if any(run.is_flagged for run in grounds.runs):
        return "an output of this turn gives orders, and nothing is kept from such a turn"
    kind = MemoryType(proposed.type)
    if kind is MemoryType.USER_PREFERENCE:
        return _preference(proposed, grounds)
    if kind in FACTS:
        return _fact(proposed, kind, grounds, host)
    return _case(proposed, grounds)


def _malformed(proposed: Proposed) -> str:
    if proposed.type not in MemoryType.__members__:
        return f"type must be one of {', '.join(MemoryType)}"
    if not proposed.content.strip() or not proposed.subject.strip():
        return "subject and content must not be empty"
    if len(proposed.subject) > MAX_SUBJECT_CHARS or len(proposed.content) > MAX_CONTENT_CHARS:
        return (
            f"subject may have {MAX_SUBJECT_CHARS} characters and content {MAX_CONTENT_CHARS}:"
            " say it shorter"
        )
    text = f"{proposed.subject} {proposed.content}"
    # a placeholder's number means nothing in another session
    if redact.redact(text) != text or placeholders.there(text) or pref_secrets.refusal(text):
        return "it holds a secret, and secrets are never kept"
    return ""


def _preference(proposed: Proposed, grounds: Grounds) -> Kept | str:
    wanted = set(words.terms(proposed.content))
    if not any(_share(wanted, each) >= SAID_SHARE for each in _own_words(grounds.said)):
        return "the person did not say so in this turn: ask them first"
    by_rule = [each for text in grounds.said for each in preferences.from_user(text)]
    shares = [_share(wanted, each.content) for each in by_rule]
    if shares and max(shares) >= SAID_SHARE:  # of those alike the one said last
        return Kept(max(zip(shares, range(len(by_rule)), by_rule, strict=True))[2])
    return Kept(_found(proposed, MemoryType.USER_PREFERENCE))


def _own_words(said: Sequence[str]) -> Iterator[str]:
    """Yield what may be a wish: no paste, no quotation, no question, nothing for this once."""
    for sentence in (each for text in said for each in prose.sentences(text)):
        if not (sentence.asked or any(marks.is_once(each) for each in sentence.clauses)):
            yield sentence.seen


def _fact(proposed: Proposed, kind: MemoryType, grounds: Grounds, host: str) -> Kept | str:
    values = _values(proposed.content)
    if not values:
        return "a fact needs a value that an output shows"
    wanted = set(words.terms(proposed.content))
    for run, output in zip(grounds.runs, grounds.outputs, strict=True):
        seen = f"{proposed.subject} {run.host} {run.command} {output}"
        shown = all(_stands(value, output) for value in values)
        # an order in words that no output holds must not ride on a true number
        shown = shown and _share(wanted, seen) >= SAID_SHARE
        if shown and run.went_well and run.host == (host or run.host):
            return Kept(replace(_found(proposed, kind), value=values[0]), run)
    return "no command of this turn that ended well shows it: measure it first"


def _values(content: str) -> list[str]:
    """Return the words of *content* that hold a digit: what a measurement must show."""
    each = (word.strip(".,;:()[]，。；：") for word in content.split())
    return [word for word in each if any(char.isdigit() for char in word)]


def _stands(value: str, output: str) -> bool:
    """Tell whether *value* stands in *output* as a word of its own: 7 is not in 17 or 7.2."""
    whole = rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)"
    return re.search(whole, output, re.I) is not None


def _case(proposed: Proposed, grounds: Grounds) -> Kept | str:
    found = cases.from_assistant(proposed.content)
    if not found:
        return "a case needs its symptom, an established cause, and what was done about it"
    done = [f"{run.command} {run.reason}" for run in grounds.runs if run.went_well]
    fix = set(words.terms(found[0].fix))
    if _share(fix, " ".join([*done, *_own_words(grounds.said)])) < FIX_SHARE:
        return "neither a command of this turn nor the person tells of that fix"
    return Kept(found[0])


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(words.terms(text))) / len(wanted) if wanted else 0.0


def _found(proposed: Proposed, kind: MemoryType) -> Found:
    return Found(
        kind,
        proposed.subject.strip().lower(),
        proposed.content.strip(),
        proposed.content.strip(),
        confidence=PROPOSED_CONFIDENCE,
    )
