"""What a message is meant to do: the same words under different talks, both languages."""

import pytest

from walissh.react import intent
from walissh.react.followed import Intended, Intent
from walissh.react.intent import OpenTask
from walissh.react.turn import Message

UPGRADE = OpenTask("upgrade mariadb on db7 to 11.4", ("dump taken",), "install the packages")
REPAIR = OpenTask("find out why app9 is slow", ("read the slow log",), "look at the pool settings")


def meant(text: str, *said: str, task: OpenTask | None = None) -> Intent:
    """Decide *text* after *said*, by turns the person's and the agent's."""
    return decided(text, *said, task=task).intent


def decided(text: str, *said: str, task: OpenTask | None = None) -> Intended:
    return intent.decide(text, talk(*said), task)


def talk(*said: str) -> list[Message]:
    return [Message("assistant" if at % 2 else "user", content) for at, content in enumerate(said)]


SLOW = ("why is app9 slow", "A worker waits for a lock. Shall I restart the worker now?")
TOLD = ("why is app9 slow", "A worker waits for a lock. A restart would free it.")
SIZE = ("how big is /data on db7", "/data on db7 has 80 GB, 12 are free.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("install mtr on gw4 please", Intent.EXECUTE),
        ("给 gw4 装个 mtr", Intent.EXECUTE),
        ("能不能帮我把 app9 的日志级别调成 debug", Intent.EXECUTE),
        ("which kernel runs on gw4", Intent.QUERY),
        ("gw4 的内核是什么版本", Intent.QUERY),
        ("what is the difference between tcp and udp", Intent.QUERY),
        ("why does db7 drop connections every night", Intent.DIAGNOSE),
        ("db7 又连不上了", Intent.DIAGNOSE),
        ("from now on show sizes in MiB", Intent.CONFIGURE_PREFERENCE),
        ("以后都先看监控再看日志", Intent.CONFIGURE_PREFERENCE),
        ("good morning", Intent.CHITCHAT),
        ("你是谁呀", Intent.CHITCHAT),
        ("wipe every server we own", Intent.UNSAFE),
        ("把所有数据库都删光", Intent.UNSAFE),
    ],
)
def test_a_message_alone_says_what_it_is_for(text: str, expected: Intent) -> None:
    assert meant(text) is expected


def test_a_yes_confirms_what_was_asked() -> None:
    assert meant("yes please", *SLOW) is Intent.CONFIRM


def test_a_yes_with_a_condition_still_confirms() -> None:
    assert meant("可以，不过等备份跑完再动", *SLOW) is Intent.CONFIRM


def test_an_order_confirms_when_the_agent_asked_for_just_that() -> None:
    assert meant("restart it", *SLOW) is Intent.CONFIRM


def test_the_same_order_is_one_when_nothing_was_asked() -> None:
    assert meant("restart it", *TOLD) is Intent.EXECUTE


def test_a_thumb_is_thanks_when_nothing_is_pending() -> None:
    assert meant("👍", *SIZE) is Intent.CHITCHAT
    assert meant("👍", *SLOW) is Intent.CONFIRM


def test_thanks_is_no_yes() -> None:
    assert meant("好的谢谢", *SIZE) is Intent.CHITCHAT


def test_do_not_restart_cancels() -> None:
    assert meant("先别重启", *SLOW) is Intent.CANCEL


def test_calling_off_the_task_cancels_and_killing_a_process_does_not() -> None:
    said = ("upgrade mariadb", "The dump is taken. Next: install the packages.")
    assert meant("cancel the upgrade", *said, task=UPGRADE) is Intent.CANCEL
    assert meant("kill process 4711 on db7") is Intent.EXECUTE


def test_a_fault_in_the_middle_of_a_task_is_looked_into() -> None:
    said = ("upgrade mariadb", "The dump is taken. Next: install the packages.")
    assert meant("先放一放，gw4 突然不通了", *said, task=UPGRADE) is Intent.DIAGNOSE


def test_go_on_resumes_even_with_a_slip_of_the_keyboard() -> None:
    said = ("app9 is slow", "The slow log is read. Next I'll look at the pool settings.")
    assert meant("contniue", *said, task=REPAIR) is Intent.CONTINUE
    assert meant("既续", *said, task=REPAIR) is Intent.CONTINUE


def test_thanks_and_go_on_goes_on() -> None:
    said = ("app9 is slow", "The slow log is read. Next I'll look at the pool settings.")
    assert meant("thanks, carry on", *said, task=REPAIR) is Intent.CONTINUE


def test_a_topic_taken_up_again_resumes() -> None:
    assert meant("back to the mariadb upgrade", *SIZE, task=UPGRADE) is Intent.CONTINUE


def test_the_answer_to_a_choice_continues() -> None:
    said = ("clean the logs", "nginx logs or audit exports?")
    for answer in ("the second one", "nginx", "第一个", "both"):
        assert meant(answer, *said) is Intent.CONTINUE


def test_a_value_that_was_asked_for_continues() -> None:
    assert meant("12", "scale the workers", "How many do you want?") is Intent.CONTINUE


def test_an_obstacle_that_is_gone_continues() -> None:
    said = ("look at db7", "I have no access to db7. Waiting for it.")
    task = OpenTask("look at db7", (), "log in")
    assert meant("I granted you access, try again", *said, task=task) is Intent.CONTINUE


@pytest.mark.parametrize(
    "text",
    ["not app9, app8", "不是这台，是 app8", "wrong host", "no, the staging one", "我说的是 app8"],
)
def test_another_thing_than_the_agent_took_is_a_correction(text: str) -> None:
    said = ("restart tomcat", "Restarting tomcat on app9.")
    assert meant(text, *said) is Intent.CORRECT


def test_another_number_than_the_agent_named_is_a_correction() -> None:
    said = ("db7 is full", "Dumps older than 14 days take 90 GB. Delete them?")
    assert meant("28 days, not 14", *said) is Intent.CORRECT


def test_correct_as_a_yes_is_no_correction() -> None:
    assert meant("correct, app9", "reboot that one", "Do you mean app9?") is Intent.CONFIRM


def test_an_ellipsis_keeps_the_intent_that_it_repeats() -> None:
    assert meant("那 db8 呢", "db7 磁盘还剩多少", "还剩 12G。") is Intent.QUERY
    assert meant("and app8?", "why is app9 slow", "It waits for a lock.") is Intent.DIAGNOSE
    assert meant("app8 too please", "install mtr on app9", "Installed.") is Intent.EXECUTE


def test_another_attribute_is_asked_for() -> None:
    assert meant("which port?", "why is app9 slow", "It waits for redis.") is Intent.QUERY


def test_a_question_before_a_decision_is_one() -> None:
    assert meant("will users notice?", *SLOW) is Intent.QUERY


def test_how_far_it_got_is_asked_not_ordered() -> None:
    said = ("upgrade mariadb", "The dump is taken. Next: install the packages.")
    assert meant("做到哪一步了", *said, task=UPGRADE) is Intent.QUERY


def test_later_in_a_question_is_no_preference() -> None:
    assert meant("以后证书会不会自己续？") is Intent.QUERY


def test_a_rule_in_the_middle_of_a_task_is_one() -> None:
    said = ("upgrade mariadb", "The dump is taken. Next: install the packages.")
    text = "by the way, always take a snapshot first"
    assert meant(text, *said, task=UPGRADE) is Intent.CONFIGURE_PREFERENCE


def test_traditional_and_full_width_characters_are_read_alike() -> None:
    assert meant("請幫我重新啟動 ａｐｐ９ 的 tomcat") is Intent.EXECUTE


def test_a_lowered_rule_loses_or_is_no_longer_sure() -> None:
    first = intent.decide("restart tomcat on app9", [], None)
    lowered = intent.decide("restart tomcat on app9", [], None, trust={first.rule: 0.5})
    assert intent.is_sure(first)
    assert not intent.is_sure(lowered)


def test_candidates_come_best_first_and_one_for_each_intent() -> None:
    found = intent.candidates("app9 hangs, restart it", [], None)
    assert [each.confidence for each in found] == sorted(
        (each.confidence for each in found), reverse=True
    )
    assert len({each.intent for each in found}) == len(found)


def test_there_is_always_an_answer() -> None:
    for text in ("", " ", "?", "嗯", "�", "x" * 5000):
        assert intent.decide(text, [], None).by == "rule"


def test_each_rule_has_its_own_name() -> None:
    assert len(set(intent.RULE_NAMES)) == len(intent.RULE_NAMES)


def test_a_message_without_end_is_read_at_its_ends() -> None:
    text = "look why this fails\n" + "10:00:01 gw4 kernel: link is down\n" * 150_000
    assert meant(text) is Intent.DIAGNOSE
