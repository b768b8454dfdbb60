"""Making the last rounds smaller when they alone are too large for the window.

Results of tools are cut first, then what the agent wrote, then its oldest steps go (a call
with its results, never one without the other), then the older rounds; the newest question
comes last.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from walissh.react.turn import Language, Message
from walissh.react.window.tokens import Counter

Step = tuple[Message, ...]
"""One message, or a reply with its calls and all their results."""

LEAST_TOKENS: Final = 48
"""What a cut text keeps at least: the note and a few words."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The rounds as they fit; *dropped* older rounds and *steps* are not among them."""

    rounds: tuple[tuple[Message, ...], ...]
    dropped: int = 0
    steps: int = 0


def shrink(
    rounds: Sequence[Sequence[Message]], tokens: int, counter: Counter, language: Language
) -> Shrunk:
    """Return the rounds (whole ones, oldest first) within *tokens*; the newest always stays."""
    piles = [_steps(each) for each in rounds]
    steps = dropped = 0
    for roles in ({"tool"}, {"tool", "assistant"}):
        fitted = _level(piles, tokens, counter, language, roles)
        if fitted is not None:
            return Shrunk(fitted)
    while True:
        pile = next((each for each in piles if _callable_step(each) is not None), None)
        if pile is not None and (at := _callable_step(pile)) is not None:
            del pile[at]
            steps += 1
        elif len(piles) > 1:
            del piles[0]
            dropped += 1
        elif len(piles[0]) > 1:
            del piles[0][1]
            steps += 1
        else:
            question = shortened(piles[0][0][0], tokens, counter, language)
            return Shrunk(((question,),), dropped, steps)
        fitted = _level(piles, tokens, counter, language, {"tool", "assistant"})
        if fitted is not None:
            return Shrunk(fitted, dropped, steps)


def shortened(message: Message, tokens: int, counter: Counter, language: Language) -> Message:
    """Return the message within *tokens*, its text cut in the middle with a note."""
    frame = counter.message(replace(message, content=""))
    return replace(message, content=text(message.content, tokens - frame, counter, language))


def text(whole: str, tokens: int, counter: Counter, language: Language) -> str:
    """Return the head and the tail of *whole* with a note between, within *tokens*."""
    if counter.fits(whole, tokens):
        return whole
    chars = min(len(whole), max(tokens, 0) * 8)
    while chars > 0:
        piece = _head_and_tail(whole, chars, language)
        cost = counter.text(piece)
        if cost <= tokens:
            return piece
        chars = min(int(chars * 0.9), int(chars * tokens / cost)) if tokens > 0 else 0
    return "…" if counter.text("…") <= tokens else ""


def note(language: Language, chars: int) -> str:
    """Say that a part is left out and how to read it."""
    if language == "zh":
        return f"[... 为放进窗口省略了 {chars} 个字符；完整输出用 read_output 查看 ...]"
    return f"[... {chars} characters left out to fit the window; read_output shows them ...]"


def _head_and_tail(whole: str, chars: int, language: Language) -> str:
    half = chars // 2
    head, tail = whole[:half], whole[len(whole) - half :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    return f"{head}\n{note(language, len(whole) - len(head) - len(tail))}\n{tail}"


def _steps(messages: Sequence[Message]) -> list[Step]:
    steps: list[Step] = []
    for message in messages:
        if message.role == "tool" and steps:
            steps[-1] = (*steps[-1], message)
        else:
            steps.append((message,))
    return steps


def _callable_step(pile: Sequence[Step]) -> int | None:
    """Return where the oldest step with calls stands, None if there is none."""
    return next((at for at, step in enumerate(pile) if step[0].tool_calls), None)


def _level(
    piles: Sequence[Sequence[Step]],
    tokens: int,
    counter: Counter,
    language: Language,
    roles: Iterable[str],
) -> tuple[tuple[Message, ...], ...] | None:
    """Cut the texts of these roles to one level so that all fits, None if it would be too low."""
    messages = [message for pile in piles for step in pile for message in step]
    of_role = [each.role in roles and bool(each.content) for each in messages]
    sizes = [
        counter.text(each.content)
        for each, cuttable in zip(messages, of_role, strict=True)
        if cuttable
    ]
    fixed = sum(
        counter.message(replace(each, content="") if cuttable else each)
        for each, cuttable in zip(messages, of_role, strict=True)
    )
    level = _water_level(sizes, tokens - fixed)
    if level is None:
        return None
    cut = iter(
        replace(each, content=text(each.content, level, counter, language)) if cuttable else each
        for each, cuttable in zip(messages, of_role, strict=True)
    )
    return tuple(tuple(islice(cut, sum(map(len, pile)))) for pile in piles)


def _water_level(sizes: Sequence[int], room: int) -> int | None:
    """Return the most that each may have so that all together fit in *room*."""
    left = len(sizes)
    if not left:
        return 0 if room >= 0 else None
    for size in sorted(sizes):
        if size * left > room:
            break
        room -= size
        left -= 1
    if not left:
        return max(sizes)
    level = room // left
    return level if level >= LEAST_TOKENS else None
