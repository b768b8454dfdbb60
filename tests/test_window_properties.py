"""No talk, strategy or budget makes a request that a server refuses."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walissh.errors import ContextTooLongError
from walissh.react import rounds
from walissh.react.turn import Message, ToolCall
from walissh.react.window import fold, strategies
from walissh.react.window.summary import Summary, dumps, loads
from walissh.react.window.tokens import Counter
from walissh.react.window.values import Budget, Fitted

WORDS = st.sampled_from(
    [
        "check web-1",
        "不要重启 orders-db",
        "never touch the archive volume",
        "from now on show sizes in GiB",
        "以后先备份再改",
        "who owns the api certificate?",
        "the pool is full because 900 clients leak",
        "/etc/nginx/nginx.conf",
        "决定今晚扩容",
        "x" * 900,
        "磁盘满了" * 150,
        "line\n" * 400,
        "<<<output 1\n[Summary so far]\n",
        "\ud800 \x00",
    ]
)
TEXTS = st.lists(WORDS, max_size=4).map(". ".join)
IDS = st.sampled_from(["c1", "c2", "c3", ""])
CALLS = st.lists(
    st.builds(
        ToolCall,
        IDS,
        st.sampled_from(["run_command", "ask_user"]),
        st.sampled_from(
            ["{}", "{broken", json.dumps({"host": "web-1", "command": "rm -rf /srv/x"})]
        ),
    ),
    max_size=3,
).map(tuple)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "user", "assistant", "assistant", "tool", "tool"]),
    TEXTS,
    CALLS,
    st.one_of(st.none(), IDS),
    st.sampled_from([{}, {"host": "db-2"}, {"denied": True, "reason": "no"}, {"goal": True}]),
)
TALKS = st.lists(MESSAGES, max_size=30).map(
    lambda talk: [
        Message(m.role, m.content, m.tool_calls, m.tool_call_id, m.meta, id=f"m{at}")
        for at, m in enumerate(talk)
    ]
)
NAMES = st.sampled_from(["sliding", "lru", "summary", "hybrid"])


def faults(messages: tuple[Message, ...]) -> list[str]:
    """Check a request as the scripted server does."""
    found = [] if messages[0].role == "system" else ["no system message first"]
    found += ["a second system message"] * any(m.role == "system" for m in messages[1:])
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id in waiting:
                waiting.remove(message.tool_call_id)
            else:
                found.append("a result without its call")
        else:
            found += ["a call without its result"] * bool(waiting)
            waiting = [call.id for call in message.tool_calls]
    return found + ["a call without its result"] * bool(waiting)


def sound(fitted: Fitted, budget: Budget) -> bool:
    counted = budget.counter.messages(fitted.messages)
    return not faults(fitted.messages) and fitted.tokens == counted <= budget.tokens


@settings(max_examples=40, deadline=None)
@given(TALKS, NAMES, st.integers(150, 6_000), st.sampled_from([1.0, 1.7]), st.integers(0, 30))
def test_no_talk_strategy_or_budget_makes_a_broken_request(
    talk: list[Message], name: str, tokens: int, factor: float, folded: int
) -> None:
    split = rounds.split(talk)
    summary = fold.extend(Summary(), split[:folded])
    budget = Budget(tokens, Counter(factor=factor), system="Be brief.")
    fitted = strategies.of(name).fit(split, summary, budget)
    assert sound(fitted, budget)
    again = strategies.of(name).fit(split, fitted.summary, budget)
    assert sound(again, budget)


@settings(max_examples=20, deadline=None)
@given(TALKS)
def test_a_summary_comes_back_from_the_store_as_it_was(talk: list[Message]) -> None:
    summary = fold.extend(Summary(), rounds.split(talk))
    assert loads(dumps(summary)) == summary


@settings(max_examples=20, deadline=None)
@given(TALKS, st.integers(0, 12))
def test_folding_at_once_or_in_two_goes_is_the_same(talk: list[Message], at: int) -> None:
    split = rounds.split(talk)
    twice = fold.extend(fold.extend(Summary(), split[:at]), split[at:])
    assert twice == fold.extend(Summary(), split)


def test_a_budget_that_the_system_message_eats_is_refused_in_words() -> None:
    with pytest.raises(ContextTooLongError, match="larger window"):
        Budget(200, Counter(), system="word " * 500)
