"""Hosts of an OpenSSH client configuration become ours, jump hosts first."""

import getpass
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from walissh.cli.hosts import parse_target
from walissh.errors import ConflictError, InvalidError
from walissh.react.host import Host
from walissh.ssh import keys
from walissh.ssh.config import ConfigHost
from walissh.store import hosts
from walissh.store.hosts import HostDraft


@dataclass(slots=True)
class Imported:
    """Names that were added, and a line for a person about each thing left out."""

    added: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def add_all(owner_id: str, listed: Sequence[ConfigHost]) -> Imported:
    """Add each host whose name is not taken; one that is wrong does not stop the others."""
    work = _Import(owner_id, {each.name: each for each in listed})
    for each in listed:
        if each.name in work.known:
            if each.name not in work.result.added:
                work.result.notes.append(f"{each.name}: left out, there is a host of this name.")
            continue
        try:
            work.add(each, ())
        except (InvalidError, ConflictError) as error:
            work.result.notes.append(f"{each.name}: left out. {error}")
    return work.result


class _Import:
    """One import: what the file lists, what is known by now, and what came of it."""

    def __init__(self, owner_id: str, listed: dict[str, ConfigHost]) -> None:
        self.owner_id = owner_id
        self.listed = listed
        self.known = {host.name: host for host in hosts.within_reach(owner_id)}
        self.result = Imported()

    def add(self, one: ConfigHost, via: tuple[str, ...]) -> Host:
        """Add *one* after the hosts it jumps through; *via* are those that wait for it."""
        if one.name in via:
            raise InvalidError(f"Its jump hosts lead in a circle: {' > '.join((*via, one.name))}.")
        draft = HostDraft(
            name=one.name,
            address=one.address,
            user=one.user or getpass.getuser(),
            port=one.port,
            jump_id=self._last_hop(one.jump, (*via, one.name)),
            secrets=self._key(one),
        )
        host = hosts.add(self.owner_id, draft)
        self.known[one.name] = host
        self.result.added.append(one.name)
        return host

    def _last_hop(self, jump: str, via: tuple[str, ...]) -> str | None:
        """Return the id of the hop before a host; of ``a,b`` that is b, reached through a."""
        before, _, last = jump.rpartition(",")
        name = last.strip().removeprefix("ssh://")
        if not name:
            return None
        if name in self.known:
            return self.known[name].id
        hop = self.listed.get(name) or _literal(name)
        return self.add(replace(hop, jump=before) if before else hop, via).id

    def _key(self, one: ConfigHost) -> dict[str, str | None]:
        if not one.identity_file:
            return {}
        try:
            text = Path(one.identity_file).read_text(encoding="utf-8")
            keys.load(text)
        except (OSError, UnicodeDecodeError) as error:
            self.result.notes.append(f"{one.name}: its key could not be read: {error}")
            return {}
        except InvalidError as error:
            self.result.notes.append(f"{one.name}: {one.identity_file}: {error}")
            return {"key": text} if error.field == "passphrase" else {}
        return {"key": text}


def _literal(target: str) -> ConfigHost:
    """Return the host that ``user@address:port`` stands for, named by its address."""
    user, address, port = parse_target(target)
    return ConfigHost(address, address, user, port, "", "")
