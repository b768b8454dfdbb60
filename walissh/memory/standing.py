"""Wishes that can bind become proposals for the block of standing rules."""

from collections.abc import Sequence

from walissh.memory.entry import Memory, MemoryType
from walissh.react.turn import Language

BLOCK = "rules"


def with_wishes(content: str, learned: Sequence[Memory | None]) -> str | None:
    """Return the block *content* with the new wishes that bind as rules, None without any."""
    wishes = [
        memory.content.strip()
        for memory in learned
        if memory is not None and memory.type is MemoryType.USER_PREFERENCE
    ]
    there = content.splitlines()
    new = [each for each in dict.fromkeys(wishes) if each not in there and _binds(each)]
    return "\n".join([*there, *new]) if new else None


def reason(language: Language) -> str:
    """Say why it is proposed."""
    if language == "zh":
        return "您在会话里这样说过；作为常设规则，它可以逐条检查。"
    return "You said so in a talk; as a standing rule it can be checked."


def _binds(wish: str) -> bool:
    from walissh.memory import rules  # its vocabulary takes a while: not for every command line

    parsed = rules.parse(wish)
    return bool(parsed.rules) and not parsed.unbound
