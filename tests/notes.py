"""Memories as the tests of recall write them, and what a question brings back of them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from walissh.memory import forms, synonyms, words
from walissh.memory.entry import MemoryType
from walissh.memory.recall import memories, sought
from walissh.memory.recall.values import Features, Matches, Query, Scored

NOW = datetime(2031, 3, 1, 12, tzinfo=UTC)
SOFTWARE = MemoryType.SOFTWARE_FACT
FACT = MemoryType.ENVIRONMENT_FACT
CASE = MemoryType.TROUBLESHOOTING_CASE
PREFERENCE = MemoryType.USER_PREFERENCE


@dataclass(frozen=True)
class Note:
    """A memory as these tests write it."""

    text: str
    features: Features


def note(
    text: str, kind: MemoryType = FACT, host: str = "", *, days: int = 10, subject: str = ""
) -> Note:
    return Note(text, Features(kind, host, subject, at=NOW - timedelta(days=days)))


def hits(question: str, *notes: Note, k: int = 5, **place: object) -> list[Scored]:
    """Return what *question* recalls of *notes* (a ``doc`` is the place of one), best first."""
    query = Query(question, at=NOW, **place)  # type: ignore[arg-type]
    aim = sought.seek(query, synonyms.standard())
    tallies = memories.weigh(aim, matches(aim.terms(), notes))
    features = {doc: each.features for doc, each in enumerate(notes)}
    return memories.rank(query, tallies, features, k=k)


def recalled(question: str, *notes: Note, k: int = 5, **place: object) -> list[str]:
    """Return the texts of what *question* recalls of *notes*, best first."""
    return [notes[hit.doc].text for hit in hits(question, *notes, k=k, **place)]


def matches(terms: frozenset[str], notes: tuple[Note, ...]) -> Matches:
    counts = [
        words.counted(f"{each.text} {each.features.host}") | Counter(forms.of_text(each.text))
        for each in notes
    ]
    held = {
        term: {doc: count[term] for doc, count in enumerate(counts) if term in count}
        for term in terms
    }
    texts: Mapping[str, int] = {term: len(docs) for term, docs in held.items()}
    lengths = {doc: count.total() for doc, count in enumerate(counts)}
    mean = sum(count.total() for count in counts) / max(len(counts), 1)
    return Matches(len(notes), mean, held, texts, lengths)
