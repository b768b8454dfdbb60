"""Slips of the pen in host names: which known name was meant, which names are one slip away."""

import re
from collections.abc import Iterator

_MOST_GUESSES = 16
_SHORTEST_REPLACED = 4  # "pim" and "pam" are two names, "mails" and "mailz" are one
_NAME = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)*")


def meant(name: str, listed: str) -> str | None:
    """Return the name in the text *listed* of which *name* is one slip, None if there is none.

    One slip: two neighbours swapped, one letter more, fewer or other, in one label. Another
    digit is another machine (``web1``, ``web2``), never a slip.
    """
    known = dict.fromkeys(_NAME.findall(listed))
    return next((each for each in known if _is_slip(name.casefold(), each.casefold())), None)


def guesses(name: str) -> list[str]:
    """Return names that a slip may have turned into *name*: neighbours swapped, one letter
    too many in its first label; at most 16."""
    first, dot, rest = name.partition(".")
    found = dict.fromkeys(each for each in _edited(first) if each and each != first)
    return [f"{each}{dot}{rest}" for each in found][:_MOST_GUESSES]


def _edited(label: str) -> Iterator[str]:
    for at in range(len(label) - 1):
        if not (label[at] + label[at + 1]).isdigit():
            yield label[:at] + label[at + 1] + label[at] + label[at + 2 :]
    for at in range(len(label)):
        if label[at].isalpha() or label[at] == "-":
            yield label[:at] + label[at + 1 :]


def _is_slip(name: str, known: str) -> bool:
    ours, theirs = name.split("."), known.split(".")
    if len(ours) != len(theirs):
        return False
    other = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return len(other) == 1 and _one_apart(*other[0])


def _one_apart(one: str, other: str) -> bool:
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    if len(one) == len(other):
        return _replaced(one, other)
    short, long = sorted((one, other), key=len)
    return len(short) > 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _replaced(one: str, other: str) -> bool:
    differ = [at for at in range(len(one)) if one[at] != other[at]]
    if len(differ) == 1:
        return len(one) >= _SHORTEST_REPLACED
    swapped = len(differ) == 2 and differ[1] == differ[0] + 1
    return swapped and one[differ[0]] == other[differ[1]] and one[differ[1]] == other[differ[0]]
