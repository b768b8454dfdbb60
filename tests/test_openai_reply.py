"""What is read from a streamed reply, also from servers that are sloppy."""

import pytest

from tests.asking import ARGUMENTS, Heard, ask, piece, request, seen
from tests.scripted_model import Body, BrokenArguments, Call, Deltas, Say, ScriptedModel


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
