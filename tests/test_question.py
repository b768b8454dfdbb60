"""What a question asks for, and whether it is one at all."""

import pytest

from walissh.brain import playbook, question, remembered
from walissh.brain.question import MAX_PLAYBOOKS

BUILT_IN = playbook.built_in()


def understood(text: str, *hosts: str) -> question.Question:
    return question.understand(text, hosts or ("web1",), BUILT_IN)


def chosen(text: str) -> list[str]:
    return [each.name for each in understood(text).playbooks]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nginx 为什么 502？", "nginx"),
        ("Why does nginx answer 502?", "nginx"),
        ("磁盘满了", "disk"),
        ("The disk is full", "disk"),
        ("证书过期了吗", "tls"),
        ("redis 连不上", "redis"),
        ("PostgreSQL refuses connections", "postgres"),
        ("域名解析不了", "network"),
        ("the cron job did not run last night", "scripts"),
        ("permission denied for the uploads", "files"),
        ("内存不够了", "memory"),
        ("有很多僵尸进程", "processes"),
        ("新版本发布了，页面还是旧的", "deploy"),
        ("what listens on port 8090", "ports"),
    ],
)
def test_the_words_of_a_question_choose_the_playbook(text: str, name: str) -> None:
    assert name in chosen(text)
    assert len(chosen(text)) <= MAX_PLAYBOOKS


def test_most_words_come_first_and_general_ones_only_alone() -> None:
    assert chosen("nginx answers 502, nginx error log")[0] == "nginx"
    general = [each.name for each in BUILT_IN.playbooks if each.general]
    assert not set(general) & set(chosen("nginx answers 502"))


def test_a_word_is_a_whole_word_with_a_plural() -> None:
    assert "disk" in chosen("are the disks fine")
    assert "disk" not in chosen("the diskette")


@pytest.mark.parametrize(
    "text",
    [
        "The kiosk screens are dark, find out why",
        "大屏幕黑了，怎么回事？",
        "请查明看板为什么是空的",
        "What is wrong with the turnstiles?",
        "https://till.example/ ?",
        "/srv/till/day.csv is odd",
    ],
)
def test_trouble_that_no_playbook_has_words_for_is_looked_at_all_the_same(text: str) -> None:
    assert understood(text).kind == "diagnose"


@pytest.mark.parametrize(
    "text", ["hello", "你好", "", "12345", "thank you", "谢谢", "`", "é" * 9000]
)
def test_what_tells_of_nothing_is_unknown(text: str) -> None:
    assert understood(text).kind == "unknown"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("restart nginx", "change"),
        ("请重启 nginx", "change"),
        ("把 nginx 重启一下", "change"),
        ("重启后 nginx 502 了", "diagnose"),
        ("部署失败，nginx 报错", "diagnose"),
        ("why does nginx restart?", "diagnose"),
        ("start with the nginx log, it says 502", "diagnose"),
        ("`uptime`", "command"),
        ("run uptime on web1", "command"),
        ("why is `nginx` slow?", "diagnose"),
    ],
)
def test_an_order_a_command_and_a_question_are_told_apart(text: str, kind: str) -> None:
    assert understood(text).kind == kind


def test_a_host_that_is_named_is_meant_and_all_means_all() -> None:
    assert understood("is web2 out of memory?", "web1", "web2").hosts == ("web2",)
    assert understood("memory of web22", "web1", "web2").hosts == ("web1", "web2")
    assert understood("web2 慢，所有机器都看看内存", "web1", "web2").hosts == ("web1", "web2")


def test_the_name_of_a_host_is_no_word_of_the_question() -> None:
    assert understood("hello redis-1", "redis-1").kind == "unknown"


@pytest.mark.parametrize(
    ("text", "ports"),
    [
        ("端口 8090 没人听", (8090,)),
        ("port 8090 and :9000", (8090, 9000)),
        ("在 2031 年 14:30:15 之后", ()),
        ("99999 端口", ()),
        ("http 8090 refused", (8090,)),
    ],
)
def test_ports_are_told_from_years_and_times(text: str, ports: tuple[int, ...]) -> None:
    assert understood(text).things.ports == ports


# --- what is about memory, and what is not ------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "The upload always ends in a 504",
        "every page always returns 500",
        "每次上传最后都是 504",
        "支付总是超时",
        "每次打开报表都报错",
        "always the same error when I open the till",
    ],
)
def test_what_always_happens_is_no_wish(text: str) -> None:
    assert not remembered.is_but_a_wish(text)
    assert understood(text).kind == "diagnose"


@pytest.mark.parametrize(
    "text",
    [
        "always show sizes in GB",
        "以后都用中文回答",
        "from now on answer briefly",
        "总是先看日志再回答",
    ],
)
def test_what_is_to_be_done_for_good_is_a_wish(text: str) -> None:
    assert remembered.is_but_a_wish(text)


@pytest.mark.parametrize(
    "text",
    [
        "How did we fix the 502 last time?",
        "上次的 502 是怎么解决的？",
        "之前的磁盘告警是谁处理的？",
        "what was the cause back then?",
    ],
)
def test_how_it_was_is_asked_of_memory(text: str) -> None:
    assert remembered.is_about_the_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "为什么上次的 502 又出现了？",
        "The disk was cleaned last week; why is it full again?",
        "Since yesterday the till answers 502, why?",
        "昨晚的备份没有生成，为什么？",
        "之前一直正常，现在打不开",
    ],
)
def test_how_it_is_now_is_looked_at(text: str) -> None:
    assert not remembered.is_about_the_past(text)
    assert understood(text).kind == "diagnose"
