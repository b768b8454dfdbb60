"""Standing instructions in what a person wrote: preferences, with rules alone.

A preference is an instruction to the agent that holds beyond the task at hand. Questions,
suppositions, quotations, other people's habits, symptoms and one-offs are none; what only
looks like one is in ``preferences.yaml`` beside what is one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from walissh.memory.entry import Found, MemoryType, Op
from walissh.memory.extract import (
    clauses,
    incidents,
    marks,
    phrases,
    pref_op,
    pref_secrets,
    prose,
    scope,
    simplified,
    subjects,
)
from walissh.memory.extract.prose import Clause, Sentence
from walissh.safety import redact

refusal = pref_secrets.refusal

MAX_FOUND: Final = 12
MAX_VALUE: Final = 160
EXPLICIT: Final = 1.0
HABIT: Final = 0.8
"""A habit that is told ("I prefer …") binds less than an order ("always …")."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """The clauses of one instruction; *before* tells of an earlier rule that it replaces."""

    clauses: tuple[Clause, ...]
    sentence: Sentence
    explicit: bool = True


def from_user(text: str) -> list[Found]:
    """Return the standing instructions in *text*, in order, each with scope and op.

    Nothing in it holds a secret: a clause that tells one is left out, and so is a whole
    instruction that says the same secret again. Never raises.
    """
    found: list[Found] = []
    for rule in islice(_rules(prose.sentences(text)), MAX_FOUND):
        found += [each for each in _found(rule) if each not in found]
    if incidents.reports_trouble(text):
        found = [each for each in found if incidents.is_order(each.content)]
    return _clean(found, text)


def once(text: str) -> bool:
    """Tell whether *text* holds an instruction for this task only ("这次", "just this once")."""
    return any(marks.is_once(clause) for each in prose.sentences(text) for clause in each.clauses)


def _rules(sentences: Sequence[Sentence]) -> Iterator[_Rule]:
    before: Sentence | None = None
    opened = False
    for sentence in sentences:
        opened = sentence.item and opened
        rule = _rule(sentence, before, opened=opened)
        if rule:
            yield rule
        opened = opened or clauses.opens_list(sentence)
        before = sentence


def _rule(sentence: Sentence, before: Sentence | None, *, opened: bool) -> _Rule | None:
    if clauses.is_no_instruction(sentence):
        return None
    kept = clauses.counting(sentence)
    if before and kept and all(marks.only_standing(each) for each in kept):
        if clauses.is_no_instruction(before):
            return None
        said = clauses.directives(clauses.counting(before))
        return _Rule(said, before) if said and not _rule(before, None, opened=False) else None
    passing = any(marks.is_once(each) for each in sentence.clauses)
    start = clauses.start(kept, opened=opened, passing=passing)
    if start is None:
        return None
    chosen = clauses.span(kept, start)
    return _Rule(chosen, sentence, explicit=not marks.is_habit(kept[start])) if chosen else None


def _found(rule: _Rule) -> Iterator[Found]:
    whole = _joined(rule.clauses)[:MAX_VALUE]
    op = pref_op.of(rule.sentence, rule.clauses)
    for name, value in _apart(rule.clauses) or [_about(rule.clauses, whole, op)]:
        yield Found(
            type=MemoryType.USER_PREFERENCE,
            subject=name,
            value=(subjects.said(value) if op is not Op.REMOVE else "") or value[:MAX_VALUE],
            content=whole,
            scope=scope.of(simplified.of(whole)),
            op=op,
            confidence=EXPLICIT if rule.explicit else HABIT,
        )


def _about(parts: Sequence[Clause], whole: str, op: Op) -> tuple[str, str]:
    """Return the subject and what is said of it: of what is given up, only the subject."""
    if not marks.gives_up(parts[0]):
        return subjects.named(whole), whole
    said = _joined(parts[1:]) if op is Op.REPLACE and len(parts) > 1 else whole
    return subjects.named(parts[0].text), said


def _apart(parts: Sequence[Clause]) -> list[tuple[str, str]]:
    """Return (subject, clause) of each when two or more stand on their own, else nothing."""
    named = [(subjects.known(each.text), each.text) for each in parts]
    found = {subject.name: text for subject, text in named if subject and subject.apart}
    return list(found.items()) if len(found) > 1 else []


def _joined(parts: Sequence[Clause]) -> str:
    """Return the clauses as the person wrote them, lead-ins and thanks left out."""
    han = any("\u4e00" <= char <= "\u9fff" for part in parts for char in part.text)
    whole = ("，" if han else ", ").join(part.text for part in parts)
    joiner = phrases.pattern("joiner").match(whole)
    return whole[joiner.end() :] if joiner else whole


def _clean(found: Sequence[Found], text: str) -> list[Found]:
    """Return what holds no secret; what is left of a clause may still say one."""
    told = pref_secrets.values(_shared(text, found)) if found else frozenset()
    return [each for each in found if not _leaks(each, told)]


def _shared(text: str, found: Sequence[Found]) -> str:
    """Return *text*, or of a long one the lines that share a word with what was found.

    Each with the line before it, which may be the label of a secret.
    """
    if len(text) <= prose.LONG:
        return text
    lines = text.splitlines()
    words = {word for each in found for word in _WORD.findall(f"{each.value} {each.content}")}
    at = [n for n, line in enumerate(lines) if not words.isdisjoint(_WORD.findall(line))]
    return "\n".join(lines[n] for n in sorted({*at, *(n - 1 for n in at if n)}))


def _leaks(each: Found, told: frozenset[str]) -> bool:
    said = f"{each.subject}\n{each.value}\n{each.content}"
    return bool(redact.spans(said)) or any(secret in said for secret in told)


_WORD: Final = re.compile(r"[^\s\"'“”‘’「」`,，。;；:：=()\u4e00-\u9fff]{3,}")
