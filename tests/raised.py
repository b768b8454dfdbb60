"""Every sentence that the product may raise, read from its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import walissh

PACKAGE = Path(walissh.__file__).parent
PARTS = (
    "ssh",
    "store",
    "react",
    "brain",
    "web",
    "safety",
    "memory/core.py",
    "memory/confirmed.py",
    "host_import.py",
)

NOT_ON_A_PAGE = {
    "SettingsError": "stops the start",
    "StartError": "stops the start",
    "BadCallError": "goes back to the model",
    "BadPlanError": "goes back to the model",
    "TalkFileError": "ends a command of the terminal",
    "TalkFileBusyError": "ends a command of the terminal",
    "PlaybookError": "stops the start",
    "ParseOutputError": "goes no further than the offline brain",
    "TurnCancelledError": "ends a job; the turn says that it was stopped",
}
VALUE = "□"
HELPERS = {"_fail": 1, "_no_ssh": 1, "_failed": 0, "sentence": 0, "_DroppedError": 0}
"""Functions that put a reason into a sentence, and which argument it is."""

REASON_NAMES = {"what", "reason", "problem"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it stands in the source, with `VALUE` for each value in it."""

    text: str
    where: str


def sentences() -> list[Text]:
    """Return what errors of the family say, and what begins with the name of a host."""
    trees = dict(_trees())
    family = _family(list(trees.values()))
    return [
        Text(text, f"{path}:{node.lineno}")
        for path, tree in trees.items()
        for node in ast.walk(tree)
        for text in _said(node, family)
    ]


def reasons() -> list[Text]:
    """Return what stands inside such sentences as the reason."""
    return [
        Text(text, f"{path}:{node.lineno}")
        for path, tree in _trees()
        if path.parent.name in ("ssh", "brain")
        for node in ast.walk(tree)
        for text in _reason(node)
        if text.strip(f" {VALUE}")
    ]


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for part in PARTS:
        place = PACKAGE / part
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if path.parent.name != "api":  # programs read those, in English
                yield path, ast.parse(path.read_text())


def _family(trees: list[ast.Module]) -> set[str]:
    found = {"WalisshError"}
    trees = [*trees, ast.parse((PACKAGE / "errors.py").read_text())]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for _ in classes:
        found |= {each.name for each in classes if found & {_name(base) for base in each.bases}}
    return found - set(NOT_ON_A_PAGE)


def _said(node: ast.AST, family: set[str]) -> list[str]:
    if isinstance(node, ast.Call) and _name(node.func) in family and node.args:
        return [each for each in _texts(node.args[0]) if each.strip(f" {VALUE}")]
    if isinstance(node, ast.JoinedStr):
        begun = (each for each in _texts(node) if each.startswith(f"{VALUE}: "))
        return [each for each in begun if "." in each and not each.endswith(" ")]
    return []


def _reason(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Call) and _name(node.func) in HELPERS:
        place = HELPERS[_name(node.func)]
        return _texts(node.args[place]) if len(node.args) > place else []
    if isinstance(node, ast.Assign) and {_name(each) for each in node.targets} & REASON_NAMES:
        return _texts(node.value)
    return []


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _texts(node: ast.expr) -> list[str]:
    """Return what an expression may come to; `VALUE` where the source does not say."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(_piece(each) for each in node.values)]
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    if isinstance(node, ast.BoolOp):
        return [text for each in node.values for text in _texts(each)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [a + b for a, b in product(_texts(node.left), _texts(node.right))]
    return [VALUE]


def _piece(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else VALUE
