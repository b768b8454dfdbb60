"""Every kind of event that the product may put on the audit trail, read from its source."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import walissh
from walissh.react.turn import CommandStatus, TurnStatus

STORE = Path(walissh.__file__).parent / "store"
CALLS = {"audit.append", "_note", "_audit"}
PASSES = ("link", "web", "api")

EXPANDED: dict[str, tuple[str, ...]] = {
    # what is only proposed goes on the trail by what becomes of it
    "command_□": tuple(each for each in CommandStatus if each is not CommandStatus.PROPOSED),
    "turn_□": (
        TurnStatus.DONE, TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED,
    ),
    "core_memory_□": ("changed", "confirmed", "rejected", "erased"),
    "□_token_issued": PASSES,
    "□_token_revoked": PASSES,
    "□_token_ended": PASSES,
}  # fmt: skip
"""What stands for the value in a kind that is put together."""


@cache
def kinds() -> frozenset[str]:
    """Return the kinds; a new one that is put together must be told of in `EXPANDED`."""
    trees = (ast.parse(path.read_text()) for path in STORE.glob("*.py"))
    return frozenset(kind for tree in trees for kind in _of(tree))


def _of(tree: ast.Module) -> Iterator[str]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in CALLS:
            continue
        named = [each.value for each in call.keywords if each.arg == "kind"]
        for value in named or call.args:
            yield from _texts(value, tree)


def _texts(value: ast.expr, tree: ast.Module) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)) if re.fullmatch("[a-z]+(_[a-z]+)+", text):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from (*_texts(one, tree), *_texts(other, tree))
        case ast.JoinedStr(values=parts):
            pattern = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "□" for part in parts
            )
            yield from (pattern.replace("□", each) for each in EXPANDED[pattern])
        case ast.Name(id="kind"):
            for each in ast.walk(tree):
                if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "kind":
                    yield from _texts(each.value, tree)
