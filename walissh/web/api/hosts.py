"""Servers: what is said of them, contact, and trust in their keys."""

from collections.abc import Mapping
from datetime import datetime

from flask import Blueprint, current_app
from pydantic import Field

from walissh import wiring
from walissh.errors import InvalidError, NotFoundError
from walissh.react.circumstances import HostGate
from walissh.react.host import Auth
from walissh.react.host import Host as HostValue
from walissh.ssh import keys
from walissh.store import hosts
from walissh.store.hosts import SECRETS, HostDraft
from walissh.web import auth
from walissh.web.api import cursor, host_shapes, shapes
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import Body, PageQuery, Text
from walissh.web.patience import wait_for

blueprint = Blueprint("hosts", __name__)

LIMIT = "WALISSH_CHECK_LIMIT_S"
"""How long a call waits for the contact it asked for; a key of the app's configuration."""

CHECK_LIMIT_S = 15.0


class NewHost(Body):
    """A server to add; *jump* is the id or the name of another one."""

    name: Text
    address: Text
    user: Text
    port: int = 22
    auth: Auth = Auth.AUTO
    key: Text | None = None
    passphrase: Text | None = None
    password: Text | None = None
    sudo_password: Text | None = None
    jump: Text | None = None
    groups: list[Text] | None = None
    stage: Text | None = None
    encoding: Text | None = None
    gate: HostGate = Field(HostGate.USUAL, description="Empty: reading runs unasked.")


class HostChange(Body):
    """What to change; what is left out stays. null removes a secret or the jump host."""

    name: Text = ""
    address: Text = ""
    user: Text = ""
    port: int = 22
    auth: Auth = Auth.AUTO
    key: Text | None = None
    passphrase: Text | None = None
    password: Text | None = None
    sudo_password: Text | None = None
    jump: Text | None = None
    groups: list[Text] = Field(default_factory=list)
    stage: Text = ""
    encoding: Text = "utf-8"
    gate: HostGate = HostGate.USUAL


class Trust(Body):
    """Which key and which machine to trust; none means those seen last."""

    fingerprint: Text | None = None
    machine_id: Text | None = None


@blueprint.get("/hosts")
@declares({200: shapes.Page[host_shapes.Host]}, query=PageQuery, errors=())
def list_hosts(query: PageQuery) -> shapes.Page[host_shapes.Host]:
    """List the servers by name."""
    mine = hosts.within_reach(auth.person().id)
    after = cursor.name(query.cursor)
    rest = [each for each in mine if each.name > after]
    items = [_told(each, mine) for each in rest[: query.limit]]
    more = items[-1].name if len(rest) > query.limit else None
    return shapes.Page[host_shapes.Host](items=items, next=cursor.of_name(more))


@blueprint.post("/hosts")
@declares({201: host_shapes.Host}, body=NewHost, errors=(409,))
def add_host(body: NewHost) -> host_shapes.Host:
    """Add a server; its secrets are sealed and never shown again."""
    draft = HostDraft(
        name=body.name,
        address=body.address,
        user=body.user,
        port=body.port,
        auth=body.auth,
        jump_id=_jump_id(body.jump),
        groups=tuple(body.groups or ()),
        stage=body.stage or "",
        encoding=body.encoding or "utf-8",
        gate=body.gate,
        secrets=_secrets(body),
    )
    return _told(hosts.add(auth.person().id, draft))


@blueprint.get("/hosts/<id:host_id>")
@declares({200: host_shapes.Host})
def get_host(host_id: str) -> host_shapes.Host:
    """Return one server."""
    return _told(_mine(host_id))


@blueprint.patch("/hosts/<id:host_id>")
@declares({200: host_shapes.Host}, body=HostChange, errors=(404, 409))
def change_host(host_id: str, body: HostChange) -> host_shapes.Host:
    """Change a server; a new way to reach it needs a new look at its key."""
    host, given = _mine(host_id), body.model_fields_set
    draft = HostDraft(
        name=body.name if "name" in given else host.name,
        address=body.address if "address" in given else host.address,
        user=body.user if "user" in given else host.user,
        port=body.port if "port" in given else host.port,
        auth=body.auth if "auth" in given else host.auth,
        jump_id=_jump_id(body.jump) if "jump" in given else host.jump_id,
        groups=tuple(body.groups) if "groups" in given else host.groups,
        stage=body.stage if "stage" in given else host.stage,
        encoding=body.encoding if "encoding" in given else host.encoding,
        gate=body.gate if "gate" in given else host.gate,
        secrets=_secrets(body),
    )
    return _told(hosts.change(host_id, auth.person().id, draft))


@blueprint.delete("/hosts/<id:host_id>")
@declares({NOTHING: None}, errors=(404, 409))
def delete_host(host_id: str) -> tuple[None, int]:
    """Remove a server with its secrets; the journal keeps what ran on it."""
    hosts.remove(host_id, auth.person().id)
    return None, NOTHING


@blueprint.post("/hosts/<id:host_id>/test")
@declares({200: host_shapes.Check, 202: host_shapes.Check}, errors=(404, 503))
def test_host(host_id: str) -> tuple[host_shapes.Check, int]:
    """Make contact and say how it went; 202 if that takes longer than 15 s."""
    before = host_shapes.check(_mine(host_id))
    wiring.queue().check_host(host_id)
    seen_at = before.at if before else None
    now = wait_for(
        lambda: _later(host_id, seen_at), limit_s=current_app.config.get(LIMIT, CHECK_LIMIT_S)
    )
    return (host_shapes.Check(status="running"), 202) if now is None else (now, 200)


@blueprint.post("/hosts/<id:host_id>/trust")
@declares({200: host_shapes.Host}, body=Trust, errors=(404, 409))
def trust_host(host_id: str, body: Trust) -> host_shapes.Host:
    """Trust the key that the server showed last, and its machine, if they are those meant."""
    person_id = auth.person().id
    return _told(hosts.trust(host_id, person_id, body.fingerprint or "", body.machine_id or ""))


def _mine(host_id: str) -> HostValue:
    found = hosts.get(host_id, auth.person().id)
    if found is None:
        raise NotFoundError("There is no such host.")
    return found


def _later(host_id: str, seen_at: datetime | None) -> host_shapes.Check | None:
    """Return the last check of the host if it is another one than that of *seen_at*."""
    now = host_shapes.check(_mine(host_id))
    return now if now is not None and now.at != seen_at else None


def _told(host: HostValue, mine: list[HostValue] | None = None) -> host_shapes.Host:
    """Return the shape of a host; *mine* spares a query when it is at hand."""
    jump = None
    if host.jump_id is not None:
        reach = hosts.within_reach(host.owner_id) if mine is None else mine
        jump = next((each.name for each in reach if each.id == host.jump_id), None)
    return host_shapes.host(host, jump, hosts.secrets_of(host.id))


def _jump_id(wanted: str | None) -> str | None:
    """Return the id of the jump host that is meant by id or by name."""
    if not wanted:
        return None
    person_id = auth.person().id
    found = hosts.get(wanted, person_id) or hosts.find(wanted, person_id)
    if found is None:
        raise InvalidError(f"There is no host {wanted[:80]!r} to jump through.", field="jump")
    return found.id


def _secrets(body: NewHost | HostChange) -> Mapping[str, str | None]:
    """Return the secrets that were given; a key must open with the passphrase beside it."""
    named = {kind: host_shapes.secret_name(kind) for kind in SECRETS}
    given = {
        kind: getattr(body, name) for kind, name in named.items() if name in body.model_fields_set
    }
    if given.get("key"):
        keys.load(given["key"], given.get("passphrase"))
    return given
