"""Where a URL leads: the host behind its spelling, its plain path and query."""

import ipaddress
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from urllib.parse import unquote

from walissh.safety.table import UNKNOWN

MAX_URLS = 60
_URL = re.compile(
    r"(?:(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):/{0,3})?(?:[^/?#@]*@)?"
    r"(?P<host>\[[^\]]*\]|[^/?#:]*)(?::(?P<port>[^/?#]*))?(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.S,
)
_SCHEMED = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:/")
_BRACES = re.compile(r"\{([^{}]*)\}|\[(\d+)-(\d+)(?::\d+)?\]|\[([a-zA-Z])-([a-zA-Z])(?::\d+)?\]")
_METADATA_NAMES = re.compile(
    r"(?i)metadata(\.google\.internal|\.tencentyun\.com|\.goog|\.internal|\.azure\.\w+|\.platformequinix\.com)?|instance-data(\.\S*)?"
    r"|.*169[.-]254[.-]\d+[.-]\d+\..*|.*100[.-]100[.-]100[.-]200\..*|.*a9fea9fe.*"
)
_METADATA_ADDRESSES = frozenset(
    map(
        ipaddress.ip_address,
        ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23",
         "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"),
    )
)  # fmt: skip
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_SHARED = ipaddress.IPv4Network("100.64.0.0/10")
_FOREIGN = tuple(
    map(
        ipaddress.IPv4Network,
        ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"),
    )
)
_INTERNAL = re.compile(
    r"(?i)[\w-]+|.+\.(internal|local|lan|localdomain|localhost|home|corp|intra|intranet|svc|svc\.cluster\.local|cluster\.local|consul|test)"
)


@dataclass(frozen=True, slots=True)
class Target:
    """One URL taken apart. *host* is lower case, an address in its usual form."""

    scheme: str
    host: str
    port: str
    path: str
    query: str

    @property
    def text(self) -> str:
        """Return path and query as rules over requests see them."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def metadata(self) -> bool:
        """Tell whether it is where a cloud hands out credentials to its machines."""
        address = _address(self.host)
        if address is None:
            return _METADATA_NAMES.fullmatch(self.host) is not None
        return address in _METADATA_ADDRESSES or (address.version == 4 and address.is_link_local)

    @property
    def internal(self) -> bool:
        """Tell whether the host is this machine or belongs to the same network, by its name."""
        address = _address(self.host)
        if address is None:
            return _INTERNAL.fullmatch(self.host) is not None
        if isinstance(address, ipaddress.IPv4Address) and any(address in net for net in _FOREIGN):
            return False
        return address.is_private or address.is_loopback or address in _SHARED


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that *host* spells: 0x7f.1, 2130706433 and ::ffff:… included."""
    plain = host.strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        return _old_address(plain)
    if isinstance(address, ipaddress.IPv6Address):
        low = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        embedded = address in _TRANSLATED or (int(address) >> 32 == 0 and int(address) > 1)
        return address.ipv4_mapped or address.sixtofour or (low if embedded else address)
    return address


def _old_address(plain: str) -> ipaddress.IPv4Address | None:
    if not re.fullmatch(r"(0[xX][\da-fA-F]*|\d+)(\.(0[xX][\da-fA-F]*|\d+)){0,3}\.?", plain):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(plain.rstrip(".")))
    except OSError:
        return None


def targets(text: str, *, globbing: bool = True) -> list[Target] | None:
    """Return all targets of *text*, its braces expanded; None if they cannot be told."""
    expanded = list(_expanded(text)) if globbing else [text]
    if len(expanded) > MAX_URLS:
        return None
    found = [target(each) for each in expanded]
    return None if any(each is None for each in found) else [each for each in found if each]


def target(text: str) -> Target | None:
    """Take one URL apart; None if it is none."""
    text = text.strip()
    if not _SCHEMED.match(text):
        text = f"{_guess(text)}://{text}"
    found = _URL.fullmatch(text)
    if found is None:
        return None
    scheme = (found["scheme"] or "http").lower()
    if scheme == "file":
        path = re.sub(r"(?i)^file:(//[^/]*)?", "", text)
        return Target("file", "", "", unquote(path.partition("?")[0]), "")
    host = _plain_host(found["host"])
    return Target(scheme, host, found["port"] or "", _plain_path(found["path"] or "/"),
                  unquote(found["query"] or ""))  # fmt: skip


def _guess(text: str) -> str:
    for prefix in ("ftp", "dict", "ldap", "imap", "smtp", "pop3"):
        if text.lower().startswith(f"{prefix}."):
            return prefix
    return "http"


def _plain_host(host: str) -> str:
    host = unquote(host).lower().rstrip(".")
    for dot in "。．｡":
        host = host.replace(dot, ".")
    address = _address(host)
    return str(address) if address else host


def _plain_path(path: str) -> str:
    plain = unquote(unquote(path))
    parts: list[str] = []
    for part in plain.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def _expanded(text: str) -> Iterator[str]:
    """Give what curl makes of braces and ranges; a range of letters is not followed."""
    host_end = re.search(r"\[[\da-fA-F:.%]*:[\da-fA-F:.%]*\]", text)  # an IPv6 address, no range
    fixed = text[: host_end.end()] if host_end else ""
    rest = text[len(fixed) :]
    pieces = re.split(r"(\{[^{}]*\}|\[[^\[\]]*\])", rest)
    choices: list[list[str]] = []
    for piece in pieces:
        choices.append(_choices(piece))
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MAX_URLS:
        yield from [""] * (MAX_URLS + 1)
        return
    for parts in product(*choices):
        yield fixed + "".join(parts)


def _choices(piece: str) -> list[str]:
    found = _BRACES.fullmatch(piece)
    if found is None:
        return [piece]
    if found[1] is not None:
        return found[1].split(",")
    if found[2] is not None:
        numbers = range(int(found[2]), int(found[3]) + 1)
        return [f"{number:0{len(found[2])}d}" for number in numbers[: MAX_URLS + 1]]
    return [chr(code) for code in range(ord(found[4]), ord(found[5]) + 1)] or [UNKNOWN]
