"""What services of this host answer about themselves: redis INFO, JSON over HTTP, banners."""

import json
import re
from collections.abc import Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract import introductions, names, queries
from walissh.memory.extract.commandline import Asked, is_here
from walissh.memory.extract.measured import environment, software

Lines = Sequence[str]

MAX_JSON_CHARS = 60_000
MAX_ROWS = 600


def read(asked: Asked, lines: Lines, host: str) -> Iterator[Found]:
    """Yield what a service of this host says of itself; another host's answer is not read."""
    if asked.program in {"redis-cli", "valkey-cli", "keydb-cli"}:
        if "info" in asked.said and queries.asks_here(asked, host):
            yield from _redis(lines, names.server(asked.program) or "redis")
    elif asked.program in {"curl", "wget", "http"}:
        urls = [w for w in asked.args if re.match(r"(?:\w+://)?[\w.\[\]-]+(?::\d+)?(?:/|$)", w)]
        urls = [u for u in urls if re.search(r"[.:/]|localhost", u) and not u.startswith("/")]
        if urls and "169.254.169.254" in urls[-1]:
            yield from _metadata(urls[-1], lines)
        elif urls and is_here(_address(urls[-1]), host):
            yield from _http(urls[-1], lines, asked)
    elif asked.program in {"nc", "ncat", "socat", "telnet"} and asked.fed:
        yield from _dialogue(asked, lines, host)


def _address(url: str) -> str:
    return re.sub(r"^\w+://", "", url).partition("/")[0]


# --- redis ----------------------------------------------------------------------------

_INFO = re.compile(r"(?P<key>[a-z_]+\d*):(?P<v>\S.*)$")
_REDIS: dict[str, str] = {
    "config_file": "config path {}", "executable": "path {}",
    "master_host": "cluster master of {}", "redis_mode": "{} mode",
}  # fmt: skip


def _redis(lines: Lines, name: str) -> Iterator[Found]:
    for line in lines[:MAX_ROWS]:
        match = _INFO.match(line.strip())
        if match is None:
            continue
        key, value = match["key"], match["v"].strip()
        replica = re.match(r"ip=([\w.:-]+),port=(\d+)", value) if key.startswith("slave") else None
        if key == "redis_version" and name != "redis":
            continue  # what a fork is compatible with
        if key in {"redis_version", "valkey_version", "server_version"}:
            yield software(key.partition("_")[0].replace("server", name), value)
        elif key == "maxmemory" and value != "0":
            yield environment(f"{name} maxmemory", value)
        elif replica:
            yield environment(
                f"cluster replica of {name} {replica[1]}", f"{replica[1]}:{replica[2]}"
            )
        elif key == "tcp_port":
            yield environment(f"port {value}", f"{value} {name}")
        elif key in _REDIS:
            yield environment(_REDIS[key].format(name), value)


# --- HTTP -----------------------------------------------------------------------------


def _http(url: str, lines: Lines, asked: Asked) -> Iterator[Found]:
    if "/_cat/nodes" in url:
        yield from _cat_nodes(lines)
        return
    text = "\n".join(lines)[:MAX_JSON_CHARS].strip()
    start = text.find("{")
    if start >= 0:
        try:
            answer = json.loads(text[start:])
        except (ValueError, RecursionError):
            answer = None
        if isinstance(answer, dict):
            yield from introductions.about(answer, url)
            return
    for line in lines[:40]:
        banner = re.match(r"(?:[<*] )?Server:\s*([A-Za-z][\w.-]*)/v?(\d[\w.-]*)", line, re.I)
        if banner and any(re.match(r"-\w*I|--head|-\w*[iv]$", a) for a in asked.args):
            yield software(_server_name(banner[1]), banner[2])


def _server_name(banner: str) -> str:
    return names.product(banner.lower())


def _cat_nodes(lines: Lines) -> Iterator[Found]:
    rows = [line.split() for line in lines if line.strip()]
    for row in rows:
        if len(row) > 3 and re.fullmatch(r"[\d.:a-f]+", row[0]):
            yield environment(f"cluster node {row[-1]}", f"{row[-1]} ({row[0]})")


_META = re.compile(
    r"(instance-type|instance-id|local-ipv4|public-ipv4|hostname|local-hostname|region|"
    r"availability-zone|zone|zone-id|image-id|ami-id|vpc-id|mac)/?$"
)


def _metadata(url: str, lines: Lines) -> Iterator[Found]:
    """Yield one durable property of a machine in a cloud; never credentials or user data."""
    key = _META.search(url)
    rows = [line.strip() for line in lines if line.strip()]
    if key and len(rows) == 1 and re.fullmatch(r"[\w.:/-]{1,80}", rows[0]):
        yield environment(f"cloud {key[1]}", rows[0])


# --- a line over a socket -------------------------------------------------------------


def _dialogue(asked: Asked, lines: Lines, host: str) -> Iterator[Found]:
    target = " ".join(asked.words)
    here = any(is_here(w.rpartition(":")[2] if "/" in w else w, host) for w in asked.words)
    if not here and "/" not in target:
        return
    for line in lines[:30]:
        row = re.match(r"(?:STAT version|VERSION) (\d\S*)", line)
        keeper = re.match(r"Zookeeper version:\s*(\d[\w.]*)", line, re.I)
        pair = re.match(r"Version:\s*(\d\S*)", line)
        if keeper:
            yield software("zookeeper", keeper[1])
        elif row:
            yield software("memcached", row[1])
        elif pair and "show info" in asked.fed:
            yield software("haproxy", pair[1])
