"""Who may pass along a path: reads ``namei -l`` and applies the mode bits as the kernel does.

The way to a file has one element for each directory, link and the file itself. What stops a
user is the first element whose bits for owner, group or others lack what is needed there.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walissh.brain.parse import PLACE

Row = Mapping[str, object]

_ELEMENT = re.compile(
    r"^(?P<kind>[-dlbcps])(?P<bits>[r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-])[.+@]?\s+"
    r"(?:\d+\s+)?(?P<owner>\S+)\s+(?P<group>\S+) (?P<name>\s*\S.*?)(?: -> (?P<target>\S.*))?$"
)
_GONE = re.compile(
    r"^\s+(?P<name>\S.*?) - (?P<why>No such file or directory|Permission denied"
    r"|Too many levels of symbolic links|Not a directory)$"
)
_BITS: Final[Mapping[str, int]] = {"r": 0, "w": 1, "x": 2}
_EXECUTED = re.compile(r"\.(?:sh|bash|pl|py|rb)$|/s?bin/[^/]+$")
_FOR_WRITING = re.compile(
    r"writ|creat|stor|sav|append|mkdir|renam|unlink|remov|delet|dump|export|upload|log file"
    r"|写|保存|创建|上传|导出",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Element:
    """One step of the way; *gone* is why it could not be looked at, "" if it is there."""

    path: str
    kind: str
    bits: str
    owner: str
    group: str
    target: str
    gone: str
    place: object

    def as_row(self) -> dict[str, object]:
        """Return what expressions read."""
        return {
            "path": self.path, "type": self.kind, "bits": self.bits, "mode": mode(self.bits),
            "owner": self.owner, "group": self.group, "target": self.target, "gone": self.gone,
            PLACE: self.place,
        }  # fmt: skip


def way(rows: Sequence[Row]) -> list[Element]:
    """Return the elements in the order in which they are passed; *rows* have ``text``."""
    found: list[Element] = []
    stack: list[tuple[int, str]] = []
    for row in _first_block(rows):
        element, indent = _element(row)
        if element is None:
            continue
        while stack and stack[-1][0] > indent:
            stack.pop()
        found.append(_placed(element, stack))
        _advance(found[-1], stack, indent)
    return found


def walked(rows: Sequence[Row]) -> list[Mapping[str, object]]:
    """Return the elements as expressions read them, each with the line it stands in."""
    return [each.as_row() for each in way(rows)]


def stopped(rows: Sequence[Row], user: str, groups: str, line: str) -> Mapping[str, object] | None:
    """Return what stops *user*, who is in *groups* (names with blanks), on the way in *rows*.

    None if nothing does. A row with the first line of a script tells that it is run.
    """
    is_script = any(str(row.get("text", "")).startswith("#!") for row in rows)
    return barrier(way(rows), user, groups.split(), line, is_run=is_script)


def ancestors(paths: Sequence[str]) -> list[str]:
    """Return each of *paths* and each folder on the way to it, outermost first, once."""
    steps = (
        "/".join(parts[: n + 1])
        for path in paths
        for parts in [path.rstrip("/").split("/")]
        for n in range(1, len(parts))
    )
    return list(dict.fromkeys(steps))


def lost(rows: Sequence[Row]) -> Mapping[str, object] | None:
    """Return the first element that is not there, None if all are.

    ``link`` and ``target`` are those of the link that leads to it, ``folder`` is the last
    directory that is there, ``why`` what the system says.
    """
    elements = way(rows)
    at = next((n for n, each in enumerate(elements) if each.gone and n), None)
    if at is None or elements[at].gone == "Permission denied":
        return None
    link = _link_to(elements[at], elements[:at])
    folder = next((each.path for each in reversed(elements[:at]) if each.kind == "d"), "/")
    return {
        **elements[at].as_row(),
        "link": link.path if link else "",
        "target": link.target if link else "",
        "folder": folder,
        "why": elements[at].gone,
    }


def _link_to(gone: Element, before: Sequence[Element]) -> Element | None:
    """Return the link in whose target *gone* lies, not one that was passed for good."""
    links = [each for each in before if each.kind == "l"]
    last = links[-1] if links else None
    return last if last and not gone.path.startswith(f"{last.path}/") else None


def _first_block(rows: Sequence[Row]) -> list[Row]:
    """Return the rows up to a second ``f:``: namei that failed may have been asked again."""
    heads = [n for n, row in enumerate(rows) if str(row.get("text", "")).startswith("f: ")]
    return list(rows[: heads[1]] if len(heads) > 1 else rows)


def _element(row: Row) -> tuple[Element | None, int]:
    text, place = str(row.get("text", "")), row.get(PLACE)
    if seen := _ELEMENT.match(text):
        name = seen["name"]
        indent = seen.start("name") + len(name) - len(name.lstrip())
        parts = (seen["kind"], seen["bits"], seen["owner"], seen["group"], seen["target"] or "")
        return Element(name.strip(), *parts, "", place), indent
    if gone := _GONE.match(text):
        return Element(gone["name"], "?", "", "", "", "", gone["why"], place), gone.start("name")
    return None, 0


def _placed(element: Element, stack: Sequence[tuple[int, str]]) -> Element:
    """Give *element* its whole path: it lies in the folder last reached at its depth."""
    if element.path.startswith("/"):
        return element
    here = stack[-1][1] if stack else "/"
    return replace(element, path=f"{here.rstrip('/')}/{element.path}")


def _advance(element: Element, stack: list[tuple[int, str]], indent: int) -> None:
    if stack and stack[-1][0] == indent:
        stack.pop()
    stack.append((indent, element.path))
    if element.kind == "l":  # what it points to follows, indented, and lies beside it
        stack.append((indent + 1, element.path.rpartition("/")[0] or "/"))


def mode(bits: str) -> str:
    """Return ``rw-r-----`` as ``640``."""
    groups = (bits[at : at + 3] for at in (0, 3, 6))
    return "".join(str(_digit(each)) for each in groups) if len(bits) == len("rwxrwxrwx") else ""


def _digit(three: str) -> int:
    return 4 * (three[0] == "r") + 2 * (three[1] == "w") + (three[2] in "xst")


def barrier(
    elements: Sequence[Element],
    user: str,
    groups: Collection[str],
    line: str,
    *,
    is_run: bool = False,
) -> dict[str, object] | None:
    """Return the element that stops *user*, with ``need`` (r, w or x); None if none does.

    *line* is the error as logged: it tells reading from writing where both are barred.
    """
    passed = [each for each in elements if each.kind != "l"]
    seen = [each for each in passed if not each.gone]
    if not seen or any(each.gone == "Permission denied" for each in passed):
        return None
    last, missing = seen[-1], len(seen) < len(passed)
    for each in seen if missing else seen[:-1]:
        if each.kind == "d" and not may(each, user, groups, "x"):
            return {**each.as_row(), "need": "x"}
    need = "w" if missing and may(last, user, groups, "w") is False else None
    if not missing:
        lacks = [each for each in "rwx" if not may(last, user, groups, each)]
        order = _order(last, line, is_run=is_run)
        need = next((each for each in order if each in lacks), None)
    return {**last.as_row(), "need": need} if need else None


def _order(last: Element, line: str, *, is_run: bool) -> str:
    """Return the bits that can be what was barred, the likeliest first."""
    if last.kind == "d":
        return "xwr"
    if last.kind == "s":
        return "w"
    if is_run or _EXECUTED.search(last.path) or "x" in last.bits:
        return "xrw" if _FOR_WRITING.search(line) else "xr"
    return "wr" if _FOR_WRITING.search(line) else "rw"


def may(element: Element, user: str, groups: Collection[str], need: str) -> bool:
    """Tell whether the bits of *element* give *user* what it needs; root is barred from
    nothing but running a file that has no execute bit."""
    bits = element.bits
    if user == "root":
        return need != "x" or element.kind == "d" or any(bits[at] in "xst" for at in (2, 5, 8))
    start = 0 if user == element.owner else 3 if element.group in groups else 6
    return bits[start + _BITS[need]] in "rwxst"
