"""How much a model takes at once: from the table, the settings, and what its server told."""

from dataclasses import dataclass, field

from walissh.react.gauge import LEAST_TOKENS, MOST_TOKENS, Gauge, Learned
from walissh.react.window import tokens


@dataclass
class Book:
    """Keeps what was learned in a dict."""

    known: dict[str, Learned] = field(default_factory=dict)

    def of_model(self, model: str) -> Learned:
        return self.known.get(model, Learned())

    def keep(self, model: str, learned: Learned) -> None:
        self.known[model] = learned


def test_a_large_window_is_not_filled_unless_the_settings_say_so() -> None:
    assert Gauge("gpt-4.1", Book()).window().tokens == MOST_TOKENS
    configured = Gauge("gpt-4.1", Book(), configured_tokens=200_000)
    assert configured.window().tokens == tokens.room(200_000)


def test_a_small_window_leaves_room_for_the_reply() -> None:
    assert Gauge("gpt-4", Book()).window().tokens == tokens.room(8_192) < 8_192


def test_the_size_that_a_server_named_is_kept_for_the_next_request() -> None:
    gauge = Gauge("my-own", Book())
    smaller = gauge.refused(gauge.window(), 20_000, 4_096)
    assert smaller is not None and smaller.tokens <= tokens.room(4_096)
    assert gauge.window().tokens == tokens.room(4_096)


def test_a_refusal_without_a_size_halves_the_request() -> None:
    gauge = Gauge("my-own", Book())
    smaller = gauge.refused(gauge.window(), 10_000, None)
    assert smaller is not None and smaller.tokens == 5_000


def test_it_gives_up_where_no_turn_would_fit() -> None:
    gauge = Gauge("my-own", Book())
    assert gauge.refused(gauge.window(), LEAST_TOKENS, None) is None


def test_reported_usage_corrects_the_count_and_no_more() -> None:
    gauge = Gauge("my-own", Book())
    before = gauge.window().counter.text("word " * 1_000)
    for _ in range(3):
        counted = gauge.window().counter.text("word " * 1_000)
        gauge.reported(counted, 3 * before // 2)
    assert abs(gauge.window().counter.text("word " * 1_000) - 1.5 * before) < 0.05 * before


def test_a_report_of_nothing_teaches_nothing() -> None:
    book = Book()
    Gauge("my-own", book).reported(5_000, 0)
    assert not book.known


def test_models_do_not_learn_from_each_other() -> None:
    book = Book()
    Gauge("one", book).reported(1_000, 2_000)
    assert Gauge("two", book).window().counter.factor == tokens.counter("two").factor
