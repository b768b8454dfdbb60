"""The offline brain as a person meets it."""

import json
import re
from dataclasses import replace

import pytest

from tests.offline_talk import BRAIN, Ended, Talk, line_with, machine, this_machine
from walissh.brain import answer, question
from walissh.brain.diagnose import Diagnosis, Unseen
from walissh.brain.playbook import Text
from walissh.errors import TurnCancelledError
from walissh.react.turn import Language, Message, Request

GONE = Ended(None, "", state="it never ran, failed in phase connect: web2 does not answer")


def marks(answer: str) -> set[str]:
    return set(re.findall(r"\[\[(\w+):\d+-\d+\]\]", answer))


def test_a_question_is_answered_with_real_outputs() -> None:
    """Chinese here; the whole turn of ``test_offline_turn`` asks in English."""
    assert len(marks(Talk({"web1": this_machine}, "zh").ask("这台机器的内存够吗？"))) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("words", ["这台机器为什么慢？", "cpu", "which ports are open?"])
def test_each_area_reads_real_commands(words: str) -> None:
    language: Language = "en" if words.isascii() else "zh"
    assert marks(Talk({"web1": this_machine}, language).ask(words))


@pytest.mark.parametrize("words", ["hello", "what's going on?", "restart nginx", "`uptime`"])
def test_first_line_says_what_it_is(words: str) -> None:
    answer = Talk({"web1": machine("busybox")}).ask(words)
    assert answer.startswith("**Offline brain** (built-in playbooks, no language model)")


def test_answers_chinese_in_chinese() -> None:
    answer = Talk({"web1": machine("busybox")}, "zh").ask("机器怎么了")
    assert answer.startswith("**离线大脑**（内置诊断手册，没有语言模型）")
    assert "可用内存只剩 39.1 MiB" in answer


def test_busybox_machine_is_understood_through_other_variants() -> None:
    talk = Talk({"web1": machine("busybox")})
    answer = talk.ask("why is it slow?")
    assert "**Critical**: The load of 9.1" in answer
    assert talk.cited(line_with(answer, "97% busy")) == "LC_ALL=C top -b -n1 | head -n 8"
    assert "Process `worker` (PID 4001, user `app`) has used 88%" in answer


def test_missing_tool_is_told_and_is_no_error() -> None:
    answer = Talk({"web1": machine("busybox")}).ask("why is it slow?")
    assert "systemctl: command not found" in line_with(answer, "services that failed")


def test_forbidden_log_is_told_as_unseen() -> None:
    answer = Talk({"web1": machine("busybox")}).ask("out of memory?")
    assert "journalctl: command not found" in line_with(answer, "killed for lack of memory")
    assert "no process killed" not in answer


def test_worst_finding_comes_first() -> None:
    answer = Talk({"web1": machine("busybox")}).ask("why is it slow?")
    severities = re.findall(r"^\d+\. \*\*(\w+)\*\*", answer, re.MULTILINE)
    order = ["Critical", "Warning", "Note"]
    assert severities == sorted(severities, key=order.index)
    assert set(severities) == set(order)


def test_every_finding_and_fact_is_cited() -> None:
    answer = Talk({"web1": machine("busybox")}).ask("why is it slow?")
    told = re.findall(r"^(?:\d+\. |- ).*$", answer.partition("**Could not see**")[0], re.MULTILINE)
    assert len(told) > 5
    assert all("[[c0de" in line for line in told)


def test_nothing_wrong_is_said_with_the_facts() -> None:
    calm = {
        "uptime": Ended(0, " 10:00:00 up 3 days,  load average: 0.10, 0.10, 0.10\n"),
        "nproc": Ended(0, "4\n"),
    }
    answer = Talk({"web1": machine("", calm)}).ask("cpu load")
    assert "Nothing wrong in what I looked at." in answer
    assert "Load 0.1 / 0.1 / 0.1 (1, 5, 15 minutes) on 4 CPUs" in answer


def test_no_usable_result_is_not_called_healthy() -> None:
    answer = Talk({"web1": machine("")}).ask("cpu load")
    assert "No probe gave a usable result" in answer
    assert "Nothing wrong" not in answer


def test_probes_that_worked_but_told_nothing_are_called_healthy() -> None:
    unseen = Unseen(Text(zh="看", en="look"), "x", "no such tool", ran=True)
    seen = Diagnosis((), (), (unseen,), answered=3)
    said = answer.diagnosed({"web1": seen}, (), "en")
    assert "Nothing wrong in what I looked at." in said and "no such tool" in said
    blind = answer.diagnosed({"web1": replace(seen, answered=0)}, (), "en")
    assert "No probe gave a usable result" in blind


def test_an_answer_without_a_cause_names_the_way_to_more_and_not_every_area() -> None:
    said = Talk({"web1": machine("busybox")}).ask("cpu load")
    assert "set OPENAI_API_KEY or OPENAI_BASE_URL" in said and "my playbooks cover" not in said


def test_without_a_host_it_says_how_to_pick_one() -> None:
    talk = Talk({})
    answer = talk.ask("why is this machine slow?")
    assert "No host is selected" in answer
    assert "walissh host add" in answer


@pytest.mark.parametrize("words", ["hello", "你好", "", "12345", "``"])
def test_unknown_question_lists_what_it_can_do(words: str) -> None:
    talk = Talk({"web1": this_machine})
    answer = talk.ask(words)
    assert not talk.commands
    assert all(area in answer for area in ("CPU and load", "memory", "disk", "nginx", "redis"))


@pytest.mark.parametrize(
    "words",
    [
        "restart nginx",
        "please reboot web1",
        "帮我重启 nginx",
        "把 nginx 重启一下",
        "clean up the disk",
        "write me a poem",
    ],
)
def test_a_request_for_a_change_runs_nothing(words: str) -> None:
    talk = Talk({"web1": this_machine})
    answer = talk.ask(words)
    assert not talk.commands
    assert "nothing was run" in answer


@pytest.mark.parametrize(
    "words", ["重启后 nginx 502 了", "why does nginx restart?", "怎么清理磁盘"]
)
def test_a_question_about_a_change_is_diagnosed(words: str) -> None:
    assert question.understand(words, ["web1"], BRAIN.catalogue).kind == "diagnose"


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("`uptime -p`", "uptime -p"),
        ("run `rm -rf /tmp/x` on web1", "rm -rf /tmp/x"),
        ("please run uptime on web1", "uptime"),
        ("运行 uptime", "uptime"),
        ("在 web1 上执行 `df -h`，看看结果", "df -h"),
        ("!uptime", "uptime"),
        ("$ ls -l /", "ls -l /"),
        ("```sh\nuptime\n```", "uptime"),
        ("run free -m", "free -m"),
        ("uptime", "uptime"),
        ("df -h", "df -h"),
        ("cat /etc/os-release", "cat /etc/os-release"),
    ],
)
def test_a_command_spelled_out_is_proposed_as_it_is(words: str, command: str) -> None:
    talk = Talk({"web1": machine("", {command: Ended(0, "fine\n")})})
    answer = talk.ask(words)
    assert talk.commands == [("web1", command)]
    assert "exit code 0 [[c0de0001:1-1]]" in answer
    assert "fine" in answer


@pytest.mark.parametrize(
    "words",
    [
        "top processes by cpu",
        "find large files",
        "free memory?",
        "nginx 502",
        "why is `nginx` slow?",
        "run a health check",
        "what does `df` mean for me",
    ],
)
def test_words_that_could_be_a_command_are_not_yet_an_order(words: str) -> None:
    assert question.understand(words, ["web1"], BRAIN.catalogue).kind != "command"


def test_a_failed_command_is_not_shown_as_success() -> None:
    talk = Talk({"web1": machine("", {"false": Ended(1, "")})}, "zh")
    assert "退出码 1，没有输出" in talk.ask("`false`")


def test_a_denied_command_is_told_in_words() -> None:
    denied = Ended(None, "", state="denied by the person, not run: no")
    answer = Talk({"web1": lambda command: denied}).ask("`reboot`")
    assert "denied by the person, not run: no" in answer


def test_a_denied_probe_is_not_tried_in_another_way() -> None:
    denied = {"vmstat": Ended(None, "", state="denied by the person, not run: no")}
    talk = Talk({"web1": machine("busybox", denied)})
    answer = talk.ask("cpu load")
    assert not [command for _, command in talk.commands if "top -b -n1 | head -n 8" in command]
    assert "denied by the person" in line_with(answer, "what the CPUs do right now")


def test_all_selected_hosts_are_asked_in_one_call_and_answered_apart() -> None:
    talk = Talk({"web1": machine("busybox"), "web2": machine("nginx_502")})
    answer = talk.ask("memory")
    assert json.loads(talk.steps[0].tool_calls[0].arguments)["hosts"] == ["web1", "web2"]
    assert answer.index("### web1") < answer.index("### web2")


def test_a_host_named_in_the_question_is_the_only_one_asked() -> None:
    talk = Talk({"web1": machine("busybox"), "web10": machine("busybox")})
    answer = talk.ask("is web10 out of memory?")
    assert {host for host, _ in talk.commands} == {"web10"}
    assert "###" not in answer


def test_an_unreachable_host_is_one_line_and_the_other_is_answered() -> None:
    talk = Talk({"web1": machine("busybox"), "web2": lambda command: GONE})
    answer = talk.ask("why is it slow?")
    part = answer.partition("### web2")[2]
    assert "web2: nothing could be run: `it never ran, failed in phase connect" in part
    assert "The load of 9.1" in answer
    on_web2 = [command for host, command in talk.commands if host == "web2"]
    assert len(on_web2) == len(talk.steps[0].tool_calls), "nothing is tried a second time"


def test_results_of_an_earlier_question_are_not_taken_for_new_ones() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.ask("why is it slow?")
    before = len(talk.commands)
    answer = talk.ask("and memory?")
    assert len(talk.commands) > before
    assert all(int(mark[4:], 16) > before for mark in marks(answer))


def test_the_same_messages_give_the_same_reply() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.messages.append(Message("user", "cpu load"))
    assert talk.next_reply() == talk.next_reply()


def test_an_answer_without_a_block_ends_the_probe() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.messages.append(Message("user", "cpu load"))
    reply = talk.next_reply()
    talk.messages.append(Message("assistant", reply.text, reply.tool_calls))
    for call in reply.tool_calls:
        talk.messages.append(Message("tool", "[error: no such host]", tool_call_id=call.id))
    assert "nothing could be run: `[error: no such host]`" in talk.next_reply().text


def test_with_no_tools_it_answers_with_what_it_has() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.messages.append(Message("user", "cpu load"))
    reply = talk.next_reply(tools=())
    assert not reply.tool_calls
    assert "this is what is known so far" in reply.text


def test_text_arrives_in_pieces_that_make_up_the_answer() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.messages.append(Message("user", "hello"))
    reply = talk.next_reply()
    assert "".join(talk.said) == reply.text
    assert len(talk.said) > 1


def test_a_stop_ends_it() -> None:
    request = Request((Message("user", "hello"),), (), ("web1",), "en")
    with pytest.raises(TurnCancelledError):
        BRAIN.complete(request, on_text=lambda text: None, cancelled=lambda: True)


def test_a_million_characters_are_answered() -> None:
    assert "do not understand" in Talk({"web1": this_machine}).ask("é `" * 333_333)


def test_probes_are_short_and_carry_their_reason() -> None:
    talk = Talk({"web1": machine("busybox")})
    talk.ask("why is it slow?")
    given = [json.loads(call.arguments) for step in talk.steps for call in step.tool_calls]
    assert all(each["reason"] and each["timeout_s"] <= 60 for each in given)
    ids = [call.id for step in talk.steps for call in step.tool_calls]
    assert len(set(ids)) == len(ids)
