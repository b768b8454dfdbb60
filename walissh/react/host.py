"""Servers as the agent, the stores and the SSH driver know them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from walissh.react.circumstances import HostGate

NO_MACHINE = "none"
"""What stands for the id of a machine that tells none, where another one was known."""


class Auth(StrEnum):
    """How to log in. ``auto`` tries the stored key, the agent, then the password."""

    AUTO = "auto"
    KEY = "key"
    PASSWORD = "password"  # noqa: S105  the name of a method, not a secret
    AGENT = "agent"
    KEYBOARD_INTERACTIVE = "keyboard-interactive"


@dataclass(frozen=True, slots=True)
class HostKey:
    """A server's public host key: ``type base64`` and its ``SHA256:...`` fingerprint."""

    type: str
    base64: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The last contact: *status* is ok, unknown_key, key_changed, machine_changed or failed.

    *phase* and *error* are "" when it went well.
    """

    status: str
    phase: str
    error: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Host:
    """One server of one owner, without its secrets.

    *revision* grows with every edit of where or how it is reached or of its trusted
    key, so that a command proposed before the edit is never run after it. *machine_id* is
    what the machine called itself when it was first met under this key, "" if it never did;
    *seen_machine_id* is another one that answered since: the machine was rebuilt or swapped.
    """

    id: str
    owner_id: str
    name: str
    address: str
    port: int
    user: str
    auth: Auth
    jump_id: str | None = None
    groups: tuple[str, ...] = ()
    stage: str = ""
    encoding: str = "utf-8"
    gate: HostGate = HostGate.USUAL
    machine_id: str = ""
    seen_machine_id: str = ""
    revision: int = 1
    trusted_key: HostKey | None = None
    seen_key: HostKey | None = None
    check: HostCheck | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """All that is needed to log in to one host; *jump* is the hop before it.

    Holds plain secrets: lives in memory only, has no repr of them, is never stored.
    """

    host: Host
    private_key: str | None
    passphrase: str | None
    password: str | None
    jump: "Endpoint | None" = None

    def __repr__(self) -> str:
        return f"Endpoint({self.host.name!r})"
