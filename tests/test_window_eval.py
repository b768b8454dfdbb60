"""``walissh eval fit``: a talk in, what would be sent out."""

import json
from typing import Any

from click.testing import CliRunner

from walissh.cli import cli


def fit(**line: object) -> dict[str, Any]:
    whole = {"id": "t", "budget_tokens": 1_000, "strategy": "hybrid"} | line
    result = CliRunner().invoke(cli, ["eval", "fit"], input=json.dumps(whole) + "\n")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def asked(text: str, **meta: object) -> dict[str, object]:
    return {"role": "user", "content": text, "meta": meta}


def called(call_id: str) -> dict[str, object]:
    call = {"id": call_id, "name": "run_command", "arguments": {"host": "web-1", "command": "df"}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def result(call_id: str, text: str = "ok") -> dict[str, object]:
    return {"role": "tool", "content": text, "tool_call_id": call_id}


def test_one_system_message_stands_first_and_the_calls_keep_their_results() -> None:
    answer = fit(messages=[asked("look"), called("c1"), result("c1"), called("c2")])
    assert [each["role"] for each in answer["messages"]] == [
        *("system", "user", "assistant", "tool", "assistant", "tool")
    ]
    assert answer["messages"][2]["tool_calls"][0]["id"] == "c1"


def test_a_long_talk_is_within_its_budget_and_keeps_what_binds() -> None:
    talk = [asked("check web-1. 不要重启 ledger-mysql")]
    for at in range(20):
        talk += [called(f"c{at}"), result(f"c{at}", "a line of the log\n" * 80), asked("go on")]
    answer = fit(messages=talk)
    assert answer["tokens"] <= 1_000
    assert "不要重启 ledger-mysql" in answer["messages"][0]["content"]


def test_several_system_messages_become_one() -> None:
    system = [{"role": "system", "content": each} for each in ("Be brief.", "Be kind.")]
    first, *rest = fit(messages=[*system, asked("hello")])["messages"]
    assert first["content"] == "Be brief.\n\nBe kind."
    assert [each["role"] for each in rest] == ["user"]


def test_the_marks_of_a_message_are_optional() -> None:
    answer = fit(messages=[{"role": "user", "content": "hello", "meta": None}])
    assert answer["messages"][-1] == {"role": "user", "content": "hello"}


def test_an_unknown_strategy_is_refused_in_words() -> None:
    line = {"id": "t", "messages": [], "budget_tokens": 500, "strategy": "luck"}
    refused = CliRunner().invoke(cli, ["eval", "fit"], input=json.dumps(line) + "\n")
    assert refused.exit_code != 0
    assert "sliding, lru, summary, hybrid" in refused.output


def test_a_budget_for_nothing_is_refused_in_words() -> None:
    line = {"id": "t", "messages": [asked("hello")], "budget_tokens": 20}
    refused = CliRunner().invoke(cli, ["eval", "fit"], input=json.dumps(line) + "\n")
    assert refused.exit_code == 2
    assert "window of 20 tokens" in refused.output
