"""Listening ports, addresses, routes and name servers of the host."""

import re
from collections.abc import Callable, Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment

Lines = Sequence[str]
Pairs = Iterator[tuple[str, str]]

MAX_ROWS = 1000


def read(asked: Asked, lines: Lines, _host: str) -> Iterator[Found]:
    """Yield what listens and what the host is called in its networks; no connections."""
    reader = _BY_PROGRAM.get(asked.program)
    if asked.program in {"cat", "grep", "head", "tail"}:
        shown = " ".join(asked.args)
        reader = next((r for part, r in _BY_FILE.items() if part in shown), None)
    if reader is not None:
        for subject, value in reader(asked, lines[:MAX_ROWS]):
            yield environment(subject, value, asked.inside)


# --- ports ----------------------------------------------------------------------------

_END = r"(?P<at>\S*?):(?P<port>\d+)"
_SS = re.compile(rf"\s*(?:(?:tcp|udp)\s+)?(?:LISTEN|UNCONN)\s+\d+\s+\d+\s+{_END}\s+\S+(?P<rest>.*)")
_NETSTAT = re.compile(rf"\s*(?:tcp|udp)6?\s+\d+\s+\d+\s+{_END}\s+\S+:\*(?P<rest>.*)")
_LSOF = re.compile(rf"(?P<who>\S+)\s+\d+\s.*\sTCP\s+{_END}\s+\(LISTEN\)")
_WHO = re.compile(r"\(\(\"(?P<ss>[^\"]+)\"|\s\d+/(?P<netstat>[\w.-]+)")


def _listening(shape: re.Pattern[str]) -> Callable[[Asked, Lines], Pairs]:
    def reader(_: Asked, lines: Lines) -> Pairs:
        seen: set[tuple[str, str]] = set()
        for line in lines:
            row = shape.match(line)
            who = _program(row) if row else ""
            if row is None or _is_passing(row["at"], int(row["port"]), who):
                continue
            if (row["port"], who) not in seen:
                seen.add((row["port"], who))
                yield f"port {row['port']}", _port(row["port"], who, row["at"])

    return reader


def _program(row: re.Match[str]) -> str:
    if "who" in row.groupdict():
        return row["who"]
    who = _WHO.search(row["rest"])
    return (who["ss"] or who["netstat"] or "") if who else ""


FIRST_EPHEMERAL = 32_768
_LASTING_HIGH = frozenset({33060, 47808, 50010, 50051, 50070, 50075, 51820, 60010, 61613, 61616})
_PASSING_PROGRAM = re.compile(
    r"py\.?test|chrom\w*|headless_shell|gecko\w*|firefox\S*|playwright\S*|selenium\S*|ssh|code(?:-.*)?|dhc\w+|NetworkManager|systemd-network\w*"
)
_FORWARDED_X11 = range(6010, 6100)


def is_lasting(port: int) -> bool:
    """Tell whether a port was chosen: not 0, nor given out by the kernel for a while."""
    return 0 < port < FIRST_EPHEMERAL or port in _LASTING_HIGH


def _is_passing(address: str, port: int, who: str) -> bool:
    """Tell whether nobody asks for it: resolver stubs, tunnels, tests, ephemeral ports."""
    stub = address.startswith(("127.0.0.53", "127.0.0.54", "127.0.0.11"))
    forwarded = port in _FORWARDED_X11 and who in {"", "sshd"} and "127.0.0.1" in address
    return stub or forwarded or not is_lasting(port) or bool(_PASSING_PROGRAM.fullmatch(who))


def _port(port: str, who: str, address: str) -> str:
    place = address.strip("[]") or "*"
    return f"{port}{' ' + who if who else ''} on {place}"


_PUBLISHED = re.compile(r"(?P<at>[\d.]+|\[::\]|::)?:?(?P<out>\d+)->(?P<into>\d+)/(?:tcp|udp)")


def _docker(asked: Asked, lines: Lines) -> Pairs:
    """Published ports of running containers."""
    if asked.words[:1] == ("port",):
        for line in lines:
            row = re.match(r"(\d+)/(?:tcp|udp) -> \S*?:(\d+)$", line.strip())
            if row and is_lasting(int(row[2])):
                yield f"port {row[2]}", f"{row[2]} to {row[1]} in container {asked.words[-1]}"


# --- addresses ------------------------------------------------------------------------

_VIRTUAL = re.compile(
    r"lo\d*$|docker|veth|br-|cni|flannel|cali|virbr|tunl|kube-|nodelocal|lxc|dummy"
)
_BRIEF = re.compile(r"(?P<dev>[\w.@-]+)\s+(?:UP|DOWN|UNKNOWN)\s+(?P<rest>.*)")
_V4 = re.compile(r"inet (?:addr:)?(?P<ip>\d+\.\d+\.\d+\.\d+(?:/\d+)?)")
_DEVICE = re.compile(
    r"(?:\d+: )?(?P<dev>[\w.-]+)(?:@\w+)?:\s+(?:<|flags)|(?P<old>\w[\w.:-]*)\s+Link "
)


def _addresses(asked: Asked, lines: Lines) -> Pairs:
    if asked.program == "ip" and re.search(
        r"(?:^|\s)r(?:o(?:ute)?)?(?:\s|$)", " ".join(asked.args)
    ):
        yield from _routes(asked, lines)
        return
    device = ""
    for line in lines:
        head = _DEVICE.match(line)
        device = (head["dev"] or head["old"]) if head else device
        brief, found = _BRIEF.match(line), _V4.search(line)
        if brief and not _VIRTUAL.match(brief["dev"]):
            for address in re.findall(r"\d+\.\d+\.\d+\.\d+(?:/\d+)?", brief["rest"]):
                yield f"address {brief['dev'].partition('@')[0]}", address
        elif found and not found["ip"].startswith("127."):
            named = re.match(r"\d+: (\S+)\s+inet", line) or re.search(
                r"(?:global|dynamic) (\S+)$", line
            )
            name = (named[1] if named else "") or device
            if not _VIRTUAL.match(name):
                yield f"address {name}".strip(), f"{found['ip']} {name}".strip()


def _routes(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"(?:default via|0\.0\.0\.0)\s+([\d.]+)(?:.*?\bdev (\S+))?", line)
        if row:
            yield "gateway", f"{row[1]} {row[2] or ''}"


def _resolv(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"(nameserver|search|domain)\s+(\S.*)", line)
        if row:
            subject = f"dns {row[2]}" if row[1] == "nameserver" else f"dns {row[1]}"
            yield subject, row[2]


def _hosts(_: Asked, lines: Lines) -> Pairs:
    for line in lines[:60]:
        row = re.match(r"(?!127\.|::|f[ef]0)([\d.]+|[0-9a-f:]+:[0-9a-f:]*)\s+([\w.-]+.*)", line)
        if row:
            yield f"address of {row[2].split()[0]}", f"{row[1]} {row[2].partition('#')[0].strip()}"


def _ethtool(asked: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"\s*Speed: (\d+\S+)", line)
        if row and asked.words:
            yield f"speed {asked.words[-1]}", row[1]
        driver = re.match(r"driver: (\w+)", line)
        if driver and asked.words:
            yield f"driver {asked.words[-1]}", driver[1]


def _nmcli(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"IP4\.(ADDRESS|GATEWAY|DNS)(?:\[\d+\])?:\s*([\d./]+)$", line.strip())
        if row:
            yield {"ADDRESS": "address", "GATEWAY": "gateway", "DNS": "dns"}[row[1]], row[2]


def _resolver(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"\s*(?:DNS Servers|DNS Domain):\s*(\S.*)", line)
        if row:
            yield "dns", row[1]


def _firewall(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        listed = re.match(r"\s*(?:(ports|services):\s+)?((?:\d+(?:-\d+)?/(?:tcp|udp)\s*)+)$", line)
        rule = re.match(r"(\S+)\s+(ALLOW|DENY|REJECT|LIMIT)(?: IN)?\s+(\S.*)", line)
        services = re.match(r"\s*services:\s+(\S.*)", line)
        if listed:
            yield "firewall ports", listed[2]
        elif services:
            yield "firewall services", services[1]
        elif rule:
            yield f"firewall {rule[1]}", f"{rule[1]} {rule[2]} {rule[3]}"


_BY_PROGRAM: dict[str, Callable[[Asked, Lines], Pairs]] = {
    "ss": _listening(_SS), "netstat": _listening(_NETSTAT), "lsof": _listening(_LSOF),
    "docker": _docker, "podman": _docker, "ip": _addresses, "ifconfig": _addresses,
    "nmcli": _nmcli, "resolvectl": _resolver, "ufw": _firewall, "firewall-cmd": _firewall,
    "route": _routes, "ethtool": _ethtool,
}  # fmt: skip
_BY_FILE = {"/etc/resolv.conf": _resolv, "/etc/hosts": _hosts}


def published(lines: Lines) -> Pairs:
    """Yield the ports that rows of ``docker ps`` publish on the host."""
    for line in lines:
        for row in _PUBLISHED.finditer(line):
            if not is_lasting(int(row["out"])):
                continue
            yield f"port {row['out']}", f"{row['out']} to container port {row['into']}"
