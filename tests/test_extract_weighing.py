"""Standing instructions in no set phrase: told by what they speak of, and how."""

import pytest

from walissh.memory.entry import Op
from walissh.memory.extract import preferences, simplified


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Print speeds in Mbit/s", "Mbit/s"),
        ("Dates: day first, from now on", "day first"),
        ("My screen is tiny; fold everything accordingly", "screen is tiny"),
        ("I'm dyslexic, so keep paragraphs short", "paragraphs short"),
        ("Spare me the motivational quotes", "motivational quotes"),
        ("Don't guess serial numbers", "guess serial numbers"),
        ("Jobs over an hour run under nohup", "nohup"),
        ("For mariadb hosts connect through the maxscale socket", "maxscale"),
        ("remember that before you purge a queue, count its messages", "count its messages"),
        ("Speak plainly", "plainly"),
        ("It'd be great if you used fd rather than find going forward", "fd"),
        ("dont use abbreviations", "abbreviations"),
        ("跟我说话别打官腔，用大白话", "大白话"),
        ("写 YAML 缩进用两格", "两格"),
        ("夜里两点到四点别碰任何备份任务", "备份任务"),
        ("我记性差，步骤编号列出来", "编号"),
        ("我更认 nft，不认 iptables，写规则都用它", "nft"),
        ("以后我希望你图表都用 svg", "svg"),
        ("麻煩以後回覆都用繁體中文", "繁體中文"),
        ("查佇列時預設看 billing 這個 topic", "billing"),
    ],
)
def test_a_wish_in_no_set_phrase_is_a_preference(text: str, value: str) -> None:
    assert value in " | ".join(each.value for each in preferences.from_user(text))


@pytest.mark.parametrize(
    "text",
    [
        "Show me the last ten lines of the squid log",
        "can you show the speeds in Mbit/s",
        "Put the listing in /srv/out when you're done",
        "Until the audit is over, ask me before anything",
        "For this job only, skip the headings",
        "Let me know when the copy finishes",
        "Use the green one",
        "I asked about speed, not size",
        "nothing helps",
        "always interesting to see",
        "always pin the kernel, says the note on the door",
        "If we always compressed dumps, how big would they be?",
        "this box always loses its clock",
        "报告里少了一列",
        "每次一扩容就有人投诉",
        "我们以前都用 cvs",
        "凡事都有例外嘛",
        "教程里都让先拍快照",
        "修好了告诉我",
        "表格十点前给我，急用",
    ],
)
def test_what_points_at_one_thing_or_one_time_is_no_preference(text: str) -> None:
    assert preferences.from_user(text) == []


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("no need to hide serial numbers from now on", Op.REMOVE),
        ("You can stop asking me before you rotate logs", Op.REMOVE),
        ("以后地址不用打码了", Op.REMOVE),
        ("之前让你每晚报平安，以后不用了", Op.REMOVE),
        ("cancel the standing order about evening summaries", Op.REMOVE),
        ("告警阈值以后按 70% 算，原来的 80% 不要了", Op.REPLACE),
        ("以前说的两分钟超时改成五分钟", Op.REPLACE),
        ("we switched mirrors; pull from deb.lan from now on", Op.REPLACE),
    ],
)
def test_a_wish_given_up_is_told_from_one_exchanged(text: str, op: Op) -> None:
    assert [each.op for each in preferences.from_user(text)] == [op]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("拿 edge 组动手前先问我", "group:edge"),
        ("treat anything starting with tmp- as disposable, no confirmation needed", "host:tmp-*"),
        ("anything that touches ledger-db goes through me first", "host:ledger-db"),
        ("网关 gw7 只看不改", "host:gw7"),
        ("If a job needs a GPU, run it on gpu9 instead", "global"),
    ],
)
def test_the_scope_of_a_weighed_wish_is_found(text: str, scope: str) -> None:
    assert [each.scope for each in preferences.from_user(text)] == [scope]


def test_a_rule_beside_a_password_is_kept_without_it() -> None:
    text = "log me in as svc_audit every time, my pw is Tz8-fake-41q"
    found = preferences.from_user(text)
    assert [each.value for each in found] == ["log me in as svc_audit every time"]


def test_a_wish_at_the_end_of_a_long_paste_is_seen() -> None:
    rows = "\n".join(f"node-{number} is up and has {number} pods" for number in range(200))
    found = preferences.from_user(f"look at\n{rows}\nalways sort such lists by pods")
    assert [each.value for each in found] == ["always sort such lists by pods"]


def test_traditional_characters_become_simplified_ones_of_the_same_length() -> None:
    text = "預設看 web 這台伺服器的記錄"
    assert simplified.of(text) == "默认看 web 这台服务器的记录"


def test_a_secret_told_in_a_paste_is_not_said_again_by_a_rule() -> None:
    rows = "\n".join(f"row {number} of the export went through" for number in range(120))
    text = f"DB_PASSWORD=Mx7-fake-13kQ\n{rows}\nalways connect with Mx7-fake-13kQ to the export"
    assert all("Mx7-fake-13kQ" not in each.content for each in preferences.from_user(text))
