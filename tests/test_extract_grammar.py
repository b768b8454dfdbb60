"""The grammar of standing instructions: what a clause takes along, and what holds for a class."""

import pytest

from walissh.memory.entry import Op
from walissh.memory.extract import preferences


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Assume the archive volume unless I name another", "archive volume"),
        ("If I forget the tenant, use blue", "blue"),
        ("When in doubt, stop and ask me", "ask me"),
        ("没特别说的话，结果都导成 parquet", "parquet"),
        ("吃不准就问我，别猜", "问我"),
    ],
)
def test_what_to_do_where_nothing_was_said_is_a_preference(text: str, value: str) -> None:
    (found,) = preferences.from_user(text)
    assert value in found.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My pager is less, so open logs with that by default", "less"),
        ("归档盘是 /mnt/arc7，以后都往那里放", "/mnt/arc7"),
        ("Verdict first, numbers after — make that your habit", "Verdict first"),
        ("先看趋势再看明细，养成习惯", "先看趋势"),
        ("Solr collections: always give me the shard count", "shard count"),
    ],
)
def test_a_rule_takes_along_what_it_refers_to(text: str, value: str) -> None:
    (found,) = preferences.from_user(text)
    assert value in found.value


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("ldap-main 上永远不要跑全量导出", "host:ldap-main"),
        ("print* 机器的队列，未经我同意不许清", "host:print*"),
        ("All solr brokers: rolling restarts only, from today", "group:solr"),
        ("所有 solr 机器上，改 schema 必须先备份", "group:solr"),
        (
            "All machines but tape2: patch them without asking, standing permission",
            "all-except:tape2",
        ),
        ("除了 tape2，其他机器重启都不用问我", "all-except:tape2"),
        ("For hosts in the print group, reboot only after asking me", "group:print"),
        ("没指定的话，都用 tape2 上的副本", "host:tape2"),
    ],
)
def test_a_class_of_machines_is_the_scope_of_its_rule(text: str, scope: str) -> None:
    assert [each.scope for each in preferences.from_user(text)] == [scope]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("I take back the rule about tape, you can eject freely now", Op.REPLACE),
        ("从 8983 端口换成 8984，往后都连这个", Op.REPLACE),
        ("不再用 arc 账号了，改用 vault", Op.REPLACE),
        ("Replace the 5-minute rule with 20 minutes", Op.REPLACE),
        ("我之前说周一不发版，现在取消", Op.REMOVE),
        ("别再遵守之前那条归档的规定了", Op.REMOVE),
    ],
)
def test_a_swap_replaces_and_a_withdrawal_removes(text: str, op: Op) -> None:
    assert [each.op for each in preferences.from_user(text)] == [op]


@pytest.mark.parametrize(
    "text",
    [
        "Just today, call me captain",
        "往后五天都在外地",
        "solr 每次打开都要重新登录",
        "always check twice, haha",
        "I think we should always keep a spare tape",
        "Make the proxy always log drops",
        "Set default umask to 077 on all nodes",
        "数据组以后要换平台",
        "通知原文：今后一律走新闸机",
        "nothing lasts forever",
        "always fun to debug tapes",
        "We always patch on mondays",
        "以后多指教",
    ],
)
def test_talk_a_passing_wish_or_a_task_is_no_preference(text: str) -> None:
    assert preferences.from_user(text) == []


def test_an_exclamation_mark_within_a_password_ends_no_sentence() -> None:
    found = preferences.from_user("以后登录用 svc_arc / Qx!2031fake")
    assert all("Qx" not in f"{each.value} {each.content}" for each in found)
