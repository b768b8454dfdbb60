"""Which rounds a question refers to: hosts, command ids, paths and words that few rounds share."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from walissh.react.turn import Message
from walissh.react.window import names
from walissh.react.window.fitting import Sized

REACH: Final = 200
"""So many of the newest rounds are looked at; an older one does not come back by itself."""
FEW: Final = 0.25
"""A word that more than this share of the rounds has tells none of them apart."""
LOOKED_AT_CHARS: Final = 800

_HEADER = re.compile(r"^\[command (?P<id>\S+) on \S+: ", re.M)


def by_use(sized: Sized) -> list[int]:
    """Return the places of the newest 200 rounds, the one at hand first, then by last use.

    A round was used when it took place, and whenever a later question referred to it.
    """
    first = max(len(sized) - REACH, 0)
    used = list(range(first, len(sized)))
    holders: dict[str, list[int]] = defaultdict(list)
    many = max(3, int(FEW * len(used)))
    for at in range(first, len(sized)):
        for older in _referred(holders, names.rare(_question(sized.raw(at))), many):
            used[older - first] = at
        for word in _words(sized.raw(at)):
            holders[word].append(at)
    return sorted(
        range(first, len(sized)),
        key=lambda at: (at == len(sized) - 1, used[at - first], at),
        reverse=True,
    )


def _referred(holders: dict[str, list[int]], asked: frozenset[str], many: int) -> list[int]:
    """Return the rounds that share a name, or two other words, with a question."""
    shared: dict[int, int] = defaultdict(int)
    strong = names.identifiers(asked) | {each for each in asked if "/" in each}
    for word in asked:
        having = holders.get(word, ())
        if len(having) <= many:
            for at in having:
                shared[at] += 2 if word in strong else 1
    return [at for at, points in shared.items() if points >= 2]


def _question(messages: Sequence[Message]) -> str:
    return messages[0].content[:LOOKED_AT_CHARS]


def _words(messages: Sequence[Message]) -> frozenset[str]:
    """Return the words of what was said and called, and the ids of the commands."""
    found: set[str] = set()
    for each in messages:
        if each.role == "tool":
            found.update(_HEADER.findall(each.content[:LOOKED_AT_CHARS]))
        else:
            found |= names.rare(each.content[:LOOKED_AT_CHARS])
            for call in each.tool_calls:
                found |= names.rare(call.arguments[:LOOKED_AT_CHARS])
    return frozenset(found)
