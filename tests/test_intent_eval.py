"""``walissh eval intent``: a message with its talk in, an intent out."""

import json

from click.testing import CliRunner, Result

from walissh.cli import cli


def run(*lines: dict[str, object]) -> Result:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return CliRunner().invoke(cli, ["eval", "intent"], input=text)


def test_each_message_has_intent_confidence_and_who_decided() -> None:
    asked = {"role": "assistant", "content": "Shall I restart tomcat?"}
    result = run(
        {"id": "1", "text": "yes", "history": [asked], "open_task": None},
        {"id": "2", "text": "继续", "open_task": {"goal": "g", "done": ["a"], "next": "b"}},
    )
    assert result.exit_code == 0, result.output
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert (first["id"], first["intent"], first["by"]) == ("1", "CONFIRM", "rule")
    assert second["intent"] == "CONTINUE"
    assert 0 <= first["confidence"] <= 1


def test_a_role_that_nobody_has_is_refused_with_its_line() -> None:
    result = run({"id": "1", "text": "hi", "history": [{"role": "boss", "content": "x"}]})
    assert result.exit_code == 2
    assert "line 1" in result.output
