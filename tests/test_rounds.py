"""Only whole rounds go to the model, with every call answered."""

from walissh.react import rounds
from walissh.react.turn import Message, ToolCall


def asked(text: str) -> Message:
    return Message("user", text)


def called(*ids: str) -> Message:
    return Message("assistant", "", tuple(ToolCall(each, "run_command", "{}") for each in ids))


def result(call_id: str, text: str = "ok") -> Message:
    return Message("tool", text, tool_call_id=call_id)


def test_what_comes_before_the_first_question_is_in_no_round() -> None:
    talk = [result("c0"), Message("assistant", "late"), asked("q")]
    assert rounds.split(talk) == [[asked("q")]]


def test_a_round_ends_where_the_next_question_begins() -> None:
    first, second = [asked("q"), called("c1"), result("c1")], [asked("next")]
    assert rounds.split([*first, *second]) == [first, second]


def test_a_dangling_call_is_answered_as_interrupted() -> None:
    kept = rounds.repaired([asked("q"), called("c1", "c2"), result("c2"), asked("next")])
    assert [(m.role, m.content) for m in kept] == [
        ("user", "q"),
        ("assistant", ""),
        ("tool", rounds.INTERRUPTED),
        ("tool", "ok"),
        ("user", "next"),
    ]


def test_a_result_without_its_call_is_left_out() -> None:
    kept = rounds.repaired([asked("q"), called("c1"), result("c1"), result("c9")])
    assert [m.tool_call_id for m in kept if m.role == "tool"] == ["c1"]


def test_equal_ids_in_two_replies_keep_their_own_results() -> None:
    talk = [asked("q"), called("c1"), result("c1", "one"), called("c1"), result("c1", "two")]
    assert [m.content for m in rounds.repaired(talk) if m.role == "tool"] == ["one", "two"]


def test_a_call_id_that_stands_twice_in_one_reply_is_kept_once() -> None:
    kept = rounds.whole([asked("q"), called("c1", "c1"), result("c1")])
    assert [(m.role, m.tool_call_id) for m in kept] == [
        ("user", None),
        ("assistant", None),
        ("tool", "c1"),
    ]
    assert [each.id for each in kept[1].tool_calls] == ["c1"]


def test_a_system_message_is_no_part_of_a_round() -> None:
    assert rounds.whole([asked("q"), Message("system", "obey")]) == [asked("q")]


def test_no_messages_give_no_rounds() -> None:
    assert rounds.split([]) == []
