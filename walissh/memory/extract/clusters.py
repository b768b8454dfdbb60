"""What a host belongs to: nodes, members and their software, from tables with a header."""

import re
from collections.abc import Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract import names, network, queries
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment, software

Lines = Sequence[str]
Row = dict[str, str]

MAX_NODES = 30

# program, its first words: the column of a member's name, and of its address
_TABLES: dict[tuple[str, ...], tuple[str, str]] = {
    ("kubectl", "get", "node"): ("NAME", "INTERNAL-IP"),
    ("docker", "node", "ls"): ("HOSTNAME", ""),
    ("consul", "members"): ("Node", "Address"),
    ("nomad", "node", "status"): ("Name", "Address"),
    ("nomad", "server", "members"): ("Name", "Address"),
    ("serf", "members"): ("Name", "Address"),
    ("pg_lsclusters",): ("Cluster", ""),
}
_KINDS = {"no": "node", "nodes": "node", "services": "svc", "service": "svc", "pvs": "pv"}


_SPEAKING = frozenset(
    "kubectl docker etcdctl rabbitmqctl nodetool patronictl zkServer.sh pcs gluster ceph redis-cli "  # noqa: SIM905
    "mysql mongosh".split()
)


def read(asked: Asked, lines: Lines, host: str) -> Iterator[Found]:
    """Yield the members of clusters that the host knows, and the versions in their rows."""
    words = (asked.program, *(_KINDS.get(w, w) for w in asked.words))
    for key, (name, address) in _TABLES.items():
        if words[: len(key)] == key or (
            key[0] == words[0] and words[1:2] == ("get",) and key[1:3] == words[1:3]
        ):
            headed = bool(lines) and name in lines[0]
            yield from _members(_rows(lines), name, address, asked) if headed else _nodes(lines)
            return
    if asked.program == "docker" and asked.words[:1] == ("ps",):
        yield from (environment(s, v) for s, v in network.published(lines))
    elif asked.program in _SPEAKING and queries.asks_here(asked, host):
        yield from _spoken(asked, lines)


def _rows(lines: Lines) -> list[Row]:
    """Return the rows of a table by its header; columns stand two blanks or more apart."""
    rows = [line.rstrip() for line in lines if line.strip()]
    if not rows:
        return []
    heads = re.split(r"\s{2,}|\t|(?<=Ver) |(?<=Cluster) |(?<=Port) |(?<=Status) ", rows[0].strip())
    starts, at = [], 0
    for head in heads:
        at = rows[0].index(head, at)
        starts.append(at)
        at += len(head)
    ends = [*starts[1:], None]
    return [
        {h: row[s:e].strip() for h, s, e in zip(heads, starts, ends, strict=True)}
        for row in rows[1 : MAX_NODES + 1]
    ]


def _members(rows: list[Row], name: str, address: str, asked: Asked) -> Iterator[Found]:
    if asked.program == "pg_lsclusters":
        yield from _postgres(rows)
        return
    for row in rows:
        member, place = row.get(name, ""), row.get(address, "") if address else ""
        if re.fullmatch(r"[\w.-]+", member):
            yield environment(f"cluster node {member}", f"{member} {place}".strip())
    versions = _versions(rows, asked)
    for product, version in dict.fromkeys(versions):
        yield software(product, version)


_NODE = re.compile(
    r"(?P<name>[\w.-]+)\s+(?:Not)?Ready\S*\s+\S+\s+\S+\s+v(?P<v>\d\S+)(?:\s+(?P<ip>[\d.]+))?"
    r"(?:.*\s(?P<runtime>[\w-]+)://v?(?P<rv>\d\S+))?"
)


def _nodes(lines: Lines) -> Iterator[Found]:
    """Yield the nodes of rows without a header."""
    for line in lines[:MAX_NODES]:
        row = _NODE.match(line)
        if row:
            yield environment(
                f"cluster node {row['name']}", f"{row['name']} {row['ip'] or ''}".strip()
            )
            yield software("kubernetes", row["v"])
            if row["runtime"]:
                yield software(row["runtime"], row["rv"])


def _versions(rows: list[Row], asked: Asked) -> Iterator[tuple[str, str]]:
    for row in rows:
        plain = row.get("VERSION") or row.get("ENGINE VERSION") or row.get("Build") or ""
        product = {"kubectl": "kubernetes", "docker": "docker"}.get(asked.program, asked.program)
        if re.match(r"v?\d+\.\d", plain):
            yield product, plain.removeprefix("v")
        runtime = re.match(r"([\w-]+)://v?(\d\S+)", row.get("CONTAINER-RUNTIME", ""))
        if runtime:
            yield runtime[1], runtime[2]


def _postgres(rows: list[Row]) -> Iterator[Found]:
    for row in rows:
        name = f"{row.get('Ver', '')} {row.get('Cluster', '')}"
        if row.get("Port", "").isdigit():
            yield environment(f"port {row['Port']}", f"{row['Port']} postgresql {name}")
            yield environment(f"data dir postgresql {name}", row.get("Data directory", ""))
            yield environment(f"log path postgresql {name}", row.get("Log file", ""))


# --- sentences and labels -------------------------------------------------------------

_SPOKEN: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("kubectl", re.compile(r"(?P<s>Kubernetes control plane|Kubernetes master"
                           r"|CoreDNS).*is running at (?P<v>https?://\S+)"),
     "cluster {s}"),
    ("etcdctl", re.compile(r"[0-9a-f]+[,:] (?:started|name=)[, ]*"
                           r"(?P<s>[\w.-]+)[, ].*?(?P<v>https?://[^\s,]+)"),
     "cluster node {s}"),
    ("rabbitmqctl", re.compile(r"(?P<s>Cluster name|RabbitMQ version"
                               r"|Erlang configuration):? +(?P<v>\S+)"),
     "cluster"),
    ("nodetool", re.compile(r"[UD][NLJM]\s+(?P<v>[\d.]+)(?P<s>)\s"), "cluster node {v}"),
    ("nodetool", re.compile(r"\s*(?P<s>Name): (?P<v>\S.*)"), "cluster"),
    ("patronictl", re.compile(r"\|\s*(?P<s>[\w.-]+)\s*\|\s*(?P<v>\d+\.\d+\.\d+\.\d+(?::"
                              r"\d+)?)\s*\|"), "cluster node {s}"),
    ("zkServer.sh", re.compile(r"(?P<s>Using config): (?P<v>/\S+)"), "config path zookeeper"),
    ("gluster", re.compile(r"(?P<s>Hostname|Volume Name|Brick\d+): (?P<v>\S+)"), "cluster {s}"),
    ("ceph", re.compile(r"\s+(?P<s>id): +(?P<v>[0-9a-f-]{36})"), "cluster {s}"),
    ("etcdctl", re.compile(r".*?(?:\||,)\s*(?P<v>\d+\.\d+\.\d+)(?P<s>)\s*(?:\||,)"), "etcd"),
    ("redis-cli", re.compile(r"[0-9a-f]{40} (?P<v>(?P<s>[\w.-]+):\d+)"), "cluster node {s}"),
    ("rabbitmqctl", re.compile(r"(?P<s>)(?P<v>rabbit@[\w.-]+)$"), "cluster node {v}"),
    ("rabbitmqctl", re.compile(r"\S+: RabbitMQ (?P<v>\S+) on (?P<s>Erlang)"), "rabbitmq"),
    ("nodetool", re.compile(r"(?P<s>Datacenter): (?P<v>\S+)"), "cluster {s}"),
    ("mysql", re.compile(r"\s*(?P<s>Master_Host|Source_Host): (?P<v>\S+)"), "cluster master"),
    ("mongosh", re.compile(r"\s*\"?(?P<s>host)\"?: ['\"](?P<v>[\w.-]+:\d+)"), "cluster node {v}"),
    ("pcs", re.compile(r"\s*(?P<s>Cluster name): (?P<v>\S+)"), "cluster"),
)  # fmt: skip
_DOCKER_INFO = {
    "Storage Driver": "docker storage driver", "Docker Root Dir": "docker data dir",
    "Cgroup Driver": "docker cgroup driver", "Logging Driver": "docker logging driver",
    "Operating System": "os", "Kernel Version": "kernel", "CPUs": "cpu count",
    "Total Memory": "memory total",
}  # fmt: skip


def _spoken(asked: Asked, lines: Lines) -> Iterator[Found]:
    said = asked.words[:2]
    if asked.program == "docker":
        if said[:1] == ("info",):
            yield from _docker_info(lines)
        return
    if asked.program == "kubectl":
        yield from _kube(asked, lines)
    for program, shape, subject in _SPOKEN:
        for line in lines[:200] if program == asked.program else ():
            row = shape.match(line)
            if row is None:
                continue
            if subject in {"etcd", "rabbitmq"} or row["s"] == "RabbitMQ version":
                yield software(names.product(program), row["v"])
            elif row["s"] != "Erlang configuration":
                yield environment(subject.format(s=row["s"].lower(), v=row["v"]), row["v"])


def _docker_info(lines: Lines) -> Iterator[Found]:
    for line in lines[:120]:
        key, _, value = line.strip().partition(": ")
        if key == "Server Version":
            yield software("docker", value)
        elif key in _DOCKER_INFO and value:
            yield environment(_DOCKER_INFO[key], value)


def _kube(asked: Asked, lines: Lines) -> Iterator[Found]:
    words = tuple(_KINDS.get(w, w) for w in asked.words)
    rows = [line.strip() for line in lines if line.strip()]
    if words == ("config", "current-context") and len(rows) == 1:
        yield environment("cluster context", rows[0])
    elif words[:2] == ("get", "svc"):
        for row in _rows(lines):
            if row.get("CLUSTER-IP") and row.get("PORT(S)"):
                yield environment(
                    f"cluster service {row.get('NAME', '')}",
                    f"{row['CLUSTER-IP']} {row['PORT(S)']}",
                )
