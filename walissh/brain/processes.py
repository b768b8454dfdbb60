"""Rows of a process list without the processes of the look itself.

What an agent runs over SSH stands in the list that it reads: a shell, ``grep nginx`` and the
like. Taken for services they would prove what is not there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from walissh.brain.parse import Row

_SESSION = re.compile(r"^sshd(?:-session)?: \S+@notty")
"""A session over SSH without a terminal, as OpenSSH names its process."""


def of_others(rows: Sequence[Row]) -> list[Row]:
    """Return *rows* (``pid``, ``ppid``, ``args``) without such sessions and what they started."""
    ours = _below(rows, {row["pid"] for row in rows if _SESSION.match(str(row.get("args", "")))})
    return [row for row in rows if row["pid"] not in ours]


def _below(rows: Iterable[Row], roots: set[object]) -> set[object]:
    """Return *roots* and all processes that descend from them."""
    children: dict[object, list[object]] = {}
    for row in rows:
        children.setdefault(row.get("ppid"), []).append(row["pid"])
    return _collected(children, roots)


def _collected(children: Mapping[object, Sequence[object]], roots: set[object]) -> set[object]:
    found, left = set(roots), list(roots)
    while left:
        for pid in children.get(left.pop(), ()):
            if pid not in found:
                found.add(pid)
                left.append(pid)
    return found
