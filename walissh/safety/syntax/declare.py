"""``declare``, ``local``, ``export`` and ``readonly``: what they set and show."""

import re
from dataclasses import dataclass
from typing import Any

from walissh.safety.shell import Assign, Part, Word
from walissh.safety.syntax import word as reading

Node = dict[str, Any]

_OPTIONS = re.compile(r"-[aAgrxlut]+|\+[aAgrxlut]+|-[pfF]")
# what programs that are started later would be handed
_EXPORTABLE = re.compile(r"LC_\w+|LANG|TZ|COLUMNS|LINES|NO_COLOR|TERM|(?!\w*_proxy$)[a-z]\w*")


@dataclass(frozen=True, slots=True)
class Declared:
    """*words*: the command itself where it shows variables; *keyed*: names of maps."""

    assigns: tuple[Assign, ...] = ()
    words: tuple[Word, ...] = ()
    keyed: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()


def read(node: Node) -> Declared:
    """Return what the declaration *node* does."""
    variant = str((node.get("Variant") or {}).get("Value", ""))
    options, names, values, odd = [], [], [], False
    for each in node.get("Args") or []:
        name = str((each.get("Name") or {}).get("Value", ""))
        if not name:
            text = reading.word(each.get("Value") or {}).literal or ""
            options.append(text)
            odd = odd or _OPTIONS.fullmatch(text) is None
        elif each.get("Index") or each.get("Append"):
            odd = True
        else:
            names.append(name)
            values.append(each)
    if odd or variant in {"nameref", "typeset"}:
        return Declared(odd=(f"{variant} …",))
    if not names or set("pfF") & set("".join(options)):
        return Declared(words=tuple(_text(text) for text in (variant, *options, *names)))
    exports = variant == "export" or "x" in "".join(options)
    if exports and not all(_EXPORTABLE.fullmatch(name) for name in names):
        return Declared(odd=(f"export {names[0]}",))
    return _set(names, values, keyed="A" in "".join(options))


def _set(names: list[str], nodes: list[Node], *, keyed: bool) -> Declared:
    assigns = []
    for name, node in zip(names, nodes, strict=True):
        elements = (node.get("Array") or {}).get("Elems") or []
        if any(each.get("Index") for each in elements) and not keyed:
            return Declared(odd=("index",))
        known = not elements and (not node.get("Naked") or keyed)
        value = reading.word(node["Value"]) if node.get("Value") else Word(())
        assigns.append(Assign(name, value if known else _unknown(), plain=True))
    return Declared(tuple(assigns), keyed=tuple(names) if keyed else ())


def _text(text: str) -> Word:
    return Word((Part("text", text, quoted=True),))


def _unknown() -> Word:
    return Word((Part("unknown", "", quoted=True),))
