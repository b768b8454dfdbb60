"""Hosts of an OpenSSH client configuration become ours, jump hosts first.

For the page and the command line alike; it knows the store and the reading of such files.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from walissh.errors import ConflictError, InvalidError
from walissh.react.host import Host
from walissh.ssh import keys
from walissh.ssh.config import ConfigHost
from walissh.store import hosts
from walissh.store.hosts import MAX_JUMPS, HostDraft

_HOP = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?"
    r"(?:\[(?P<bracketed>[^\]@\s]+)\]|(?P<bare>[^:\s\[\]@/]+)"
    r"|(?P<ipv6>[0-9A-Fa-f]*:[^\s\[\]@/]*:[^\s\[\]@/]*))"
    r"(?::(?P<port>\d{1,5}))?"
)
MAX_NAME_CHARS = 63
SHOWN_NAMES = 10

ReadKey = Callable[[str], str]
"""Gives the text of a key file; raises OSError or UnicodeDecodeError."""


@dataclass(slots=True)
class Imported:
    """What came of an import; pairs are the name of a host and a sentence about it.

    *unused*: by keyword of the file, the hosts that were added without heeding it.
    """

    added: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)
    unused: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hop:
    """One stop of a ProxyJump; "" and None mean not said."""

    name: str
    user: str
    port: int | None


def add_all(
    owner_id: str, listed: Sequence[ConfigHost], default_user: str, read_key: ReadKey | None = None
) -> Imported:
    """Add each host whose name is not taken; one that is wrong does not stop the others.

    *default_user* logs in where the file names nobody; "" leaves such hosts out. Without
    *read_key* key files are not looked at.
    """
    work = _Import(owner_id, listed, default_user, read_key)
    for each in listed:
        if each.name in work.before:
            work.result.left_out.append((each.name, "There is a host of this name."))
        elif each.name not in work.known:
            try:
                work.add(each, ())
            except (InvalidError, ConflictError) as error:
                work.result.left_out.append((each.name, str(error)))
    return work.result


def few(names: Sequence[str]) -> str:
    """Return some of the names, and how many more there are."""
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" + {more}" if more > 0 else "")


def hops(jump: str) -> Iterator[Hop]:
    """Yield the stops of a ProxyJump in their order; raises InvalidError."""
    for text in filter(None, (each.strip() for each in jump.split(","))):
        hop = parse_hop(text)
        if hop is None:
            raise InvalidError(f"{text!r} is not a jump host.", field="jump")
        yield hop


def parse_hop(text: str) -> Hop | None:
    """Read ``[user@]host[:port]``, with or without ``ssh://``; None if it is none.

    An IPv6 address with a port stands in brackets.
    """
    found = _HOP.fullmatch(text.removeprefix("ssh://").rstrip("/"))
    if found is None:
        return None
    name = found["bracketed"] or found["bare"] or found["ipv6"]
    return Hop(name, found["user"] or "", int(found["port"]) if found["port"] else None)


class _Import:
    """One import: what the file lists, what is stored by now, and what came of it."""

    def __init__(
        self,
        owner_id: str,
        listed: Sequence[ConfigHost],
        default_user: str,
        read_key: ReadKey | None,
    ) -> None:
        self.owner_id = owner_id
        self.listed = {each.name: each for each in listed}
        self.default_user = default_user
        self.read_key = read_key
        self.known = {host.name: host for host in hosts.within_reach(owner_id)}
        self.before = frozenset(self.known)
        self.result = Imported()

    def add(self, one: ConfigHost, via: tuple[str, ...]) -> Host:
        """Add *one* after the hosts it jumps through; *via* are those that wait for it."""
        if one.name in via:
            raise InvalidError(
                f"Its jump hosts lead in a circle: {' > '.join((*via, one.name))}.", field="jump"
            )
        if len(via) > MAX_JUMPS:
            raise InvalidError(f"More than {MAX_JUMPS} jump hosts in a row.", field="jump")
        return self._store(one, self._last_hop(one.jump, (*via, one.name)))

    def _last_hop(self, jump: str, via: tuple[str, ...]) -> Host | None:
        """Return the stop before a host; each one is reached through the one before it."""
        last: Host | None = None
        for hop in hops(jump):
            meant = self._meant(hop)
            last = self._near(meant, via) if last is None else self._behind(meant, last)
        return last

    def _meant(self, hop: Hop) -> ConfigHost:
        """Return the host that a stop names, as its user and port change it."""
        base = self._by_name(hop.name)
        if base is None:
            name = re.sub(r"[^\w.-]+", "-", hop.name).strip("-.")
            return ConfigHost(name, hop.name, hop.user, hop.port or 22, "", "")
        user, port = hop.user or self._user(base), hop.port or base.port
        if (user, port) == (self._user(base), base.port):
            return base
        return replace(base, name=_joined(base.name, user, str(port)), user=user, port=port)

    def _by_name(self, name: str) -> ConfigHost | None:
        stored = self.known.get(name)
        if name in self.listed and (stored is None or name not in self.before):
            return self.listed[name]
        if stored is None:
            return None
        return ConfigHost(stored.name, stored.address, stored.user, stored.port, "", "")

    def _near(self, one: ConfigHost, via: tuple[str, ...]) -> Host:
        """Return the first stop, stored now if it is new; it has its own way."""
        stored = self.known.get(one.name)
        if stored is None:
            return self.add(one, via)
        if self._is_at(stored, one):
            return stored
        other = replace(one, name=_joined(one.name, self._user(one), str(one.port)))
        return self.known.get(other.name) or self.add(other, via)

    def _behind(self, one: ConfigHost, before: Host) -> Host:
        """Return a later stop, reached through *before* whatever else the file says of it."""
        for name in (one.name, _joined(one.name, "via", before.name)):
            stored = self.known.get(name)
            if stored is None and name not in self.listed:
                return self._store(replace(one, name=name), before)
            if stored is not None and stored.jump_id == before.id and self._is_at(stored, one):
                return stored
        raise ConflictError(f"There is a host named {name} already.")

    def _is_at(self, stored: Host, one: ConfigHost) -> bool:
        at = (stored.address, stored.user, stored.port)
        return at == (one.address, self._user(one), one.port)

    def _user(self, one: ConfigHost) -> str:
        return one.user or self.default_user

    def _store(self, one: ConfigHost, before: Host | None) -> Host:
        if not self._user(one):
            raise InvalidError(f"No user is named for {one.name}. Add a line 'User NAME' to it.")
        draft = HostDraft(
            name=one.name,
            address=one.address,
            user=self._user(one),
            port=one.port,
            jump_id=before.id if before else None,
            secrets=self._key(one),
        )
        host = hosts.add(self.owner_id, draft)
        self.known[one.name] = host
        self.result.added.append(one.name)
        for keyword in one.unused:
            self.result.unused.setdefault(keyword, []).append(one.name)
        return host

    def _key(self, one: ConfigHost) -> dict[str, str | None]:
        if not one.identity_file or self.read_key is None:
            return {}
        try:
            text = self.read_key(one.identity_file)
            keys.load(text)
        except (OSError, UnicodeDecodeError) as error:
            self.result.keys.append((one.name, f"Its key could not be read: {error}"))
            return {}
        except InvalidError as error:
            self.result.keys.append((one.name, f"{one.identity_file}: {error}"))
            return {"key": text} if error.field == "passphrase" else {}
        return {"key": text}


def _joined(*words: str) -> str:
    return "-".join(words)[:MAX_NAME_CHARS]
