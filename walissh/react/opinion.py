"""A model's opinion of what a message is meant to do: one word out of ten, or none.

The message, the talk and the task are data between borders. Whatever the reply says, it is
one of the intents or it is not used.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from walissh.memory import quote
from walissh.react import wording
from walissh.react.followed import Intended, Intent
from walissh.react.intent import OpenTask
from walissh.react.misled import Misled
from walissh.react.turn import DynamicContext, Language, Message, Request

REPLY_TOKENS: Final = 256
"""One word takes ten; the rest is for models that think before they say it."""
MOST_EXAMPLES: Final = 6
LAST_SAID: Final = 2
CANDIDATES: Final = 3
TEXT_CHARS: Final = 1_500
SAID_CHARS: Final = 600
LINE_CHARS: Final = 200
MAX_REPLY_CHARS: Final = 4_000

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[a-z]*\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)
_EDGE: Final = " \t\r\n\"'`*.。“”"


class Render(Protocol):
    """``react.prompt.render``."""

    def __call__(self, name: str, language: Language, **values: object) -> str:
        """Render the template of a prompt."""


@dataclass(frozen=True, slots=True)
class Example:
    """A message of this person that was misread: *wrong*, and *right* if they said it."""

    text: str
    wrong: str
    right: str


def request(
    context: DynamicContext,
    task: OpenTask | None,
    candidates: Sequence[Intended],
    misled: Sequence[Misled],
    render: Render,
) -> Request:
    """Return what the model is asked; no tools, and little more than the last two messages."""
    language, text = context.turn.language, context.turn.question
    system = render("intent", language, intents=list(Intent), examples=examples(misled, text))
    parts = [*_situation(context, task), _fenced("message", text, TEXT_CHARS)]
    parts.append(_fenced("guesses", " ".join(_names(candidates)), LINE_CHARS))
    asked = Message("user", "\n\n".join(parts))
    return Request((Message("system", system), asked), (), (), language, REPLY_TOKENS)


def read(reply: str) -> Intent | None:
    """Return the intent that *reply* names and nothing else; None for any other reply.

    The bare word or ``{"intent": "..."}``, in any case, fenced or not.
    """
    if len(reply) > MAX_REPLY_CHARS:
        return None
    text = _THOUGHT.sub("", reply).strip()
    fenced = _FENCE.match(text)
    word = _word(fenced[1] if fenced else text)
    plain = re.sub(r"[\s-]+", "_", word.strip(_EDGE)).upper()
    return Intent(plain) if plain in Intent.__members__ else None


def examples(misled: Sequence[Misled], text: str) -> list[Example]:
    """Return the messages most like *text* that were misread, each once, at most six."""
    by_text: dict[str, Misled] = {}
    for each in misled:
        known = by_text.get(each.text)
        if known is None or (known.meant is None and each.meant is not None):
            by_text[each.text] = each
    likeness = {each: wording.shared(each, text) for each in by_text}
    # one that tells what is right teaches more than one that does not
    ranked = sorted(by_text.values(), key=lambda each: (-likeness[each.text], each.meant is None))
    return [_example(each) for each in ranked[:MOST_EXAMPLES]]


def _example(misled: Misled) -> Example:
    text = quote.line(misled.text, LINE_CHARS)
    return Example(text, misled.taken.value, misled.meant.value if misled.meant else "")


def _word(text: str) -> str:
    """Return the word that the reply gives: a bare one, or that of an object."""
    if not text.startswith("{"):
        return text
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    word = told.get("intent") if isinstance(told, dict) else None
    return word if isinstance(word, str) else ""


def _situation(context: DynamicContext, task: OpenTask | None) -> Iterator[str]:
    said = [
        each
        for each in context.history
        if each.turn_id != context.turn.id and each.role in ("user", "assistant") and each.content
    ]
    for each in said[-LAST_SAID:]:
        yield _fenced(each.role, each.content, SAID_CHARS)
    if context.tracked.pending is not None:
        yield _fenced("asked", context.tracked.pending.text, SAID_CHARS)
    if task is not None:
        done = "\n".join(f"done: {each}" for each in task.done[-3:])
        yield _fenced("task", f"{task.goal}\n{done}\nnext: {task.next}", SAID_CHARS)


def _fenced(kind: str, text: str, max_chars: int) -> str:
    return quote.fenced(kind, quote.block(_ends(text, max_chars), max_chars))


def _ends(text: str, max_chars: int) -> str:
    """Return both ends of a long text: an answer asks at its end, a log is pasted between."""
    if len(text) <= max_chars:
        return text
    head = max_chars // 2 - 2
    return f"{text[:head]}\n…\n{text[-head:]}"


def _names(candidates: Sequence[Intended]) -> list[str]:
    return [each.intent.value for each in candidates[:CANDIDATES]]


def unheard(_text: str) -> None:
    """Take the text as it comes: only the whole reply counts."""
