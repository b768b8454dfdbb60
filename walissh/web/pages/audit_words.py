"""What the audit page says of an event, one sentence for each kind."""

import re

from flask import Flask
from flask_babel import gettext

from walissh.store.audit_reads import Event, Names

ALL_KINDS = (
    "command",
    "output",
    "secret",
    "turn",
    "session",
    "host",
    "rule",
    "core_memory",
    "signed_in",
    "person",
)
"""What the page offers to narrow the trail to; an address may name any other kind."""


_WORKER = re.compile(r"\S+:\d+:[0-9a-f]{8}")  # as `walissh.identity.worker_name` makes them
_TERMINAL = "terminal:"


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(
        event_word=event_word, family_word=family_word, is_worker=is_worker
    )


def family_word(kind: str) -> str:
    """Return what several kinds of events are called together."""
    return {
        "command": gettext("commands"),
        "output": gettext("outputs"),
        "secret": gettext("hidden values"),
        "turn": gettext("turns"),
        "session": gettext("sessions"),
        "host": gettext("hosts"),
        "rule": gettext("rules"),
        "core_memory": gettext("core memory"),
        "signed_in": gettext("sign-ins"),
        "person": gettext("people"),
    }.get(kind, kind)


def event_word(event: Event, names: Names) -> str:
    """Return the sentence of one event."""
    who = actor_word(event.actor, names)
    host_id = event.fact("host")
    if not host_id and event.kind.startswith("host_"):
        host_id = event.subject
    values = {
        "who": who,
        "host": names.hosts.get(host_id) or event.fact("name") or gettext("a host"),
        "whom": names.people.get(event.subject) or gettext("somebody"),
        "code": event.fact("exit_code"),
        "what": _changes(event, names) if event.kind == "host_changed" else "",
    }
    pattern = (
        _command(event)
        or _output(event.kind)
        or _host(event.kind, values["what"])
        or _person(event.kind)
        or _other(event.kind)
    )
    return (pattern or _unknown(event.kind)) % values


def actor_word(actor: str, names: Names) -> str:
    """Return who did it: a person by name, a part of ours in words."""
    known = names.people.get(actor)
    if known:
        return known
    if is_worker(actor):
        return str(gettext("A worker"))
    if actor.startswith(_TERMINAL):
        login = actor.removeprefix(_TERMINAL)
        return str(gettext("%(name)s at the terminal", name=login))
    return {
        "agent": gettext("The agent"),
        "gate": gettext("The gate"),
        "upkeep": gettext("Upkeep"),
        "provider": gettext("The sign-in service"),
        "": gettext("Somebody"),
    }.get(actor, actor)


def is_worker(actor: str) -> bool:
    """Tell whether *actor* is a process of ours, by its name."""
    return _WORKER.fullmatch(actor) is not None


def _unknown(kind: str) -> str:
    return "%(who)s: " + kind.replace("_", " ").replace("%", "%%")


def _command(event: Event) -> str:
    if event.kind == "command_finished" and not event.fact("exit_code"):
        return str(gettext("%(who)s saw a command on %(host)s end."))
    if event.kind == "command_awaiting_approval" and event.actor not in ("agent", "gate"):
        return str(gettext("%(who)s edited a command for %(host)s; it waits for a decision."))
    return {
        "command_awaiting_approval": gettext(
            "%(who)s asked for a command on %(host)s; it waits for a decision."
        ),
        "command_approved": gettext("%(who)s let a command run on %(host)s."),
        "command_refused": gettext("%(who)s asked for a command on %(host)s; the gate refused it."),
        "command_denied": gettext("%(who)s denied a command on %(host)s."),
        "command_running": gettext("%(who)s began a command on %(host)s."),
        "command_finished": gettext(
            "%(who)s saw a command on %(host)s end with exit code %(code)s."
        ),
        "command_failed": gettext("%(who)s could not run a command on %(host)s."),
        "command_cancelled": gettext("%(who)s stopped a command on %(host)s."),
        "command_expired": gettext("%(who)s let a command on %(host)s expire; it never ran."),
        "command_unknown": gettext("%(who)s lost a command on %(host)s; its outcome is unknown."),
    }.get(event.kind, "")


def _output(kind: str) -> str:
    return {
        "cause_confirmed": gettext("%(who)s confirmed a cause on %(host)s; it became a case."),
        "output_flagged": gettext("An output on %(host)s gave orders; it was marked."),
        "output_called_harmless": gettext(
            "%(who)s called the orders in an output on %(host)s harmless."
        ),
        "output_revealed": gettext("%(who)s looked at a withheld output on %(host)s."),
        "secret_revealed": gettext("%(who)s looked at a hidden value of a session."),
    }.get(kind, "")


def _changes(event: Event, names: Names) -> str:
    """Return what was changed of a host, each value with the one before; "" if none is told."""
    before = event.facts.get("before")
    changed = before if isinstance(before, dict) else {}
    words = _field_words()
    told = [
        f"{words[name]} {_value(name, old, names)} → {_value(name, event.facts.get(name), names)}"
        for name, old in changed.items()
        if name in words
    ]
    if event.facts.get("secrets"):
        told.append(gettext("a secret"))
    return gettext(", ").join(told)


def _field_words() -> dict[str, str]:
    """Return the fields of a host that are told; its identity stands below the sentence."""
    return {
        "name": gettext("name"),
        "address": gettext("address"),
        "port": gettext("port"),
        "user": gettext("user"),
        "auth": gettext("log-in by"),
        "jump": gettext("jump host"),
        "groups": gettext("groups"),
        "stage": gettext("stage"),
        "encoding": gettext("encoding"),
        "gate": gettext("what runs unasked"),
    }


def _value(name: str, value: object, names: Names) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    text = "" if value is None else str(value)
    return (names.hosts.get(text, text) if name == "jump" else text) or "–"


def _host(kind: str, what: str) -> str:
    if kind == "host_changed" and what:
        return str(gettext("%(who)s changed the host %(host)s: %(what)s."))
    return {
        "host_added": gettext("%(who)s added the host %(host)s."),
        "host_changed": gettext("%(who)s changed the host %(host)s."),
        "host_removed": gettext("%(who)s removed the host %(host)s."),
        "host_key_trusted": gettext("%(who)s trusted the key of the host %(host)s."),
        "host_machine_changed": gettext("%(who)s met another machine at the host %(host)s."),
        "host_sudo_kept": gettext("%(who)s stored a sudo password for the host %(host)s."),
    }.get(kind, "")


def _person(kind: str) -> str:
    return {
        "person_created": gettext("%(whom)s was made known."),
        "person_role_changed": gettext("%(who)s gave %(whom)s another role."),
        "person_disabled": gettext("%(who)s lets %(whom)s in no more."),
        "person_enabled": gettext("%(who)s lets %(whom)s in again."),
        "password_set": gettext("%(who)s set a password for %(whom)s."),
        "signed_in": gettext("%(who)s signed in."),
        "sign_in_failed": gettext("A sign-in failed."),
        "link_used": gettext("%(who)s signed in by a link."),
        "browsers_revoked": gettext("%(who)s signed %(whom)s out of every browser."),
        "link_token_issued": gettext("A sign-in link was made for %(who)s."),
        "web_token_issued": gettext("%(who)s got into a browser."),
        "api_token_issued": gettext("An API token was made for %(who)s."),
        "link_token_revoked": gettext("A sign-in link of %(who)s was revoked."),
        "web_token_revoked": gettext("%(who)s signed out of a browser."),
        "api_token_revoked": gettext("An API token of %(who)s was revoked."),
        "link_token_ended": gettext("A sign-in link of %(who)s ended."),
        "web_token_ended": gettext("%(who)s signed out of a browser."),
        "api_token_ended": gettext("An API token of %(who)s ended."),
        "group_joined": gettext("%(whom)s was put into a group of people."),
        "group_left": gettext("%(whom)s left a group of people."),
    }.get(kind, "")


def _other(kind: str) -> str:
    return {
        "turn_done": gettext("A turn of %(who)s ended with an answer."),
        "turn_failed": gettext("A turn of %(who)s failed."),
        "turn_cancelled": gettext("%(who)s stopped a turn."),
        "turn_interrupted": gettext("A turn of %(who)s was interrupted."),
        "session_imported": gettext("%(who)s imported a session."),
        "session_removed": gettext("%(who)s deleted a session."),
        "session_read_only": gettext("%(who)s made a session read-only."),
        "session_writable": gettext("%(who)s let a session change machines again."),
        "rule_made": gettext("%(who)s put a rule of the gate in force."),
        "rule_revoked": gettext("%(who)s revoked a rule of the gate."),
        "core_memory_changed": gettext("%(who)s changed a block of core memory."),
        "core_memory_confirmed": gettext("%(who)s confirmed a change of core memory."),
        "core_memory_rejected": gettext("%(who)s rejected a change of core memory."),
        "core_memory_erased": gettext("%(who)s erased a version of core memory."),
    }.get(kind, "")
