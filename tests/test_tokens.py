"""Tokens are counted offline, and windows are known by the model's name."""

import pytest

from walissh.react.turn import Message, Tool, ToolCall
from walissh.react.window import tokens
from walissh.react.window.tokens import Counter


def test_a_message_costs_more_than_its_text() -> None:
    counter = Counter()
    assert counter.message(Message("user", "uptime")) > counter.text("uptime")


def test_calls_and_their_arguments_are_counted() -> None:
    counter = Counter()
    bare = Message("assistant", "")
    calling = Message("assistant", "", (ToolCall("c1", "run_command", '{"host": "web-1"}'),))
    assert counter.message(calling) >= counter.message(bare) + counter.text('{"host": "web-1"}')


def test_the_tools_of_a_request_are_counted_with_their_schemas() -> None:
    tool = Tool("look", "Look at a host.", {"type": "object", "properties": {"host": {}}})
    assert Counter().tools([tool, tool]) == 2 * Counter().tools([tool]) > 10


def test_a_talk_costs_the_sum_of_its_messages() -> None:
    counter = Counter(factor=1.3)
    talk = [Message("user", "磁盘满了吗"), Message("assistant", "93 % used on web-1")]
    frame = counter.messages([])
    assert counter.messages(talk) == frame + sum(map(counter.message, talk))


def test_a_special_token_in_a_text_is_text() -> None:
    assert Counter().text("<|endoftext|>") > 1


def test_half_a_surrogate_pair_is_counted() -> None:
    assert Counter().text("a\ud800b") > 0


def test_a_huge_text_is_estimated_on_the_safe_side() -> None:
    line = "10:00:01 web-1 app: request took 12 ms, 超时\n"
    once = Counter().text(line * 1_000)
    huge = Counter().text(line * 20_000)
    assert 20 * once <= huge <= 23 * once


def test_an_upper_bound_is_never_below_the_count() -> None:
    for text in ("", "a", "磁盘满了", "😀" * 50, "\x00\x01", "=" * 300):
        assert Counter(factor=0.6).text(text) <= Counter(factor=0.6).at_most(text)


@pytest.mark.parametrize("room", [0, 1, 5, 50, 500])
def test_what_fits_is_what_counts_no_more(room: int) -> None:
    counter = Counter(factor=1.2)
    for text in ("short", "磁盘满了" * 30, " " * 5_000):
        assert counter.fits(text, room) == (counter.text(text) <= room)


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("gpt-4o-mini", 128_000),
        ("gpt-4.1", 1_047_576),
        ("gpt-5-mini", 400_000),
        ("gpt-4", 8_192),
        ("anthropic/claude-sonnet-4", 200_000),
        ("Qwen/Qwen3-32B", 32_768),
        ("llama3.1:8b", 131_072),
        ("llama3:8b", 8_192),
        ("my-own-finetune", 32_768),
    ],
)
def test_a_window_is_known_by_the_name_of_the_model(model: str, size: int) -> None:
    assert tokens.window(model) == size


def test_what_the_server_says_wins_over_the_table() -> None:
    assert tokens.window("gpt-4o", told=16_000) == 16_000


def test_a_configured_window_wins_but_never_over_the_servers() -> None:
    assert tokens.window("unheard-of", configured=64_000) == 64_000
    assert tokens.window("unheard-of", configured=64_000, told=4_096) == 4_096


def test_room_is_left_for_the_reply() -> None:
    assert tokens.room(4_096) == 3_072
    assert tokens.room(200_000) == 200_000 - tokens.REPLY_TOKENS


def test_models_of_another_family_are_counted_with_a_margin() -> None:
    text = "why does nginx answer 502 on web-1?" * 20
    assert tokens.counter("claude-opus").text(text) > tokens.counter("gpt-4o").text(text)


def test_a_correction_rises_at_once_and_falls_slowly() -> None:
    assert tokens.corrected(1_000, 1_300) == pytest.approx(1.3)
    assert tokens.corrected(1_000, 1_000, before=1.3) == pytest.approx(1.2)


def test_a_correction_stays_within_bounds() -> None:
    assert tokens.corrected(1_000, 90_000) == 2.0
    assert tokens.corrected(90_000, 300, before=0.5) == 0.5


def test_a_short_or_unreported_request_teaches_nothing() -> None:
    assert tokens.corrected(50, 190, before=1.1) == 1.1
    assert tokens.corrected(5_000, 0, before=1.1) == 1.1


def test_a_learned_correction_changes_the_count() -> None:
    text = "load average " * 40
    assert tokens.counter("glm-4", correction=1.5).text(text) > tokens.counter("glm-4").text(text)
