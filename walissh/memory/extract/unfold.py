"""JSON that a command prints, unfolded into the rows that it prints for people.

``ip -j addr``, ``lsblk -J`` and their like say the same as their plain form; as rows, one
reader does for both. What is no JSON, or of no known command, stays as it is.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from walissh.memory.extract.commandline import Asked

Lines = Sequence[str]
Tree = dict[str, object]
Unfolder = Callable[[object], Iterator[str]]

MAX_CHARS = 250_000
MAX_ROWS = 400
MAX_DEPTH = 12


def rows(asked: Asked, lines: Lines) -> Lines:
    """Return the rows that the JSON in *lines* stands for, else *lines*."""
    unfold = _unfolder(asked)
    if unfold is None:
        return lines
    text = "\n".join(lines).strip()
    if text[:1] not in {"{", "["} or len(text) > MAX_CHARS:
        return lines
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return lines
    return list(islice(unfold(tree), MAX_ROWS)) or lines


def _unfolder(asked: Asked) -> Unfolder | None:
    first = asked.words[:1]
    for (program, verb), unfold in _UNFOLDERS.items():
        if program == asked.program and verb in {"", *first}:
            return unfold
    return None


def _each(tree: object, key: str = "") -> Iterator[Tree]:
    """Yield the objects of a list, or of the list under *key*."""
    if isinstance(tree, dict) and key:
        tree = tree.get(key)
    for item in tree if isinstance(tree, list) else [tree]:
        if isinstance(item, dict):
            yield item


def _said(tree: object, *path: str) -> str:
    for key in path:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return str(tree) if isinstance(tree, str | int) and not isinstance(tree, bool) else ""


def _addresses(tree: object) -> Iterator[str]:
    for link in _each(tree):
        name = _said(link, "ifname")
        for each in _each(link, "addr_info"):
            if _said(each, "family") == "inet":
                size = _said(each, "prefixlen")
                yield f"2: {name} inet {_said(each, 'local')}/{size} scope global {name}"
        if _said(link, "dst") == "default":
            yield f"default via {_said(link, 'gateway')} dev {_said(link, 'dev')}"


def _blocks(tree: object, depth: int = 0) -> Iterator[str]:
    for each in _each(tree, "blockdevices" if depth == 0 else "children"):
        places = each.get("mountpoints", [each.get("mountpoint")])
        place = next((p for p in places if p), "") if isinstance(places, list) else ""
        size, kind = _said(each, "size"), _said(each, "type")
        yield f"{_said(each, 'name')} 0:0 0 {size} 0 {kind} {place}"
        if depth < MAX_DEPTH:
            yield from _blocks(each, depth + 1)


def _mounts(tree: object, depth: int = 0) -> Iterator[str]:
    for each in _each(tree, "filesystems" if depth == 0 else "children"):
        target, source = _said(each, "target"), _said(each, "source")
        yield f"{target} {source} {_said(each, 'fstype')} {_said(each, 'options')}"
        if depth < MAX_DEPTH:
            yield from _mounts(each, depth + 1)


def _fields(tree: object) -> Iterator[str]:
    for each in _each(tree, "lscpu"):
        yield f"{_said(each, 'field')} {_said(each, 'data')}"
        for child in _each(each, "children"):
            yield f"{_said(child, 'field')} {_said(child, 'data')}"


def _packages(tree: object) -> Iterator[str]:
    for each in _each(tree):
        yield f"{_said(each, 'name')} {_said(each, 'version')}"


def _node_packages(tree: object) -> Iterator[str]:
    listed = tree.get("dependencies") if isinstance(tree, dict) else None
    for name, each in listed.items() if isinstance(listed, dict) else ():
        yield f"└── {name}@{_said(each, 'version')}"


def _releases(tree: object) -> Iterator[str]:
    for each in _each(tree):
        name, chart = _said(each, "name"), _said(each, "chart")
        state, version = _said(each, "status"), _said(each, "app_version")
        yield f"{name} {_said(each, 'namespace')} 1 - {state} {chart} {version}"


def _nodes(tree: object) -> Iterator[str]:
    for each in [*_each(tree, "items"), *_each(tree)]:
        info = each.get("status")
        if _said(each, "kind") not in {"", "Node"} or not isinstance(info, dict):
            continue
        address = next((_said(a, "address") for a in _each(info, "addresses")), "")
        version = _said(info, "nodeInfo", "kubeletVersion")
        runtime = _said(info, "nodeInfo", "containerRuntimeVersion")
        yield f"{_said(each, 'metadata', 'name')} Ready x 1d {version} {address} - {runtime}"


def _endpoints(tree: object) -> Iterator[str]:
    for each in _each(tree):
        version = _said(each, "Status", "version")
        yield f"{_said(each, 'Endpoint')}, {_said(each, 'Status', 'dbSize')}, {version}, "


def _labels(tree: object) -> Iterator[str]:
    """Yield the topmost pairs, their names spelled as in the plain form ("Static hostname")."""
    for name, value in tree.items() if isinstance(tree, dict) else ():
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
        yield f"{_LABELS.get(name, words.capitalize())}: {_said(value)}"


_LABELS = {"OperatingSystemPrettyName": "Operating System", "KernelRelease": "Kernel",
           "HardwareModel": "Hardware Model", "HardwareVendor": "Hardware Vendor"}  # fmt: skip
_UNFOLDERS: dict[tuple[str, str], Unfolder] = {
    ("ip", ""): _addresses, ("lsblk", ""): _blocks, ("findmnt", ""): _mounts,
    ("lscpu", ""): _fields, ("pip", "list"): _packages, ("pip3", "list"): _packages,
    ("conda", "list"): _packages, ("npm", "ls"): _node_packages,
    ("npm", "list"): _node_packages, ("helm", "ls"): _releases, ("helm", "list"): _releases,
    ("kubectl", "get"): _nodes, ("oc", "get"): _nodes, ("etcdctl", "endpoint"): _endpoints,
    ("hostnamectl", ""): _labels,
}  # fmt: skip
