"""Answers that name several programs at once: client, server and the parts of each."""

import re
from collections.abc import Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract import names, tokens
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment, software

Lines = Sequence[str]

_ENGINES = frozenset({"docker", "podman", "nerdctl", "velero", "ctr", "buildctl"})
_CLUSTER_TOOLS = {"kubectl": "kubernetes", "oc": "openshift", "lxc": "lxd", "incus": "incus"}
_TWO_SIDED = _ENGINES | frozenset(
    {
        "kubectl",
        "oc",
        "crictl",
        "calicoctl",
        "linkerd",
        "istioctl",
        "argocd",
        "cilium",
        "etcdctl",
        "lxc",
        "incus",
    }
)


def answers_in_part(asked: Asked) -> bool:
    """Tell whether the client's half is printed although no server answered."""
    return asked.program in _TWO_SIDED and asked.args[:1] == ("version",)


def read(asked: Asked, lines: Lines, _host: str) -> Iterator[Found]:
    """Yield the versions of a two-sided version command and of its parts."""
    program, rows = asked.program, [line for line in lines[:80] if len(line) < 2000]
    if program in {"snap", "npm"} and asked.args == ("version",):
        yield from _named_rows(rows)
    elif program == "nvidia-smi":
        yield from _driver(asked, rows)
    elif not answers_in_part(asked):
        return
    elif program == "crictl":
        yield from _runtime(rows)
    elif program in _ENGINES:
        yield from _sections(program, rows)
    else:
        yield from _sides(program, rows)


# --- docker version -------------------------------------------------------------------

_HEAD = re.compile(r"\s*(?P<name>[A-Za-z][\w-]*):(?:\s+(?P<more>[A-Z].*))?$")
_VERSION = re.compile(r"\s*Version:\s*v?(?P<v>\d\S*)")
_PARTS = frozenset({"containerd", "runc", "crun", "conmon", "docker-init", "buildkitd", "podman"})


def _sections(program: str, rows: Lines) -> Iterator[Found]:
    section, server, client = "Client", "", ""
    for row in rows:
        version, head = _VERSION.match(row), _HEAD.match(row)
        if version is None:
            section = head["name"] if head else section
        elif section in _PARTS:
            yield software(section, version["v"])
        elif section == "Client":
            client = client or version["v"]
        elif section in {"Server", "Engine"}:
            server = server or version["v"]
    if server or client:
        yield software(program, server or client)
    if server and client and server != client:
        yield software(f"{program} client", client)


# --- kubectl version and its like -----------------------------------------------------

_SIDE = re.compile(
    r"^\W*(?P<side>client|server|cluster|control plane|data plane|[a-z][\w-]*)"
    r"(?:[ _-]?version)?\W*:\s*"
    r"(?P<rest>.*)$",
    re.I,
)
_NESTED = re.compile(r"\s+\"?gitVersion\"?: \"?v?(?P<v>\d[\w.+-]*)")
_GIT = re.compile(r"(?i:git)?Version\W{1,4}v?(?P<v>\d+\.\d+\.\d+[\w.+-]*)")


def _sides(program: str, rows: Lines) -> Iterator[Found]:
    side = ""
    for row in rows:
        nested = _NESTED.match(row)
        match = _SIDE.match(row)
        if nested and side:
            yield software(side, nested["v"])
            side = ""
        if match is None or nested:
            continue
        if match["rest"].strip() in {"", "{"}:
            side = _side_name(program, match["side"].lower().removesuffix("version"))
        version = _version_in(match["rest"])
        name = _side_name(program, match["side"].lower())
        if version and name:
            yield software(name, version)


def _version_in(rest: str) -> str:
    """Return the version of ``v1.28.4`` or of ``version.Info{... GitVersion:"v1.28.4"``."""
    if "{" in rest:
        found = _GIT.search(rest)
        return found["v"] if found else ""
    rest = tokens.prepared(rest)
    return tokens.at(rest, 0) or (tokens.at(rest, 1) if rest[:1] == '"' else "")


def _side_name(program: str, side: str) -> str:
    if side == "client":
        return names.product(program)
    if side == "kubernetes":
        return side
    if side in {"server", "cluster", "control plane"}:
        return _CLUSTER_TOOLS.get(program, f"{names.product(program)} server")
    return side if side.startswith(program) else ""


def _runtime(rows: Lines) -> Iterator[Found]:
    pairs = dict(re.findall(r"^\s*(Runtime\w+):\s*v?(\S+)", "\n".join(rows), re.M))
    if "RuntimeName" in pairs and "RuntimeVersion" in pairs:
        yield software(pairs["RuntimeName"].lower(), pairs["RuntimeVersion"])


# --- lists of name and version --------------------------------------------------------

_ROW = re.compile(r"[\s{]*(?P<name>[a-z][\w@/.-]*)(?::\s*'|\s+)v?(?P<v>\d[\w.+~-]*)'?,?\s*$")


def _named_rows(rows: Lines) -> Iterator[Found]:
    for row in rows:
        match = _ROW.match(row)
        if match and match["name"] == "kernel":
            yield environment("kernel", match["v"])
        elif match and match["name"] in {"snap", "snapd", "npm", "node"}:
            yield software(match["name"], match["v"])


_DRIVER = re.compile(
    r"Driver Version:\s*(?P<driver>[\d.]+)(?:\s+CUDA Version:\s*(?P<cuda>[\d.]+))?"
)


def _columns(asked: Asked, rows: Lines) -> Iterator[Found]:
    """Yield the driver and the cards of ``--query-gpu=name,driver_version``."""
    query = re.search(r"--query-gpu[= ]([\w.,]+)", " ".join(asked.args))
    chosen = query[1].split(",") if query else []
    for row in rows if len(chosen) > 1 else ():
        told = dict(zip(chosen, (each.strip() for each in row.split(",")), strict=False))
        if re.fullmatch(r"\d[\d.]+", told.get("driver_version", "")):
            yield software("nvidia driver", told["driver_version"])
        if told.get("name", "name") not in {"", "name"}:
            yield environment(f"gpu {told.get('index', '')}".strip(), told["name"])


def _driver(asked: Asked, rows: Lines) -> Iterator[Found]:
    yield from _columns(asked, rows)
    for row in rows:
        match = _DRIVER.search(row)
        if match:
            yield software("nvidia driver", match["driver"])
            if match["cuda"]:
                yield software("cuda", match["cuda"])
        card = re.match(r"GPU (\d+): (.+?) \(UUID", row)
        if card:
            yield environment(f"gpu {card[1]}", card[2])
