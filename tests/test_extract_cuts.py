"""A fault, its cause and its remedy in one sentence, in either order and language."""

import pytest

from walissh.memory.extract import cases, causes


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        ("许可证到期导致报表服务起不来，换上新许可证后恢复。", "许可证到期", "换上新许可证"),
        (
            "重启 autofs 之后目录能访问了，原因是映射文件里残留了旧服务器。",
            "残留了旧服务器",
            "重启 autofs",
        ),
        (
            "把队列长度从 64 调到 1024 之后投递快了，原来的值太小。",
            "原来的值太小",
            "从 64 调到 1024",
        ),
        ("通过关闭超线程解决了因核心争用导致的抖动", "核心争用", "关闭超线程"),
        ("风扇停转是积灰造成的，清理干净之后温度正常。", "积灰", "清理干净"),
        (
            "A corrupt spool file took the printer queue down; removing it brought it back.",
            "corrupt spool file",
            "removing it",
        ),
        (
            "After we replaced the patch cable the flapping stopped: the old one was broken.",
            "old one was broken",
            "replaced the patch cable",
        ),
        (
            "Raising the backlog to 4096 cured the resets, which came from the default of 128.",
            "default of 128",
            "Raising the backlog to 4096",
        ),
        (
            "We rebuilt the index and searches work; the index had been damaged by the crash.",
            "had been damaged",
            "rebuilt the index",
        ),
        ("端口协商成半双工，传输很慢。换了一根光纤，速度正常。", "协商成半双工", "换了一根光纤"),
    ],
)
def test_cause_and_remedy_in_one_breath_are_told_apart(text: str, cause: str, fix: str) -> None:
    (case,) = cases.from_assistant(text)
    assert cause in case.cause
    assert fix in case.fix
    assert fix not in case.cause


@pytest.mark.parametrize(
    "text",
    [
        "可能是许可证到期导致报表服务起不来，换上新许可证也许能恢复。",
        "许可证到期导致报表服务起不来，换上新许可证后仍然报错。",
        "After the upgrade the printer queue was slow, which came as no surprise.",
        "I removed the spool file, but the queue is still down.",
        "如果许可证到期导致起不来，换上新许可证就能恢复。",
        "已按你的要求重启 autofs，因为下周要迁移。",
    ],
)
def test_one_breath_without_a_proved_cause_or_a_remedy_that_held_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


def test_what_was_done_before_it_broke_is_no_remedy() -> None:
    (case,) = cases.from_assistant("升级固件后驱动不兼容，网络时断时续，回退到旧固件即恢复。")
    assert "不兼容" in case.cause
    assert "回退到旧固件" in case.fix


def test_the_sentence_that_names_a_cause_is_found() -> None:
    answer = "I looked at the spool. The root cause is a full partition."
    assert causes.named(answer) == "The root cause is a full partition"


@pytest.mark.parametrize(
    "text", ["It may be the partition.", "The cause is not known yet.", "Done."]
)
def test_no_sentence_names_a_cause_in_a_guess(text: str) -> None:
    assert causes.named(text) == ""
