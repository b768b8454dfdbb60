"""What a model proposes to do with memories it was shown, and which of it may be done.

Nothing in a reply is trusted: a memory is named by the handle under which it was shown, no
memory has two things done to it, and a text passes `rewording.fault`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from walissh.errors import InvalidError
from walissh.memory import naming, rewording
from walissh.memory.entry import FACTS, Memory, MemoryType

Do = Literal["keep", "reword", "merge", "drop"]
Kind = Literal["reworded", "merged", "doubted"]

DOUBTFUL: Final = 0.3
"""The confidence of what is left in doubt; it is never deleted."""
MOST: Final = 40
_KEYS: Final = frozenset({"id", "do", "content", "into"})
_BLOCK = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.S)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the model was shown: memories by handle, and the person's words *said*.

    *learned* may be changed, *standing* only merged into. *concluded* is the assistant's
    answer, "" when it was not shown.
    """

    learned: Mapping[str, Memory]
    standing: Mapping[str, Memory]
    said: str
    concluded: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that the model proposes, unchecked."""

    id: str
    do: Do
    content: str = ""
    into: str = ""


@dataclass(frozen=True, slots=True)
class Refined:
    """A checked change: an entry like *base*, with this text and confidence, overtakes *gone*.

    *gone* holds *base* itself, so that each of them can be restored.
    """

    kind: Kind
    base: Memory
    gone: tuple[Memory, ...]
    content: str
    confidence: float


def read(text: str) -> list[Wanted]:
    """Return what a reply proposes; InvalidError unless it is nothing but the list asked for."""
    whole = text.strip()
    block = _BLOCK.match(whole)
    try:
        listed = json.loads(block[1] if block else whole)
    except (ValueError, RecursionError) as error:
        raise InvalidError("The reply is not the JSON list that was asked for.") from error
    if not isinstance(listed, list) or len(listed) > MOST:
        raise InvalidError("The reply is not the JSON list that was asked for.")
    return [_wanted(each) for each in listed]


def checked(wanted: Sequence[Wanted], shown: Shown) -> tuple[list[Refined], list[str]]:
    """Return what may be done, and why the rest may not."""
    done: list[Refined] = []
    refused: list[str] = []
    named: set[str] = set()
    for each in wanted:
        names = {each.id, each.into} - {""}
        outcome = "it is named twice" if names & named else _checked(each, shown)
        named |= names
        if isinstance(outcome, str):
            refused.append(outcome)
        elif outcome is not None:
            done.append(outcome)
    return done, refused


def _wanted(given: object) -> Wanted:
    fields = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    texts = {name: "" if value is None else value for name, value in fields.items()}
    known = texts.keys() <= _KEYS and all(isinstance(each, str) for each in texts.values())
    if not known or not texts.get("id") or texts.get("do") not in get_args(Do):
        raise InvalidError("A part of the reply is not of the form that was asked for.")
    return Wanted(**cast("dict[str, str]", texts))  # type: ignore[arg-type]  # checked above


def _checked(wanted: Wanted, shown: Shown) -> Refined | str | None:
    memory = shown.learned.get(wanted.id)
    if memory is None:
        return None if wanted.do == "keep" and wanted.id in shown.standing else "no such memory"
    match wanted.do:
        case "reword":
            return _reworded(memory, wanted.content.strip(), shown.said)
        case "merge":
            return _merged(memory, wanted, shown)
        case "drop":
            return _doubted(memory, shown)
    return None


def _reworded(memory: Memory, content: str, said: str) -> Refined | str | None:
    if content == memory.content:
        return None
    why = rewording.fault([memory], content, said)
    return why or Refined("reworded", memory, (memory,), content, memory.confidence)


def _merged(memory: Memory, wanted: Wanted, shown: Shown) -> Refined | str:
    into = shown.standing.get(wanted.into) or shown.learned.get(wanted.into)
    if into is None or into is memory:
        return "there is no such memory to merge it into"
    if not _are_one(memory, into):
        return "the two are not of one type, scope and subject"
    content = wanted.content.strip() or into.content
    why = rewording.fault([into, memory], content, shown.said)
    if why:
        return why
    confidence = min(memory.confidence, into.confidence)  # no text grows surer by another
    return Refined("merged", into, (into, memory), content, confidence)


def _are_one(one: Memory, other: Memory) -> bool:
    if (one.type, one.scope, one.host_id) != (other.type, other.scope, other.host_id):
        return False
    if naming.key(one.subject) != naming.key(other.subject) or one.op is not other.op:
        return False
    if one.shared_with != other.shared_with or one.expires_at != other.expires_at:
        return False
    if one.type is MemoryType.TROUBLESHOOTING_CASE:
        return one.payload.get("worked") == other.payload.get("worked")
    return rewording.folded(one.value) == rewording.folded(other.value)


def _doubted(memory: Memory, shown: Shown) -> Refined | str | None:
    # what a host printed may speak in the answer: it must not talk a wish of the person down
    if shown.concluded and memory.type is MemoryType.USER_PREFERENCE:
        return "what the person said is not doubted on the strength of an answer"
    if memory.type in FACTS and memory.source.command_id is not None:
        return "what was measured is not doubted on the strength of a text"
    if memory.confidence <= DOUBTFUL:
        return None
    return Refined("doubted", memory, (memory,), memory.content, DOUBTFUL)
