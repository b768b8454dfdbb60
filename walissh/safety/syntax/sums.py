"""Calculations: which of them surely compute numbers and nothing else.

A name inside ``$((...))`` is read as an expression again, and an index in it is expanded: a
variable that holds ``a[$(reboot)]`` runs it. So every name must hold numbers.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from walissh.safety.shell import Part, Word
from walissh.safety.syntax import word as words

Node = dict[str, Any]

_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+|\d{1,2}#[0-9a-zA-Z]+)?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_BASE = re.compile(r"\d{1,2}#")
_SIGNS = re.compile(r"[\d\s+*/%()<>=!&|^~?:-]*")
_OF_SHELL = frozenset(
    "RANDOM SECONDS EPOCHSECONDS SRANDOM LINENO UID EUID PPID BASHPID ? # $ !".split()  # noqa: SIM905
)

Holds = Callable[[str], tuple[str, ...]]
"""All texts that a name may hold; none if that is not known."""


def only_numbers(node: object, holds: Holds) -> bool:
    """Tell whether the calculation *node* has numbers and names of numbers only."""
    if isinstance(node, list):
        return all(only_numbers(item, holds) for item in node)
    if not isinstance(node, dict) or is_place(node):
        return True
    if node.get("Type") == "Word":
        return _number(words.word(node), node, holds)
    return all(only_numbers(child, holds) for child in node.values())


def _number(word: Word, node: Node, holds: Holds) -> bool:
    text = word.literal
    if text is not None:
        quoted = any(part.quoted for part in word.parts)
        if _NAME.fullmatch(text) and not quoted:
            return is_numeric(text, holds)
        return bool(_NUMBER.fullmatch(text) or (quoted and _SIGNS.fullmatch(text)))
    # ${a[i]}: the index is looked at by itself
    return all(_numeric_part(part, holds) for part in word.parts)


def _numeric_part(part: Part, holds: Holds) -> bool:
    if part.kind == "text":
        return bool(_NUMBER.fullmatch(part.text) or _BASE.fullmatch(part.text))
    if part.kind in {"var", "cut"}:
        return is_numeric(part.text, holds)
    if part.kind == "either":
        return all(_numeric_part(each, holds) for word in part.words for each in word.parts)
    return part.kind == "number"


def is_numeric(name: str, holds: Holds) -> bool:
    """Tell whether *name* holds nothing but numbers (or nothing)."""
    held = holds(name)
    return name in _OF_SHELL or (bool(held) and all(_NUMBER.fullmatch(text) for text in held))


def assigned(node: object) -> Iterator[str]:
    """Give the names that a calculation sets, all to numbers."""
    if isinstance(node, list):
        for item in node:
            yield from assigned(item)
    elif isinstance(node, dict) and not is_place(node):
        name = _target(node)
        if name:
            yield name
        for child in node.values():
            yield from assigned(child)


def _target(node: Node) -> str:
    op, kind = str(node.get("Op")), node.get("Type")
    sets = (kind == "BinaryArithm" and op.endswith("=") and op not in _COMPARES) or (
        kind == "UnaryArithm" and op in {"++", "--"}
    )
    target = node.get("X")
    if not sets or not isinstance(target, dict) or target.get("Type") != "Word":
        return ""
    text = words.word(target).literal or ""
    return text if _NAME.fullmatch(text) else ""


_COMPARES = frozenset({"==", "!=", "<=", ">="})


def used(node: object) -> Iterator[str]:
    """Give the names that a calculation reads without a dollar sign."""
    if isinstance(node, list):
        for item in node:
            yield from used(item)
    elif isinstance(node, dict) and not is_place(node):
        if node.get("Type") == "Word":
            text = words.word(node).literal or ""
            if _NAME.fullmatch(text):
                yield text
        elif node.get("Type") not in {"CmdSubst", "ParamExp"}:
            only_set = node.get("Op") == "=" and _target(node)
            for key, child in node.items():
                yield from () if only_set and key == "X" else used(child)


def is_place(node: object) -> bool:
    """Tell whether *node* only says where in the text something is; most nodes do."""
    return isinstance(node, dict) and "Line" in node and "Offset" in node
