"""Broken ends and refusals of a model server, told as what they are."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from tests.asking import KEY, NOON, Heard, ask, chat, refusal, request
from tests.scripted_model import (
    Body,
    Call,
    CloseWithoutEnd,
    Deltas,
    Drop,
    ErrorInStream,
    Fail,
    HangUp,
    Say,
    ScriptedModel,
)
from walissh.errors import (
    ContextTooLongError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    SettingsError,
)
from walissh.react.turn import Language


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
