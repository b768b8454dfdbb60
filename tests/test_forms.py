"""Which form of answer a question is for, and which stands in a text."""

import pytest

from walissh.memory import forms


def marks(text: str) -> set[str]:
    return {mark.removeprefix("@=") for mark in forms.of_text(text)}


def asked(question: str) -> set[str]:
    return {form.mark.removeprefix("@=") for form in forms.asked(question)}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the dump of ware-2 runs at 03:40", "hour"),
        ("每周日凌晨清理", "hour"),
        ("panel: https://panel.example.net/", "address"),
        ("上游是 10.9.8.7", "address"),
        ("spool lies in /vol/spool", "path"),
        ("queue-1 listens on 5671", "port"),
        ("heap of billing is 6g", "size"),
        ("audit records stay 90 days", "span"),
        ("队列保留 5 天", "span"),
        ("3 个副本", "number"),
        ("never touch the router in office hours", "rule"),
        ("导出之前先脱敏", "rule"),
        ("Print dates in ISO form", "rule"),
    ],
)
def test_a_text_is_marked_with_the_form_that_stands_in_it(text: str, form: str) -> None:
    assert form in marks(text)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("at what time does the dump run", "hour"),
        ("几点清理", "hour"),
        ("link to the panel please", "address"),
        ("上游的地址", "address"),
        ("where is the spool", "path"),
        ("配置放哪", "path"),
        ("走哪个口", "port"),
        ("how large is the heap", "size"),
        ("能查多久以前的", "span"),
        ("how many replicas", "number"),
        ("may you restart it yourself", "rule"),
        ("导出前我要求什么", "rule"),
    ],
)
def test_a_question_tells_the_form_of_its_answer(question: str, form: str) -> None:
    assert form in asked(question)


@pytest.mark.parametrize("text", ["", "valkey is slow", "服务变慢"])
def test_a_text_of_no_form_has_no_mark(text: str) -> None:
    assert marks(text) == set()


def test_a_path_is_no_part_of_a_link() -> None:
    assert "path" not in marks("http://panel.example.net/index")


def test_a_version_is_no_number_of_things() -> None:
    assert "number" not in marks("valkey 7.2.4")


def test_only_a_rule_bears_on_a_question_by_its_form() -> None:
    assert {form.mark for form in forms.known().values() if form.relevant} == {"@=rule"}


def test_a_long_text_is_marked_by_its_beginning() -> None:
    assert marks("x " * forms.MAX_CHARS + "/srv/late") == set()
