"""What a person says of her settings tells how much memory counts."""

import pytest

from walissh.memory.weight import Weight, weigh


@pytest.mark.parametrize(
    "question",
    [
        "按我上次的要求来",
        "照旧",
        "as I like it",
        "same as last time please",
        "老规矩",
        "use my settings",
        "按我的习惯配置 haproxy",
        "像以前那样处理",
        "do it my way",
        "the usual way",
        "跟上次一样重启",
        "don't ignore my settings",
        "不要忽略我的设置",
        "上次怎么做的这次就怎么做",
        "my usual flags please",
    ],
)
def test_ones_own_way_counts_in_full_and_means_the_latest(question: str) -> None:
    assert weigh(question) == Weight(1.0, latest=True, reason="by my settings")


@pytest.mark.parametrize(
    "question",
    [
        "忽略我的设置",
        "ignore my settings",
        "别用记忆",
        "不要参考以前的记录",
        "forget my preferences for this",
        "ignoring my preferences, restart nginx",
        "从零开始分析",
        "do not apply my rules here",
        "pretend you don't know me",
        "look at it with fresh eyes",
        "抛开以前的经验",
    ],
)
def test_what_shall_be_ignored_counts_for_nothing(question: str) -> None:
    assert weigh(question) == Weight(0.0, latest=False, reason="without memory")


@pytest.mark.parametrize(
    "question",
    [
        "按常规流程升级 nginx",
        "default settings",
        "with the defaults",
        "走标准流程",
        "by the book",
        "按官方文档的步骤",
        "go with the standard procedure",
        "用默认参数装",
        "just use defaults",
    ],
)
def test_the_common_way_counts_for_more_than_ones_own(question: str) -> None:
    assert weigh(question) == Weight(0.2, latest=False, reason="by the book")


@pytest.mark.parametrize(
    "question", ["不要照上次的来", "not like last time", "别按老办法", "try something else"]
)
def test_another_way_than_last_time_is_not_the_last_one(question: str) -> None:
    assert weigh(question).reason == "unlike last time"
    assert not weigh(question).latest


@pytest.mark.parametrize(
    "question",
    [
        "restart nginx",
        "what are the default settings of nginx",
        "redis 的默认端口是多少",
        "按时间排序",
        "上次的 502 是怎么解决的",
        "what did we do last time",
        "ignore the warnings in the log",
        "",
        "set the default gateway",
        "nginx 默认配置在哪个文件",
        "how do I use the default config",
        "clear the bash history",
        "标准输出重定向到文件",
        "why does the memory grow",
    ],
)
def test_words_of_the_trade_change_nothing(question: str) -> None:
    assert weigh(question) == Weight(0.6)
