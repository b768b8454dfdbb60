"""Folding rounds into the summary, each of them once."""

from collections.abc import Sequence
from dataclasses import replace

from walissh.react.turn import Message
from walissh.react.window import glean, questions, sentences
from walissh.react.window.summary import MOST_NOTES, Note, Summary, joined, noted


def extend(
    summary: Summary,
    rounds: Sequence[Sequence[Message]],
    *,
    line_chars: int = glean.LINE_CHARS,
) -> Summary:
    """Return the summary with these rounds folded in, oldest first.

    They are those after `summary.until`; what was folded before is not looked at again.
    *line_chars* is how long the free text of each may be.
    """
    for each in rounds:
        first = summary.rounds == 0
        told = glean.glean(each, first=first, hosts=summary.hosts, line_chars=line_chars)
        summary = _plus(glean.without_answered(summary, _texts(each)), told)
    return summary


def unfolded(rounds: Sequence[Sequence[Message]], summary: Summary) -> Sequence[Sequence[Message]]:
    """Return the rounds after the last folded message; all, if it is not among them.

    Looks from the end, so it does not matter how much was folded.
    """
    if not summary.until:
        return rounds
    for at in range(len(rounds) - 1, -1, -1):
        if rounds[at] and rounds[at][-1].id == summary.until:
            return rounds[at + 1 :]
    return rounds


def _texts(messages: Sequence[Message]) -> list[str]:
    """Return what may answer an earlier question: what was told, not asked or shown."""
    told = [each.content for each in messages if each.role == "assistant"]
    for each in messages[:1]:
        told += [text for text in sentences.sentences(each.content) if not questions.asks(text)]
    return told


def _plus(before: Summary, told: Summary) -> Summary:
    return replace(
        before,
        goals=joined(before.goals, told.goals),
        hosts=tuple(dict.fromkeys([*before.hosts, *told.hosts])),
        refusals=joined(before.refusals, told.refusals),
        rules=joined(before.rules, told.rules),
        questions=joined(before.questions, told.questions),
        said=_noted(before, told, "said"),
        decisions=_noted(before, told, "decisions"),
        findings=_noted(before, told, "findings"),
        done=_noted(before, told, "done"),
        paths=_noted(before, told, "paths"),
        lines=_noted(before, told, "lines"),
        rounds=before.rounds + told.rounds,
        until=told.until or before.until,
    )


def _noted(before: Summary, told: Summary, name: str) -> tuple[Note, ...]:
    new = told.notes(name)
    return noted(before.notes(name), new, MOST_NOTES[name]) if new else before.notes(name)
