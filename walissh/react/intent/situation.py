"""What stands open between the two: the last thing the agent said, and the open task."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from walissh.react.intent import lexicon, spelling
from walissh.react.turn import Message

Pending = Literal["", "yes_no", "choice", "value"]
LAST_CHARS: Final = 700
"""How much of the end of the agent's message is looked at: there it asks."""

_SENTENCE = re.compile(r"(?<=[.。!！?？\n；;])\s*")


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that is not ended: what for, what is done, and the next step."""

    goal: str
    done: tuple[str, ...] = ()
    next: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the talk stands when a message comes in.

    *pending*: what the agent waits for; *last*: its last message in plain form; *before*: the
    person's message before this one, as written, with *earlier*, what had been said then.
    """

    pending: Pending
    last: str
    before: str
    earlier: tuple[Message, ...]
    task: OpenTask | None

    @property
    def follows(self) -> bool:
        """Tell whether the agent has said anything yet."""
        return bool(self.last)

    @property
    def goal(self) -> str:
        """Return goal, steps and next step of the open task in plain form, "" if none is."""
        if self.task is None:
            return ""
        return spelling.plain(" ".join((self.task.goal, *self.task.done, self.task.next)))


def see(said: Sequence[Message], task: OpenTask | None) -> Situation:
    """Return the situation after the messages *said*, oldest first."""
    talk = [each for each in said if each.role in ("user", "assistant") and each.content.strip()]
    last = talk[-1].content if talk and talk[-1].role == "assistant" else ""
    asked_at = next((at for at in reversed(range(len(talk))) if talk[at].role == "user"), None)
    form = _last(last[-LAST_CHARS:])
    return Situation(
        pending=_pending(form) or _awaited(task),
        last=form,
        before=talk[asked_at].content if asked_at is not None else "",
        earlier=tuple(talk[:asked_at]) if asked_at is not None else (),
        task=task,
    )


@lru_cache(maxsize=256)
def _last(text: str) -> str:
    return spelling.plain(text)


@lru_cache(maxsize=256)
def _pending(last: str) -> Pending:
    """Tell what the agent's message asks for: by its last sentences, as the plan if it is one."""
    sentences = [each for each in _SENTENCE.split(last) if each.strip()]
    asked = "\n".join(each for each in sentences[-3:] if _asks(each))
    if not asked:
        return "yes_no" if lexicon.found("plans", last) else ""
    if lexicon.found("offers_choice", asked):
        return "choice"
    if any(_asks_value(each) for each in asked.splitlines()):
        return "value"
    if lexicon.found("asks_yes_no", asked):
        return "yes_no"
    return "value" if lexicon.found("asks_value", asked) else "yes_no"


def _asks_value(sentence: str) -> bool:
    return lexicon.found("asks_for_value", sentence) and not lexicon.found("yes_or_no", sentence)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？")) or lexicon.found("asks_openly", sentence)


def _awaited(task: OpenTask | None) -> Pending:
    """Tell what the next step of the task waits for, when the agent's words do not tell."""
    if task and lexicon.found("awaits_answer", spelling.plain(task.next)):
        return "choice"
    return ""
