"""A short question after a diagnosis is answered with its remedy."""

import pytest

from tests.offline_talk import Talk, machine
from walissh.brain import followup
from walissh.react.turn import Message

CAUSE = "**Root cause (certain):** `app` is down [[c0de0001:1-1]]"
FIX = "   - To fix (not run): `systemctl start app`"
ANSWER = f"Offline brain.\n\n{CAUSE}\n{FIX}\n\n**Ruled out**\n\n- the disk"
CAUSE_ZH = "**根因（很有把握）：** `app` 没有运行 [1]\n   - 建议（未执行）：`systemctl start app`"


@pytest.mark.parametrize("asks", ["how do I fix it?", "what should I do?", "the fix?"])
def test_asked_how_to_fix_it_cause_and_fix_are_told_without_marks(asks: str) -> None:
    told = followup.remedy(asks, [Message("assistant", ANSWER)])
    assert told == f"**Root cause (certain):** `app` is down\n{FIX}"


@pytest.mark.parametrize("asks", ["怎么修？", "怎么解决", "如何处理？", "有解决方案吗"])
def test_asked_in_chinese_it_is_told_in_chinese(asks: str) -> None:
    told = followup.remedy(asks, [Message("assistant", CAUSE_ZH)])
    assert told == CAUSE_ZH.replace(" [1]", "")


def test_without_a_cause_before_there_is_nothing_to_tell() -> None:
    assert followup.remedy("how do I fix it?", [Message("assistant", "All is well.")]) == ""
    assert followup.remedy("how do I fix it?", []) == ""


def test_only_the_last_answer_counts() -> None:
    said = [Message("assistant", ANSWER), Message("assistant", "I looked at disks.")]
    assert followup.remedy("how do I fix it?", said) == ""


def test_other_questions_ask_for_no_remedy() -> None:
    assert followup.remedy("is it down?", [Message("assistant", ANSWER)]) == ""
    long = "how do I fix the upload of large files that ends in a blank page since last Monday?"
    assert followup.remedy(long, [Message("assistant", ANSWER)]) == ""


def test_after_a_diagnosis_the_brain_repeats_the_remedy_and_runs_nothing() -> None:
    talk = Talk({"web1": machine("nginx_502")})
    found = talk.ask("why does nginx answer 502?")
    before = len(talk.commands)
    answer = talk.ask("how do I fix it?")
    assert "To fix (not run)" in found and "To fix (not run)" in answer
    assert "not looked at again" in answer and len(talk.commands) == before
