"""Which questions are open: asked, and not answered by what was said after."""

from collections.abc import Sequence
from typing import Final

from walissh.react.window import names, wording

MIN_WORDS: Final = 2
DIRECTLY: Final = 0.25
IN_PASSING: Final = 0.75
"""The share of a question's own words that an answer repeats: one to it alone, or any text."""


def asks(sentence: str) -> bool:
    """Tell whether a sentence is a question, with a mark or without one."""
    if sentence.endswith(("?", "？")):
        return True
    seen = wording.unquoted(sentence)
    return any("\u4e00" <= char <= "\u9fff" for char in seen[-1:]) and seen.endswith(
        ("吗", "呢", "么", "没有", "谁", "哪", "多少", "什么", "为什么")
    )


def tells_apart(question: str, hosts: Sequence[str]) -> bool:
    """Tell whether a question says what it is about: "is this normal?" cannot stay open."""
    return len(_words(question, hosts)) >= MIN_WORDS


def answered(
    question: str, answers: Sequence[str], hosts: Sequence[str], *, share: float = IN_PASSING
) -> bool:
    """Tell whether one of *answers* is about what *question* asks, and does not say "unknown"."""
    asked = _words(question, hosts)
    return bool(asked) and any(_answers(asked, each, question, share) for each in answers)


def _answers(asked: set[str], answer: str, question: str, share: float) -> bool:
    if not answer or question in answer or wording.kind("unknown").says(answer):
        return False
    said = names.rare(answer)
    named = names.identifiers(asked)
    if named and not named & said:
        return False
    return len(asked & said) >= share * len(asked)


def _words(question: str, hosts: Sequence[str]) -> set[str]:
    known = {each.lower() for each in hosts}
    return names.rare(question) - known
