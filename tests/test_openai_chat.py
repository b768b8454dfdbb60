"""The model behind HTTP: what it asks, and when it gives up."""

import ctypes
import functools
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.asking import KEY, UPTIME, Heard, ask, chat, ignore, refusal, request
from tests.scripted_model import Asked, Fail, Say, ScriptedModel, SlowHeaders, Stall
from walissh.errors import ModelBusyError, ModelError, ModelRefusedError, TurnCancelledError
from walissh.react.turn import Message, ToolCall


def test_request_speaks_of_model_temperature_tools_and_usage(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"))
    ask(scripted_model)
    (sent,) = scripted_model.requests
    assert sent.body["model"] == "scripted"
    assert sent.body["temperature"] == 0
    assert sent.body["stream_options"] == {"include_usage": True}
    assert sent.tools == {"run_command", "read_output"}
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_temperature_none_and_no_tools_are_left_out(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"))
    ask(scripted_model, asked=request(tools=()), temperature=None)
    assert not {"temperature", "tools"} & set(scripted_model.requests[0].body)


def test_a_limit_of_the_reply_is_told_to_the_server(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"), Say("fine"))
    ask(scripted_model, asked=replace(request(), reply_tokens=300))
    ask(scripted_model)
    limits = [each.body.get("max_completion_tokens") for each in scripted_model.requests]
    assert limits == [300, None]


def test_a_whole_round_with_calls_is_taken_by_the_service(scripted_model: ScriptedModel) -> None:
    calls = (ToolCall("a", "run_command", UPTIME), ToolCall("b", "run_command", UPTIME))
    results = [Message("tool", "up 3 days", tool_call_id=each.id) for each in calls]
    scripted_model.script(Say("up for 3 days"))
    question = Message("user", "up?")
    asked = request(question, Message("assistant", "", tool_calls=calls), *results)
    assert ask(scripted_model, asked=asked).text == "up for 3 days"
    assert scripted_model.requests[0].tool_results == ["up 3 days", "up 3 days"]


def test_broken_arguments_in_the_history_go_out_as_valid_json(
    scripted_model: ScriptedModel,
) -> None:
    calls = (ToolCall("a", "run command!", '{"host": '),)
    scripted_model.script(Say("sorry"))
    ask(
        scripted_model,
        asked=request(
            Message("user", "up?"),
            Message("assistant", "", tool_calls=calls),
            Message("tool", "not valid JSON", tool_call_id="a"),
        ),
    )
    sent = scripted_model.requests[0].messages[2]["tool_calls"][0]["function"]
    assert sent == {"name": "run_command_", "arguments": '{"unreadable": "{\\"host\\": "}'}


def test_text_that_is_not_encodable_is_sent_with_marks(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"))
    ask(scripted_model, asked=request(Message("user", "a\ud800b")))
    assert scripted_model.requests[0].last["content"] == "a?b"


def test_no_key_is_needed_for_a_local_server(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"))
    assert ask(scripted_model, api_key="").text == "fine"


@pytest.mark.parametrize(
    ("field_name", "message"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("stream_options", "Unrecognized request argument supplied: stream_options"),
        ("max_completion_tokens", "Unrecognized argument supplied: max_completion_tokens"),
    ],
)
def test_refused_field_is_left_out_at_once_and_from_then_on(
    scripted_model: ScriptedModel, field_name: str, message: str
) -> None:
    scripted_model.script(Fail(400, message, param=field_name), Say("one"), Say("two"))
    model, heard = chat(scripted_model), Heard()
    for expected in ("one", "two"):
        asked = replace(request(), reply_tokens=100)
        reply = model.complete(asked, on_text=heard.on_text, cancelled=heard.is_stopped)
        assert reply.text == expected
    assert [field_name in each.body for each in scripted_model.requests] == [True, False, False]


def test_two_threads_may_learn_of_a_refused_field_at_once(scripted_model: ScriptedModel) -> None:
    both_asked = threading.Barrier(2, timeout=10)

    def answer(asked: Asked) -> Say | Fail:
        if "temperature" not in asked.body:
            return Say("fine")
        both_asked.wait()
        return Fail(400, "unsupported", param="temperature")

    scripted_model.answer_with(answer)
    model, answers = chat(scripted_model), []

    def talk() -> None:
        reply = model.complete(request(), on_text=ignore, cancelled=lambda: False)
        answers.append(reply.text)

    _together(talk, talk)
    assert answers == ["fine", "fine"]


def _together(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_field_that_stays_refused_is_asked_about_once(scripted_model: ScriptedModel) -> None:
    scripted_model.answer_with(lambda asked: Fail(400, "bad temperature", param="temperature"))
    refusal(scripted_model, ModelRefusedError)
    assert len(scripted_model.requests) == 2


@pytest.mark.parametrize(
    "behaviour",
    [SlowHeaders(30), Stall(30), Stall(30, comments=True)],
    ids=["headers", "silence", "comments"],
)
def test_no_first_token_in_time_is_worth_another_try(
    scripted_model: ScriptedModel, behaviour: SlowHeaders | Stall
) -> None:
    scripted_model.script(behaviour)
    error = refusal(scripted_model, ModelBusyError, first_token_limit_s=0.3)
    assert "did not begin to answer" in str(error)
    assert scripted_model.requests[0].hung_up.wait(5)


def test_silence_in_mid_answer_is_worth_another_try(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Stall(30, text="half"))
    error = refusal(scripted_model, ModelBusyError, first_token_limit_s=0.5)
    assert error.partial == "half"


def test_a_slow_but_steady_answer_is_waited_for(scripted_model: ScriptedModel) -> None:
    slow = Stall(0.3, text="a", then=Stall(0.3, text="b", then=Stall(0.3, text="c", then=Say("d"))))
    scripted_model.script(slow)
    assert ask(scripted_model, first_token_limit_s=0.7).text == "abcd"


@pytest.mark.parametrize(
    "behaviour",
    [SlowHeaders(30), Stall(30), Stall(30, text="half")],
    ids=["headers", "first", "next"],
)
def test_cancel_ends_the_wait_soon_and_closes_the_connection(
    scripted_model: ScriptedModel, behaviour: SlowHeaders | Stall
) -> None:
    scripted_model.script(behaviour)
    heard = Heard()
    started = _stop_later(heard, lambda: bool(scripted_model.requests))
    with pytest.raises(TurnCancelledError):
        ask(scripted_model, heard)
    assert time.monotonic() - started[0] < 2  # 0.5 s at most; the rest is for a busy machine
    assert scripted_model.requests[0].hung_up.wait(5)


def _stop_later(heard: Heard, ready: Callable[[], bool]) -> list[float]:
    stopped_at: list[float] = []

    def stop() -> None:
        while not ready():
            time.sleep(0.01)
        time.sleep(0.1)
        stopped_at.append(time.monotonic())
        heard.stop = True

    threading.Thread(target=stop, daemon=True).start()
    return stopped_at


def test_cancel_in_a_stream_that_never_pauses(scripted_model: ScriptedModel) -> None:
    def on_and_on() -> Stall:
        step = Stall(0, text="x")
        for _ in range(400):
            step = Stall(0.02, text="word ", then=step)
        return step

    scripted_model.script(on_and_on())
    heard = Heard(stop_on_text=True)
    with pytest.raises(TurnCancelledError):
        ask(scripted_model, heard)
    assert len(heard.pieces) < 200


def test_a_turn_stopped_before_it_began_asks_nothing(scripted_model: ScriptedModel) -> None:
    with pytest.raises(TurnCancelledError):
        ask(scripted_model, Heard(stop=True))
    assert scripted_model.requests == []


def test_an_error_of_the_listener_comes_through_and_closes_the_connection(
    scripted_model: ScriptedModel,
) -> None:
    class JobTimeout(Exception):
        pass

    def on_text(piece: str) -> None:
        raise JobTimeout

    scripted_model.script(Stall(30, text="half"))
    with pytest.raises(JobTimeout):
        chat(scripted_model).complete(request(), on_text=on_text, cancelled=lambda: False)
    assert scripted_model.requests[0].hung_up.wait(5)


def is_waiting(thread: threading.Thread) -> bool:
    """Tell whether *thread* waits for a socket: not in the midst of setting one up."""
    frame = sys._current_frames().get(thread.ident or 0)
    return frame is not None and frame.f_code.co_name == "select"


def test_a_time_limit_raised_into_the_thread_ends_the_wait(scripted_model: ScriptedModel) -> None:
    class JobTimeout(Exception):
        pass

    scripted_model.script(Stall(30))
    ended: list[type[BaseException]] = []  # not the errors: their frames hold the connection

    def work() -> None:
        try:
            ask(scripted_model)
        except (JobTimeout, ModelError) as error:
            ended.append(type(error))

    thread = threading.Thread(target=work)
    thread.start()
    while not (scripted_model.requests and is_waiting(thread)):
        time.sleep(0.01)
    # as the queue's timer does it for jobs in threads
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(JobTimeout)
    )
    thread.join(10)
    assert ended == [JobTimeout]
    assert scripted_model.requests[0].hung_up.wait(5)


def test_a_model_that_never_stops_is_stopped(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("x" * 500_000, pieces=["x" * 50_000] * 10))
    error = refusal(scripted_model)
    assert "did not stop" in str(error)


def test_two_threads_share_one_object(scripted_model: ScriptedModel) -> None:
    scripted_model.answer_with(lambda asked: Stall(0.1, text=asked.last["content"], then=Say("!")))
    model, answers = chat(scripted_model), set()

    def talk(word: str) -> None:
        asked = request(Message("user", word))
        answers.add(model.complete(asked, on_text=ignore, cancelled=lambda: False).text)

    _together(*(functools.partial(talk, word) for word in ("one", "two", "three")))
    assert answers == {"one!", "two!", "three!"}
