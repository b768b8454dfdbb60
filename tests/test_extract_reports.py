"""Long answers: a report, a list of facts or a diagnosis is no case; a closed incident is."""

import pytest

from tests.offline_talk import Talk, machine
from walissh.memory.entry import Found
from walissh.memory.extract import cases

QUESTIONS = (
    ("en", "why is the cpu busy?"),
    ("en", "disk is full"),
    ("en", "why is memory low?"),
    ("en", "why does nginx answer 502?"),
    ("en", "how is this machine?"),
    ("en", "which ports are listening?"),
    ("zh", "CPU 为什么这么高"),
    ("zh", "磁盘满了"),
    ("zh", "内存不够了"),
    ("zh", "nginx 为什么 502"),
    ("zh", "看看这台机器的整体状况"),
    ("zh", "哪些端口在监听"),
)


@pytest.mark.parametrize("name", ["", "busybox", "disk_full", "nginx_502"])
@pytest.mark.parametrize(("language", "question"), QUESTIONS)
def test_an_answer_of_the_offline_brain_is_no_case(language: str, question: str, name: str) -> None:
    talk = Talk({"web1": machine(name)}, language="zh" if language == "zh" else "en")
    assert cases.from_assistant(talk.ask(question)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Process `frobd` (PID 812) has used 66 % of one CPU on average since it was started. Its "
        "parent restarted it 4 times.",
        "内核日志里没有因内存不足被杀的进程。旧日志已删除。",
        "**Could not see**\n\n- services that failed: System has not been booted with systemd as "
        "init system. Can't operate.\n- kernel log: not permitted. I have removed this check.",
        "**Warnings**\n\n- Swap is 80% used, caused by the nightly report. To fix: add memory.\n"
        "- The clock drifts because ntpd is down. Then check `timedatectl`.",
        "## Check of `web2`\n\n| Check | Value | Status |\n|---|---|---|\n| Load | 0.4 | ok |\n"
        "| Units | 0 failed | none restarted because of errors |\n\nNothing was changed.",
        "## 巡检结果\n\n- 没有因 OOM 被杀死的进程\n- nginx 自 3 天前启动以来没有重启过\n\n"
        "整体良好，如需我设置告警请告诉我。",
        "web3 was rebooted because the new kernel needed it. All hosts answer again.",
        "这台机器昨晚重启过，是因为内核升级。重启后所有服务都自动拉起。",
        "已重启 nginx：退出码 0。因为是计划内重启，没有影响线上流量。",
        "`/srv` takes 71 GiB because old images were never pruned. The command was denied, so I "
        "stopped here.",
        "`app.log` 有 58G，因为没有配置轮转。我还没有做任何修改。你希望我：\n- 清空它，还是\n"
        "- 先归档？",
        "The logs are gone because the node was replaced, so I could not find the cause. I set "
        "the dump aside.",
        "The deploy failed due to a missing variable. You could add it and restart the service.",
        "端口 9090 被占用，你的服务启动失败就是因为这个。可以改用 9091，或者停掉它。",
        "排查进度：\n- [x] 子进程打满，目前看是连接太少导致的\n- [ ] 调大并重启",
    ],
)
def test_what_closes_no_incident_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        (
            "## Summary\n\nOrders failed with 503 between 14:02 and 14:31.\n\n## Root cause\n\n"
            "The pool of `orders` was exhausted: `maxPool` was left at 10 [1][[c4:10-14]].\n\n"
            "## What I did\n\n1. Raised `maxPool` to 40 [2]\n2. Restarted `orders`\n\n"
            "## Verification\n\n- Error rate is 0% [3]\n\n## Follow-ups\n\n- Add an alert",
            "maxPool was left at 10",
            "Raised maxPool to 40; Restarted orders",
        ),
        (
            "### 结论\n\n`ci3` 构建失败的根本原因是 inode 耗尽 [1]。\n\n### 已执行\n\n```bash\n"
            "rm -rf /var/cache/frob\nsystemctl restart runner\n```\n\n### 现状\n\n重跑成功 [2]。",
            "inode 耗尽",
            "rm -rf /var/cache/frob; systemctl restart runner",
        ),
        (
            "| | |\n|---|---|\n| Symptom | The target is down |\n"
            "| Root cause | frobd listened on 127.0.0.1 |\n| Fix | Set `--listen=0.0.0.0:9100` |\n"
            "| Result | Target is up again |",
            "frobd listened on 127.0.0.1",
            "Set --listen=0.0.0.0:9100",
        ),
        (
            "1. **What was wrong**: agents went offline every night.\n2. **Why**: the gateway "
            "dropped idle connections, as `keepalive` was not set [1].\n3. **What I changed**: "
            "set `keepalive 10 60` and restarted it [2].\n4. **How it is now**: all are online.",
            "keepalive was not set",
            "set keepalive 10 60 and restarted it",
        ),
    ],
)
def test_a_closed_incident_in_sections_is_a_case(text: str, cause: str, fix: str) -> None:
    (case,) = cases.from_assistant(text)
    assert case.cause.endswith(cause)
    assert case.fix == fix
    assert case.worked is True


def test_facts_around_a_case_are_no_part_of_it() -> None:
    case = only(
        "**Cause:** the socket's folder was missing after the reboot [1].\n"
        "**Fix:** created it with a tmpfiles entry [2].\n**Check:** `/` returns 200 [3].\n\n"
        "Facts: frobd 1.2; 2 CPUs; restarted yesterday because of an update."
    )
    assert "tmpfiles" in case.fix
    assert "restarted yesterday" not in case.content


def test_an_incident_under_each_heading_is_a_case() -> None:
    found = cases.from_assistant(
        "Two faults were handled.\n\n### 1. Orders time out\n\n**Cause**: the pool had only 8 "
        "connections.\n\n**Fix**: raised it to 64; no more timeouts.\n\n### 2. No logs arrive\n\n"
        "**Cause**: the registry file was corrupt.\n\n**Fix**: removed it and restarted frobbeat."
    )
    assert [case.cause for case in found] == [
        "the pool had only 8 connections",
        "the registry file was corrupt",
    ]


def test_a_fix_that_was_not_run_is_none() -> None:
    assert not cases.from_assistant(
        "Root cause: the unit is masked.\nTo fix (not run): unmask it\nThen check: it is active"
    )


def only(text: str) -> Found:
    (case,) = cases.from_assistant(text)
    return case
