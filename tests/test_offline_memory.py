"""The offline brain tells what was recalled, and cites it."""

from dataclasses import replace

import pytest

from tests.diagnosing import CATALOGUE as PANTRY
from tests.world import World
from walissh.brain import playbook, remembered
from walissh.brain.asked import things
from walissh.brain.offline import OfflineBrain
from walissh.brain.playbook import Catalogue
from walissh.memory.entry import Found, MemoryType, Origin, Source
from walissh.react.turn import Message
from walissh.store import hosts, memories

BUILT_IN = playbook.built_in()
CASE = Found(
    MemoryType.TROUBLESHOOTING_CASE,
    "502",
    "redis ran out of clients",
    "the shop answered 502 because redis ran out of clients; maxclients was raised to 10000",
    symptom="the shop answered 502",
    cause="redis ran out of clients",
    fix="maxclients was raised to 10000",
)


def recall_case(world: World) -> None:
    host = hosts.get(world.host.id, world.person.id)
    memories.add_or_update(world.person.id, CASE, Source(Origin.ASSISTANT), host=host)


def ask(world: World, question: str, catalogue: Catalogue = BUILT_IN) -> str:
    world.parts = replace(world.parts, model=OfflineBrain(catalogue))
    turn = world.ask(question)
    world.play()
    return world.turn(turn).answer


def test_asked_how_it_was_solved_it_answers_from_memory_and_runs_nothing(world: World) -> None:
    recall_case(world)
    answer = ask(world, "上次那个 502 是怎么解决的？")
    assert "maxclients was raised to 10000" in answer and "[m1]" in answer
    assert "依据：" in answer and world.shell.ran == []


def test_what_no_playbook_knows_is_looked_up_in_memory(world: World) -> None:
    recall_case(world)
    answer = ask(world, "the shop once more")
    assert "maxclients" in answer and world.shell.ran == []


def test_a_diagnosis_names_the_incidents_that_may_bear_on_it(world: World) -> None:
    recall_case(world)
    answer = ask(world, "why does the shop answer 502 on web1, and without bread?", PANTRY)
    assert world.shell.ran and "From memory" in answer and "maxclients" in answer


def test_without_a_memory_it_says_what_it_can_do(world: World) -> None:
    assert "I do not understand" in ask(world, "the shop once more")


def test_what_always_ends_in_an_error_is_looked_at_and_not_noted(world: World) -> None:
    answer = ask(world, "every upload of bread always ends in a 504", PANTRY)
    assert world.shell.ran and "I looked at" in answer


def test_a_wish_alone_is_noted_and_nothing_is_run(world: World) -> None:
    assert "记下了" in ask(world, "以后执行命令都加 sudo")
    assert world.shell.ran == []


def test_asked_for_the_preferences_it_tells_them(world: World) -> None:
    ask(world, "以后执行命令都加 sudo")
    assert "以后执行命令都加 sudo" in ask(world, "我有哪些偏好？")


@pytest.mark.parametrize(
    "question", ["what about the weather in spring?", "who sings this?", "谢谢你的帮助"]
)
def test_what_shares_no_word_with_a_memory_is_not_told_of_it(world: World, question: str) -> None:
    recall_case(world)
    answer = ask(world, question)
    assert "maxclients" not in answer and world.shell.ran == []


@pytest.mark.parametrize("question", ["everything fine?", "is all good on web1?", "一切正常吗？"])
def test_whether_all_is_well_is_looked_at(world: World, question: str) -> None:
    recall_case(world)
    assert "I looked at" in ask(world, question) or "查看了" in ask(world, question)
    assert world.shell.ran


def with_case(text: str) -> list[Message]:
    line = f"[m1] troubleshooting case · web1 · 2026-11-30: {text}"
    # as the prompt fences it
    return [Message("system", f"<<<memory ab12\n{line}\nmemory ab12>>>")]


@pytest.mark.parametrize(
    ("question", "case", "is_alike"),
    [
        ("why is redis slow?", "redis ran out of clients", True),
        ("why does nginx answer 502?", "the shop answered 502", True),
        ("支付为什么失败", "支付接口超时", True),
        ("why is the disk full?", "redis ran out of clients", False),
        ("为什么 nginx 起不来", "redis 连接数用完", False),
    ],
)
def test_only_a_case_of_the_same_service_or_status_is_looked_at_first(
    question: str, case: str, is_alike: bool
) -> None:
    found = remembered.cases(with_case(case), things(question))
    assert [case in each for each in found] == [True] * is_alike


def test_a_long_case_is_told_in_short_with_its_mark() -> None:
    short = remembered.in_short(f"- {'redis ' * 80}[m1]")
    assert len(short) < 180 and short.endswith("… [m1]")
