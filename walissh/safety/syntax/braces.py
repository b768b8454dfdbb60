"""Brace expansion: ``a{b,c}`` and ``{1..9}``, as bash does it before anything else."""

import re
from typing import Any

Node = dict[str, Any]

MAX_WORDS = 64
MAX_RANGE = 1_000_000
_OPEN = re.compile(r"(?<![\\$])\{")
_RANGE = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.-?\d{1,9})?")


def expanded(node: Node) -> list[Node]:
    """Return the words that *node* becomes; one unknown word where that is not sure."""
    pieces = node.get("Parts") or []
    if not any(piece.get("Type") == "Lit" and "{" in str(piece.get("Value")) for piece in pieces):
        return [node]
    found = _expand(pieces)
    return [_UNKNOWN] if found is None else [{"Parts": each} for each in found]


_UNKNOWN: Node = {"Parts": [{"Type": "Unknown"}]}


def _expand(pieces: list[Node]) -> list[list[Node]] | None:
    """Expand the first group and, by itself, all others; None if it cannot be told."""
    for at, piece in enumerate(pieces):
        text = str(piece.get("Value", "")) if piece.get("Type") == "Lit" else ""
        for opening in _OPEN.finditer(text):
            group = _group(text, opening.end())
            if group is None:
                if _may_open(text[opening.end() :], pieces[at + 1 :]):
                    return None
                continue
            inside, end = group
            choices = _choices(inside)
            if choices is not None:
                before = [*pieces[:at], _literal(text[: opening.start()])]
                after = [_literal(text[end:]), *pieces[at + 1 :]]
                return _joined(before, choices, after)
    return [pieces]


def _literal(text: str) -> Node:
    return {"Type": "Lit", "Value": text}


def _joined(before: list[Node], choices: list[str], after: list[Node]) -> list[list[Node]] | None:
    found: list[list[Node]] = []
    for choice in choices:
        more = _expand([*before, _literal(choice), *after])
        if more is None or len(found) + len(more) > MAX_WORDS:
            return None
        found += more
    return [_merged(each) for each in found]


def _merged(pieces: list[Node]) -> list[Node]:
    """Join neighbouring literals: ``-{del,}ete`` is one word for every later look."""
    merged: list[Node] = []
    for piece in pieces:
        if merged and piece.get("Type") == "Lit" == merged[-1].get("Type"):
            merged[-1] = _literal(str(merged[-1]["Value"]) + str(piece["Value"]))
        else:
            merged.append(piece)
    return [piece for piece in merged if piece.get("Type") != "Lit" or piece["Value"]]


def _group(text: str, start: int) -> tuple[str, int] | None:
    """Return what stands between the brace before *start* and its partner, and the end."""
    deep, at = 1, start
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            deep += 1
        elif text[at] == "}":
            deep -= 1
            if not deep:
                return text[start:at], at + 1
        at += 1
    return None


def _may_open(rest: str, others: list[Node]) -> bool:
    """Tell whether the group may close in a later piece: ``{a,"b"}``."""
    later = "".join(str(n.get("Value", "")) for n in others if n.get("Type") == "Lit")
    return "}" in later and ("," in rest + later or ".." in rest + later)


def _choices(inside: str) -> list[str] | None:
    """Return what the group stands for, None if it is no group but text."""
    ranged = _RANGE.fullmatch(inside)
    if ranged:
        return _ranged(ranged[1], ranged[2])
    parts, deep, start, at = [], 0, 0, 0
    while at < len(inside):
        if inside[at] == "\\":
            at += 1
        elif inside[at] in "{}":
            deep += 1 if inside[at] == "{" else -1
        elif inside[at] == "," and not deep:
            parts.append(inside[start:at])
            start = at + 1
        at += 1
    return [*parts, inside[start:]] if parts else None


def _ranged(first: str, last: str) -> list[str] | None:
    """Return the whole range of letters; of numbers only the ends, they are judged alike."""
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        if abs(int(first) - int(last)) > MAX_RANGE:
            return None  # the shell would fill its memory with them
        return list(dict.fromkeys([first, last]))
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        low, high = sorted(map(ord, (first, last)))
        # between the cases lie signs that a shell may read in its own way
        return list(map(chr, range(low, high + 1))) if high - low < 26 else None
    return None
