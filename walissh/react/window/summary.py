"""The summary of what left the window: a frozen value, and its JSON for the store.

The pinned fields are the person's own words and survive word for word, always; the rest
is kept as far as there is room, the weightiest first.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

PINNED: Final = ("goals", "hosts", "refusals", "rules", "questions")
NOTED: Final = ("said", "decisions", "findings", "done", "paths", "lines")

MOST_NOTES: Final = {
    "said": 80,
    "decisions": 80,
    "findings": 100,
    "done": 60,
    "paths": 80,
    "lines": 240,
}
"""How many of each are kept; the lightest and oldest leave first."""

SLACK: Final = 20
"""So many more may gather before the lightest are looked for."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing; *weight* from 1 to 9 says how much it is worth its room."""

    text: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Summary:
    """What is known of the folded rounds.

    *until* is the id of the last folded message, "" if nothing was folded; *rounds* counts
    the folded ones. *kept* is what the person named when she had the talk compacted.
    *said* is what else the person told, in her own words.
    *written* is free text of a model in place of the lines that were there when it wrote.
    *lines* has one short line for each folded round that said something.
    """

    goals: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    said: tuple[Note, ...] = ()
    decisions: tuple[Note, ...] = ()
    findings: tuple[Note, ...] = ()
    done: tuple[Note, ...] = ()
    paths: tuple[Note, ...] = ()
    lines: tuple[Note, ...] = ()
    written: str = ""
    rounds: int = 0
    until: str = ""

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to say."""
        return not (self.rounds or self.written or any(self.texts(each) for each in _TEXTS))

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a pinned field, or `kept`."""
        return tuple(getattr(self, field))

    def notes(self, field: str) -> tuple[Note, ...]:
        """Return a field of notes."""
        return tuple(getattr(self, field))


_TEXTS = (*PINNED, "kept")


def joined(before: Sequence[str], new: Iterable[str]) -> tuple[str, ...]:
    """Return both without repeats; what stands word for word in another one is left out.

    The order is that of first mention; a longer wording takes the place of a shorter one.
    """
    kept = list(before)
    for text in new:
        if not text or any(_says(each, text) for each in kept):
            continue
        kept = [each for each in kept if not _says(text, each)]
        kept.append(text)
    return tuple(kept)


def noted(before: Sequence[Note], new: Iterable[Note], at_most: int) -> tuple[Note, ...]:
    """Return both without repeats, the newest last: a repeat comes to the end, and weighs more.

    Well over *at_most* the lightest leave, of those the oldest.
    """
    kept = {each.text: each for each in before}
    for note in new:
        old = kept.pop(note.text, None)
        weight = max(note.weight, min(old.weight + 1, 9)) if old else note.weight
        kept[note.text] = Note(note.text, weight)
    notes = list(kept.values())
    if len(notes) > at_most + SLACK:
        ranked = sorted(range(len(notes)), key=lambda at: (notes[at].weight, at), reverse=True)
        notes = [notes[at] for at in sorted(ranked[:at_most])]
    return tuple(notes)


def _says(longer: str, shorter: str) -> bool:
    """Tell whether *shorter* stands in *longer* as whole words."""
    at = longer.find(shorter)
    if at < 0:
        return False
    before, after = longer[max(at - 1, 0) : at], longer[at + len(shorter) :][:1]
    return not (_goes_on(before, shorter[0]) or _goes_on(shorter[-1], after))


def _goes_on(left: str, right: str) -> bool:
    pair = left + right
    return len(pair) == 2 and pair.isascii() and all(x.isalnum() or x in "-_./" for x in pair)


def dumps(summary: Summary) -> str:
    """Return the summary as JSON; `loads` reads it back."""
    return json.dumps(asdict(summary), ensure_ascii=False)


def loads(text: str) -> Summary:
    """Read what `dumps` wrote; fields of another version are passed over."""
    stored: Mapping[str, object] = json.loads(text)
    known = {each.name for each in fields(Summary)}
    values: dict[str, object] = {}
    for name, value in stored.items():
        if name in NOTED and isinstance(value, list):
            values[name] = tuple(Note(each["text"], each["weight"]) for each in value)
        elif name in known:
            values[name] = tuple(value) if isinstance(value, list) else value
    return Summary(**values)  # type: ignore[arg-type]
