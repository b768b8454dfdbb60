"""The first question on the demo host, through a model."""

from tests.api_client import ApiClient
from tests.scripted_model import Call, Say, ScriptedModel
from tests.services import Installation

QUESTION = "why is this machine slow?"


def run(command: str) -> tuple[str, dict[str, str]]:
    return "run_command", {"host": "this-machine", "command": command, "reason": "to see"}


def test_through_a_model_the_answer_cites_three_real_outputs(
    with_model: Installation, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(
        Call(run("uptime"), run("free -m"), run("df -h /"), say="Let me look."),
        lambda asked: Say("Load is fine [1], memory is fine [2], the disk is not full [3]."),
    )
    api = ApiClient.of(with_model)
    turn = api.wait(api.ask(api.session(), QUESTION))
    assert turn["status"] == "done", turn["error"]
    assert [each["n"] for each in turn["citations"]] == [1, 2, 3]
    assert [each["exit_code"] for each in api.commands(turn["id"])] == [0, 0, 0]
    assert scripted_model.refusals == []


def test_the_stream_tells_the_turn_from_question_to_done(
    with_model: Installation, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Call(run("echo one; echo two")), Say("Both lines came."))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), QUESTION)
    events = list(api.events(turn))
    names = [name for _, name, _ in events]
    assert names[-1] == "done" and {"status", "text", "command", "output"} <= set(names)
    text = "".join(data["delta"] for _, name, data in events if name == "text")
    assert text == "Both lines came."
    middle = events[len(events) // 2][0]
    again = list(api.events(turn, after=middle))
    assert again == events[len(events) // 2 + 1 :]
