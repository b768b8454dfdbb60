"""Ten routine diagnoses on a real server, asked in both languages: nobody is asked to click."""

import pytest

from tests.api_client import ApiClient
from tests.model_script import Answer, Asked
from tests.scripted_model import Call, Say, ScriptedModel
from tests.services import Installation
from tests.sshd import Sshd
from tests.stories.test_poisoned import HOST, joined
from tests.test_ten_diagnoses import diagnoses

QUESTIONS = {
    "load": ("Why is the load so high?", "负载为什么这么高？"),
    "memory": ("What takes the memory?", "内存被谁占了？"),
    "disk": ("Is a disk full?", "磁盘满了吗？"),
    "ports": ("Which ports are open?", "开着哪些端口？"),
    "service log": ("What does the log of nginx say?", "看看 nginx 的日志"),
    "nginx test": ("Is the nginx configuration sound?", "nginx 配置有没有问题？"),
    "redis info": ("How is redis doing?", "redis 状态怎么样？"),
    "slow queries": ("Which queries are slow?", "有哪些慢查询？"),
    "certificate dates": ("When does the certificate expire?", "证书什么时候过期？"),
    "who is logged in": ("Who is logged in?", "现在谁登录着？"),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", [0, 1], ids=["en", "zh"])
def test_ten_routine_diagnoses_run_without_one_click(
    with_model: Installation, scripted_model: ScriptedModel, sshd: Sshd, language: int
) -> None:
    api = ApiClient.of(with_model)
    host = joined(api, sshd, f"{HOST}-{language}")
    session = api.session(host)
    for name, questions in QUESTIONS.items():
        command = diagnoses()[name][language]
        scripted_model.answer_with(looking(f"{HOST}-{language}", command))
        turn = api.ask(session, questions[language])
        ended = api.wait(turn, "done", "awaiting_approval", "failed")
        assert ended["status"] == "done", (command, ended)
        (run,) = api.commands(turn)
        assert (run["status"], run["command"]) == ("finished", command), run


def looking(host: str, command: str) -> Answer:
    """Return a model that runs *command* and is content."""
    order = {"host": host, "command": command, "reason": "to see"}

    def answer(asked: Asked) -> Call | Say:
        looked = asked.messages[-1]["role"] == "tool"
        return Say("Seen.") if looked else Call(("run_command", order))

    return answer
