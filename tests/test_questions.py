"""What is asked teaches nothing, with a question mark or without."""

import pytest

from walissh.memory import questions


@pytest.mark.parametrize(
    "text",
    [
        "How warm is the attic?",
        "how warm is the attic",
        "is the kettle still on",
        "did the nightly copy end",
        "what runs on port 99",
        "what ate the cheese",
        "which door is open",
        "why",
        "so, are there spare fans",
        "风扇为什么停了",
        "昨晚的拷贝跑完没有",
        "哪个柜子是空的",
        "风扇坏了吗？要不要换？",
    ],
)
def test_a_question_is_told_without_its_mark(text: str) -> None:
    assert questions.asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "do use long names",
        "is fond of tables",
        "what matters most at night: silence",
        "when you restart a fan, tell me first",
        "which door it is must be said",
        "how-to texts list their steps",
        "不管谁问都先看温度",
        "不懂的先问我",
        "Use metric units. Why else would I ask?",
        "风扇坏了就换新的",
    ],
)
def test_what_is_stated_is_no_question(text: str) -> None:
    assert not questions.asks(text)
