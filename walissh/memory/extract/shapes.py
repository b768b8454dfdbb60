"""Shapes that the output of many commands has: one line, or labels with their values."""

import re
from collections.abc import Callable, Iterator, Sequence

from walissh.memory.extract.commandline import Asked

Lines = Sequence[str]
Pairs = Iterator[tuple[str, str]]
PairReader = Callable[[Asked, Lines], Pairs]


def only(lines: Lines) -> str:
    """Return the one line that is printed, "" if there are more or it is a complaint."""
    rows = [line.strip() for line in lines if line.strip()]
    if len(rows) != 1 or re.search(
        r"not found|no such|cannot|denied|未找到|: error", rows[0], re.I
    ):
        return ""
    return rows[0]


def labelled(labels: dict[str, str]) -> PairReader:
    """Return a reader of ``Label: value`` lines."""

    def reader(_: Asked, lines: Lines) -> Pairs:
        for line in lines[:400]:
            label, colon, value = line.strip().replace("：", ":").partition(":")
            subject = labels.get(label.strip()) if colon else None
            if subject and value.strip() not in {"", "n/a", "(unset)", "-"}:
                yield subject, value.strip().removeprefix("Linux ")

    return reader
