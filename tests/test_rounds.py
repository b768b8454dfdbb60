"""Only whole rounds go to the model, with every call answered."""

from walissh.react import rounds
from walissh.react.turn import Message, ToolCall


def asked(text: str) -> Message:
    return Message("user", text)


def called(*ids: str) -> Message:
    return Message("assistant", "", tuple(ToolCall(each, "run_command", "{}") for each in ids))


def result(call_id: str, text: str = "ok") -> Message:
    return Message("tool", text, tool_call_id=call_id)


def test_what_comes_before_the_first_question_is_left_out() -> None:
    kept = rounds.fit([result("c0"), Message("assistant", "late"), asked("q")], 1000)
    assert [m.content for m in kept] == ["q"]


def test_a_dangling_call_is_answered_as_interrupted() -> None:
    kept = rounds.fit([asked("q"), called("c1", "c2"), result("c2"), asked("next")], 1000)
    assert [(m.role, m.content) for m in kept] == [
        ("user", "q"),
        ("assistant", ""),
        ("tool", rounds.INTERRUPTED),
        ("tool", "ok"),
        ("user", "next"),
    ]


def test_a_result_without_its_call_is_left_out() -> None:
    kept = rounds.fit([asked("q"), called("c1"), result("c1"), result("c9")], 1000)
    assert [m.tool_call_id for m in kept if m.role == "tool"] == ["c1"]


def test_equal_ids_in_two_replies_keep_their_own_results() -> None:
    talk = [asked("q"), called("c1"), result("c1", "one"), called("c1"), result("c1", "two")]
    assert [m.content for m in rounds.fit(talk, 1000) if m.role == "tool"] == ["one", "two"]


def test_the_oldest_rounds_leave_first_and_whole() -> None:
    talk = [asked("a" * 60), called("c1"), result("c1"), asked("b" * 60), asked("c" * 60)]
    assert [m.content[0] for m in rounds.fit(talk, 150)] == ["b", "c"]


def test_the_last_round_stays_even_if_it_is_too_long() -> None:
    assert len(rounds.fit([asked("x" * 5000)], 10)) == 1


def test_long_results_of_old_rounds_are_shortened_but_not_those_of_the_last() -> None:
    long = "y" * 50_000
    talk = [asked("q"), called("c1"), result("c1", long), asked("r"), called("c2")]
    old, new = [m for m in rounds.fit([*talk, result("c2", long)], 10**6) if m.role == "tool"]
    assert len(old.content) < 2_000 and "left out" in old.content
    assert new.content == long


def test_no_messages_give_none() -> None:
    assert rounds.fit([], 100) == ()
