"""Checks of what the model proposes to remember: it must rest on words or on a measurement.

A preference must stand in the person's own words, a fact in the output of a command of this
turn, a case must tell cause and fix apart. So no text out of a host becomes a rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from walissh.memory import words
from walissh.memory.entry import FACTS, Found, MemoryType, Proposed
from walissh.memory.extract import cases, clauses, pref_secrets, preferences, prose
from walissh.react.turn import CommandRun, CommandStatus
from walissh.safety import redact

MAX_SUBJECT_CHARS = 80
MAX_CONTENT_CHARS = 600
SAID_SHARE = 0.6
PROPOSED_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a proposal may rest on: the person's own words, and the runs with their outputs."""

    said: Sequence[str]
    runs: Sequence[CommandRun]
    outputs: Sequence[str]


def check(proposed: Proposed, grounds: Grounds) -> tuple[Found, CommandRun | None] | str:
    """Return what may be kept with the run that proves it, or why it may not."""
    problem = _malformed(proposed)
    if problem:
        return problem
    kind = MemoryType(proposed.type)
    if kind is MemoryType.USER_PREFERENCE:
        return _preference(proposed, grounds)
    if kind in FACTS:
        return _fact(proposed, kind, grounds)
    return _case(proposed)


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
    if redact.redact(text) != text or pref_secrets.refusal(text):
        return "it holds a secret, and secrets are never kept"
    return ""


def _preference(proposed: Proposed, grounds: Grounds) -> tuple[Found, None] | str:
    wanted = set(words.terms(proposed.content))
    said = set(words.terms(" ".join(_own_words(grounds.said))))
    if not wanted or len(wanted & said) < SAID_SHARE * len(wanted):
        return "the person did not say so in this talk: ask them first"
    by_rule = [each for text in grounds.said for each in preferences.from_user(text)]
    shares = [len(set(words.terms(each.content)) & wanted) for each in by_rule]
    if any(shares):  # of those alike the one said last
        return max(zip(shares, range(len(by_rule)), by_rule, strict=True))[2], None
    return _found(proposed, MemoryType.USER_PREFERENCE), None


def _own_words(said: Sequence[str]) -> Iterator[str]:
    """Yield what may be a wish: no paste, no quotation, no question, nothing for this once."""
    for sentence in (each for text in said for each in prose.sentences(text)):
        if not (sentence.asked or any(clauses.is_once(each) for each in sentence.clauses)):
            yield sentence.seen


def _fact(
    proposed: Proposed, kind: MemoryType, grounds: Grounds
) -> tuple[Found, CommandRun | None] | str:
    needles = _values(proposed.content)
    for run, output in zip(grounds.runs, grounds.outputs, strict=True):
        well = run.status is CommandStatus.FINISHED and run.exit_code == 0
        if well and needles and all(needle in output for needle in needles):
            return _found(proposed, kind), run
    return "no command of this turn that ended well shows it: measure it first"


def _values(content: str) -> list[str]:
    """Return the words of *content* that hold a digit: what a measurement must show."""
    each = (word.strip(".,;:()[]，。；：") for word in content.split())
    return [word for word in each if any(char.isdigit() for char in word)]


def _case(proposed: Proposed) -> tuple[Found, None] | str:
    found = cases.from_assistant(proposed.content)
    if not found:
        return "a case needs its symptom, an established cause, and what was done about it"
    return found[0], None


def _found(proposed: Proposed, kind: MemoryType) -> Found:
    return Found(
        kind,
        proposed.subject.strip().lower(),
        proposed.content.strip(),
        proposed.content.strip(),
        confidence=PROPOSED_CONFIDENCE,
    )
