"""The router tells which memory a question needs, and survives a broken file."""

import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from walissh.errors import InvalidError
from walissh.memory import router
from walissh.memory.entry import Route, Routing
from walissh.memory.router import Router, Signals
from walissh.react.language import detect

NONE, WORKING, LONG, BOTH = Route.NONE, Route.WORKING_ONLY, Route.LONG_TERM_ONLY, Route.BOTH


def decide(question: str, *known: str) -> Routing:
    return router.built_in().decide(
        Signals(
            question,
            detect(question, "en"),
            open_task="task" in known,
            follows="task" in known or "talk" in known,
            names_host="host" in known,
        )
    )


@pytest.mark.parametrize(
    "question",
    [
        "continue",
        "接着来吧",
        "please go ahead",
        "嗯，下一步做什么",
        "how far did we get?",
        "再试一次",
        "还剩哪些步骤",
        "what's the status?",
        "yes please",
        "不用了，谢谢",
        "同意",
        "hold on a second",
    ],
)
def test_going_on_needs_the_task_alone(question: str) -> None:
    assert decide(question, "task").route is WORKING


@pytest.mark.parametrize("question", ["continue", "继续吧", "where were we?"])
def test_going_on_in_a_new_talk_asks_the_past(question: str) -> None:
    assert decide(question).route is LONG


@pytest.mark.parametrize(
    "question", ["那台呢", "and that one?", "how about the other two?", "其他几台呢", "它还在跑吗"]
)
def test_a_pointer_needs_the_talk_and_what_is_known_of_the_other(question: str) -> None:
    assert decide(question, "talk").route is BOTH
    assert decide(question).route is LONG


@pytest.mark.parametrize(
    "question",
    [
        "按我的习惯来",
        "as usual please",
        "老规矩，升级 kafka",
        "use my preferred editor",
        "上次怎么修的",
        "do it like last time",
        "照我的风格写报告",
        "the way I like it",
    ],
)
def test_personal_words_need_long_term_memory_and_in_a_task_both(question: str) -> None:
    assert decide(question).route is LONG
    assert decide(question, "task").route is BOTH


@pytest.mark.parametrize("question", ["look at my.cnf", "cat /my/dir", "我的天，好慢"])
def test_what_only_looks_like_a_personal_word_is_none(question: str) -> None:
    assert "personal words: yes" not in decide(question).path


@pytest.mark.parametrize(
    "question", ["restart the service", "重启服务", "把那个应用停掉", "tail the logs"]
)
def test_an_order_that_names_nothing_asks_the_past(question: str) -> None:
    assert decide(question).route is LONG
    assert "names nothing: yes" in decide(question).path


@pytest.mark.parametrize(
    "question",
    [
        "what is a slab cache?",
        "什么是背压",
        "inode 是什么",
        "how does copy-on-write work",
        "硬链接和软链接有什么区别",
        "what does SIGTERM mean?",
        "为什么要用连接池",
        "what's cgroup v2?",
    ],
)
def test_a_general_idea_needs_no_memory_but_knowledge(question: str) -> None:
    assert (decide(question).route, decide(question).knowledge) == (NONE, True)


@pytest.mark.parametrize(
    "question",
    [
        "what is eating all the memory",
        "ssh 端口是什么",
        "what's wrong with nginx",
        "what is the mtu",
        "这个报错是什么意思",
        "what is the difference between our two clusters",
        "what are we on",
    ],
)
def test_a_question_about_what_is_here_is_no_general_idea(question: str) -> None:
    assert decide(question).route is LONG


def test_a_question_that_names_a_host_is_no_general_idea() -> None:
    assert decide("what is gateway", "host").route is LONG


@pytest.mark.parametrize(
    "question",
    [
        "hi there",
        "谢谢你的帮助！",
        "Good evening, everyone!",
        "晚上好呀",
        "who made you?",
        "讲个笑话呗",
        "nice work!",
        "lol this kernel is older than me",
        "周末愉快！",
        "👏👏",
    ],
)
def test_chit_chat_needs_nothing(question: str) -> None:
    assert decide(question, "talk") == Routing(NONE, False, decide(question, "talk").path)


@pytest.mark.parametrize(
    "question",
    [
        "thanks, now check the disk",
        "你好，看下 redis 状态",
        "haha nice, but the site is still down",
        "唉，又报警了",
    ],
)
def test_a_friendly_question_is_still_a_question(question: str) -> None:
    assert decide(question).route is LONG


@pytest.mark.parametrize(
    "question",
    [
        "how do I rotate the logs?",
        "如何加只读账号",
        "what is our change policy?",
        "发布流程是什么",
        "is there a runbook for failover",
        "按手册处理",
        "what do I do when etcd loses quorum",
    ],
)
def test_how_to_and_documents_search_knowledge(question: str) -> None:
    assert decide(question).knowledge


@pytest.mark.parametrize(
    "question",
    [
        "怎么又挂了",
        "mysql 怎么这么慢",
        "服务怎么起不来了",
        "上次那个 504 怎么修的",
        "how many cores",
        "tell me how much memory is free",
        "what is running on port 8080",
        "继续",
        "df -h",
    ],
)
def test_a_diagnosis_does_not_search_knowledge(question: str) -> None:
    assert not decide(question).knowledge


def test_the_end_of_a_long_text_counts_too() -> None:
    log = "10:00:01 kernel: eth0 link is up\n" * 4000
    assert "personal words: yes" not in decide(log).path
    assert "personal words: yes" in decide(f"{log}and my usual editor?").path
    assert "personal words: yes" in decide(f"my log says:\n{log}").path


@pytest.mark.parametrize("question", ["", "?", "\x00", "\ud800", "，" * 9000, "哈" * 90 + "x"])
def test_every_text_has_a_route(question: str) -> None:
    assert decide(question).route in Route


def test_the_path_names_each_question_once_with_its_answer() -> None:
    path = decide("as usual", "task").path
    assert path[:3] == ("only goes on: no", "personal words: yes", "open task: yes")
    assert len({each.partition(":")[0] for each in path}) == len(path)


# --- the file -----------------------------------------------------------------------------

SMALL = """
questions:
  secret word:
    en: [xyzzy]
    zh: [芝麻]
route: {ask: secret word, yes: BOTH, no: NONE}
knowledge: no
"""


def read(text: str) -> router.Tree:
    return router.read(text, "router.yaml")


def test_a_file_of_ones_own_decides() -> None:
    tree = read(SMALL)
    assert tree.decide(Signals("say XYZZY now")) == Routing(BOTH, False, ("secret word: yes",))
    assert tree.decide(Signals("芝麻开门")).route is BOTH
    assert tree.decide(Signals("xyzzyx")).route is NONE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SMALL.replace("BOTH", "SOME"), "line 6: 'SOME' is no answer here. Use NONE, "),
        (SMALL.replace("ask: secret", "ask: other"), "line 6: the question 'other word' is not"),
        (SMALL.replace("[xyzzy]", "['x(']"), r"line 4: this is no regular expression"),
        (SMALL.replace("[xyzzy]", "['x*']"), "line 4: .* is found in every text"),
        (SMALL.replace("[xyzzy]", r"['(x)\1']"), "line 4: .* refers back to a group"),
        (SMALL.replace("[xyzzy]", "['(?i)x']"), "line 4: this is no regular expression"),
        (SMALL.replace("[xyzzy]", "word"), "line 4: here must be a list"),
        (SMALL.replace("en:", "de:"), "line 4: 'de' is not known here. Use signal, any, zh"),
        (SMALL.replace("zh:", "en:"), "line 5: 'en' stands here twice"),
        (SMALL.replace("knowledge: no", ""), "line 2: the part 'knowledge' is missing"),
        (SMALL.replace("knowledge: no", "knowledge: maybe"), "line 7: 'maybe' is no answer"),
        (SMALL.replace(", no: NONE", ""), "line 6: .*'no' is missing"),
        (SMALL.replace("{ask", "{{ask"), "line 7: this is not YAML"),
        ("", "the file is empty"),
        ("[" * 5000, "this is not YAML|must be names"),
        ("- a\n- b\n", "line 1: here must be names with values"),
        ("x" * 300_000, "more than 200000 characters"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidError, match=f"router.yaml.*{said}"):
        read(text)


def test_a_tree_that_contains_itself_is_refused() -> None:
    text = SMALL.replace("route: {", "route: &top {").replace("no: NONE", "no: *top")
    with pytest.raises(InvalidError, match="too large or contains itself"):
        read(text)


def test_a_tree_that_doubles_without_end_is_refused() -> None:
    nested = "&n0 {ask: secret word, yes: BOTH, no: NONE}"
    for number in range(1, 40):
        nested = f"&n{number} {{ask: secret word, yes: {nested}, no: *n{number - 1}}}"
    text = SMALL.replace("route: {ask: secret word, yes: BOTH, no: NONE}", f"route: {nested}")
    with pytest.raises(InvalidError, match="too large"):
        read(text)


class Now:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Now:
    """A clock that stands still."""
    return Now()


def write(path: Path, text: str, at: int) -> None:
    path.write_text(text, "utf-8")
    os.utime(path, ns=(at, at))  # two writes may fall into one tick of the disk's clock


def test_without_a_file_of_ones_own_the_built_in_one_decides(tmp_path: Path, clock: Now) -> None:
    own = Router(tmp_path / "router.yaml", clock)
    assert own.decide(Signals("hello")).route is NONE
    assert own.problem == ""


def test_a_changed_file_counts_within_a_second(tmp_path: Path, clock: Now) -> None:
    path = tmp_path / "router.yaml"
    own = Router(path, clock)
    assert own.decide(Signals("xyzzy")).route is LONG
    write(path, SMALL, 1)
    assert own.decide(Signals("xyzzy")).route is LONG, "not looked at yet"
    clock.later(1)
    assert own.decide(Signals("xyzzy")).route is BOTH
    write(path, SMALL.replace("BOTH", "WORKING_ONLY"), 2)
    clock.later(1)
    assert own.decide(Signals("xyzzy")).route is WORKING


def test_a_broken_file_keeps_the_last_good_one_and_says_so_once(
    tmp_path: Path, clock: Now, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "router.yaml"
    write(path, SMALL, 1)
    own = Router(path, clock)
    assert own.decide(Signals("xyzzy")).route is BOTH
    write(path, SMALL.replace("BOTH", "SOME"), 2)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            clock.later(2)
            assert own.decide(Signals("xyzzy")).route is BOTH
    assert own.problem.startswith(f"{path}, line 6: 'SOME' is no answer here.")
    assert own.problem.endswith("Until then the last good routing is used.")
    assert len(caplog.records) == 1


def test_a_corrected_file_counts_again(tmp_path: Path, clock: Now) -> None:
    path = tmp_path / "router.yaml"
    write(path, "nonsense", 1)
    own = Router(path, clock)
    assert own.problem
    assert own.decide(Signals("hello")).route is NONE, "the built-in one is the last good one"
    write(path, SMALL, 2)
    clock.later(1)
    assert own.problem == ""
    assert own.decide(Signals("xyzzy")).route is BOTH


def test_a_removed_file_brings_the_built_in_one_back(tmp_path: Path, clock: Now) -> None:
    path = tmp_path / "router.yaml"
    write(path, SMALL, 1)
    own = Router(path, clock)
    assert own.decide(Signals("restart the service")).route is NONE
    path.unlink()
    clock.later(1)
    assert own.decide(Signals("restart the service")).route is LONG


def test_a_file_that_is_no_text_is_told(tmp_path: Path, clock: Now) -> None:
    path = tmp_path / "router.yaml"
    path.write_bytes(b"\xff\xfe\x00route")
    assert "cannot be read" in Router(path, clock).problem
