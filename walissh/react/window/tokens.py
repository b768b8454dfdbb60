"""How many tokens a text costs a model, counted offline, and how many its window holds.

The vocabulary is the model's own where it is known; else a factor of its family is applied,
and on top of it what the usage taught that the server reports.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from walissh.react.turn import Message, Tool

SLICE_CHARS: Final = 50_000
"""What is encoded at once: the encoder refuses more than 200,000 tokens, 4 for a character."""
SHORT_CHARS: Final = 4_000
"""Shorter texts come again with every step of a turn: what they cost is remembered."""
EXACT_CHARS: Final = 400_000
SAMPLES: Final = 40
SAMPLE_CHARS: Final = 4_000
SAMPLE_MARGIN: Final = 1.1

LONGEST_TOKEN_CHARS: Final = 128
"""The longest entry of the vocabularies: a row of blanks."""

MESSAGE_TOKENS: Final = 4
CALL_TOKENS: Final = 14
TOOL_TOKENS: Final = 10
REQUEST_TOKENS: Final = 3
"""What the frame of a message, of a call with its id, of a tool and of a request costs."""

LEAST_FACTOR: Final = 0.5
MOST_FACTOR: Final = 2.0
LEARN_FROM_TOKENS: Final = 200
"""A shorter request is mostly frame, which tells nothing of the tokenizer."""

REPLY_SHARE: Final = 0.25
REPLY_TOKENS: Final = 8_192


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts for one model; additive, so a talk costs the sum of its messages."""

    vocabulary: str = "o200k_base"
    factor: float = 1.0

    def text(self, text: str) -> int:
        """Return the tokens of *text*; over 400,000 characters an estimate on the safe side."""
        return math.ceil(_counted(self.vocabulary, text) * self.factor)

    def fits(self, text: str, tokens: int) -> bool:
        """Tell whether *text* costs at most *tokens*; the plain cases are not counted."""
        if len(text) * self.factor > tokens * LONGEST_TOKEN_CHARS:
            return False
        if self.at_most(text) <= tokens:
            return True
        return self.text(text) <= tokens

    def at_most(self, text: str) -> int:
        """Return an upper bound that costs nothing: no token is shorter than a byte."""
        return math.ceil(len(text.encode("utf-8", "replace")) * max(self.factor, 1.0))

    def message(self, message: Message) -> int:
        """Return the tokens of a message with its calls and its frame."""
        calls = sum(
            CALL_TOKENS + self.text(call.name) + self.text(call.arguments)
            for call in message.tool_calls
        )
        answers = CALL_TOKENS if message.tool_call_id is not None else 0
        return MESSAGE_TOKENS + self.text(message.content) + calls + answers

    def messages(self, messages: Iterable[Message]) -> int:
        """Return the tokens of a whole request without its tools."""
        return REQUEST_TOKENS + sum(map(self.message, messages))

    def tools(self, tools: Sequence[Tool]) -> int:
        """Return the tokens of the tools that a request offers."""
        return sum(TOOL_TOKENS + self.text(_schema(each)) for each in tools)

    def times(self, correction: float) -> "Counter":
        """Return the counter with a correction as `corrected` learns it."""
        return replace(self, factor=self.factor * _bounded(correction))


def counter(model: str, *, correction: float = 1.0) -> Counter:
    """Return the counter of a model by its name."""
    known = _known(model)
    return Counter(known.vocabulary, known.factor).times(correction)


def window(model: str, *, told: int | None = None, configured: int | None = None) -> int:
    """Return the size of the window in tokens.

    *told* is what the server said of itself, *configured* what the person set; both win over
    the table, and of the two the smaller one: a server cuts or refuses what is longer.
    """
    said = [each for each in (told, configured) if each is not None and each > 0]
    return min(said) if said else _known(model).window


def room(window_tokens: int) -> int:
    """Return what of a window is there for the request: the rest is for the reply."""
    return window_tokens - min(REPLY_TOKENS, math.ceil(window_tokens * REPLY_SHARE))


def corrected(counted: int, reported: int, *, before: float = 1.0) -> float:
    """Return the correction after a request that was *counted* without it and *reported* so.

    Up at once, for too little makes a request fail; down by a third of the way. Always from
    0.5 to 2; a request of under 200 tokens, or one with no report, teaches nothing.
    """
    if counted < LEARN_FROM_TOKENS or reported < LEARN_FROM_TOKENS:
        return _bounded(before)
    ratio = reported / counted
    return _bounded(ratio if ratio > before else before + (ratio - before) / 3)


def _bounded(factor: float) -> float:
    return min(max(factor, LEAST_FACTOR), MOST_FACTOR)


def _schema(tool: Tool) -> str:
    whole = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return json.dumps(whole, ensure_ascii=False, default=dict)


def _counted(vocabulary: str, text: str) -> int:
    if len(text) <= SHORT_CHARS:
        return _known_count(vocabulary, text)
    if len(text) <= EXACT_CHARS:
        return _exact(vocabulary, text)
    step = len(text) // SAMPLES
    sample = [text[at : at + SAMPLE_CHARS] for at in range(0, step * SAMPLES, step)]
    share = len(text) / (SAMPLES * SAMPLE_CHARS)
    return math.ceil(sum(_exact(vocabulary, each) for each in sample) * share * SAMPLE_MARGIN)


@lru_cache(maxsize=8_192)
def _known_count(vocabulary: str, text: str) -> int:
    return _exact(vocabulary, text)


def _exact(vocabulary: str, text: str) -> int:
    encoding = _encoding(vocabulary)
    return sum(
        len(encoding.encode_ordinary(text[at : at + SLICE_CHARS]))
        for at in range(0, len(text), SLICE_CHARS)
    )


@cache
def _encoding(vocabulary: str) -> Any:
    import bpe_openai  # its vocabularies take a while: not for every command line

    return bpe_openai.get_encoding(vocabulary)


@dataclass(frozen=True, slots=True)
class _Model:
    names: tuple[str, ...]
    window: int
    vocabulary: str
    factor: float


@cache
def _known(model: str) -> _Model:
    name = model.lower().rpartition("/")[2]
    return next(
        each for each in _table() if any(fnmatchcase(name, pattern) for pattern in each.names)
    )


@cache
def _table() -> tuple[_Model, ...]:
    text = Path(__file__).with_name("models.yaml").read_text(encoding="utf-8")
    return tuple(
        _Model(
            names=tuple(each["names"]),
            window=each["window"],
            vocabulary=each.get("vocabulary", "o200k_base"),
            factor=each.get("factor", 1.0),
        )
        for each in yaml.safe_load(text)["models"]
    )
