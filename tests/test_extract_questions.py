"""Questions, tasks and pastes of people on call hold no standing instruction; rules do."""

import pytest

from walissh.memory.extract import preferences


@pytest.mark.parametrize(
    "text",
    [
        "please check whether the certificate renews by default",
        "can you tell me why it never logs anything?",
        "explain in French what this log says: ERROR: always use --force",
        "WARNING: never run frobctl as root",
        "create a cron job that runs every day at 3 and removes old files",
        "write me a script that always restarts frobd when it dies",
        "From now on until 6pm the disk will be full, what can I delete?",
        "Every time this alert fires, swap is full. What is it?",
        "in general, what does iowait mean?",
        "before every restart the queue was full, why?",
        "why do you always use sudo?",
        "do you remember my preference about sudo?",
        "how do I make systemd restart a service by default?",
        "my colleague told me to always drain the node first. Is that needed?",
        "每次发布之后都会 502，帮忙看看",
        "写一个脚本，以后每天凌晨三点自动清理旧日志",
        "帮我加个定时任务，以后每小时都同步一次",
        "能不能以后自动发现这种问题？",
        "以后怎么避免磁盘再写满？",
        "这个服务总是半夜重启，查一下原因",
        "开发说以后都走网关，那 8080 还要不要开？",
        "日志里一直提示“以后请使用 frobctl”，什么意思？",
    ],
)
def test_a_question_a_task_or_a_paste_is_no_preference(text: str) -> None:
    assert preferences.from_user(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "keep your answers to three sentences at most, in general",
        "format all your reports as plain text please",
        "As a rule, dry-run rsync before the real thing",
        "before any reboot, ping me",
        "prior to every migration, take a dump",
        "My standard pager is less; use it in any instruction you give me",
        "Every answer should end with the exact commands used",
        "Don't run anything on pay-* between 9 and 18 h",
        "one command per step from now on",
        "在生产环境你只能跑只读命令，除非我明确同意",
        "这台机器上你必须先问我",
        "今后排查问题别超过十条命令",
    ],
)
def test_a_rule_in_other_words_is_a_preference(text: str) -> None:
    assert len(preferences.from_user(text)) == 1
