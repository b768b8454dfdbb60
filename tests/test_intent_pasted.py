"""Command lines, logs and stack traces that stand where a sentence is expected."""

import pytest

from walissh.react import intent
from walissh.react.followed import Intent


def meant(text: str) -> Intent:
    return intent.decide(text, [], None).intent


@pytest.mark.parametrize(
    "text",
    [
        "systemctl restart tomcat9",
        "sudo journalctl -u tomcat9 -n 50",
        "$ df -h",
        "find /var/log -name '*.gz' -mtime +90",
        "ssh app9 uptime",
        "docker ps -a 跑一下",
        "/opt/bin/sync.sh --all",
    ],
)
def test_a_command_line_is_to_be_run(text: str) -> None:
    assert meant(text) is Intent.EXECUTE


@pytest.mark.parametrize(
    "text",
    [
        "find out why tomcat is slow",
        "nginx is not starting on gw4",
        "docker keeps restarting",
    ],
)
def test_a_sentence_that_begins_with_a_program_is_none(text: str) -> None:
    assert meant(text) is Intent.DIAGNOSE


@pytest.mark.parametrize(
    "text",
    [
        "Mar  3 04:05:06 gw4 sshd[211]: fatal: Write failed: Broken pipe",
        "2031-05-06 10:11:12 ERROR Pool exhausted after 30 s",
        "java.lang.IllegalStateException: pool closed\n\tat com.example.Pool.get(Pool.java:12)",
        "bind(): Address already in use (errno 98)",
    ],
)
def test_a_log_without_a_question_is_to_be_looked_into(text: str) -> None:
    assert meant(text) is Intent.DIAGNOSE
