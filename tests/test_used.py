"""An answer rests on the memories that it cites, and on those it repeats."""

from dataclasses import replace

import pytest

from tests.memories import memory
from walissh.memory import used
from walissh.memory.entry import Hit, Memory, MemoryType, Recollection

REDIS = memory(MemoryType.SOFTWARE_FACT, "redis", "7.2.4")
SUDO = memory(MemoryType.USER_PREFERENCE, "user", "deploy")
CASE = replace(
    memory(MemoryType.TROUBLESHOOTING_CASE, "502", "too few workers"),
    payload={"cause": "the pool had too few php workers", "fix": "raised pm.max_children to 50"},
)


def of(answer: str, *hits: Memory, preference: Memory | None = None) -> list[str]:
    given = Recollection(
        preferences=(preference,) if preference else (),
        hits=tuple(Hit(each, 1.0) for each in hits),
    )
    return [each.subject for each in used.of_answer(answer, given, [])]


def test_a_mark_names_its_memory() -> None:
    assert of("It was that before [m1].", CASE) == ["502"]


def test_a_value_in_the_answer_is_its_source() -> None:
    assert of("web1 runs redis 7.2.4.", REDIS) == ["redis"]


@pytest.mark.parametrize("answer", ["It runs 17.2.4 now.", "It runs 7.2.41 now.", "No idea."])
def test_a_part_of_a_longer_number_is_no_source(answer: str) -> None:
    assert of(answer, REDIS) == []


def test_a_preference_counts_when_the_answer_holds_its_value() -> None:
    assert of("I logged in as deploy.", preference=SUDO) == ["user"]


def test_a_case_told_again_is_a_source() -> None:
    assert of("As then, pm.max_children was raised to 50.", CASE) == ["502"]


def test_a_word_of_a_case_alone_is_no_source() -> None:
    assert of("The workers are fine.", CASE) == []
