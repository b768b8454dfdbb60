"""The scripted model itself: it refuses what the real service refuses."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.asking import ask, ignore, refusal, request
from tests.scripted_model import Say, ScriptedModel
from walissh.brain.openai_chat import OpenAIChat
from walissh.errors import ModelRefusedError
from walissh.react.turn import Message, Tool, ToolCall

CALLING = Message("assistant", "", tool_calls=(ToolCall("a", "run_command", "{}"),))


@pytest.mark.parametrize(
    "messages",
    [
        [Message("user", "x"), Message("tool", "result", tool_call_id="a")],
        [Message("user", "x"), CALLING],
        [Message("user", "x"), CALLING, Message("user", "and?")],
        [Message("user", "x"), CALLING, Message("tool", "r", tool_call_id="b")],
        [Message("system", "second system"), Message("user", "x")],
        [Message("poet", "x")],  # type: ignore[arg-type]
    ],
)
def test_the_double_refuses_what_the_service_refuses(
    scripted_model: ScriptedModel, messages: list[Message]
) -> None:
    scripted_model.script(Say("never said"))
    refusal(scripted_model, ModelRefusedError, asked=request(*messages))
    assert len(scripted_model.refusals) == 1


def test_the_double_refuses_a_malformed_tool(scripted_model: ScriptedModel) -> None:
    bad = Tool("run command", "bad name", {"type": "object"})
    refusal(scripted_model, ModelRefusedError, asked=request(tools=(bad,)))
    assert "function.name" in scripted_model.refusals[0]


def test_the_double_answers_by_a_function_of_the_request(scripted_model: ScriptedModel) -> None:
    scripted_model.answer_with(lambda asked: Say(f"you said {asked.last['content']}"))
    assert ask(scripted_model).text == "you said why is web1 slow?"


def test_the_double_runs_as_a_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from tests.scripted_model import Call, Say\n"
        "SCRIPT = [Call(('run_command', {}))]\n"
        "def answer(asked):\n    return Say('done: ' + asked.last['content'])\n"
    )
    command = [sys.executable, "-m", "tests.scripted_model", "--script", str(script)]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            model = OpenAIChat(
                "m",
                api_key="",
                base_url=process.stdout.readline().strip(),
                temperature=None,
                first_token_limit_s=20,
            )
            first = model.complete(request(), on_text=ignore, cancelled=lambda: False)
            second = model.complete(request(), on_text=ignore, cancelled=lambda: False)
        finally:
            process.terminate()
    assert [call.name for call in first.tool_calls] == ["run_command"]
    assert second.text == "done: why is web1 slow?"
