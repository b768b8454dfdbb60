"""Servers: the list, one host, adding, changing and removing."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from flask import Blueprint, make_response, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response

from walissh import wiring
from walissh.errors import ConflictError, InvalidError, NotFoundError, QueueError
from walissh.react.circumstances import HostGate
from walissh.react.host import Auth, Host
from walissh.ssh import keys
from walissh.store import hosts
from walissh.store.hosts import HostDraft
from walissh.web import auth, i18n
from walissh.web.pages import answers

MAX_KEY_CHARS = 64 * 1024

blueprint = Blueprint("hosts", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/hosts")
def page() -> str:
    """List the person's hosts."""
    mine = hosts.within_reach(auth.person().id)
    return render_template("hosts/page.html", hosts=mine, names=_names(mine))


@blueprint.get("/hosts/new")
def new() -> str:
    """Show the empty form."""
    return _form(None, {})


@blueprint.post("/hosts")
def add() -> Response:
    """Store a new host, and try to reach it at once."""
    try:
        host = hosts.add(auth.person().id, _draft(removable=False))
    except (InvalidError, ConflictError) as error:
        return _refused(None, error)
    with suppress(QueueError):  # it is stored all the same
        wiring.queue().check_host(host.id)
    return answers.go(url_for("hosts.one", host_id=host.id, testing=stamp(host)))


@blueprint.get("/hosts/<host_id>")
def one(host_id: str) -> str:
    """Show one host: its keys, its last check, its form."""
    return _form(mine(host_id), {})


@blueprint.post("/hosts/<host_id>")
def change(host_id: str) -> Response:
    """Store what was changed; empty secret fields leave the stored ones as they are."""
    host = mine(host_id)
    try:
        draft = _draft(removable=True)
        if "gate" not in request.form:  # a form of an older page loosens nothing
            draft = replace(draft, gate=host.gate)
        hosts.change(host_id, auth.person().id, draft)
    except (InvalidError, ConflictError) as error:
        return _refused(host, error)
    return answers.go(url_for("hosts.one", host_id=host_id), said=gettext("Saved."))


@blueprint.get("/hosts/<host_id>/delete")
def confirm_delete(host_id: str) -> str:
    """Ask once more before a host is removed."""
    return render_template("hosts/delete.html", host=mine(host_id))


@blueprint.post("/hosts/<host_id>/delete")
def delete(host_id: str) -> Response:
    """Remove a host with its secrets; what was run on it stays in the journal."""
    hosts.remove(host_id, auth.person().id)
    return answers.go(url_for("hosts.page"), said=gettext("The host was removed."))


def stamp(host: Host) -> str:
    """Return what tells one check of a host from the next, "-" before the first."""
    return host.check.at.isoformat() if host.check else "-"


def mine(host_id: str) -> Host:
    """Return the person's host; raises NotFoundError."""
    found = hosts.get(host_id, auth.person().id)
    if found is None:
        raise NotFoundError("There is no such host.")
    return found


def _form(host: Host | None, typed: Mapping[str, str], error: str = "", field: str = "") -> str:
    all_hosts = hosts.within_reach(auth.person().id)
    return render_template(
        "hosts/one.html" if host else "hosts/new.html",
        host=host,
        before=request.args.get("testing", ""),
        trying=host is not None and request.args.get("testing") == stamp(host),
        typed={**_values(host), **typed},
        stored=hosts.secrets_of(host.id) if host else frozenset(),
        all_hosts=all_hosts,
        names=_names(all_hosts),
        ways=list(Auth),
        error=error,
        field=field,
    )


def _refused(host: Host | None, error: InvalidError | ConflictError) -> Response:
    # what was typed comes back, except for secrets
    typed = {name: value for name, value in request.form.items() if name not in hosts.SECRETS}
    field = error.field if isinstance(error, InvalidError) else "name"
    status = 400 if isinstance(error, InvalidError) else 409
    return make_response(_form(host, typed, i18n.sentence(str(error)), field), status)


def _values(host: Host | None) -> dict[str, str]:
    if host is None:
        return {"port": "22", "auth": Auth.AUTO.value, "encoding": "utf-8"}
    return {
        "name": host.name,
        "address": host.address,
        "port": str(host.port),
        "user": host.user,
        "auth": host.auth.value,
        "jump_id": host.jump_id or "",
        "groups": ", ".join(host.groups),
        "stage": host.stage,
        "encoding": host.encoding,
        "gate": host.gate.value,
    }


def _draft(*, removable: bool) -> HostDraft:
    form = request.form
    return HostDraft(
        name=form.get("name", "").strip(),
        address=form.get("address", "").strip(),
        user=form.get("user", "").strip(),
        port=_port(form.get("port", "").strip()),
        auth=_auth(form.get("auth", "")),
        jump_id=form.get("jump_id") or None,
        groups=tuple(each.strip() for each in form.get("groups", "").split(",") if each.strip()),
        stage=form.get("stage", "").strip(),
        encoding=form.get("encoding", "").strip() or "utf-8",
        gate=_gate(form.get("gate", "")),
        secrets=_secrets(removable),
    )


def _gate(text: str) -> HostGate:
    return HostGate(text) if text in list(HostGate) else HostGate.USUAL


def _port(text: str) -> int:
    if not text:
        return 22
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise InvalidError("The port must be from 1 to 65535.", field="port")
    return int(text)


def _auth(text: str) -> Auth:
    try:
        return Auth(text or "auto")
    except ValueError as error:
        raise InvalidError("There is no such way to log in.", field="auth") from error


def _secrets(removable: bool) -> dict[str, str | None]:
    """Return the secrets that were given; with a ticked box the stored one goes."""
    given: dict[str, str | None] = {}
    for kind in hosts.SECRETS:
        value = _uploaded() if kind == "key" else ""
        value = value or request.form.get(kind, "")
        if value.strip():
            given[kind] = value.replace("\r\n", "\n").strip() + "\n" if kind == "key" else value
        elif removable and request.form.get(f"remove_{kind}"):
            given[kind] = None
    key = given.get("key")
    if key:
        keys.load(key, given.get("passphrase"))  # says now what is wrong with it
    return given


def _uploaded() -> str:
    upload = request.files.get("key_file")
    if upload is None:
        return ""
    data = upload.read(MAX_KEY_CHARS + 1)
    try:
        text: str = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidError("The file is not a private key in text form.", field="key") from error
    if len(text) > MAX_KEY_CHARS:
        raise InvalidError("The file is too big to be a private key.", field="key")
    return text


def _names(all_hosts: list[Host]) -> dict[str, str]:
    return {each.id: each.name for each in all_hosts}
