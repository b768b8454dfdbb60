"""The model behind HTTP: what it asks, reads, refuses to believe, and gives up on."""

import ctypes
import functools
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.scripted_model import (
    Asked,
    Body,
    BrokenArguments,
    Call,
    CloseWithoutEnd,
    Deltas,
    Drop,
    ErrorInStream,
    Fail,
    HangUp,
    Say,
    ScriptedModel,
    SlowHeaders,
    Stall,
)
from walissh.brain.openai_chat import OpenAIChat
from walissh.errors import (
    ContextTooLongError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    SettingsError,
    TurnCancelledError,
)
from walissh.react.turn import Language, Message, Reply, Request, Tool, ToolCall

KEY = "sk-made-up-0123456789abcdef"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ARGUMENTS = {"host": "web1", "command": "uptime", "reason": "负载 😀"}
UPTIME = '{"host": "web1", "command": "uptime"}'
PARAMETERS = {
    "type": "object",
    "properties": {"host": {"type": "string"}, "command": {"type": "string"}},
    "required": ["host", "command"],
}
RUN = Tool("run_command", "Run one command.", PARAMETERS)
READ = Tool("read_output", "Read lines.", {"type": "object", "properties": {}})


@dataclass(slots=True)
class Heard:
    """What a person would see, and when the turn is stopped."""

    pieces: list[str] = field(default_factory=list)
    stop: bool = False
    stop_on_text: bool = False

    def on_text(self, piece: str) -> None:
        self.pieces.append(piece)
        self.stop = self.stop or self.stop_on_text

    def is_stopped(self) -> bool:
        return self.stop

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def chat(server: ScriptedModel, **more: object) -> OpenAIChat:
    values = {
        "api_key": KEY,
        "base_url": server.url,
        "temperature": 0.0,
        "first_token_limit_s": 20.0,
        "now": lambda: NOON,
    }
    return OpenAIChat("scripted", **{**values, **more})  # type: ignore[arg-type]


def request(
    *messages: Message, tools: tuple[Tool, ...] = (RUN, READ), language: Language = "en"
) -> Request:
    talk = messages or (Message("user", "why is web1 slow?"),)
    return Request((Message("system", "You are careful."), *talk), tools, ("web1",), language)


def ask(
    server: ScriptedModel,
    heard: Heard | None = None,
    *,
    asked: Request | None = None,
    **more: object,
) -> Reply:
    heard = heard or Heard()
    model = chat(server, **more)
    return model.complete(asked or request(), on_text=heard.on_text, cancelled=heard.is_stopped)


def refusal(
    server: ScriptedModel, kind: type[ModelError] = ModelError, **more: object
) -> ModelError:
    with pytest.raises(kind) as caught:
        ask(server, **more)  # type: ignore[arg-type]
    assert type(caught.value) is kind
    return caught.value


def piece(index: int | None = None, **more: object) -> dict[str, object]:
    function = {name: more.pop(name) for name in ("name", "arguments") if name in more}
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, **more, "function": function}]}


def ignore(piece: str) -> None:
    """Hear nothing."""


def seen(reply: Reply) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in reply.tool_calls]


# --- what is asked --------------------------------------------------------------------------


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
    ],
)
def test_refused_field_is_left_out_at_once_and_from_then_on(
    scripted_model: ScriptedModel, field_name: str, message: str
) -> None:
    scripted_model.script(Fail(400, message, param=field_name), Say("one"), Say("two"))
    model, heard = chat(scripted_model), Heard()
    for expected in ("one", "two"):
        reply = model.complete(request(), on_text=heard.on_text, cancelled=heard.is_stopped)
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


# --- what is read ---------------------------------------------------------------------------


def test_text_comes_piece_by_piece_and_whole(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("负载很高 😀", pieces=["负载", "很高", " 😀"]))
    heard = Heard()
    reply = ask(scripted_model, heard)
    assert reply.text == heard.text == "负载很高 😀"
    assert heard.pieces == ["负载", "很高", " 😀"]


def test_usage_is_counted(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine"))
    usage = ask(scripted_model).usage
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


def test_missing_usage_is_zero(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("fine", usage=False))
    assert ask(scripted_model).usage.prompt_tokens == 0


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_arguments_cut_anywhere_come_whole(scripted_model: ScriptedModel, size: int) -> None:
    scripted_model.script(
        Call(("run_command", ARGUMENTS), ("read_output", {}), say="Let me look.", piece_chars=size)
    )
    reply = ask(scripted_model)
    assert [call.id for call in reply.tool_calls] == ["call_1", "call_2"]
    assert [call.name for call in reply.tool_calls] == ["run_command", "read_output"]
    assert "uptime" in reply.tool_calls[0].arguments
    assert reply.text == "Let me look."


def test_interleaved_calls_are_kept_apart(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        Deltas(
            piece(0, id="a", name="run_command", arguments=""),
            piece(1, id="b", name="read_output", arguments=""),
            piece(0, arguments='{"x":'),
            piece(1, arguments='{"y":'),
            piece(0, arguments="1}"),
            piece(1, arguments="2}"),
            finish="tool_calls",
        )
    )
    assert seen(ask(scripted_model)) == [("run_command", '{"x":1}'), ("read_output", '{"y":2}')]


@pytest.mark.parametrize(
    "deltas",
    [
        # no index, ids given
        [
            piece(id="a", name="run_command", arguments='{"x":'),
            piece(id="a", arguments="1}"),
            piece(id="b", name="run_command", arguments='{"x":1}'),
        ],
        # neither index nor id
        [
            piece(name="run_command", arguments='{"x":'),
            piece(arguments="1}"),
            piece(name="run_command", arguments='{"x":1}'),
        ],
        # index 0 for both, new id
        [
            piece(0, id="a", name="run_command", arguments='{"x":1}'),
            piece(0, id="b", name="run_command", arguments='{"x":'),
            piece(0, arguments="1}"),
        ],
        # index 0 for both, no ids at all
        [
            piece(0, name="run_command", arguments='{"x":1}'),
            piece(0, name="run_command", arguments='{"x":1}'),
        ],
        # the same id for both
        [
            piece(0, id="a", name="run_command", arguments='{"x":1}'),
            piece(1, id="a", name="run_command", arguments='{"x":1}'),
        ],
        # names in pieces, and empty strings where there is nothing to say
        [
            piece(0, id="a", name="run_", arguments=""),
            piece(0, id="", name="command", arguments='{"x":1}'),
            piece(1, id="b", name="run_command", arguments=""),
            piece(1, id="", name="", arguments='{"x":1}'),
        ],
        # the name and a new id repeated with each piece
        [
            piece(0, id="a", name="run_command", arguments='{"x":'),
            piece(0, id="a", name="run_command", arguments="1}"),
            piece(1, id="b", name="run_command", arguments='{"x":'),
            piece(1, id="c", arguments="1}"),
        ],
        # arguments as objects
        [{"tool_calls": [{"function": {"name": "run_command", "arguments": {"x": 1}}}] * 2}],
    ],
    ids=lambda deltas: None,
)
def test_sloppy_servers_two_calls_are_two_calls(
    scripted_model: ScriptedModel, deltas: list[dict[str, object]]
) -> None:
    scripted_model.script(Deltas(*deltas, finish="tool_calls"))
    reply = ask(scripted_model)
    expected = [(name, args.replace(" ", "")) for name, args in seen(reply)]
    assert expected == [("run_command", '{"x":1}')] * 2
    assert len({call.id for call in reply.tool_calls} - {""}) == 2


def test_calls_count_even_when_the_end_says_stop(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Call(("run_command", ARGUMENTS), finish="stop"))
    assert len(ask(scripted_model).tool_calls) == 1


def test_broken_arguments_are_passed_on_as_they_are(scripted_model: ScriptedModel) -> None:
    scripted_model.script(BrokenArguments(arguments='{"host": "web1", '))
    assert seen(ask(scripted_model)) == [("run_command", '{"host": "web1", ')]


def test_comments_empty_choices_and_unknown_events_are_skipped(
    scripted_model: ScriptedModel,
) -> None:
    scripted_model.script(
        Deltas(
            ": ping",
            'data: {"choices": []}',
            'data: {"choices": null, "object": "x"}',
            "data: 17",
            "data: null",
            "data: []",
            'data: {"choices": [null]}',
            'data: {"choices": [{"delta": null}]}',
            {"content": "fi", "unknown": {"deep": []}},
            {"content": None},
            {"content": "ne", "tool_calls": None},
        )
    )
    assert ask(scripted_model).text == "fine"


def test_content_in_parts_and_thoughts(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        Deltas({"reasoning_content": "hm"}, {"content": [{"type": "text", "text": "fine"}]})
    )
    heard = Heard()
    assert ask(scripted_model, heard).text == heard.text == "fine"


def test_a_character_cut_in_two_is_joined(scripted_model: ScriptedModel) -> None:
    halves = [
        'data: {"choices": [{"delta": {"content": "a\\ud83d"}}]}',
        'data: {"choices": [{"delta": {"content": "\\ude00b\\u0000"}}]}',
    ]
    scripted_model.script(Deltas(*halves))
    heard = Heard()
    assert ask(scripted_model, heard).text == heard.text == "a😀b"


def test_an_answer_in_one_piece_is_read(scripted_model: ScriptedModel) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "run_command", "arguments": "{}"}}
    message = f'{{"role": "assistant", "content": "look", "tool_calls": [{_json(call)}]}}'
    usage = '{"prompt_tokens": 3, "completion_tokens": 2}'
    whole = f'{{"choices": [{{"message": {message}, "finish_reason": "stop"}}], "usage": {usage}}}'
    scripted_model.script(Body(whole))
    reply = ask(scripted_model)
    assert (reply.text, seen(reply)) == ("look", [("run_command", "{}")])
    assert reply.usage.prompt_tokens == 3


def _json(value: object) -> str:
    return str(value).replace("'", '"')


PRINTED = [
    '```json\n{"name": "run_command", "arguments": {"command": "uptime"}}\n```',
    '\n```\n{"name": "run_command", "parameters": {"command": "uptime"}}\n```\n',
    '{"name": "run_command", "arguments": "{\\"command\\": \\"uptime\\"}"}',
    '```json\n[{"function": {"name": "run_command", "arguments": {"command": "uptime"}}}]\n```',
    '{"function": "run_command", "arguments": {"command": "uptime"}}',
]


@pytest.mark.parametrize("text", PRINTED)
def test_a_printed_call_is_read_as_the_call_and_not_shown(
    scripted_model: ScriptedModel, text: str
) -> None:
    scripted_model.script(Say(text))
    heard = Heard()
    reply = ask(scripted_model, heard)
    assert seen(reply) == [("run_command", '{"command": "uptime"}')]
    assert reply.text == heard.text == ""
    assert reply.tool_calls[0].id


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "rm_rf", "arguments": {}}\n```',
        '```json\n{"load": 3}\n```',
        '```json\n{"name": "run_command", "arguments": {}}\n```\nis what I would run.',
        'I would run\n```json\n{"name": "run_command", "arguments": {}}\n```',
        "```sh\nuptime\n```",
        '{"load": ',
        "[1] shows it",
        "```json\n[]\n```",
        "{" + '"a":{' * 5000,
    ],
)
def test_other_text_stays_text_and_is_shown_once(scripted_model: ScriptedModel, text: str) -> None:
    scripted_model.script(Say(text))
    heard = Heard()
    reply = ask(scripted_model, heard)
    assert reply.text == heard.text == text
    assert reply.tool_calls == ()


def test_a_printed_call_is_only_text_when_no_tools_were_offered(
    scripted_model: ScriptedModel,
) -> None:
    scripted_model.script(Say(PRINTED[0]))
    assert ask(scripted_model, asked=request(tools=())).text == PRINTED[0]


# --- ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "mark"), [("en", "length limit"), ("zh", "截断")])
def test_an_answer_cut_at_the_length_limit_is_kept_and_marked(
    scripted_model: ScriptedModel, language: Language, mark: str
) -> None:
    scripted_model.script(Say("The load is", finish="length"))
    heard = Heard()
    reply = ask(scripted_model, heard, asked=request(language=language))
    assert reply.text.startswith("The load is\n")
    assert mark in reply.text
    assert heard.text == reply.text


def test_a_command_cut_at_the_length_limit_is_an_error(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Call(("run_command", '{"command": "rm -rf /var/tmp/x'), finish="length"))
    assert "length limit" in str(refusal(scripted_model))


def test_an_empty_reply_is_an_error(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say(" \n"))
    assert "empty reply" in str(refusal(scripted_model))


def test_a_withheld_answer_is_a_refusal(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Say("The", finish="content_filter"))
    assert refusal(scripted_model, ModelRefusedError).partial == "The"


def test_a_stream_closed_without_an_end_is_worth_another_try(
    scripted_model: ScriptedModel,
) -> None:
    scripted_model.script(CloseWithoutEnd("half of"))
    error = refusal(scripted_model, ModelBusyError)
    assert error.partial == "half of"
    assert scripted_model.url in str(error)


@pytest.mark.parametrize("after", [0, 2])
def test_a_cut_connection_is_worth_another_try(scripted_model: ScriptedModel, after: int) -> None:
    scripted_model.script(Drop(after=after, text="half of an answer"))
    assert refusal(scripted_model, ModelBusyError).partial == "half of an ans"[: after * 7]


def test_a_connection_closed_before_the_answer_is_worth_another_try(
    scripted_model: ScriptedModel,
) -> None:
    scripted_model.script(HangUp())
    refusal(scripted_model, ModelBusyError)
    assert len(scripted_model.requests) == 1


def test_a_reply_that_ended_is_kept_when_the_connection_breaks_after_it(
    scripted_model: ScriptedModel,
) -> None:
    end = 'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'
    scripted_model.script(Deltas({"content": "fine"}, end, "data: {torn", finish=None))
    assert ask(scripted_model).text == "fine"


def test_a_server_that_does_not_hang_up_after_the_end_is_not_waited_for(
    scripted_model: ScriptedModel,
) -> None:
    end = 'data: {"choices": [{"delta": {"content": "fine"}, "finish_reason": "stop"}]}'
    scripted_model.script(Deltas(end, 30, finish=None))
    assert ask(scripted_model, first_token_limit_s=0.5).text == "fine"
    assert scripted_model.requests[0].hung_up.wait(5)


def test_an_error_line_that_is_only_words_is_quoted(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Deltas('data: {"error": "out of memory"}'))
    assert "out of memory" in str(refusal(scripted_model, ModelBusyError))


def test_an_error_in_the_stream_is_worth_another_try(scripted_model: ScriptedModel) -> None:
    scripted_model.script(ErrorInStream("overloaded", text="half"))
    error = refusal(scripted_model, ModelBusyError)
    assert error.partial == "half"
    assert "overloaded" in str(error)


@pytest.mark.parametrize(
    ("code", "kind", "expected"),
    [
        ("context_length_exceeded", "invalid_request_error", ContextTooLongError),
        (400, "invalid_request_error", ModelRefusedError),
        (429, "rate_limit", ModelBusyError),
        (502, "upstream", ModelBusyError),
    ],
)
def test_errors_in_the_stream_are_told_apart(
    scripted_model: ScriptedModel, code: str | int, kind: str, expected: type[ModelError]
) -> None:
    scripted_model.script(ErrorInStream("no", code=code, type=kind))
    refusal(scripted_model, expected)


@pytest.mark.parametrize(
    "line", ["data: {torn", "data: " + "[" * 100_000, 'data: {"choices": [{"delta": ']
)
def test_nonsense_in_the_stream_is_an_error_with_the_text_so_far(
    scripted_model: ScriptedModel, line: str
) -> None:
    scripted_model.script(Deltas({"content": "half"}, line))
    error = refusal(scripted_model)
    assert error.partial == "half"
    assert "chat completions format" in str(error)


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "expected", "words"),
    [
        (Fail(401, "Incorrect API key"), ModelRefusedError, "Check OPENAI_API_KEY"),
        (Fail(403, "no access"), ModelRefusedError, "no access"),
        (Fail(404, "model not found"), ModelRefusedError, "Check WALISSH_MODEL"),
        (Fail(400, "does not support tools"), ModelRefusedError, "does not support tools"),
        (Fail(422, "bad"), ModelRefusedError, "422"),
        (Fail(429, "quota", "insufficient_quota"), ModelRefusedError, "balance"),
        (Fail(429, "slow down"), ModelBusyError, "slow down"),
        (Fail(500, "oops"), ModelBusyError, "500"),
        (Fail(503, "Loading model"), ModelBusyError, "Loading model"),
        (Fail(502, raw="<html><h1>Bad gateway</h1></html>"), ModelBusyError, "answered 502."),
        (Fail(404, raw="404 page not found"), ModelRefusedError, "page not found"),
        (Fail(400, raw='{"error": "no such thing"}'), ModelRefusedError, "no such thing"),
        (Fail(400, raw='{"detail": [{"msg": "x"}]}'), ModelRefusedError, "msg"),
        (Fail(400, raw='[{"error": {"message": "bad schema"}}]'), ModelRefusedError, "bad schema"),
        (Fail(500, raw=""), ModelBusyError, "500"),
        (Fail(400, "x", "context_length_exceeded"), ContextTooLongError, "window"),
        (Fail(400, "x", 400, "exceed_context_size_error"), ContextTooLongError, "window"),
        (Fail(400, "maximum context length is 4096 tokens"), ContextTooLongError, "4096"),
        (Fail(413, "too big"), ContextTooLongError, "too big"),
        (Fail(429, "Request too large for m on TPM"), ContextTooLongError, "too large"),
    ],
)
def test_refusals_are_told_apart_and_quoted(
    scripted_model: ScriptedModel, failure: Fail, expected: type[ModelError], words: str
) -> None:
    scripted_model.script(failure)
    error = refusal(scripted_model, expected)
    assert words in str(error)
    assert str(error).startswith(f"The model server at {scripted_model.url} ")
    assert len(scripted_model.requests) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7.0),
        ("0.5", 0.5),
        (format_datetime(NOON + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOON - timedelta(seconds=90), usegmt=True), 0.0),
        ("-3", None),
        ("nan", None),
        ("soon", None),
        (None, None),
    ],
)
def test_retry_after_is_read(
    scripted_model: ScriptedModel, value: float | str | None, expected: float | None
) -> None:
    scripted_model.script(Fail(429, retry_after=value))
    error = refusal(scripted_model, ModelBusyError)
    assert isinstance(error, ModelBusyError)
    assert error.retry_after_s == expected


def test_a_server_that_is_not_there_is_named_with_the_cause() -> None:
    gone = ScriptedModel()
    gone.start().stop()
    error = refusal(gone, ModelBusyError)
    assert gone.url in str(error)
    assert "refused" in str(error).lower()


def test_a_name_that_does_not_resolve_is_named_with_the_cause(
    scripted_model: ScriptedModel,
) -> None:
    error = refusal(scripted_model, ModelBusyError, base_url="http://no-such-host.invalid/v1")
    assert "http://no-such-host.invalid/v1" in str(error)


def test_a_web_page_instead_of_a_stream_is_a_wrong_address(scripted_model: ScriptedModel) -> None:
    scripted_model.script(Body("<html>hello</html>", "text/html; charset=utf-8"))
    assert "Check OPENAI_BASE_URL" in str(refusal(scripted_model, ModelRefusedError))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"error": {"message": "busy", "code": 503}}', ModelBusyError),
        ("{torn", ModelError),
        ('"hello"', ModelBusyError),
    ],
)
def test_a_body_that_is_no_answer_is_an_error(
    scripted_model: ScriptedModel, body: str, expected: type[ModelError]
) -> None:
    scripted_model.script(Body(body))
    refusal(scripted_model, expected)


def test_secrets_are_in_no_error(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        Fail(401, f"no: {KEY} and sk-other-12345 \x1b[31m\nBearer abc.def-ghi.jkl")
    )
    address = scripted_model.url.replace("http://", "http://me:hunter2@")
    words = str(refusal(scripted_model, ModelRefusedError, base_url=address))
    assert not [
        each for each in (KEY, "other", "hunter2", "abc.def", "\x1b", "\n") if each in words
    ]


def test_a_wrong_key_is_told(scripted_model: ScriptedModel) -> None:
    scripted_model.api_key = "another"
    assert "Check OPENAI_API_KEY" in str(refusal(scripted_model, ModelRefusedError))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"api_key": "sk-…"}, "OPENAI_API_KEY"),
        ({"api_key": "a\nb"}, "OPENAI_API_KEY"),
        ({"base_url": "http://"}, "OPENAI_BASE_URL"),
        ({"base_url": "http://[::1"}, "OPENAI_BASE_URL"),
        ({"base_url": "http://a b/v1"}, "OPENAI_BASE_URL"),
        ({"base_url": "http://a:99999/v1"}, "OPENAI_BASE_URL"),
    ],
)
def test_malformed_settings_are_refused_at_the_start(
    scripted_model: ScriptedModel, values: dict[str, str], name: str
) -> None:
    with pytest.raises(SettingsError, match=name):
        chat(scripted_model, **values)


# --- limits and cancel ----------------------------------------------------------------------


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


def test_a_time_limit_raised_into_the_thread_ends_the_wait(scripted_model: ScriptedModel) -> None:
    class JobTimeout(Exception):
        pass

    scripted_model.script(Stall(30))
    ended: list[BaseException] = []

    def work() -> None:
        try:
            ask(scripted_model)
        except (JobTimeout, ModelError) as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not scripted_model.requests:
        time.sleep(0.01)
    # as the queue's timer does it for jobs in threads
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(JobTimeout)
    )
    thread.join(10)
    assert [type(each) for each in ended] == [JobTimeout]
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


# --- the double itself ----------------------------------------------------------------------


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
