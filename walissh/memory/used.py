"""Which of the memories that a turn was given its answer rests on."""

import re
from collections.abc import Sequence

from walissh.memory import providers, words
from walissh.memory.entry import FACTS, Memory, MemoryType, Recollection
from walissh.react.turn import CommandRun

CASE_SHARE = 0.6
"""So much of a case's cause or fix must stand in the answer to say that it was used."""

FEWEST_WORDS = 3
"""A cause of fewer words stands in many an answer by chance."""

SHORTEST_VALUE = 2
TELLING_VALUE = 4
"""A shorter value ("22") needs its subject beside it to be more than a number."""


def of_answer(answer: str, recollection: Recollection, runs: Sequence[CommandRun]) -> list[Memory]:
    """Return the memories behind *answer*: those it cites by mark, then those it repeats.

    Not every model cites: a fact counts as used when its value stands in the answer, a
    preference also when it stands in a command of the turn, a case when the answer tells
    its cause or its fix again.
    """
    cited = providers.cited(answer, recollection)
    done = " ".join(run.command for run in runs)
    repeated = [
        memory
        for memory in (*recollection.preferences, *(hit.memory for hit in recollection.hits))
        if _repeats(answer, done, memory)
    ]
    return list({memory.id: memory for memory in (*cited, *repeated)}.values())


def _repeats(answer: str, done: str, memory: Memory) -> bool:
    if memory.type is MemoryType.USER_PREFERENCE:
        return _stands(memory.value, answer) or _stands(memory.value, done)
    if memory.type in FACTS:
        telling = len(memory.value) >= TELLING_VALUE or _stands(memory.subject, answer)
        return telling and _stands(memory.value, answer)
    told = set(words.terms(answer))
    return any(_share(part, told) >= CASE_SHARE for part in (memory.cause, memory.fix))


def _stands(value: str, text: str) -> bool:
    """Tell whether *value* stands in *text*, not as a piece of a longer word or number."""
    if len(value) < SHORTEST_VALUE:
        return False
    pattern = rf"(?<![A-Za-z0-9.]){re.escape(value)}(?![A-Za-z0-9]|\.[0-9])"
    return re.search(pattern, text, re.I) is not None


def _share(part: str, told: set[str]) -> float:
    wanted = set(words.terms(part))
    return len(wanted & told) / len(wanted) if len(wanted) >= FEWEST_WORDS else 0.0
