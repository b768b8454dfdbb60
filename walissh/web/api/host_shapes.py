"""The JSON shapes of servers, made from values."""

from collections.abc import Iterable
from datetime import datetime

from pydantic import Field

from walissh.react.circumstances import HostGate
from walissh.react.host import Host as HostValue
from walissh.react.host import HostKey
from walissh.web.api.shape import Shape


class Check(Shape):
    """The last contact: ok, unknown_key, key_changed, machine_changed, failed; or running."""

    status: str
    phase: str = ""
    error: str = ""
    seen_fingerprint: str | None = None
    trusted_fingerprint: str | None = None
    seen_machine_id: str = ""
    machine_id: str = ""
    at: datetime | None = None


class Host(Shape):
    """A server; *secrets* names what is stored, never what it is."""

    id: str
    name: str
    address: str
    port: int
    user: str
    auth: str
    jump: str | None
    jump_id: str | None
    groups: list[str]
    stage: str
    encoding: str
    gate: HostGate
    secrets: list[str]
    revision: int
    trusted_fingerprint: str | None
    seen_fingerprint: str | None
    machine_id: str = Field(description="What the machine calls itself; empty if it does not.")
    seen_machine_id: str = Field(
        description="Another machine that answered since: nothing is run on it. none: no id."
    )
    check: Check | None
    created_at: datetime | None


def host(server: HostValue, jump: str | None, secrets: Iterable[str]) -> Host:
    """Tell a host; *jump* is its jump host's name."""
    return Host(
        id=server.id,
        name=server.name,
        address=server.address,
        port=server.port,
        user=server.user,
        auth=server.auth.value,
        jump=jump,
        jump_id=server.jump_id,
        groups=list(server.groups),
        stage=server.stage,
        encoding=server.encoding,
        gate=server.gate,
        secrets=sorted(map(secret_name, secrets)),
        revision=server.revision,
        trusted_fingerprint=_fingerprint(server.trusted_key),
        seen_fingerprint=_fingerprint(server.seen_key),
        machine_id=server.machine_id,
        seen_machine_id=server.seen_machine_id,
        check=check(server),
        created_at=server.created_at,
    )


def secret_name(kind: str) -> str:
    """Return the field by which a kind of secret comes in."""
    return {"sudo": "sudo_password"}.get(kind, kind)


def check(server: HostValue) -> Check | None:
    """Tell the last contact with a host, None if there was none."""
    if server.check is None or not server.check.status:
        return None
    return Check(
        status=server.check.status,
        phase=server.check.phase,
        error=server.check.error,
        seen_fingerprint=_fingerprint(server.seen_key),
        trusted_fingerprint=_fingerprint(server.trusted_key),
        seen_machine_id=server.seen_machine_id,
        machine_id=server.machine_id,
        at=server.check.at,
    )


def _fingerprint(key: HostKey | None) -> str | None:
    return None if key is None else key.fingerprint
