"""Which of the memories that a turn was given its answer rests on."""

from collections.abc import Sequence

from walissh.memory import providers, words
from walissh.memory.entry import FACTS, Memory, MemoryType, Recollection
from walissh.react.turn import CommandRun

CASE_SHARE = 0.6
"""So much of a case's cause or fix must stand in the answer to say that it was used."""

SHORTEST_VALUE = 2


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
        return _stands(memory.value, answer)
    told = set(words.terms(answer))
    return any(_share(part, told) >= CASE_SHARE for part in (memory.cause, memory.fix))


def _stands(value: str, text: str) -> bool:
    """Tell whether *value* stands in *text*, not as a piece of a longer word or number."""
    place = text.casefold().find(value.casefold()) if len(value) >= SHORTEST_VALUE else -1
    if place < 0:
        return False
    before, after = text[place - 1 : place], text[place + len(value) : place + len(value) + 1]
    return not (_joins(value[0], before) or _joins(value[-1], after))


def _joins(edge: str, beside: str) -> bool:
    return edge.isascii() and beside.isascii() and edge.isalnum() and beside.isalnum()


def _share(part: str, told: set[str]) -> float:
    wanted = set(words.terms(part))
    return len(wanted & told) / len(wanted) if wanted else 0.0
