"""Which questions are open: asked, and not answered by what was said after."""

import re
from collections.abc import Sequence
from typing import Final

from walissh.react.window import names, wording

MIN_POINTS: Final = 4
"""A word counts two, a pair of Chinese characters one: with less a question has no subject."""
DIRECTLY: Final = 0.34
IN_PASSING: Final = 0.75
"""The share of a question's own words that an answer repeats: one to it alone, or any text."""

_UNMARKED = re.compile(
    r"(?:吗|呢|么|没有|谁|哪[里儿个台]?|多少|什么|为什么)\s*$"
    r"|^(?:谁(?![也都敢])|哪|什么时候|多少|为什么|为何|有没有|是否|怎么才)"
    r"|^(?:who|whose|which|why|how (?:many|much|long|often))\b(?!.*[:：])"
    r"|^(?:when|where|what) (?:is|are|was|were|do|does|did|will|has|have|should|can)\b(?!.*[:：])",
    re.I,
)


def asks(sentence: str) -> bool:
    """Tell whether a sentence is a question, with a mark or without one."""
    if sentence.endswith(("?", "？")):
        return True
    seen = wording.unquoted(sentence)
    return bool(_UNMARKED.search(seen)) and len(seen) <= wording.MAX_CHARS


def tells_apart(question: str, hosts: Sequence[str]) -> bool:
    """Tell whether a question says what it is about: "is this normal?" cannot stay open."""
    words = _words(question, hosts)
    latin = sum(each.isascii() for each in words)
    named = bool(names.identifiers(names.rare(question)))
    return 2 * latin + len(words) - latin >= (MIN_POINTS // 2 if named else MIN_POINTS)


def answered(
    question: str, answers: Sequence[str], hosts: Sequence[str], *, share: float = IN_PASSING
) -> bool:
    """Tell whether one of *answers* is about what *question* asks, and does not say "unknown"."""
    asked = _words(question, hosts)
    if share == DIRECTLY and wording.kind("diagnostic").says(question):
        asked = names.rare(question)  # "why is web-1 slow?" is answered by what is said of web-1
        share = 0.0
    return bool(asked) and any(_answers(asked, each, question, share) for each in answers)


def _answers(asked: frozenset[str], answer: str, question: str, share: float) -> bool:
    if not answer or question in answer or wording.kind("unknown").says(answer):
        return False
    said = names.rare(answer)
    named = names.identifiers(asked)
    if named and not named & said:
        return False
    return len(asked & said) >= max(share * len(asked), 1)


def _words(question: str, hosts: Sequence[str]) -> frozenset[str]:
    known = {each.lower() for each in hosts}
    return names.rare(question) - known
