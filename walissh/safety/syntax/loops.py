"""Which loops surely come to an end."""

from collections.abc import Iterator
from typing import Any

from walissh.safety.syntax import sums
from walissh.safety.syntax import word as reading

Node = dict[str, Any]

_ADVANCE = frozenset({"SECONDS", "EPOCHSECONDS"})
_COMPARES = frozenset({"-lt", "-le", "-gt", "-ge", "-eq", "-ne", "<", ">", "<=", ">=", "!=", "=="})
_READS = frozenset({"read", "mapfile", "shift", "getopts"})


def ends(node: Node) -> bool:
    """Tell whether the loop *node* ends: over a list, by lines read, or by counting."""
    if node.get("Type") == "ForClause":
        return not node.get("Select") and _steps_end(node.get("Loop") or {})
    condition = node.get("Cond")
    if any(program in _READS for program in _programs(condition)):
        return True
    compared = set(_compared(condition))
    counted = set(sums.assigned([node.get("Do"), condition])) | set(_assigned_sums(node))
    return bool(compared & (counted | _ADVANCE))


def _steps_end(loop: Node) -> bool:
    if loop.get("Type") == "WordIter":
        return True
    counted = set(sums.assigned(loop.get("Post")))
    return bool(counted & set(sums.used(loop.get("Cond"))))


def _programs(node: object) -> Iterator[str]:
    """Give the programs of the commands that decide, not those inside of substitutions."""
    if isinstance(node, list):
        for item in node:
            yield from _programs(item)
    elif isinstance(node, dict) and not sums.is_place(node):
        if node.get("Type") == "CallExpr":
            args = node.get("Args") or []
            yield (reading.word(args[0]).literal or "") if args else ""
        elif node.get("Type") not in {"CmdSubst", "ProcSubst"}:
            for child in node.values():
                yield from _programs(child)


def _compared(node: object) -> Iterator[str]:
    """Give the names that a condition compares with a number."""
    if isinstance(node, list):
        for item in node:
            yield from _compared(item)
    elif isinstance(node, dict) and not sums.is_place(node):
        if node.get("Type") in {"BinaryArithm", "BinaryTest", "UnaryArithm"}:
            yield from _named(node)
        elif node.get("Type") == "CallExpr":
            args = node.get("Args") or []
            if {reading.word(each).literal for each in args} & _COMPARES:
                yield from _named(args)
        for child in node.values():
            yield from _compared(child)


def _named(node: object) -> Iterator[str]:
    yield from sums.used(node)
    if isinstance(node, list):
        for item in node:
            yield from _named(item)
    elif isinstance(node, dict) and not sums.is_place(node):
        if node.get("Type") == "ParamExp":
            yield reading.name_of(node)
        for child in node.values():
            yield from _named(child)


def _assigned_sums(node: object) -> Iterator[str]:
    """Give the names that are set to a calculation with themselves: ``n=$((n+1))``."""
    if isinstance(node, list):
        for item in node:
            yield from _assigned_sums(item)
    elif isinstance(node, dict) and not sums.is_place(node):
        for each in node.get("Assigns") or []:
            name = str((each.get("Name") or {}).get("Value", ""))
            if name in set(_named((each.get("Value") or {}).get("Parts"))):
                yield name
        for child in node.values():
            yield from _assigned_sums(child)
