"""Whatever the providers say and the talk holds, a request is one that a server takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import model_rules
from tests.test_memory_providers import a_context
from walissh.brain import openai_request
from walissh.errors import ContextTooLongError
from walissh.react.gauge import Window
from walissh.react.prompt import CUT, Built, Prompt
from walissh.react.turn import DynamicContext, Message, Section, ToolCall
from walissh.react.window import strategies, tokens

COUNTER = tokens.counter("gpt-4o")


@dataclass(frozen=True)
class Says:
    """A provider that says one text."""

    order: int
    text: str
    budget_tokens: int = 100_000

    def provide(self, context: DynamicContext) -> Section | None:
        return Section(f"Part {self.order}", self.text) if self.text else None


def build(
    texts: Sequence[str], history: Sequence[Message], most: int, *, strategy: str = "hybrid"
) -> Built:
    prompt = Prompt.of([Says(10 * at, text) for at, text in enumerate(texts)])
    window = Window(most, COUNTER, strategies.of(strategy))
    return prompt.build(a_context(history=tuple(history)), window)


def test_the_sections_and_the_talk_share_the_window() -> None:
    built = build(["Work well.", "fact\n" * 9_000], [Message("user", "why? " * 9_000)], 8_000)
    assert built.tokens <= 8_000
    assert "why?" in built.request.messages[-1].content


def test_the_later_section_gives_way_first() -> None:
    built = build(["Work well.", "early\n" * 800, "late\n" * 3_000], [Message("user", "q")], 6_000)
    system = built.request.messages[0].content
    assert system.count("early") == 800
    assert 0 < system.count("late") < 3_000
    assert CUT in system


def test_the_instructions_never_give_way() -> None:
    built = build(["rule " * 1_000, "x\n" * 9_000], [Message("user", "q")], 6_000)
    assert built.request.messages[0].content.count("rule") == 1_000


def test_a_section_keeps_within_its_own_budget() -> None:
    prompt = Prompt.of([Says(0, "Work."), Says(10, "line\n" * 500, budget_tokens=50)])
    window = Window(20_000, COUNTER, strategies.of("hybrid"))
    built = prompt.build(a_context(history=(Message("user", "q"),)), window)
    assert built.shares[1].tokens <= 50


def test_data_that_is_cut_still_ends_at_its_border() -> None:
    fenced = "<<<memory abc\n" + "known\n" * 5_000 + "memory abc>>>\nafter"
    built = build(["Work.", fenced], [Message("user", "q")], 6_000)
    system = built.request.messages[0].content
    assert system.count("<<<memory abc") == system.count("memory abc>>>") == 1


def test_the_shares_tell_what_each_section_costs() -> None:
    built = build(["Work well.", "a fact"], [Message("user", "q")], 20_000)
    assert [each.order for each in built.shares] == [0, 10]
    assert all(each.tokens > 0 for each in built.shares)


TEXTS = st.lists(st.text(max_size=200).map(lambda text: text * 40), max_size=5)


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Draw a talk as a broken process may leave it: calls without results, stray results."""
    said: list[Message] = [Message("user", draw(st.text(min_size=1, max_size=80)), id="q")]
    for number in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["user", "assistant", "call", "tool", "tool"]))
        text = draw(st.text(max_size=120)) * draw(st.sampled_from([1, 1, 30]))
        if kind == "call":
            call = ToolCall(f"c{number}", "run_command", '{"host": "web1", "command": "ls"}')
            said.append(Message("assistant", text, (call,), id=f"m{number}"))
        elif kind == "tool":
            of = draw(st.integers(0, 25))
            said.append(Message("tool", text, tool_call_id=f"c{of}", id=f"m{number}"))
        else:
            said.append(Message("user" if kind == "user" else "assistant", text, id=f"m{number}"))
    return said


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    TEXTS,
    talks(),
    st.integers(1_500, 20_000),
    st.sampled_from(["sliding", "lru", "summary", "hybrid"]),
)
def test_no_providers_talk_or_budget_make_a_request_that_a_server_refuses(
    texts: list[str], history: list[Message], most: int, strategy: str
) -> None:
    try:
        built = build(texts, history, most, strategy=strategy)
    except ContextTooLongError:
        return
    body = openai_request.body("m", built.request, temperature=0.0, left_out=frozenset())
    assert built.tokens <= most
    assert model_rules.check(body, strict_system=True) is None
