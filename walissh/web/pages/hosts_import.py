"""Importing hosts from an OpenSSH client configuration, pasted or uploaded."""

import getpass
import re
from dataclasses import dataclass

from flask import Blueprint, make_response, render_template, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response

from walissh.errors import ConflictError, InvalidError
from walissh.ssh import config
from walissh.ssh.config import ConfigHost
from walissh.store import hosts
from walissh.store.hosts import HostDraft
from walissh.web import auth, i18n
from walissh.web.pages import answers

MAX_CHARS = 256 * 1024
MAX_HOSTS = 500
_HOP = re.compile(r"(?:(?P<user>[^@]+)@)?(?P<address>\[[^\]]+\]|[^:]+)(?::(?P<port>\d{1,5}))?")

blueprint = Blueprint("hosts_import", __name__, url_prefix="/hosts/import")
blueprint.before_request(auth.guard_page)


@blueprint.get("")
def page() -> str:
    """Show the form."""
    return render_template("hosts/import.html", text="", error="")


@blueprint.post("")
def read() -> Response:
    """Add every host of the configuration whose name is not taken."""
    text = _given()
    try:
        found = _read(text)
        added, refused = _add_all(found)
    except InvalidError as error:
        words = i18n.sentence(str(error))
        return make_response(render_template("hosts/import.html", text=text, error=words), 400)
    said = ngettext("%(num)s host was added.", "%(num)s hosts were added.", added)
    if refused:
        said += " " + gettext("Left out: %(names)s", names="; ".join(refused))
    return answers.go(url_for("hosts.page"), said=said)


def _given() -> str:
    upload = request.files.get("file")
    data = upload.read(MAX_CHARS) if upload else b""
    return data.decode("utf-8", "replace") or request.form.get("text", "")[:MAX_CHARS]


def _read(text: str) -> list[ConfigHost]:
    found = config.parse(text.replace("\0", ""))
    if not found:
        raise InvalidError("The text names no host: there is no line such as 'Host web1'.")
    return found[:MAX_HOSTS]


def _add_all(found: list[ConfigHost]) -> tuple[int, list[str]]:
    """Return how many were added, and what was left out and why."""
    plan = _Plan(
        {each.name: each for each in found},
        {host.name: host.id for host in hosts.within_reach(auth.person().id)},
    )
    before, refused = frozenset(plan.known), []
    for each in found:
        if each.name in before:
            refused.append(each.name)
        elif each.name not in plan.known:
            try:
                _add(each, plan)
            except (InvalidError, ConflictError) as error:
                refused.append(f"{each.name} ({i18n.sentence(str(error))})")
    return len(plan.known) - len(before), refused


@dataclass(frozen=True, slots=True)
class _Plan:
    """The hosts of the text by name, and the ids of those that are stored."""

    listed: dict[str, ConfigHost]
    known: dict[str, str]


def _add(one: ConfigHost, plan: _Plan, *, behind: str | None = None, depth: int = 0) -> str:
    """Store a host after those it jumps through; return its id."""
    if depth > hosts.MAX_JUMPS:
        raise InvalidError(f"More than {hosts.MAX_JUMPS} jump hosts in a row.", field="jump")
    jump_id = behind
    for hop in filter(None, (each.strip() for each in one.jump.split(","))):
        jump_id = _hop(hop, plan, behind=jump_id, depth=depth + 1)
    user = one.user or getpass.getuser()
    draft = HostDraft(one.name, one.address, user, port=one.port, jump_id=jump_id)
    plan.known[one.name] = hosts.add(auth.person().id, draft).id
    return plan.known[one.name]


def _hop(text: str, plan: _Plan, *, behind: str | None, depth: int) -> str:
    """Return the id of one hop of a ProxyJump, stored now if it is new."""
    if text in plan.known:
        return plan.known[text]
    if text in plan.listed:
        return _add(plan.listed[text], plan, behind=behind, depth=depth)
    found = _HOP.fullmatch(text)
    if found is None:
        raise InvalidError(f"{text!r} is not a jump host.", field="jump")
    address = found["address"].strip("[]")
    if address in plan.known:
        return plan.known[address]
    port = int(found["port"] or 22)
    return _add(
        ConfigHost(address, address, found["user"] or "", port, "", ""), plan, behind=behind
    )
