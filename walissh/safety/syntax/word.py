"""Words of the syntax tree, as what they are when their quotes are gone."""

import re
from typing import Any

from walissh.safety.shell import Part, Word
from walissh.safety.syntax import braces, samples, shapes
from walissh.safety.table import UNKNOWN

Node = dict[str, Any]

_GLOB = re.compile(r"(?<!\\)(?:[*?]|\[.+\])")
_MARKS = re.compile(r"[\x00-\x08]")


def words(node: Node) -> list[Word]:
    """Return the words that an argument becomes, more than one where it has braces."""
    return [word(each) for each in braces.expanded(node)]


def target(node: Node) -> Word:
    """Return where a redirection goes; braces may stand in it if one word comes of them."""
    found = words(node)
    return found[0] if len(found) == 1 else Word((Part("unknown", "", quoted=False),))


def word(node: Node) -> Word:
    """Return the word of a node in which braces mean nothing (an assigned value, a target)."""
    nodes = node.get("Parts") or []
    raw = "".join(str(n.get("Value", "\0")) if n.get("Type") == "Lit" else "\0" for n in nodes)
    parts = [part for each in nodes for part in _parts(each, quoted=False)]
    return Word(tuple(parts), glob=_GLOB.search(raw) is not None)


def here(node: Node) -> Word:
    """Return the text of a here-document; in a quoted one nothing means more than itself."""
    pieces = (node.get("Hdoc") or {}).get("Parts") or []
    ends = (node.get("Word") or {}).get("Parts") or []
    raw = any(each.get("Type") != "Lit" or "\\" in str(each.get("Value")) for each in ends)
    if raw and all(each.get("Type") == "Lit" for each in pieces):
        return Word(tuple(Part("text", str(each.get("Value", "")), quoted=True) for each in pieces))
    return Word(tuple(part for each in pieces for part in _parts(each, quoted=True)))


def _parts(node: Node, *, quoted: bool) -> list[Part]:
    kind = node.get("Type")
    if kind == "Lit":
        return [Part("text", _unescape(str(node.get("Value", "")), quoted=quoted), quoted)]
    if kind == "SglQuoted":
        return [_single(node)]
    if kind == "DblQuoted" and not node.get("Dollar"):
        inner = [part for each in node.get("Parts") or [] for part in _parts(each, quoted=True)]
        return inner or [Part("text", "", quoted=True)]
    if kind == "ParamExp":
        return [_parameter(node, quoted=quoted)]
    if kind == "ProcSubst":
        return [Part("text", "/dev/fd/63", quoted=True)]
    if kind == "ArithmExp" or (kind == "CmdSubst" and shapes.is_number(node)):
        return [Part("number", "-" if kind == "ArithmExp" else "", quoted)]
    sample = samples.of(node) if kind == "CmdSubst" else None
    if sample is not None and (quoted or _stays_whole(sample)):
        return [Part("text", sample, quoted)]
    return [Part("unknown", "", quoted)]


_NAMED_BY_SYSTEM = re.compile(r"/(proc|sys|dev|run|etc|var/(log|run|spool|cache))/[^ ]*")


def _stays_whole(sample: str) -> bool:
    """Tell whether no blank can be in what *sample* stands for."""
    if UNKNOWN in sample:
        return _NAMED_BY_SYSTEM.fullmatch(sample) is not None
    return " " not in sample


def _single(node: Node) -> Part:
    value = str(node.get("Value", ""))
    text = _decoded(value) if node.get("Dollar") else value
    if text is None or _MARKS.search(text):
        return Part("unknown", "", quoted=True)
    return Part("text", text, quoted=True)


def _unescape(text: str, *, quoted: bool) -> str:
    if quoted:
        return re.sub(r'\\([$`"\\])', r"\1", text.replace("\\\n", ""))
    return re.sub(r"\\(.)", r"\1", text.replace("\\\n", ""), flags=re.S)


# --- parameters -----------------------------------------------------------------------

_ALL = frozenset({"@", "*"})


def name_of(node: Node) -> str:
    """Return the name of the parameter that an expansion is of."""
    return str((node.get("Param") or {}).get("Value", ""))


def index_of(node: Node) -> str:
    """Return ``@`` or ``*`` when all elements of an array are meant, else ""."""
    text = word(node["Index"]).literal if (node.get("Index") or {}).get("Type") == "Word" else None
    return text if text in _ALL else ""


def _parameter(node: Node, *, quoted: bool) -> Part:
    name, every = name_of(node), index_of(node)
    if node.get("Length"):
        return Part("number", "", quoted)
    if node.get("Excl") or node.get("Repl") or any(node.get(key) for key in FOREIGN):
        return Part("unknown", "", quoted)
    if node.get("Slice"):
        return Part("unknown" if name in _ALL or every else "cut", name, quoted)
    if node.get("Exp"):
        return _expansion(node["Exp"], name, quoted=quoted)
    if every == "@" or name == "@":
        return Part("many", name, quoted)
    if every or name == "*":
        return Part("unknown", "", quoted)
    return Part("var", name, quoted)


FOREIGN = ("Width", "Flags", "NestedParam", "Modifiers", "IsSet")
"""Keys of what only other shells than bash read, or read otherwise."""


def _expansion(node: Node, name: str, *, quoted: bool) -> Part:
    op, given = str(node.get("Op")), word(node.get("Word") or {})
    if op in {":-", "-", ":=", "="}:
        return Part("either", "", quoted, (Word((Part("var", name, quoted),)), given))
    if op in {":+", "+"}:
        return Part("either", "", quoted, (Word(()), given))
    if op in {":?", "?"}:
        return Part("var", name, quoted)
    if op in {"%", "%%", "#", "##"}:
        return Part("cut", name, quoted)
    return Part("unknown", "", quoted)


_MEANT = re.compile(r"[$`\\]")


def misleads(node: object, *, within: bool = False) -> bool:
    """Tell whether single quotes in ``"${x:-'$(cmd)'}"`` hide what runs all the same.

    Between double quotes and in here-documents they are signs like any other. *within*: the
    node is part of an expansion there.
    """
    if isinstance(node, list):
        return any(misleads(item, within=within) for item in node)
    if not isinstance(node, dict) or node.get("Type") in {"CmdSubst", "ProcSubst"}:
        return False
    if within and node.get("Type") == "SglQuoted":
        return _MEANT.search(str(node.get("Value", ""))) is not None
    within = within or node.get("Type") == "ParamExp"
    return any(misleads(child, within=within) for child in node.values())


# --- $'...' ---------------------------------------------------------------------------

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.S
)
_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
            "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}  # fmt: skip


def _decoded(value: str) -> str | None:
    """Return what bash makes of the inside of ``$'...'``, None if that is not sure."""
    unsure = False

    def letter(found: "re.Match[str]") -> str:
        nonlocal unsure
        x, u, wide, octal, single = found.groups()
        if single is not None:
            unsure = unsure or single not in _LETTERS
            return _LETTERS.get(single, "")
        code = int(octal, 8) if octal else int(x or u or wide, 16)
        unsure = unsure or not 0 < code < 128
        return chr(code) if code < 128 else ""

    text = _ESCAPE.sub(letter, value)
    return None if unsure else text
