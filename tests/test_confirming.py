"""Which words confirm a diagnosis, and which only look like it."""

import pytest

from walissh.memory import confirming
from walissh.memory.confirming import Said


@pytest.mark.parametrize(
    "text",
    [
        "对，就是这个原因，已经修好了",
        "没错，就是它",
        "你说得对，已经解决了，谢谢",
        "嗯，果然是这个原因，处理好了",
        "已确认，就是这个原因",
        "yes that was it, fixed",
        "That's it, thanks!",
        "Confirmed, that was the cause. Fixed now.",
        "you were right, it works again",
        "exactly that, solved",
    ],
)
def test_a_yes_to_the_cause_confirms(text: str) -> None:
    assert confirming.read(text) == Said()


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("原因找对了，我把内存上限调到 1gb 了，恢复正常", "我把内存上限调到 1gb 了"),
        ("就是这个问题，我已经重启了缓存，现在好了", "我已经重启了缓存"),
        ("Yes, that was the cause. I raised the limit to 1.5 GB.", "I raised the limit to 1.5 GB"),
    ],
)
def test_what_was_done_is_the_fix(text: str, fix: str) -> None:
    assert confirming.read(text) == Said(fix=fix)


@pytest.mark.parametrize("text", ["对，web2 上就是这个原因", "on web2 that was it, fixed"])
def test_the_host_may_be_named(text: str) -> None:
    assert confirming.read(text, ["web1", "web2"]) == Said(host="web2")


@pytest.mark.parametrize(
    "text",
    [
        "是这个原因吗？",
        "不是这个原因",
        "可能就是这个原因",
        "对，就是这个原因，再帮我看看数据库",
        "就是这个原因，怎么修",
        "好的",
        "谢谢",
        "修好了",
        "对，运行 `systemctl restart nginx`",
        "that was not it",
        "maybe that was it",
        "was that it?",
        "yes",
        "I restarted nginx",
        "yes that was it, but it still fails",
        "that was it, now check the database",
        "it is the problem I think",
        "that was it. " * 40,
    ],
)
def test_doubt_denial_questions_and_more_confirm_nothing(text: str) -> None:
    assert confirming.read(text) is None
