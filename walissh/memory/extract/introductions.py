"""The JSON in which a service of this host says who it is: over HTTP, under its own address."""

import re
from collections.abc import Iterator

from walissh.memory.entry import Found
from walissh.memory.extract import names, tokens
from walissh.memory.extract.measured import environment, software

Path = tuple[str, ...]

# where a service's own JSON holds its version, and which service that proves
_ABOUT: tuple[tuple[Path, str], ...] = (
    (("rabbitmq_version",), "rabbitmq"),
    (("erlang_version",), "erlang"),
    (("Config", "Version"), "consul"),
    (("etcdserver",), "etcd"),
    (("gitVersion",), "kubernetes"),
    (("neo4j_version",), "neo4j"),
    (("influxdb", "version"), "influxdb"),
    (("lucene", "solr-spec-version"), "solr"),
)
# what listens on a port by default, for answers that name only a version
_BY_PORT = {
    "3000": "grafana", "3100": "loki", "4646": "nomad", "5601": "kibana", "5984": "couchdb",
    "8086": "influxdb", "8200": "vault", "8222": "nats", "8500": "consul", "9000": "sonarqube",
    "9090": "prometheus", "9093": "alertmanager", "9200": "elasticsearch", "9600": "logstash",
    "2375": "docker", "6443": "kubernetes", "6333": "qdrant", "7700": "meilisearch",
}  # fmt: skip


def about(answer: dict[str, object], url: str) -> Iterator[Found]:
    """Yield the versions and the cluster that *answer* of *url* tells."""
    for path, name in _ABOUT:
        version = _text(answer, path)
        if tokens.at(version, 0):
            yield software(name, tokens.at(version, 0))
    own = _own_version(answer)
    name = _name(answer, url)
    if own and name:
        yield software(name, own)
    cluster = _text(answer, ("cluster_name",))
    if cluster:
        yield environment("cluster", cluster[:60])


def _own_version(answer: dict[str, object]) -> str:
    """Return the version at one of the places where services put their own."""
    places = (("version",), ("version", "number"), ("data", "version"), ("Version",))
    return next((v for v in (tokens.at(_text(answer, p), 0) for p in places) if v), "")


def _name(answer: dict[str, object], url: str) -> str:
    if "cluster_uuid" in answer or "tagline" in answer:
        fork = _text(answer, ("version", "distribution"))
        return fork if fork.isalnum() else "elasticsearch"
    if "buildinfo" in url:
        return "loki" if "/loki/" in url else "prometheus"
    if "gitVersion" in answer:
        return ""  # told already
    welcome = next((k for k, v in answer.items() if v == "Welcome"), "")
    port = re.search(r":(\d+)(?:/|$)", url)
    said = _text(answer, ("name",)) or _text(answer, ("service",)) or _text(answer, ("app",))
    by_port = _BY_PORT.get(port[1], "") if port else ""
    name = welcome or by_port or said.lower()
    return names.product(name) if re.fullmatch(r"[a-z][\w.-]{1,30}", name) else ""


def _text(answer: dict[str, object], path: Path) -> str:
    value: object = answer
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value[:80] if isinstance(value, str) else ""
